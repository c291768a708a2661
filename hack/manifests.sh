#!/usr/bin/env bash
# Checks the generated CRDs with the real kube-apiserver: it must accept each of them and return it unchanged, except for
# fields that it adds (spec.conversion). If there is a sample next to the folder of a CRD (testdata/parity/*/sample.yaml), it must be
# stored and returned unchanged, and each line of its mutations.tsv must have the stated result. Columns: verb, verdict, JSON merge
# patch of the sample, part of the error message.
#
#   hack/manifests.sh           all CRDs of this repository, on a new server
#   hack/manifests.sh FILE…     only these
#
# Needs jq, and the requirements of hack/envtest.sh.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if [[ -z ${MANIFESTS_ON_SERVER:-} ]]; then
  files=("$@")
  if [[ ${#files[@]} -eq 0 ]]; then
    files=("$root"/testdata/expected/*/config/crd/bases/*.yaml "$root"/testdata/parity/*/crds/*.yaml "$root"/controllers/*/deploy/crd.yaml)
  fi
  MANIFESTS_ON_SERVER=1 exec "$root/hack/envtest.sh" run -- "${BASH_SOURCE[0]}" "${files[@]}"
fi

find_kubectl
failed=0 samples=0 mutations=0
fail() {
  echo "$*"
  failed=$((failed + 1))
}


# Stores the sample and applies each mutation to the original sample.
behave() {
  local sample=$1 table=$2 sent got verb expected patch text said object
  sent=$("$KUBECTL" create -f "$sample" --dry-run=client --validate=false -o json)
  samples=$((samples + 1))
  if ! got=$("$KUBECTL" create -f "$sample" -o json 2>&1); then
    fail "refused: $sample: $got"
    return
  fi
  diff <(jq -S .spec <<<"$sent") <(jq -S .spec <<<"$got") || fail "changed by the round trip: $sample"
  while IFS=$'\t' read -r verb expected patch text; do
    mutations=$((mutations + 1))
    if [[ $verb == create ]]; then
      # Unlike a merge patch, jq's `*` keeps null.
      object=$(jq --argjson patch "$patch" 'def merge($p): if ($p | type) == "object" then reduce ($p | keys_unsorted[]) as $k ((if type == "object" then . else {} end); if $p[$k] == null then del(.[$k]) else .[$k] |= merge($p[$k]) end) else $p end; merge($patch) | .metadata.name = "mutated"' <<<"$sent")
      if said=$("$KUBECTL" create --dry-run=server --validate=strict -f - <<<"$object" 2>&1); then got=accepted; else got=refused; fi
    else
      if said=$("$KUBECTL" patch -f "$sample" --dry-run=server --type=merge -p "$patch" 2>&1); then got=accepted; else got=refused; fi
    fi
    if [[ $got != "$expected" || $said != *"$text"* ]]; then
      fail "$got: $table: $verb $patch: $said"
    fi
  done <"$table"
}

spec='.spec | del(.conversion)'
for file in "$@"; do
  if ! said=$("$KUBECTL" create -f "$file" -o json 2>&1); then
    fail "refused: $file: $said"
    continue
  fi
  written=$("$KUBECTL" create -f "$file" --dry-run=client -o json --validate=false)
  if ! difference=$(diff <(jq -S "$spec" <<<"$written") <(jq -S "$spec" <<<"$said")); then
    fail "changed by the round trip: $file"
    echo "$difference"
  fi
  sample=$(dirname "$file")/../sample.yaml
  if [[ -f $sample ]]; then
    "$KUBECTL" wait --for=condition=Established --timeout=30s -f "$file" >/dev/null
    behave "$sample" "$(dirname "$sample")/mutations.tsv"
  fi
  "$KUBECTL" delete -f "$file" >/dev/null
done
echo "$# CRDs, $samples samples, $mutations mutations, $failed failures"
[[ $failed -eq 0 ]]
