#!/usr/bin/env bash
# Generates types for every real CRD of the corpus, compiles them, and sends every valid sample through its type.
#
# Usage: hack/corpus.sh [PROJECT…]
# The corpus is ../shared/corpus/crds.tar.xz beside the project, or the archive that $CORPUS names; without one, it says so
# and ends well. Everything is unpacked and built below target/corpus.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

archive="${CORPUS:-../shared/corpus/crds.tar.xz}"
target="${CARGO_TARGET_DIR:-$PWD/target}"
work="$target/corpus"
if [ ! -f "$archive" ]; then
  echo "corpus: there is no archive of real CRDs here; nothing to check"
  exit 0
fi
mkdir -p "$work"
if [ ! -f "$work/public/index.json" ] || [ "$archive" -nt "$work/public/index.json" ]; then
  tar -xJf "$archive" -C "$work"
  touch "$work/public/index.json"
fi

CARGO_TARGET_DIR="$target" cargo run --quiet --manifest-path hack/corpus/Cargo.toml -- "$work/public" "$work/crates" "$@"
cp Cargo.lock "$work/crates/Cargo.lock"
CARGO_TARGET_DIR="$target/corpus/target" cargo build --quiet --manifest-path "$work/crates/Cargo.toml" --workspace

status=0
passed=0
for manifest in "$work"/crates/*/Cargo.toml; do
  name="$(basename "$(dirname "$manifest")")"
  [ -x "$work/target/debug/$name" ] || continue
  if [ $# -gt 0 ] && [[ " $* " != *" $name "* ]]; then continue; fi
  if output="$("$work/target/debug/$name")"; then
    passed=$((passed + $(tail -1 <<<"$output" | cut -d' ' -f1)))
  else
    printf '%s:\n%s\n' "$name" "$output"
    status=1
  fi
done
echo "corpus: $passed samples came through unchanged"
exit "$status"
