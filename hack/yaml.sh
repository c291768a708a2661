#!/usr/bin/env bash
# Holds the YAML printer of the generator to Go's sigs.k8s.io/yaml.
#
#   hack/yaml.sh              write codegen/src/output/yaml/go.tsv, Go's answers to the lines of hack/yaml/inputs.txt
#   hack/yaml.sh random N     compare N values that Go makes up
#
# Needs Go, and the Go module proxy the first time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/yaml"

if [[ ${1:-} == random ]]; then
  table=$(mktemp)
  trap 'rm -f "$table"' EXIT
  go run . "${2:-100000}" >"$table"
  YAML_TABLE=$table cargo test --quiet --locked --manifest-path ../../Cargo.toml -p codegen --lib -- output::yaml
else
  go run . <inputs.txt >../../codegen/src/output/yaml/go.tsv
fi
