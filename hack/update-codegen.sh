#!/usr/bin/env bash
# Writes all generated code of this repository, as declared by codegen.toml and those of its members.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$root"
kube_codegen generate "$@"
