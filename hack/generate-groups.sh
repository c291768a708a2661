#!/usr/bin/env bash
# Generates code for annotated Rust types, with the arguments of Go's generate-groups.sh:
#
#   hack/generate-groups.sh <generators> <output> <apis> "<group>:<version>,<version> …" [option]…
#   hack/generate-groups.sh all src/generated src/apis "cloudnative:v1alpha1" --header-file hack/boilerplate.rs.txt
#
# Folders are relative to the current folder, or to --output-base; see `kube-codegen groups --help`.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

kube_codegen groups "$@"
