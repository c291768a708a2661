#!/usr/bin/env bash
# Sharded controllers while their replicas are killed, cut off, stopped and started, and their Leases deleted and edited: no key has two
# owners at a time, and no update is lost.
#
#   hack/shards.sh [CHANGES [OBJECTS [SEEDS]]]     300 changes of members over 5,000 objects, and 20 seeds by default
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
export SHARD_CHANGES=${1:-300} SHARD_OBJECTS=${2:-5000} CHAOS_SEEDS=${3:-20}
export PROPTEST_CASES=5000
# Build the whole workspace: a single package would select other features and rebuild dependencies.
cargo test --quiet --locked --workspace --test runtime -- control::shard
cargo test --quiet --locked --workspace --lib -- shard::
