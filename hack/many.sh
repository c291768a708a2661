#!/usr/bin/env bash
# Runs scale tests with a thousand machines, ten thousand pods and ten thousand objects whose storage version changes, and property tests with
# more cases than `cargo test`.
#
#   hack/many.sh [CASES]     cases per property test (2000 by default)
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
# Build the whole workspace: a single package would select other features and rebuild dependencies.
tests=(cargo test --quiet --locked --workspace)
MANY_MACHINES=1000 "${tests[@]}" --test virtualmachine -- controller::many::
MANY_PODS=10000 "${tests[@]}" --test podbuggertool -- many::
MANY_OBJECTS=10000 "${tests[@]}" --test podset -- storage_scenarios::
export PROPTEST_CASES=${1:-2000}
QUANTITY_LINES=40000 "${tests[@]}" --lib
"${tests[@]}" --test generator -- hostile
"${tests[@]}" --test runtime -- cache::properties
