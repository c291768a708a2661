#!/usr/bin/env bash
# Compares the wall time of generating manifests with similar tools, in the same run:
#   1. our `generate` with [crate.manifests], and controller-gen `crd rbac webhook`, on the Go packages of real projects;
#   2. our `manifests` on the kube-derive types of testdata/apis/kubederive and of the published crate gateway-api, and a program that
#      prints `Kind::crd()` of the same types: its rebuild after a change of the types is measured, building its dependencies is not.
#
# Usage: hack/bench/manifests.sh [RUNS]     (default 5, alternating; medians are printed)
# Needs cargo, Go and GNU time. KUBE_CODEGEN names a prebuilt optimized kube-codegen. The modules are downloaded the first time.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

export LC_ALL=C GOFLAGS="-mod=mod" GOTOOLCHAIN=local GOWORK=off
runs=${1:-5}
# Name, module, packages.
modules=(
	"jobset|sigs.k8s.io/jobset@v0.10.1|./api/jobset/..."
	"lws|sigs.k8s.io/lws@v0.7.0|./api/leaderworkerset/..."
	"kueue|sigs.k8s.io/kueue@v0.14.0|./apis/kueue/v1alpha1 ./apis/kueue/v1beta1"
)
target=${CARGO_TARGET_DIR:-$root/target}
tools=$target/bench
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
mkdir -p "$tools/bin"
find_generator --release
ours=$KUBE_CODEGEN
peer=$tools/bin/controller-gen
[[ -x $peer ]] || GOBIN=$tools/bin go install sigs.k8s.io/controller-tools/cmd/controller-gen@v0.21.0

# once NAME FOLDER COMMAND…: one run in a folder. Appends its seconds to $work/NAME.times. Starts no other program, since its time would be
# measured too.
once() {
	local name=$1 start
	cd "$2"
	shift 2
	start=$EPOCHREALTIME
	"$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }
	awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.4f\n", b - a }' >>"$work/$name.times"
}

# middle NAME: prints the median of a command's times.
middle() { sort -n "$work/$1.times" | sed -n "$(((runs + 1) / 2))p"; }

# report WHAT OURS PEER GOAL: prints the medians and the ratio of the peer's time to ours.
report() {
	awk -v what="$1" -v ours="$(middle "$2")" -v peer="$(middle "$3")" -v goal="$4" \
		'BEGIN { printf "%-28s %9.3f %9.3f %8.1f x   (goal %d x)\n", what, ours, peer, peer / ours, goal }'
}

package() { printf '[package]\nname = "%s"\nversion = "0.1.0"\nedition = "2024"\n' "$1"; }

