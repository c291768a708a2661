#!/usr/bin/env bash
# Runs the hammer tests (many writers, handlers, readers and workers on real threads) in release mode, the given number of times:
#
#   hack/hammer.sh [TIMES]     (5 by default)
#
# `cargo test` runs them once, unoptimized; release mode has the interleavings of a real program. The build takes minutes.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
times=${1:-5}
for ((run = 1; run <= times; run++)); do
  cargo test --quiet --locked --release -p codegen-runtime --test runtime -- hammer::
done
