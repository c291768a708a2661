#!/usr/bin/env bash
# Writes the reference table for kube_names::controller_gen_plural: flect's plurals of the kinds in hack/plurals/inputs.txt.
#
#   hack/plurals.sh            write crates/names/src/plural/controller_gen.tsv
#   hack/plurals.sh answer     answer kinds from standard input
#
# Needs Go, and the Go module proxy the first time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/plurals"

if [[ ${1:-} == answer ]]; then
  exec go run .
fi
go run . <inputs.txt >../../crates/names/src/plural/controller_gen.tsv
