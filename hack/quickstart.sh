#!/usr/bin/env bash
# From annotated types to a running machine, with only a Rust toolchain: generates what codegen.toml declares, starts an API server
# and the VirtualMachine controller with its simulated driver in one process, and runs
# controllers/virtualmachine/deploy/samples/test-vm.yaml through its life cycle: created, active, deleted, finalized.
#
#   hack/quickstart.sh [FLAG…]      flags of `virtualmachine-controller demo`, such as -v
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# No `--package`: with the features of the whole workspace, both programs and `cargo test --workspace` share one build.
cargo run --quiet --locked --bin kube-codegen -- generate
cargo run --quiet --locked --bin virtualmachine-controller -- demo --once "$@"
