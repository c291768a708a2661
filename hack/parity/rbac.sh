#!/usr/bin/env bash
# Compares roles and webhook configurations with controller-gen's, byte for byte, for the markers of real projects.
#
#   hack/parity/rbac.sh [MODULE@VERSION…]
#
# Each module is read whole, by both tools. Prints one line a module; exits 1 if any line of any file differs. Needs Go.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
modules=("$@")
[[ $# -gt 0 ]] || modules=(
	sigs.k8s.io/controller-tools@v0.21.0:pkg/rbac/testdata
	sigs.k8s.io/jobset@v0.10.1
	sigs.k8s.io/lws@v0.7.0
	sigs.k8s.io/kueue@v0.14.0
	github.com/kedacore/keda/v2@v2.21.0
	github.com/cloudnative-pg/cloudnative-pg@v1.27.1
	sigs.k8s.io/cluster-api@v1.14.2
	github.com/vmware-tanzu/velero@v1.18.3
)
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
export GOFLAGS=-mod=mod GOTOOLCHAIN=local GO111MODULE=on
GOBIN=$work go install sigs.k8s.io/controller-tools/cmd/controller-gen@v0.21.0
cargo build -q -p codegen --example crate_markers --manifest-path "$root/Cargo.toml"
ours_bin=${CARGO_TARGET_DIR:-$root/target}/debug/examples/crate_markers

differing=0
printf '%-48s %6s %8s %7s %9s %s\n' module rules webhooks lines differing strict
for spec in "${modules[@]}"; do
	module=${spec%%:*} below=.
	[[ $spec != *:* ]] || below=${spec#*:}
	dir=$(go mod download -json "$module" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
	tree=$work/tree && rm -rf "$tree" && mkdir -p "$tree" "$work"/{theirs,ours} && rm -f "$work"/{theirs,ours}/*
	cp -r "$dir/$below/." "$tree" && chmod -R u+w "$tree"
	# Only syntax matters: without requirements nothing else is downloaded, and imports that are missing are of no concern.
	rm -rf "$tree/vendor" "$tree/go.sum" "$tree/go.work"
	printf 'module %s\n\ngo 1.24\n' "${module%@*}" >"$tree/go.mod"
	(cd "$tree" && GOPROXY=off GOFLAGS=-mod=mod "$work/controller-gen" rbac:roleName=manager-role webhook paths=./... \
		output:rbac:dir="$work/theirs" output:webhook:dir="$work/theirs" >"$work/log" 2>&1) || true
	(cd "$tree" && GOPROXY=off go list -e -find -f '{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}' ./... 2>/dev/null) |
		sed '/^$/d' >"$work/files"
	counts=$("$ours_bin" "$work/ours" controller-gen <"$work/files") || { differing=1; echo "$module: refused"; continue; }
	strict=accepted
	mkdir -p "$work/strict"
	"$ours_bin" "$work/strict" strict <"$work/files" >/dev/null 2>"$work/errors" || strict="$(grep -c '^error: ' "$work/errors") errors"
	lines=$(cat "$work/theirs"/* 2>/dev/null | wc -l)
	differ=$(diff -r "$work/theirs" "$work/ours" | grep -c '^[<>O]' || true)
	[[ $lines -gt 0 ]] || { echo "$module: controller-gen wrote nothing"; tail -5 "$work/log"; differing=1; }
	[[ $differ -eq 0 ]] || { differing=1; diff -r "$work/theirs" "$work/ours" | head -20; }
	read -r rules webhooks <<<"$counts"
	printf '%-48s %6d %8d %7d %9d %s\n' "${module%@*}" "$rules" "$webhooks" "$lines" "$differ" "$strict"
done
exit "$differing"
