#!/usr/bin/env bash
# The public API of the published crates: hack/public-api.sh [--update]
#
# testdata/public-api lists what the documentation of each crate on docs.rs shows, an item a line, without blanket implementations and auto
# traits: the diff of a change shows what it does to the API. Crates that docs/policy.md does not cover have none. Whether a release
# breaks its users is asked by hack/release.sh.
# Fails if a list is not that of the code; --update writes the lists.
#
# The lists come from rustdoc's JSON, an unstable format that stable Rust writes if it is told to. Each release of Rust may change it: the
# script is skipped if this one writes another version of it than the pinned library reads.
set -euo pipefail
# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

# The version of the format that the library in hack/public-api reads.
format=57

case $#:${1:-} in
  0: | 1:--update) ;;
  *)
    echo "usage: hack/public-api.sh [--update]" >&2
    exit 2
    ;;
esac
command -v python3 >/dev/null || skip "no python3 to read cargo's metadata with"
cargo fetch --quiet --locked --manifest-path hack/public-api/Cargo.toml || skip "the library that reads rustdoc's JSON cannot be downloaded"

export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}
work=$CARGO_TARGET_DIR/public-api

crates=$(cargo metadata --quiet --locked --no-deps --format-version 1 | python3 hack/release/order.py | covered)

# With the package of features, dependencies are those that other commands have built.
arguments=(--package workspace-features)
while read -r name _ features; do
  arguments+=(--package "$name")
  [[ -z $features ]] || arguments+=(--features "$features")
done <<<"$crates"
# The mark is a flag of its own for each run, so that cargo does not take an older file for this run's.
RUSTDOC=$root/hack/public-api/rustdoc RUSTDOCFLAGS="-Z unstable-options --output-format json --cfg run_$$" \
  cargo doc --quiet --locked --no-deps --lib "${arguments[@]}"
cargo build --quiet --locked --manifest-path hack/public-api/Cargo.toml --target-dir "$work"

rm -rf "$work/lists"
mkdir -p "$work/lists"
while read -r name _; do
  file=$CARGO_TARGET_DIR/doc/${name//-/_}.json
  grep -q "\"format_version\":$format\b" "$file" || skip "$(rustdoc --version) does not write version $format of rustdoc's JSON"
  "$work/debug/public-api-list" "$file" >"$work/lists/$name.txt"
done <<<"$crates"

if [[ ${1:-} == --update ]]; then
  rm -rf testdata/public-api
  cp -R "$work/lists" testdata/public-api
else
  diff -ru testdata/public-api "$work/lists" || {
    echo "public-api: run hack/public-api.sh --update, and review the difference" >&2
    exit 1
  }
fi
