#!/usr/bin/env bash
# Whole-process wall time and peak memory of generation from the Go API packages of real modules, side by side with
# controller-gen's deepcopy and CRD generation from the same packages in the same run.
#
# Usage: hack/bench/go.sh [RUNS]     (default 5, ours and the peer's in turn; medians are printed)
# Needs cargo, go and GNU time; builds what it measures below target/bench, and takes the modules that hack/go-corpus.sh has
# downloaded. controller-gen type-checks what a package imports, so its dependencies are downloaded too: hundreds of megabytes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

export LC_ALL=C
runs="${1:-5}"
controller_tools_version=v0.21.0
modules=(jobset lws kueue cert-manager)
target="${CARGO_TARGET_DIR:-$PWD/target}"
tools="$target/bench"
work="$(mktemp -d)"
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
mkdir -p "$tools/bin"
command -v /usr/bin/time >/dev/null || { echo "GNU time is missing: apt-get install time" >&2; exit 2; }

cargo build --quiet --release -p codegen
ours="$target/release/kube-codegen"
hack/go-corpus.sh --download
export GOMODCACHE="${GO_CORPUS_CACHE:-$target/go-corpus/mod}" GOFLAGS="-modcacherw -mod=mod" GOWORK=off
peer="$tools/bin/controller-gen"
if command -v go >/dev/null && [ ! -x "$peer" ]; then
  GOMODCACHE= GOFLAGS= GOBIN="$tools/bin" go install "sigs.k8s.io/controller-tools/cmd/controller-gen@$controller_tools_version" || true
fi
[ -x "$peer" ] || { echo "controller-gen cannot be built here; only ours is measured"; peer=; }

# once NAME COMMAND…: one run; its seconds and KiB go to $work/NAME.times.
once() {
  local name="$1"; shift
  local start=$EPOCHREALTIME
  /usr/bin/time -o "$work/kib" -f %M "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }
  local end=$EPOCHREALTIME
  awk -v a="$start" -v b="$end" -v m="$(tail -1 "$work/kib")" 'BEGIN { printf "%.4f %d\n", b - a, m }' >>"$work/$name.times"
}

# middle NAME COLUMN: the median of a column of a command's times.
middle() {
  local count; count=$(wc -l <"$work/$1.times")
  cut -d' ' -f"$2" "$work/$1.times" | sort -n | sed -n "$(((count + 1) / 2))p"
}

# report NAME: the medians of one command.
report() {
  printf '%-34s %8.3f s %8.1f MiB\n' "$1" "$(middle "$1" 1)" "$(awk -v kib="$(middle "$1" 2)" 'BEGIN { print kib / 1024 }')"
}

for name in "${modules[@]}"; do
  IFS=$'\t' read -r _ module packages _ < <(grep "^$name	" hack/go-corpus/modules.tsv)
  read -ra packages <<<"$packages"
  # controller-gen wants a folder that it may write to.
  cp -r "$GOMODCACHE/$(sed -E 's/([A-Z])/!\L\1/g' <<<"$module")" "$work/$name"
  chmod -R u+w "$work/$name"
  paths=$(IFS=';'; echo "${packages[*]}")
  measured=$peer
  if [ -n "$peer" ]; then
    # Once unmeasured: dependencies and Go's build cache. A module that needs a later Go is left out.
    (cd "$work/$name" && "$peer" object "paths=$paths" output:dir="$work/out" >"$work/log" 2>&1) || { echo "$name: controller-gen fails: $(head -1 "$work/log")"; measured=; }
  fi
  for ((run = 0; run < runs; run++)); do
    once "$name" env -C "$work/$name" "$ours" go "${packages[@]}" --emit types --output "$work/ours"
    if [ -n "$measured" ]; then
      once "$name-controller-gen-object" env -C "$work/$name" "$peer" object "paths=$paths" output:dir="$work/out"
    fi
  done
  report "$name"
  if [ -n "$measured" ]; then
    report "$name-controller-gen-object"
    awk -v ours="$(middle "$name" 1)" -v peer="$(middle "$name-controller-gen-object" 1)" 'BEGIN { printf "controller-gen takes %.1f times as long\n", peer / ours }'
  fi
done
