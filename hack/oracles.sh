#!/usr/bin/env bash
# Compares what client-go and controller-runtime decide with the verdicts that tests of the runtime hold to, and where the runtime decides
# otherwise on purpose (docs/webhooks.md) with what it differs from.
#
#   hack/oracles.sh            run the programs in hack/oracles, and compare their lines with hack/oracles/*.txt
#   hack/oracles.sh --update   write these files
#
# Run it by hand after raising the version in hack/oracles/go.mod. Needs Go, and the Go module proxy the first time.
set -euo pipefail
# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
command -v go >/dev/null || skip "no Go toolchain"
cd "$root/hack/oracles"

# The operator of docs/migrating-from-controller-runtime.md, which is compiled alone.
go vet ./website

differ=0
for program in clientgo webhooks; do
  said=$(go run "./$program" 2>&1)
  case ${1:-} in
    --update) printf '%s\n' "$said" >"$program.txt" ;;
    *) diff -u --label "$program.txt" --label "$program" "$program.txt" <(printf '%s\n' "$said") || differ=1 ;;
  esac
done
if ((differ)); then
  echo "verdicts differ: check the tests that hold to them, then run hack/oracles.sh --update" >&2
fi
exit $differ
