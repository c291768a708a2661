#!/usr/bin/env bash
# Runs the scenarios of the controllers `podset` and `podbuggertool` against the real kube-apiserver. (`cargo test` runs them against the
# embedded one.)
#
#   hack/controllers-e2e.sh [filter…]   filters as of `cargo test`
#
# The server comes from hack/envtest.sh, with kube-controller-manager's garbage collector; without one, nothing runs and a message says so.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ -z ${ENVTEST_KUBECONFIG:-} ]] && ! command -v go >/dev/null && [[ ! -x target/envtest/envtest ]]; then
	echo "controllers-e2e: no Go toolchain or ENVTEST_KUBECONFIG: the real kube-apiserver is skipped" >&2
	exit 0
fi

suite() {
	export CONFORMANCE_KUBECONFIG=$KUBECONFIG
	# Tools are cluster-scoped: one scenario at a time.
	cargo test -q --locked -p podset-controller -p podbuggertool-controller --test podset --test podbuggertool -- --test-threads=1 "$@"
}
export -f suite

cargo test -q --locked -p podset-controller -p podbuggertool-controller --test podset --test podbuggertool --no-run
(($#)) || set -- scenarios::
hack/envtest.sh run --controller-manager -- bash -ec 'suite "$@"' suite "$@"
