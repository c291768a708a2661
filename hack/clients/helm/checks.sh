#!/usr/bin/env bash
# Runs helm with the chart $1 against the server of KUBECONFIG. Each check prints one line, which hack/clients.sh counts.
set -uo pipefail

chart=$1
export HELM_CACHE_HOME=$HELM_HOME/cache HELM_CONFIG_HOME=$HELM_HOME/config HELM_DATA_HOME=$HELM_HOME/data
output=$(mktemp)
trap 'rm -f "$output"' EXIT

# check NAME CODE PATTERN ARGUMENT…: runs helm, and expects this exit code and output that matches the pattern.
check() {
	local name=$1 expected=$2 pattern=$3 code=0
	shift 3
	timeout 60 "$HELM" --namespace helm "$@" >"$output" 2>&1 || code=$?
	cat "$output" >&2
	if [[ $code -eq $expected && $(<"$output") =~ $pattern ]]; then
		printf 'ok\t%s\n' "$name"
	else
		printf 'fail\t%s\texit code %s: %s\n' "$name" "$code" "$(tail -n 1 "$output" | cut -c 1-200)"
	fi
}

check "install, with a CRD and a hook" 0 'STATUS: deployed' install app "$chart" --create-namespace
check "list" 0 'app[[:space:]]+helm[[:space:]]+1[[:space:]].*deployed' list
check "status, with a table of each kind" 0 'app +0/2 +0 +0 ' status app --show-resources
check "the objects are on the server" 0 '"data":\{"message":"first"\}' status app --show-resources --output json
check "dry run on the server" 0 'message: "?third' upgrade app "$chart" --set message=third --dry-run=server
check "lookup of an object" 0 'found: "default"' upgrade app "$chart" --dry-run=server
check "upgrade" 0 'REVISION: 2' upgrade app "$chart" --set message=second
check "the objects are upgraded" 0 '"data":\{"message":"second"\}' status app --show-resources --output json
check "install what exists is refused" 1 'cannot re-use a name' install app "$chart"
check "history" 0 '2 .*deployed' history app
check "rollback" 0 'Rollback was a success' rollback app 1
check "the objects are rolled back" 0 '"data":\{"message":"first"\}' status app --show-resources --output json
check "uninstall, and wait" 0 'release "app" uninstalled' uninstall app --wait --timeout 30s
check "list of nothing" 0 '^$' list --all --short
