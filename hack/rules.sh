#!/usr/bin/env bash
# Tries each CEL rule of testdata/rules/rules.tsv on the real kube-apiserver, in a CRD with the schema next to the table, and compares the
# verdict and the reason with the table. The generator's tests check its own verdicts against the same table.
#
# Columns: the path of the rule (`[]` for items and values), accepted or refused, part of the error message, the rule, and
# optionally a messageExpression.
#
#   hack/rules.sh            compare, on a new server
#   hack/rules.sh --update   write the server's verdicts and cost factors to the table
#
# Needs jq, python3, and the requirements of hack/envtest.sh.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if [[ -z ${RULES_ON_SERVER:-} ]]; then
  RULES_ON_SERVER=1 exec "$root/hack/envtest.sh" run -- "${BASH_SOURCE[0]}" "$@"
fi

find_kubectl
export KUBECTL
python3 "$root/hack/rules/try.py" "$root/testdata/rules" "$@"
