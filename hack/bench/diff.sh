#!/usr/bin/env bash
# Measures `kube-codegen diff` of the corpus of real CRDs against itself with one change in each CRD: a text gets a maximum length.
#
# Usage: hack/bench/diff.sh [RUNS]     (default 5; medians are printed)
# Needs cargo and GNU time, and the archive of real CRDs next to the project or in $CORPUS. KUBE_CODEGEN names a prebuilt optimized program.
set -euo pipefail
# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

runs=${1:-5}
target=${CARGO_TARGET_DIR:-$root/target}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source=hack/bench/measure.sh
. "$root/hack/bench/measure.sh"

unpack_corpus "$target" || skip "no archive of real CRDs"
find_generator --release
ours=$KUBE_CODEGEN

# Changes the last text in the schemas of a file that has no maximum: `type` ends a mapping, as generators sort keys.
change='
  { lines[NR] = $0; match($0, /^ */); depth[NR] = RLENGTH }
  /^ *openAPIV3Schema:/ { within = 1 }
  /^ *subresources:/ { within = 0 }
  { for (d in bounded) if (d > depth[NR]) delete bounded[d] }
  /^ *maxLength:/ { bounded[depth[NR]] = 1 }
  candidate && depth[NR] < depth[candidate] { last = candidate }
  { candidate = within && /^ *type: string$/ && !(depth[NR] in bounded) ? NR : 0 }
  END {
    for (i = 1; i <= NR; i++) {
      print lines[i]
      if (i == last) printf "%*smaxLength: 1\n", depth[i], ""
    }
  }'
mkdir "$work/changed"
find "$public/corpus" -name '*.yaml' | while read -r file; do
  awk "$change" "$file" >"$work/changed/$(basename "$file")"
done

# The exit code 1 says that something is incompatible.
compare() { "$ours" diff "$public/corpus" "$work/changed" --json >"$work/found.json" || [[ $? -eq 1 ]]; }
export -f compare
export ours public work
for ((run = 0; run < runs; run++)); do
  once diff bash -c compare
done
jq -r '"\(.summary.incompatible) incompatible changes, \(.summary.risk) risks, in \([.findings[].crd] | unique | length) CRDs"' "$work/found.json"
heading
report diff
