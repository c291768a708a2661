#!/usr/bin/env bash
# Compares validation without a server with the real kube-apiserver, for the invalid samples of the corpus: verdicts and messages. Prints
# each sample that differs, with its reason from hack/validate/differences.tsv, and one table. Fails if a difference is not listed
# there.
#
#   hack/validate.sh [PART…]     only CRDs whose path in the corpus contains one of the PARTs, such as a project
#
# Needs the corpus ($CORPUS, or the one next to the project) and the requirements of hack/envtest.sh.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

need_real_server
unpack_corpus "${CARGO_TARGET_DIR:-$root/target}" || skip "no corpus"
public=$(cd "$public" && pwd)
hack/envtest.sh run -- env CRD_CORPUS="$public" VALIDATE_PART="$*" \
  cargo test -q --locked --workspace --test apiserver corpus_validate:: -- --nocapture
