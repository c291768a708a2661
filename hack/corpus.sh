#!/usr/bin/env bash
# Tests the generator on a corpus of real CRDs: generates types, compiles them, round-trips every valid sample and random objects through
# them, regenerates each CRD and compares it. Prints one line per project and a total, then the failures.
#
# Usage: hack/corpus.sh [FOLDER] [--kubernetes-version=VERSION] [--generate-only] [PROJECT…]
# VERSION is the minimum Kubernetes version of the types, and selects the feature of k8s-openapi that they are compiled with.
# --generate-only prints figures of the types without compiling them.
# FOLDER contains `index.json`, `corpus/` and `samples/`. By default it is unpacked from the archive that $CORPUS names, or
# ../shared/corpus/crds.tar.xz next to the project; if that is missing, the script says so and succeeds. Everything is built below
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

CARGO_TARGET_DIR="$target" cargo build --quiet --locked --bin corpus
"$target/debug/corpus" "$public" "$crates" "$work/target" "$@"
