#!/usr/bin/env bash
# Generates types for every real CRD of a corpus, compiles them, sends every valid sample and made-up objects through its
# type, writes each CRD again and compares. One line a project and a total; then what went wrong.
#
# Usage: hack/corpus.sh [FOLDER] [--kubernetes-version=VERSION] [--generate-only] [PROJECT…]
# VERSION is the least version of Kubernetes that types are for, and the feature of k8s-openapi that they are compiled with.
# --generate-only prints figures of the types and compiles nothing.
# FOLDER holds `index.json`, `corpus/` and `samples/`. Without one, it is ../shared/corpus/crds.tar.xz beside the project, or
# the archive that $CORPUS names, unpacked; without that, the script says so and ends well. Everything is built below
# target/corpus.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

. hack/lib.sh
target="${CARGO_TARGET_DIR:-$PWD/target}"
work="$target/corpus"
mkdir -p "$work"
if [ $# -gt 0 ] && [ -f "$1/index.json" ]; then
  public="$1"
  crates="$work/crates-$(cd "$1" && pwd | cksum | cut -d' ' -f1)"
  shift
elif unpack_corpus "$target"; then
  crates="$work/crates"
else
  echo "corpus: there is no archive of real CRDs here; nothing to check"
  exit 0
fi

CARGO_TARGET_DIR="$target" cargo build --quiet --manifest-path hack/corpus/Cargo.toml
"$target/debug/corpus" "$public" "$crates" "$work/target" "$@"
