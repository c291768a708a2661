#!/usr/bin/env bash
# Tries each rule of testdata/rules/rules.tsv on the real kube-apiserver, within a CRD of the schema beside it, and compares the
# verdict and the reason with the table. The generator's tests hold its own verdicts to the same table.
#
# A row is: where the rule stands (`[]` for items and values), accepted or refused, a text of the refusal, the rule, and
# perhaps a messageExpression.
#
#   hack/rules.sh            compare, on a server of its own
#   hack/rules.sh --update   write what the server says into the table: verdicts, and the factors of costs
#
# Needs jq, python3, and what hack/envtest.sh needs.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if [[ -z ${RULES_ON_SERVER:-} ]]; then
  RULES_ON_SERVER=1 exec "$root/hack/envtest.sh" run -- "${BASH_SOURCE[0]}" "$@"
fi

find_kubectl
export KUBECTL
python3 "$root/hack/rules/try.py" "$root/testdata/rules" "$@"
