#!/usr/bin/env bash
# From annotated types to a running machine, on nothing but Rust: generates what codegen.toml declares, starts an API server
# and the VirtualMachine controller with its simulated driver in one process, and plays the life of
# controllers/virtualmachine/deploy/samples/test-vm.yaml: created, active, deleted, its finalizer run.
#
#   hack/quickstart.sh [FLAG…]      flags of `virtualmachine-controller demo`, such as -v
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Without `--package`, dependencies have the features of the whole workspace: both programs and `cargo test --workspace` share one build.
cargo run --quiet --locked --bin kube-codegen -- generate
cargo run --quiet --locked --bin virtualmachine-controller -- demo --once "$@"
