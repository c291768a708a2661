#!/usr/bin/env bash
# Runs the scenarios of the controllers `network`, `podset` and `podbuggertool` against the real kube-apiserver. (`cargo test` runs them
# against the embedded one.)
#
#   hack/controllers-e2e.sh [filter…]   filters as of `cargo test`
#
# The server comes from hack/envtest.sh, with kube-controller-manager's garbage collector. Without one, the script exits with code 3
# (skipped).
set -euo pipefail
# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

need_collecting_server

tests() {
	cargo test -q --locked --workspace \
		--test network --test podset --test podbuggertool "$@"
}

suite() {
	export CONFORMANCE_KUBECONFIG=$KUBECONFIG
	# Tools are cluster-scoped, so run one scenario at a time.
	tests -- --test-threads=1 "$@"
}
export -f tests suite

tests --no-run
(($#)) || set -- scenarios:: per_deployment::
hack/envtest.sh run "${server_flags[@]}" -- bash -ec 'suite "$@"' suite "$@"
