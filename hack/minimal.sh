#!/usr/bin/env bash
# Whether the requirements on other crates are high enough: hack/minimal.sh (ten minutes, and one if little has changed)
#
# Chooses the least version that each requirement of the workspace admits (cargo's -Z direct-minimal-versions), and compiles every crate
# with those: a requirement that is too low is an error of the resolver or of the compiler. The remedy is a higher version in Cargo.toml.
# The lock file of this choice and what is built stay in target/minimal.
# Needs a nightly toolchain, which $NIGHTLY names (`nightly` if unset). If the minimum Rust version is installed, its compiler is taken, so
# that this checks `rust-version` too.
set -euo pipefail
# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

nightly=${NIGHTLY:-nightly}
has() { cargo "+$1" --version >/dev/null 2>&1; }
has "$nightly" || skip "no toolchain $nightly: rustup toolchain install nightly --profile minimal"

target=${CARGO_TARGET_DIR:-$root/target}/minimal
mkdir -p "$target"
export CARGO_RESOLVER_LOCKFILE_PATH=$target/Cargo.lock CARGO_TARGET_DIR=$target CARGO_INCREMENTAL=0

msrv=$(sed -nE 's/^rust-version = "(.*)"/\1/p' Cargo.toml)
if has "$msrv"; then
  RUSTC=$(rustup which rustc --toolchain "$msrv")
  export RUSTC
else
  echo "minimal: no toolchain $msrv: compiling with $nightly" >&2
fi

rm -f "$target/Cargo.lock"
cargo "+$nightly" generate-lockfile --quiet -Z direct-minimal-versions || {
  echo "minimal: raise the requirement that the message names, to what the other one demands" >&2
  exit 1
}
cargo "+$nightly" check --quiet --locked --keep-going --workspace
echo "minimal: everything compiles with the least versions, with $("${RUSTC:-rustc}" --version)"
