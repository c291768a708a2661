#!/usr/bin/env bash
# Runs the scenarios of the controllers `network`, `podset` and `podbuggertool` against the real kube-apiserver. (`cargo test` runs them
# against the embedded one.)
#
#   hack/controllers-e2e.sh [filter…]   filters as of `cargo test`
#
# The server comes from hack/envtest.sh, with kube-controller-manager's garbage collector; without one, nothing runs and a message says so.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

flags=()
if [[ -z ${ENVTEST_KUBECONFIG:-}${KUBEBUILDER_ASSETS:-} ]]; then
	if ! command -v go >/dev/null && [[ ! -x target/envtest/envtest ]]; then
		echo "controllers-e2e: no Go toolchain, KUBEBUILDER_ASSETS or ENVTEST_KUBECONFIG: the real kube-apiserver is skipped" >&2
		exit 0
	fi
	# Whether a given cluster collects garbage is for CONFORMANCE_CONTROLLERS to say.
	flags=(--controller-manager)
	export CONFORMANCE_CONTROLLERS=1
fi

tests() {
	cargo test -q --locked -p network-controller -p podset-controller -p podbuggertool-controller \
		--test network --test podset --test podbuggertool "$@"
}

suite() {
	export CONFORMANCE_KUBECONFIG=$KUBECONFIG
	# Tools are cluster-scoped: one scenario at a time.
	tests -- --test-threads=1 "$@"
}
export -f tests suite

tests --no-run
(($#)) || set -- scenarios:: per_deployment::
hack/envtest.sh run "${flags[@]}" -- bash -ec 'suite "$@"' suite "$@"
