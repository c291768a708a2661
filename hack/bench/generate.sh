#!/usr/bin/env bash
# Compares whole-process wall time and peak memory of generation with similar tools, in the same run:
#   1. our `groups all` on the VirtualMachine API, and Go's deepcopy-, register-, client-, lister- and informer-gen on the
#      same API in Go (k8s.io/code-generator, pinned in hack/bench/generate/go.mod);
#   2. our `crd` on the CRDs of testdata/crds, and one kopium process per CRD.
#
# Usage: hack/bench/generate.sh [RUNS]     (default 5, alternating; medians are printed)
# Needs cargo, go and GNU time; builds the tools below target/bench. A tool that cannot be built is left out, with a message.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

runs="${1:-5}"
target="${CARGO_TARGET_DIR:-$PWD/target}"
tools="$target/bench"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
mkdir -p "$tools/bin"
. hack/bench/measure.sh
. hack/bench/kopium.sh

cargo build --quiet --release -p kube-codegen
ours="$target/release/kube-codegen"

# 1. One small API.
apis="$PWD/testdata/apis/virtualmachine"
mkdir -p "$work/crate"
cp -r "$apis/src" "$work/crate/"
groups=(env -C "$work/crate" "$ours" groups all src/generated src/apis cloudnative:v1alpha1)
if command -v go >/dev/null; then
  cp -r hack/bench/generate "$work/go"
  (
    cd "$work/go"
    for generator in deepcopy register client lister informer; do
      go build -o "$tools/bin/" "k8s.io/code-generator/cmd/$generator-gen"
    done
    : >"$work/boilerplate"
    cat >"$work/generate-go.sh" <<GO
set -e
api=example.test/bench/apis/cloudnative/v1alpha1
flags="--go-header-file $work/boilerplate"
"$tools/bin/deepcopy-gen" \$flags --output-file zz_generated.deepcopy.go \$api
"$tools/bin/register-gen" \$flags --output-file zz_generated.register.go \$api
"$tools/bin/client-gen" \$flags --clientset-name versioned --input-base "" --input \$api --output-dir out/clientset --output-pkg example.test/bench/out/clientset
"$tools/bin/lister-gen" \$flags --output-dir out/listers --output-pkg example.test/bench/out/listers \$api
"$tools/bin/informer-gen" \$flags --versioned-clientset-package example.test/bench/out/clientset/versioned --listers-package example.test/bench/out/listers --output-dir out/informers --output-pkg example.test/bench/out/informers \$api
GO
    # An unmeasured run fills Go's build cache.
    bash "$work/generate-go.sh"
    for _ in $(seq "$runs"); do
      once kube-codegen-groups "${groups[@]}"
      once go-generators bash "$work/generate-go.sh"
    done
  )
  peer=go-generators
else
  echo "no Go toolchain: the Go generators are left out"
  for _ in $(seq "$runs"); do once kube-codegen-groups "${groups[@]}"; done
  peer=
fi
heading
report kube-codegen-groups ${peer:+"$peer"}

# 2. The CRDs of four projects.
mapfile -t crds < <(find testdata/crds testdata/bench -name '*.yaml' | sort)
crd=("$ours" crd "${crds[@]}" --output "$work/out" --emit types)
if find_kopium "$target"; then
  cat >"$work/kopium.sh" <<KOPIUM
for crd in "\$@"; do "$KOPIUM" --docs --derive Default --derive PartialEq -f "\$crd" >"$work/out/\$(basename "\$crd").rs" || echo "\$crd" >>"$work/kopium-failed"; done
KOPIUM
  for _ in $(seq "$runs"); do
    once kube-codegen-crd "${crd[@]}"
    once kopium bash "$work/kopium.sh" "${crds[@]}"
  done
  [ ! -f "$work/kopium-failed" ] || echo "kopium failed on $(sort -u "$work/kopium-failed" | wc -l) of ${#crds[@]} CRDs"
  peer=kopium
else
  echo "kopium $kopium_version cannot be built: left out"
  for _ in $(seq "$runs"); do once kube-codegen-crd "${crd[@]}"; done
  peer=
fi
report kube-codegen-crd ${peer:+"$peer"}
