#!/usr/bin/env bash
# Makes the table that kube_names::controller_gen_plural is held to: flect's answers to the kinds of hack/plurals/inputs.txt.
#
#   hack/plurals.sh            write names/src/plural/controller_gen.tsv
#   hack/plurals.sh answer     answer kinds from standard input
#
# Needs Go, and the Go module proxy the first time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/plurals"

if [[ ${1:-} == answer ]]; then
  exec go run .
fi
go run . <inputs.txt >../../names/src/plural/controller_gen.tsv
