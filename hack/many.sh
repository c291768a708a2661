#!/usr/bin/env bash
# Runs tests of many objects with a thousand machines and ten thousand pods, and tests of random values with more of them than
# `cargo test` takes.
#
#   hack/many.sh [CASES]     values of a property test (2000 by default)
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
# Of the whole workspace, so that nothing is built again with the features that one package alone would choose.
tests=(cargo test --quiet --locked --workspace)
MANY_MACHINES=1000 "${tests[@]}" --test virtualmachine -- controller::many::
MANY_PODS=10000 "${tests[@]}" --test podbuggertool -- many::
export PROPTEST_CASES=${1:-2000}
QUANTITY_LINES=40000 "${tests[@]}" --lib
"${tests[@]}" --test generator -- hostile
"${tests[@]}" --test runtime -- cache::properties
