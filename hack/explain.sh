#!/usr/bin/env bash
# Compares the fields that `kube-codegen explain --recursive` shows of a CRD with those that `kubectl explain --recursive` shows of it on the
# embedded API server: paths, types and which are required.
#
#   hack/explain.sh [COUNT]     that many CRDs of the corpus, spread over it (default 60; all of them: 2000)
#
# Where kubectl says Object of a number or string, or of any JSON, ours says which. Needs the corpus ($CORPUS, or the one next to the project)
# and kubectl; without them, exits with code 3 (skipped).
set -euo pipefail
# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

count=${1:-60}
target=${CARGO_TARGET_DIR:-$root/target}
unpack_corpus "$target" || skip "no corpus"
command -v python3 >/dev/null || skip "no python3 to compare with"
find_kubectl
cargo build --quiet --locked --bin kube-codegen --bin embedded-apiserver

work=$target/explain
rm -rf "$work"
mkdir -p "$work"
export KUBECONFIG=$work/kubeconfig KUBECACHEDIR=$work/cache KUBECTL_KUBERC=false
"$target/debug/embedded-apiserver" --listen 127.0.0.1:0 --kubeconfig "$KUBECONFIG" >"$work/server.log" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
for _ in {1..100}; do [[ -s $KUBECONFIG ]] && break || sleep 0.1; done

crds=("$public"/corpus/*/*.yaml)
for ((i = 0; i < ${#crds[@]}; i += ${#crds[@]} > count ? ${#crds[@]} / count : 1)); do
  file=${crds[i]}
  # Some are refused, as by the real server.
  crd=$("$KUBECTL" apply --server-side --filename "$file" --output name 2>/dev/null) || {
    refused=$((${refused:-0} + 1))
    continue
  }
  read -r plural version < <("$KUBECTL" get "$crd" --output \
    'jsonpath={.spec.names.plural} {.spec.group}/{.spec.versions[?(@.storage==true)].name}{"\n"}')
  "$KUBECTL" explain "$plural" --api-version "$version" --recursive >"$work/$(basename "$file").kubectl"
  "$target/debug/kube-codegen" explain "$plural" --api-version "$version" --recursive "$file" >"$work/$(basename "$file").ours"
done
echo "explain: ${refused:-0} CRDs are refused by the server"
python3 hack/explain/compare.py "$work"
