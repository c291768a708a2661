#!/usr/bin/env bash
# Writes all generated code of this repository: what codegen.toml and those of its members declare.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$root"
kube_codegen generate "$@"
