#!/usr/bin/env bash
# Compares whole-process wall time, processor time and peak memory of generating types and deepcopy from the Go API packages of real modules
# with controller-gen's deepcopy functions for the same packages, in the same run.
#
# Usage: hack/bench/go.sh [RUNS]     (default 5, alternating; medians are printed)
# Needs cargo, go and GNU time; builds the tools below target/bench ($KUBE_CODEGEN names a prebuilt generator), and uses the modules
# downloaded by hack/go-corpus.sh. controller-gen type-checks imports, so dependencies are downloaded too: hundreds of megabytes.
set -euo pipefail
# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
cd "$root"

runs="${1:-5}"
controller_tools_version=v0.21.0
modules=(jobset lws kueue cert-manager)
target="${CARGO_TARGET_DIR:-$root/target}"
tools="$target/bench"
work="$(mktemp -d)"
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
mkdir -p "$tools/bin"
. hack/bench/measure.sh

find_generator --release
ours=$KUBE_CODEGEN
hack/go-corpus.sh --download
export GOMODCACHE="${GO_CORPUS_CACHE:-$target/go-corpus/mod}" GOFLAGS="-modcacherw -mod=mod" GOWORK=off
peer="$tools/bin/controller-gen"
if command -v go >/dev/null && [ ! -x "$peer" ]; then
  GOMODCACHE= GOFLAGS= GOBIN="$tools/bin" go install "sigs.k8s.io/controller-tools/cmd/controller-gen@$controller_tools_version" || true
fi
[ -x "$peer" ] || { echo "controller-gen cannot be built here; only ours is measured"; peer=; }

heading
for name in "${modules[@]}"; do
  IFS=$'\t' read -r _ module packages _ < <(grep "^$name	" hack/go-corpus/modules.tsv)
  read -ra packages <<<"$packages"
  # controller-gen needs a writable folder.
  cp -r "$GOMODCACHE/$(sed -E 's/([A-Z])/!\L\1/g' <<<"$module")" "$work/$name"
  chmod -R u+w "$work/$name"
  paths=$(IFS=';'; echo "${packages[*]}")
  measured=$peer
  if [ -n "$peer" ]; then
    # An unmeasured run downloads dependencies and fills Go's build cache. A module that needs a later Go is left out.
    mkdir -p "$work/out"
    (cd "$work/$name" && "$peer" object "paths=$paths" output:dir="$work/out" >"$work/log" 2>&1) || { echo "$name: controller-gen fails: $(head -1 "$work/log")"; measured=; }
  fi
  for ((run = 0; run < runs; run++)); do
    once "$name" env -C "$work/$name" "$ours" go "${packages[@]}" --emit types,deepcopy --output "$work/out"
    if [ -n "$measured" ]; then
      once "$name-controller-gen-object" env -C "$work/$name" "$peer" object "paths=$paths" output:dir="$work/out"
    fi
  done
  report "$name" ${measured:+"$name-controller-gen-object"}
done
