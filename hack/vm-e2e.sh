#!/usr/bin/env bash
# Runs the tests of the VirtualMachine controller that know nothing of the server behind them against the real kube-apiserver:
# the KubeVirt driver, the rules of the CRD, and three controllers with their fail-overs, to which the sample goes through kubectl. (`cargo test` runs
# them against the embedded one, without kubectl.)
#
#   hack/vm-e2e.sh [filter…]            filters as of `cargo test`, in place of all three
#
# The server comes from hack/envtest.sh; without one, nothing runs and a message says so.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=hack/lib.sh
source hack/lib.sh

flags=()
if [[ -z ${ENVTEST_KUBECONFIG:-}${KUBEBUILDER_ASSETS:-} ]]; then
	if ! command -v go >/dev/null && [[ ! -x target/envtest/envtest ]]; then
		echo "vm-e2e: no Go toolchain, KUBEBUILDER_ASSETS or ENVTEST_KUBECONFIG: the real kube-apiserver is skipped" >&2
		exit 0
	fi
	# Whether a given cluster collects garbage is for CONFORMANCE_CONTROLLERS to say.
	flags=(--controller-manager)
	export CONFORMANCE_CONTROLLERS=1
fi

find_kubectl || exit 3
export KUBECTL

suite() {
	export CONFORMANCE_KUBECONFIG=$KUBECONFIG
	cargo test -q --locked --workspace --test virtualmachine -- "$@"
}
export -f suite

# Of the whole workspace, so that nothing is built again with the features that one package alone would choose.
cargo test -q --locked --workspace --test virtualmachine --no-run
(($#)) || set -- kubevirt:: controller::processes:: controller::schema::
hack/envtest.sh run "${flags[@]}" -- bash -ec 'suite "$@"' suite "$@"
