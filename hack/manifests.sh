#!/usr/bin/env bash
# Holds the generated CRDs to the real kube-apiserver: each is accepted, and read back as it was written, but for what the
# server adds (spec.conversion).
#
#   hack/manifests.sh           all CRDs of this repository, on a server of its own
#   hack/manifests.sh FILE…     these
#
# Needs jq, and what hack/envtest.sh needs.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if [[ -z ${MANIFESTS_ON_SERVER:-} ]]; then
  files=("$@")
  if [[ ${#files[@]} -eq 0 ]]; then
    files=("$root"/testdata/expected/*/config/crd/bases/*.yaml "$root"/controllers/*/deploy/crd.yaml)
  fi
  MANIFESTS_ON_SERVER=1 exec "$root/hack/envtest.sh" run -- "${BASH_SOURCE[0]}" "${files[@]}"
fi

find_kubectl
failed=0
spec='.spec | del(.conversion)'
for file in "$@"; do
  if ! said=$("$KUBECTL" create -f "$file" -o json 2>&1); then
    echo "refused: $file: $said"
    failed=$((failed + 1))
    continue
  fi
  written=$("$KUBECTL" create -f "$file" --dry-run=client -o json --validate=false)
  if ! difference=$(diff <(jq -S "$spec" <<<"$written") <(jq -S "$spec" <<<"$said")); then
    echo "read back otherwise: $file"
    echo "$difference"
    failed=$((failed + 1))
  fi
  "$KUBECTL" delete -f "$file" >/dev/null
done
echo "$# CRDs, $failed not accepted as they are"
[[ $failed -eq 0 ]]
