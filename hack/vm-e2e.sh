#!/usr/bin/env bash
# Runs the server-independent tests of the VirtualMachine controller against the real kube-apiserver: the KubeVirt driver, the
# rules of the CRD, and fail-over among three controllers, with the sample applied by kubectl. (`cargo test` runs them against
# the embedded one, without kubectl.)
#
#   hack/vm-e2e.sh [filter…]            filters as of `cargo test`, in place of all three
#
# The server comes from hack/envtest.sh. Without one, the script exits with code 3 (skipped).
set -euo pipefail
# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

need_collecting_server
find_kubectl
export KUBECTL

suite() {
	export CONFORMANCE_KUBECONFIG=$KUBECONFIG
	cargo test -q --locked --workspace --test virtualmachine -- "$@"
}
export -f suite

# Build the whole workspace: a single package would select other features and rebuild dependencies.
cargo test -q --locked --workspace --test virtualmachine --no-run
(($#)) || set -- kubevirt:: controller::processes:: controller::schema::
hack/envtest.sh run "${server_flags[@]}" -- bash -ec 'suite "$@"' suite "$@"
