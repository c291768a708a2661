#!/usr/bin/env bash
# Runs the conformance suites against the real kube-apiserver and the embedded one, and prints one table: case,
# real, embedded. The suites are the API server's own and, over HTTP, the runtime's (`runtime::…`: informers, leader
# election and others) and the generated clients' (`clients::…`). Outcomes: pass, FAIL, known (a known difference of the
# embedded server), skip, and - if a side did not run.
#
#   hack/conformance.sh [filter…]       filters as of `cargo test`
#
# The real server comes from hack/envtest.sh (ENVTEST_KUBECONFIG, KUBEBUILDER_ASSETS or a build with Go); if there is
# none, its side is skipped with a message. The exit code is 1 if a case fails on either side.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
touch "$results/real" "$results/embedded"

# Build the whole workspace: selecting three packages would select other features and rebuild dependencies.
suites() { cargo test -q --locked --workspace --test conformance --test runtime --test clients "$@"; }
# The test binaries of the runtime and the clients also have tests that need no cluster; the filter excludes them.
suite() { suites --no-fail-fast -- --test-threads "${CONFORMANCE_THREADS:-4}" "${@:-::case::}"; }

suites --no-run

failed=0

if [[ -n ${ENVTEST_KUBECONFIG:-} ]]; then
	flags=() # For an existing cluster, CONFORMANCE_CONTROLLERS and …_THROWAWAY tell whether it has controllers and may be littered.
elif [[ -n ${KUBEBUILDER_ASSETS:-} ]]; then
	flags=()
	export CONFORMANCE_THROWAWAY=1
else
	flags=(--controller-manager --apiserver-args=--feature-gates=ShardedListAndWatch=true)
	export CONFORMANCE_THROWAWAY=1 CONFORMANCE_CONTROLLERS=1 CONFORMANCE_GATES=1
fi
if [[ -n ${ENVTEST_KUBECONFIG:-}${KUBEBUILDER_ASSETS:-} ]] || command -v go >/dev/null || [[ -x target/envtest/envtest ]]; then
	export -f suites suite
	hack/envtest.sh run "${flags[@]}" -- env CONFORMANCE_RESULTS="$results/real" bash -c \
		'CONFORMANCE_KUBECONFIG=$KUBECONFIG suite "$@"' suite "$@" >"$results/real.log" 2>&1 || failed=1
	if [[ ! -s $results/real ]]; then
		cat "$results/real.log" >&2
		exit 1
	fi
else
	echo "conformance: no Go toolchain, KUBEBUILDER_ASSETS or ENVTEST_KUBECONFIG: the real kube-apiserver is skipped" >&2
fi

env -u CONFORMANCE_KUBECONFIG CONFORMANCE_RESULTS="$results/embedded" bash -c "$(declare -f suites suite); suite \"\$@\"" suite "$@" \
	>"$results/embedded.log" 2>&1 || failed=1

awk '
	{ outcome[side, $1] = $2; cases[$1] = 1; count[side, $2]++ }
	END {
		printf "%-75s %-6s %s\n", "case", "real", "embedded"
		for (name in cases) {
			real = ((1, name) in outcome) ? outcome[1, name] : "-"
			embedded = ((2, name) in outcome) ? outcome[2, name] : "-"
			printf "%-75s %-6s %s\n", name, real, embedded | "sort"
		}
		close("sort")
		split("pass known skip FAIL", kinds, " ")
		for (i = 1; i <= 4; i++) printf "%-75s %-6d %d\n", "total " kinds[i], count[1, kinds[i]], count[2, kinds[i]]
	}
' side=1 "$results/real" side=2 "$results/embedded"

if [[ $failed == 1 ]]; then
	for side in real embedded; do
		if [[ -f $results/$side.log ]] && grep -q ' stdout ----$' "$results/$side.log"; then
			echo
			echo "== failures, $side"
			sed -n '/ stdout ----$/,/^failures:$/p' "$results/$side.log" | grep -v '^failures:$' | cut -c1-600
		fi
	done
fi
exit "$failed"
