#!/usr/bin/env bash
# Compares the Deployment and ReplicaSet controllers of kube-controller-manager with ours, on the real kube-apiserver with a
# simulated kubelet. Deployments of 3 pods are created, rolled over to a new template, scaled to 5 and deleted.
#
#   hack/bench/controller-manager.sh [--deployments N]     500 by default; prints a table of time, requests, CPU seconds and memory
#
# Requests are counted in the API server's audit log by User-Agent, events included. Needs Go; see hack/envtest.sh.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
profile=${BENCH_PROFILE:-release}
deployments=500
if [[ ${1:-} == --deployments ]]; then deployments=$2; fi
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; "$root/hack/envtest.sh" stop; rm -rf "$work"' EXIT
export ENVTEST_DIR=$work/envtest

"$root/hack/envtest.sh" build >/dev/null
real=$root/target/envtest/kube-controller-manager
if [[ ! -x $real ]]; then
	(cd "$root/hack/envtest" && GOFLAGS="-p=2 -buildvcs=false" nice go build -o "$real" k8s.io/kubernetes/cmd/kube-controller-manager)
fi
# Built as by deploy/Dockerfile: without the demo and its server.
(cd "$root" && cargo build -q -p controller-manager --no-default-features --profile "${profile/debug/dev}")
ours=$target/$profile/controller-manager

cat >"$work/audit.yaml" <<-YAML
	apiVersion: audit.k8s.io/v1
	kind: Policy
	omitStages: [RequestReceived, ResponseStarted]
	rules: [{level: Metadata}]
YAML

# $1: real or ours. Prints the figures of each step as a line of JSON.
run() {
	local which=$1 kubeconfig loops kubelet audit=$work/$1.audit
	kubeconfig=$("$root/hack/envtest.sh" start --controller-manager \
		--apiserver-args "--audit-policy-file=$work/audit.yaml --audit-log-path=$audit --audit-log-mode=blocking")
	# The kubelet impersonates a user, so that the audit log separates its requests from the controllers'.
	sed -E 's/^( *)token: .*/&\n\1as: simulated-kubelet\n\1as-groups: ["system:masters"]/' "$kubeconfig" >"$work/kubelet.kubeconfig"
	"$ours" --kubeconfig "$work/kubelet.kubeconfig" --controllers=pod-simulator --leader-elect=false --simulate-ready-after=1ms >/dev/null 2>&1 &
	kubelet=$!
	if [[ $which == real ]]; then
		"$real" --kubeconfig "$kubeconfig" --controllers=deployment-controller,replicaset-controller --leader-elect=false --secure-port=0 \
			--kube-api-qps=1000 --kube-api-burst=1000 >/dev/null 2>&1 &
	else
		"$ours" --kubeconfig "$kubeconfig" --controllers=deployment,replicaset --leader-elect=false >/dev/null 2>&1 &
	fi
	loops=$!
	python3 "$root/hack/bench/controller-manager/load.py" "$kubeconfig" "$deployments" "$loops" "$audit" >"$work/$which.json"
	kill "$loops" "$kubelet"
	wait "$loops" "$kubelet" 2>/dev/null || true
	"$root/hack/envtest.sh" stop
}

run real
run ours
python3 - "$work/real.json" "$work/ours.json" "$deployments" <<-'PYTHON'
	import json, sys
	real, ours = (json.load(open(path)) for path in sys.argv[1:3])
	print(f"{sys.argv[3]} Deployments of 3 pods, on the real kube-apiserver\n")
	print("| | kube-controller-manager | ours | |\n|---|---|---|---|")
	for name in real:
	    a, b = real[name], ours[name]
	    print(f"| {name} | {a:,.1f} | {b:,.1f} | {b / a:.2f} × |" if a else f"| {name} | {a} | {b} | |")
PYTHON
