#!/usr/bin/env bash
# Runs the tests of the network controller that know nothing of the server behind them against the real kube-apiserver: the whole
# controller, and networks for Deployments with the real garbage collector.
#
#   hack/network-e2e.sh [filter…]       filters as of `cargo test`
#
# The server comes from hack/envtest.sh; without one, nothing runs and a message says so.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

flags=()
if [[ -z ${ENVTEST_KUBECONFIG:-}${KUBEBUILDER_ASSETS:-} ]]; then
	if ! command -v go >/dev/null && [[ ! -x target/envtest/envtest ]]; then
		echo "network-e2e: no Go toolchain, KUBEBUILDER_ASSETS or ENVTEST_KUBECONFIG: the real kube-apiserver is skipped" >&2
		exit 0
	fi
	# Whether a given cluster collects garbage is for CONFORMANCE_CONTROLLERS to say.
	flags=(--controller-manager)
	export CONFORMANCE_CONTROLLERS=1
fi

suite() {
	export CONFORMANCE_KUBECONFIG=$KUBECONFIG
	cargo test --locked -p network-controller --test network -- per_deployment:: "$@"
}
export -f suite

cargo test -q --locked -p network-controller --test network --no-run
hack/envtest.sh run "${flags[@]}" -- bash -ec 'suite "$@"' suite "$@"
