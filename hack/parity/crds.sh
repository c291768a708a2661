#!/usr/bin/env bash
# Compares CRDs made from Go types with controller-gen's, byte for byte, for the API packages of real projects.
#
#   hack/parity/crds.sh [NAME…]
#
# Both tools read the same packages, with the options of each project. The line of controller-gen's version annotation is set aside. Prints
# one line a module: CRDs, lines, differing lines, seconds of each tool; exits 1 if anything differs. The first lines of each difference follow
# the table. Needs Go, and a network the first time.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# Name, module, packages, options of controller-gen's crd generator, the same in codegen.toml.
modules=(
	"jobset|sigs.k8s.io/jobset@v0.10.1|./api/jobset/...|generateEmbeddedObjectMeta=true|embedded-object-meta = true"
	"lws|sigs.k8s.io/lws@v0.7.0|./api/leaderworkerset/...|generateEmbeddedObjectMeta=true|embedded-object-meta = true"
	"keda|github.com/kedacore/keda/v2@v2.21.0|./apis/...|crdVersions=v1,generateEmbeddedObjectMeta=true|embedded-object-meta = true"
	"cert-manager|github.com/cert-manager/cert-manager@v1.21.2|./pkg/apis/certmanager/v1 ./pkg/apis/acme/v1||"
	"velero|github.com/vmware-tanzu/velero@v1.18.3|./pkg/apis/velero/v1 ./pkg/apis/velero/v2alpha1|crdVersions=v1|"
	"kueue|sigs.k8s.io/kueue@v0.14.0|./apis/kueue/v1alpha1 ./apis/kueue/v1beta1|generateEmbeddedObjectMeta=true|embedded-object-meta = true"
	"cloudnative-pg|github.com/cloudnative-pg/cloudnative-pg@v1.27.1|./api/v1||"
	"prometheus-operator|github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring@v0.85.0|./v1 ./v1alpha1|crdVersions=v1|"
)
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
export GOFLAGS=-mod=mod GOTOOLCHAIN=local GO111MODULE=on
GOBIN=$work go install sigs.k8s.io/controller-tools/cmd/controller-gen@v0.21.0
cargo build -q --release -p codegen --manifest-path "$root/Cargo.toml"
ours_bin=${CARGO_TARGET_DIR:-$root/target}/release/kube-codegen
seconds() { awk -v from="$1" -v to="$2" 'BEGIN { printf "%.2f", (to - from) / 1e9 }'; }

failed=0
printf '%-22s %5s %8s %9s %14s %6s\n' module CRDs lines differing controller-gen ours
for entry in "${modules[@]}"; do
	IFS='|' read -r name module packages options toml <<<"$entry"
	[[ $# -eq 0 || " $* " == *" $name "* ]] || continue
	dir=$(go mod download -json "$module" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p') || dir=
	if [[ ! -d $dir ]]; then
		failed=1
		echo "== $name: $module cannot be downloaded" >>"$work/differences"
		continue
	fi
	tree=$work/$name
	mkdir -p "$tree/theirs" "$tree/ours/src" "$tree/module"
	cp -r "$dir/." "$tree/module" && chmod -R u+w "$tree/module"
	(cd "$tree/module" && rm -rf vendor go.work && go mod download -x >/dev/null 2>&1) || true
	paths=()
	for package in $packages; do paths+=("paths=$package"); done
	from=$(date +%s%N)
	(cd "$tree/module" && "$work/controller-gen" "crd${options:+:$options}" "${paths[@]}" output:crd:dir="$tree/theirs") >"$tree/theirs.log" 2>&1 || true
	between=$(date +%s%N)
	sed -i '/^    controller-gen.kubebuilder.io\/version: /d' "$tree"/theirs/*.yaml 2>/dev/null || true
	# Annotations that held nothing else.
	sed -i -e '/^  annotations:$/{N;/\n    /!s/^[^\n]*\n//}' "$tree"/theirs/*.yaml 2>/dev/null || true
	printf '[package]\nname = "parity"\nversion = "0.1.0"\nedition = "2024"\n' >"$tree/ours/Cargo.toml"
	touch "$tree/ours/src/lib.rs"
	listed=$(for package in $packages; do printf '"%s", ' "$package"; done)
	printf '[[crate]]\npath = "ours"\n[[crate.go]]\ndir = "../module"\npackages = [%s]\n[crate.manifests]\ncrds = "crds"\nroles = ""\nwebhooks = ""\ncompat = "controller-gen"\n%s\n' \
		"$listed" "$toml" >"$tree/codegen.toml"
	before=$(date +%s%N)
	(cd "$tree" && "$ours_bin" generate) >"$tree/ours.log" 2>&1 || { failed=1; grep -A4 '^error' "$tree/ours.log" | head -20 >>"$work/differences" || true; }
	after=$(date +%s%N)
	mkdir -p "$tree/ours/crds"
	lines=$(cat "$tree"/theirs/*.yaml 2>/dev/null | wc -l)
	differ=$(diff -rN "$tree/theirs" "$tree/ours/crds" | grep -c '^[<>]' || true)
	if [[ $lines -eq 0 ]]; then
		failed=1
		{ echo "== $name: controller-gen wrote nothing"; tail -5 "$tree/theirs.log"; } >>"$work/differences"
	elif [[ $differ -gt 0 ]]; then
		failed=1
		{ echo "== $name"; diff -rN "$tree/theirs" "$tree/ours/crds" | head "-${PARITY_LINES:-12}" || true; } >>"$work/differences"
	fi
	printf '%-22s %5d %8d %9d %14s %6s\n' "$name" "$(find "$tree/theirs" -name '*.yaml' | wc -l)" "$lines" "$differ" \
		"$(seconds "$from" "$between")" "$(seconds "$before" "$after")"
done
[[ ! -s $work/differences ]] || cat "$work/differences"
exit "$failed"
