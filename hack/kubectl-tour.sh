#!/usr/bin/env bash
# Records a transcript of kubectl commands against an API server, and compares the real server with the embedded one.
#
#   hack/kubectl-tour.sh                    run on both servers and compare; exit code 1 if the transcripts differ
#   hack/kubectl-tour.sh --on KUBECONFIG    run on one server and print the transcript
#
# Transcripts are normalised: uids, times, ages, resource versions, addresses and column widths differ from run to run.
# kubectl is $KUBECTL, else the one in PATH if it is at most one minor version from the real server, else the one built from
# hack/envtest/cmd/kubectl, which needs Go.
set -euo pipefail

# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
tour=$root/hack/kubectl-tour
export KUBECTL_KUBERC=false

normalise() {
	sed -E \
		-e 's/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/<uid>/g' \
		-e 's/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?Z/<time>/g' \
		-e 's/(resourceVersion"?: *)"[0-9]+"/\1"<version>"/g' \
		-e 's/(Resource Version: *)[0-9]+/\1<version>/g' \
		-e 's/\b[0-9]+(ms|s)( |$)/<age>\2/g' \
		-e 's/\b10\.[0-9]+\.[0-9]+\.[0-9]+\b/<address>/g' \
		-e 's/ +$//' -e 's/([^ ]) {2,}/\1  /g'
}

k() { "$KUBECTL" --kubeconfig "$kubeconfig" --namespace tour "$@"; }

# Prints a command, its output and its exit code.
t() {
	local code=0 argument output
	printf '$ kubectl'
	for argument in "${@/#$tour\//}"; do
		if [[ $argument == *[\ \{\"]* ]]; then argument="'$argument'"; fi
		printf ' %s' "$argument"
	done
	echo
	output=$(k "$@" 2>&1) || code=$?
	if [[ -n $output ]]; then echo "$output"; fi
	if [[ $code -ne 0 ]]; then echo "[exit $code]"; fi
	echo
}

# Starts a command in the background. watch_stop waits until it has printed that many lines, and prints them.
watch_start() {
	watched="kubectl $*"
	watch_output=$(mktemp)
	k "$@" >"$watch_output" 2>&1 &
	watch_pid=$!
	sleep 1
}
watch_stop() {
	local i
	for ((i = 0; i < 100; i++)); do
		# The first line is the header.
		if [[ $(wc -l <"$watch_output") -gt $1 ]]; then break; fi
		sleep 0.1
	done
	kill "$watch_pid"
	wait "$watch_pid" 2>/dev/null || true
	echo "\$ $watched &"
	cat "$watch_output"
	rm -f "$watch_output"
	echo
}

take_tour() {
	kubeconfig=$1
	# shellcheck source=hack/kubectl-tour/steps.sh
	source "$tour/steps.sh" </dev/null
	k delete namespace tour --wait=false >/dev/null 2>&1 || true
}

compare() {
	local out
	out=${TOUR_OUTPUT:-$(mktemp -d)}
	mkdir -p "$out"
	cargo build -q --bin embedded-apiserver
	"${CARGO_TARGET_DIR:-$root/target}/debug/embedded-apiserver" --listen 127.0.0.1:0 --kubeconfig "$out/kubeconfig" >"$out/embedded.log" 2>&1 &
	embedded_pid=$! # Global, since the trap runs after this function returned.
	trap 'kill "$embedded_pid" 2>/dev/null || true' EXIT
	for _ in {1..100}; do [[ -s $out/kubeconfig ]] && break || sleep 0.1; done
	"$0" --on "$out/kubeconfig" >"$out/embedded.txt"
	"$root/hack/envtest.sh" run --controller-manager -- bash -c '"$0" --on "$KUBECONFIG"' "$0" >"$out/real.txt"
	echo "kubectl-tour: transcripts are in $out" >&2
	if diff -U 4 --label real "$out/real.txt" --label embedded "$out/embedded.txt"; then
		echo "kubectl-tour: $(grep -c '^\$ kubectl' "$out/real.txt") commands, no difference"
	else
		exit 1
	fi
}

find_kubectl
export KUBECTL
if [[ ${1:-} == --on ]]; then
	take_tour "$2" | normalise
else
	compare
fi
