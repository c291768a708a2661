#!/usr/bin/env bash
# Checks on the real API server of KUBECONFIG whom the policy of PodBuggerTools lets create them. Called by hack/policies.sh, which sets
# KUBECTL.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
deploy=$root/controllers/podbuggertool/deploy
failed=0

kubectl() { "$KUBECTL" --kubeconfig "$KUBECONFIG" "$@"; }

# may USER RULES: lets a user patch ephemeral containers in a namespace, or in all.
may() {
	case $2 in
	'*') kubectl create clusterrolebinding "debug-$1" --clusterrole=debug --user="$1" ;;
	*) kubectl create rolebinding "debug-$1" --namespace "$2" --clusterrole=debug --user="$1" ;;
	esac >/dev/null
}

# tool NAMESPACES: a tool for these, in JSON.
tool() {
	printf '{"apiVersion": "tools.jicki.cn/v1alpha1", "kind": "PodBuggerTool", "metadata": {"name": "sample"}, "spec": {"selector": {}, "image": "a", "namespaces": [%s]}}' "$1"
}

# try USER NAMESPACES EXPECTED: whether the user creates a tool for the namespaces.
try() {
	local outcome=created said
	said=$(tool "$2" | kubectl --as "$1" create -f - 2>&1) || outcome=refused
	if [[ $outcome == created ]]; then kubectl delete podbuggertools.tools.jicki.cn sample --wait=false >/dev/null; fi
	if [[ $outcome != "$3" ]]; then
		echo "failed: $1 and [$2]: $outcome, expected $3: $said"
		failed=1
	fi
}

kubectl apply --server-side -f "$deploy/crd.yaml" -f "$deploy/creators/policy.yaml" >/dev/null
kubectl wait --for=condition=Established crd/podbuggertools.tools.jicki.cn >/dev/null
kubectl create clusterrole tools --verb=create --resource=podbuggertools.tools.jicki.cn >/dev/null
kubectl create clusterrolebinding tools --clusterrole=tools --group=system:authenticated >/dev/null
kubectl create clusterrole debug --verb=patch --resource=pods/ephemeralcontainers >/dev/null
eight=()
for number in $(seq 8); do
	kubectl create namespace "n$number" >/dev/null
	may jane "n$number"
	eight+=("\"n$number\"")
done
eight=$(IFS=,; echo "${eight[*]}")
may joe '*'

# The policy takes effect a moment after it is stored.
for _ in $(seq 60); do
	if tool '"default"' | kubectl --as jane create --dry-run=server -f - >/dev/null 2>&1; then sleep 0.5; else break; fi
done
try jane '"n1"' created
try jane "$eight" created
try jane "$eight,\"default\"" refused
try jane '"n1","default"' refused
try jane '' refused
try joe '' created
try joe "$eight,\"default\"" created
exit "$failed"
