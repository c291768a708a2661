#!/usr/bin/env bash
# Compares what validation without a server says of the invalid samples of the corpus with the answers of the real kube-apiserver: verdict
# and messages. Prints each sample that differs, with its reason from hack/validate/differences.tsv, and one table. Fails on one that is
# not listed there.
#
#   hack/validate.sh [PART…]     PART: only CRDs whose path in the corpus has one of these texts, such as a project
#
# Needs the corpus ($CORPUS, or the one beside the project) and what hack/envtest.sh needs.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

need_real_server
unpack_corpus "${CARGO_TARGET_DIR:-$root/target}" || skip "no corpus"
public=$(cd "$public" && pwd)
hack/envtest.sh run -- env CRD_CORPUS="$public" VALIDATE_PART="$*" \
  cargo test -q --locked -p embedded-apiserver --test apiserver corpus_validate:: -- --nocapture
