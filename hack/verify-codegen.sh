#!/usr/bin/env bash
# Checks that all generated code of this repository is up to date. Writes no files. If code is outdated, prints the differences and exits
# with 1.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$root"
status=0
kube_codegen generate --check "$@" || status=$?
if [[ $status -eq 1 ]]; then
  echo "or hack/update-codegen.sh, and commit what it changes" >&2
fi
exit "$status"
