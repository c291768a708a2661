#!/usr/bin/env bash
# Writes the reference table for `kube-resource-quantity`: Go's results for the lines of hack/quantity/inputs.txt.
#
#   hack/quantity.sh            write crates/quantity/src/go.tsv
#   hack/quantity.sh answer     process lines from standard input (`hack/many.sh` compares the results for 40,000 lines)
#
# Needs Go, and the Go module proxy the first time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/quantity"

if [[ ${1:-} == answer ]]; then
  exec go run .
fi
go run . <inputs.txt >../../crates/quantity/src/go.tsv
