#!/usr/bin/env bash
# Runs the tests of the VirtualMachine controller that know nothing of the server behind them against the real kube-apiserver:
# the KubeVirt driver, the rules of the CRD, and three controllers with their fail-overs, to which the sample goes through kubectl. (`cargo test` runs
# them against the embedded one, without kubectl.)
#
#   hack/vm-e2e.sh [filter…]            filters as of `cargo test`, in place of all three
#
# The server comes from hack/envtest.sh; without one, it is skipped, with exit code 3.
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

# Of the whole workspace, so that nothing is built again with the features that one package alone would choose.
cargo test -q --locked --workspace --test virtualmachine --no-run
(($#)) || set -- kubevirt:: controller::processes:: controller::schema::
hack/envtest.sh run "${server_flags[@]}" -- bash -ec 'suite "$@"' suite "$@"
