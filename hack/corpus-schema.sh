#!/usr/bin/env bash
# Checks the API server's schema modules against real CRDs and resources.
#
#   hack/corpus-schema.sh [CORPUS_FOLDER]
#
# Without an argument, the corpus is unpacked from ../shared/corpus/crds.tar.xz (relative to the project's root) to
# target/. If that is missing, the script says so and succeeds.
set -euo pipefail
cd "$(dirname "$0")/.."

corpus="${1:-}"
if [[ -z "$corpus" ]]; then
  archive=../shared/corpus/crds.tar.xz
  target="${CARGO_TARGET_DIR:-target}"
  if [[ ! -f "$archive" ]]; then
    echo "skipped: no corpus at $archive"
    exit 0
  fi
  corpus="$target/corpus/public"
  if [[ ! -f "$corpus/index.json" ]]; then
    mkdir -p "$target/corpus"
    tar -xJf "$archive" -C "$target/corpus"
  fi
fi
CRD_CORPUS="$(cd "$corpus" && pwd)" cargo test --workspace --test apiserver corpus_schema:: -- --nocapture
