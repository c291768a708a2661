#!/usr/bin/env bash
# From annotated types to a running machine, on nothing but Rust: generates what codegen.toml declares, starts an API server
# and the VirtualMachine controller with its simulated driver in one process, and plays the life of
# controllers/virtualmachine/deploy/samples/test-vm.yaml: created, active, deleted, its finalizer run.
#
#   hack/quickstart.sh [FLAG…]      flags of `virtualmachine-controller demo`, such as -v
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cargo run --quiet --locked --package codegen -- generate
cargo run --quiet --locked --package virtualmachine-controller -- demo --once "$@"