printf '%-28s %9s %9s %10s\n' "seconds" ours peer "times"
for entry in "${modules[@]}"; do
	IFS='|' read -r name module packages <<<"$entry"
	dir=$(go mod download -json "$module" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
	tree=$work/$name
	mkdir -p "$tree/ours/src"
	cp -r "$dir/." "$tree/module" && chmod -R u+w "$tree/module" && rm -rf "$tree/module/vendor"
	package parity >"$tree/ours/Cargo.toml"
	touch "$tree/ours/src/lib.rs"
	paths=() listed=
	for package in $packages; do paths+=("paths=$package") listed+="\"$package\", "; done
	printf '[[crate]]\npath = "ours"\n[[crate.go]]\ndir = "../module"\npackages = [%s]\n[crate.manifests]\ncompat = "controller-gen"\n' \
		"$listed" >"$tree/codegen.toml"
	theirs=("$peer" crd rbac:roleName=manager-role webhook "${paths[@]}" output:dir="$tree/theirs")
	# An unmeasured run downloads dependencies and fills Go's build cache.
	(cd "$tree/module" && "${theirs[@]}") >"$work/log" 2>&1 || { echo "$name: controller-gen fails: $(head -1 "$work/log")"; continue; }
	for ((run = 0; run < runs; run++)); do
		# Remove the output, since existing files would only be compared.
		rm -rf "$tree/ours/config" "$tree/theirs"
		once "$name" "$tree" "$ours" manifests
		once "$name-peer" "$tree/module" "${theirs[@]}"
	done
	[[ -n $(find "$tree/ours/config" -name '*.yaml') ]] || { echo "$name: nothing was written"; exit 1; }
	report "$name, controller-gen" "$name" "$name-peer" 50
done

# rust_row NAME ARGUMENTS FILE KIND…: compares our `manifests ARGUMENTS` on the crate in $work/NAME with a program of the same files that
# prints the CRDs of the kinds. FILE is changed before each run of the program.
rust_row() {
	local name=$1 arguments=$2 changed=$3 program=$work/$1-program
	shift 3
	mkdir -p "$program"
	package "$name" >"$work/$name/Cargo.toml"
	cp "$root/Cargo.lock" "$program/"
	{
		package program
		cat <<-'TOML'
			[dependencies]
			delegate = "0.13"
			k8s-openapi = { version = "0.29", features = ["latest", "schemars"] }
			kube = { version = "5", default-features = false, features = ["derive"] }
			regex = { package = "regex-lite", version = "0.1" }
			schemars = "1"
			serde = { version = "1", features = ["derive"] }
			serde_json = "1"
			[workspace]
		TOML
	} >"$program/Cargo.toml"
	{
		cat "$work/$name/main.rs"
		printf 'fn main() {\n    let crds = [%s];\n' "$(printf '<%s as kube::CustomResourceExt>::crd(), ' "$@")"
		printf '    println!("{}", serde_json::to_string_pretty(&crds).unwrap());\n}\n'
	} >"$work/$name/src/main.rs"
	# Both use the same files.
	cp -r "$work/$name/src" "$program/"
	build() { CARGO_TARGET_DIR=$tools/kube-derive cargo run --quiet; }
	cd "$program"
	build >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
	for ((run = 0; run < runs; run++)); do
		rm -rf "$work/$name/config"
		# Unquoted, since these are several arguments.
		# shellcheck disable=SC2086
		once "$name" "$work/$name" "$ours" manifests $arguments
		echo "// $run" >>"$program/$changed"
		once "$name-peer" "$program" build
	done
	local written
	written=$(find "$work/$name/config" -name '*.yaml' | wc -l)
	[[ $written = "$#" ]] || { echo "$name: $written of $# CRDs were written"; exit 1; }
	report "$# kinds, kube-derive's crd()" "$name" "$name-peer" 100
}

version=src/apis/documents/v1
mkdir -p "$work/documents/$version"
cp "$root/testdata/apis/kubederive/$version/types.rs" "$work/documents/$version/"
printf 'mod types;\npub use types::*;\n' >"$work/documents/$version/mod.rs"
printf '#[path = "apis/documents/v1/types.rs"]\nmod types;\n' >"$work/documents/main.rs"
rust_row documents src/apis "$version/types.rs" types::{Document,Shelf,Card}

# The standard kinds of the Gateway API, from its published Rust crate.
mkdir -p "$work/fetch/src" "$work/gateway"
touch "$work/fetch/src/lib.rs"
{ package fetch; printf '[dependencies]\ngateway-api = "=0.22.0"\n[workspace]\n'; } >"$work/fetch/Cargo.toml"
published=$(cd "$work/fetch" && cargo metadata --quiet --format-version 1 | grep -o '"manifest_path":"[^"]*/gateway-api-0\.22\.0/Cargo.toml"' | cut -d'"' -f4)
cp -r "${published%/Cargo.toml}/src" "$work/gateway/"
rm -r "$work/gateway/src/lib.rs" "$work/gateway/src/apis/experimental"
printf 'mod apis;\nmod duration;\npub use duration::Duration;\nuse apis::standard::*;\n' >"$work/gateway/main.rs"
# The group belongs to Kubernetes, and the kinds lack the annotation for API approval.
rust_row gateway '--compat controller-gen src/apis/standard' src/apis/standard/httproutes.rs backendtlspolicies::BackendTlsPolicy \
	gatewayclasses::GatewayClass gateways::Gateway grpcroutes::GrpcRoute httproutes::HttpRoute listenersets::ListenerSet \
	referencegrants::ReferenceGrant tlsroutes::TlsRoute
