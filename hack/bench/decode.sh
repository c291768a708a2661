#!/usr/bin/env bash
# What decoding an object costs: by serde_json, sonic-rs and simd-json, with the system's allocator and with mimalloc. Prints a table.
#
#   hack/bench/decode.sh
#
# The objects are those of hack/bench/informer.sh, without managedFields. Needs cargo and a C compiler (mimalloc).
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}/bench-informer
build() { cargo build --quiet --release --locked --manifest-path "$root/hack/bench/informer/Cargo.toml" --target-dir "$target" --bin decode "$@"; }

build --features mimalloc
cp "$target/release/decode" "$target/decode-mimalloc"
build
{
  printf 'way\tallocator\tµs/object\t× serde_json\n'
  "$target/release/decode"
  "$target/decode-mimalloc"
} | column -t -s $'\t'
