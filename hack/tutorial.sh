#!/usr/bin/env bash
# Plays docs/tutorial-operator.md word for word: operators from an empty folder to a chart that is installed, in at most 12 commands, without
# any edit but the types and reconcilers of hack/tutorial.
#
#   hack/tutorial.sh [embedded|real]… [podset|memcached|restricted]…     both servers and all operators unless some are named
#
# There are no nodes: the script runs the program with the arguments, the environment and the service account of the chart's Deployment, and
# its webhooks are reached through the chart's Service, which it points to this machine. docker only prints what it is asked for. $HELM,
# $KUBE_CODEGEN and $EMBEDDED_APISERVER name programs that are built otherwise. Needs Go for Helm and the real server, jq and kubectl; without
# them, exits with code 3 (skipped).
set -euo pipefail
# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

page=$root/docs/tutorial-operator.md
work=$root/target/tutorial

# follow TITLE: runs the commands of a section of the page in the current folder.
follow() {
  python3 "$root/hack/package/readme.py" "$page" "$1" >"$work/section.sh"
  # shellcheck disable=SC1091
  source "$work/section.sh"
}

# count TITLE…: the number of commands in these sections.
count() {
  local title
  for title in "$@"; do python3 "$root/hack/package/readme.py" "$page" "$title"; done | grep -cvE '^ *(#|$)'
}

# What stands for commands of the page.
kube-codegen() {
  case $1 in
    init) "$KUBE_CODEGEN" "$@" --runtime "{ path = \"$root/runtime\" }" 2>/dev/null ;;
    *) "$KUBE_CODEGEN" "$@" ;;
  esac
}
helm() {
  local arguments=() argument
  for argument in "$@"; do
    # There is no pod that helm could wait for: run_pod waits.
    [[ $argument == --wait ]] || arguments+=("$argument")
  done
  "$HELM" "${arguments[@]}"
  if [[ $1 == install ]]; then run_pod "$2" "$2-system"; fi
}

# run_pod NAME NAMESPACE: does what a node would do for the Deployment, and a cluster's network for the Service of the webhooks. Returns when
# the pod is ready.
run_pod() {
  local name=$1 port health account=$work/account.kubeconfig container token
  # A pod has an address of its own, and so all ports.
  port=$(free_port) health=$(free_port)
  route_webhooks "$2" "$port"
  container=$(kubectl --namespace "$2" get deployment "$name" -o json | jq '.spec.template.spec.containers[0]')
  token=$(kubectl --namespace "$2" create token "$(kubectl --namespace "$2" get deployment "$name" -o 'jsonpath={.spec.template.spec.serviceAccountName}')")
  kubectl config view --raw --minify -o json | jq --arg token "$token" '.users[].user = {token: $token}' >"$account"
  local args=() arg variable value variables
  variables=$(jq -r --arg namespace "$2" '.env[] | "\(.name)=\(.value // $namespace)"' <<<"$container")
  while IFS= read -r arg; do
    # What a node expands: variables with a value, and those of the pod itself.
    while IFS='=' read -r variable value; do arg=${arg//"\$($variable)"/$value}; done <<<"$variables"
    case $arg in
      --metrics-bind-address=*) arg=${arg%%=*}=127.0.0.1:0 ;;
      --health-probe-bind-address=*) arg=${arg%%=*}=127.0.0.1:$health ;;
    esac
    args+=("$arg")
  done < <(jq -r '.args[]' <<<"$container")
  if jq -e '.args | any(startswith("--webhook"))' <<<"$container" >/dev/null; then
    args+=("--webhook-bind-address=127.0.0.1:$port")
  fi
  KUBECONFIG=$account POD_NAME=$name-0 POD_NAMESPACE=$2 "$CARGO_TARGET_DIR/debug/$name" "${args[@]}" >"$work/$name.log" 2>&1 &
  pod=$!
  until_is 200 curl --silent --output /dev/null --write-out '%{http_code}' "http://127.0.0.1:$health/readyz"
}

# Points the Service of the webhooks to a port of this machine.
route_webhooks() {
  local kinds=mutatingwebhookconfigurations,validatingwebhookconfigurations,customresourcedefinitions
  if ! kubectl --namespace "$1" get service webhook-service >/dev/null 2>&1; then return; fi
  kubectl --namespace "$1" delete service webhook-service >/dev/null
  kubectl --namespace "$1" create service externalname webhook-service --external-name localhost --tcp 443 >/dev/null
  kubectl get "$kinds" -o json | jq --argjson port "$2" '
    .items |= map(select(any(.. | objects; has("clientConfig"))) | del(.metadata.managedFields)) |
    (.. | objects | select(has("clientConfig")).clientConfig.service | objects).port = $port' | kubectl replace -f - >/dev/null
}

stop_pod() {
  if [[ -n ${pod:-} ]]; then
    kill "$pod" 2>/dev/null || true
    wait "$pod" || fail "the program does not end in order"
    pod=
  fi
}

fail() {
  echo "tutorial: $*" >&2
  tail -n 20 "$work"/*-operator.log >&2 || true
  exit 1
}

# until_is VALUE COMMAND…: waits until a command prints this, for a minute.
until_is() {
  local said end=$((SECONDS + 60))
  until said=$("${@:2}" 2>/dev/null) && [[ $said == "$1" ]]; do
    if ((SECONDS > end)); then fail "${*:2}: expected $1, found: $said $("${@:2}" 2>&1 >/dev/null || true)"; fi
    sleep 0.2
  done
}

# refused PATTERN COMMAND…: a command fails and says this.
refused() {
  local said
  if said=$("${@:2}" 2>&1); then fail "${*:2} is not refused"; fi
  grep -q -- "$1" <<<"$said" || fail "${*:2} says: $said"
}

count_pods() { kubectl get pods -l demo.example.com/podset=sample -o name | wc -l; }

check_podset() {
  local sets=podsets.demo.example.com
  until_is True kubectl get $sets sample -o 'jsonpath={.status.conditions[?(@.type=="Ready")].status}'
  until_is 3 count_pods
  kubectl scale $sets sample --replicas=5 >/dev/null
  until_is 5 count_pods
  until_is 5 kubectl get $sets sample -o 'jsonpath={.status.size}'
  kubectl delete pod sample-1 --grace-period=0 --force >/dev/null 2>&1
  until_is sample-1 kubectl get pod sample-1 -o 'jsonpath={.metadata.name}'
  kubectl scale $sets sample --replicas=1 >/dev/null
  until_is 1 count_pods
  refused 'should be greater than or equal to 0' kubectl patch $sets sample --type merge -p '{"spec":{"size":-1}}'
  kubectl delete $sets sample --wait=false >/dev/null
  until_is 0 count_pods
}

check_memcached() {
  local kind=memcacheds.cache.example.com
  until_is True kubectl get $kind sample -o 'jsonpath={.status.conditions[?(@.type=="Ready")].status}'
  until_is 3 kubectl get deployment sample -o 'jsonpath={.spec.replicas}'
  until_is 64 kubectl get configmap sample -o 'jsonpath={.data.MEMORY}'
  until_is 11211 kubectl get service sample -o 'jsonpath={.spec.ports[0].port}'
  # The defaulting webhook.
  until_is memcached-operator kubectl get $kind sample -o 'jsonpath={.metadata.labels.app\.kubernetes\.io/managed-by}'
  # The validating webhook.
  refused 'supported values: "true", "false"' kubectl annotate $kind sample cache.example.com/protected=maybe
  kubectl annotate $kind sample cache.example.com/protected=true >/dev/null
  refused 'protects it' kubectl delete $kind sample
  kubectl annotate $kind sample cache.example.com/protected- >/dev/null
  # The second version: what the first one lacks survives a change in the first.
  kubectl patch memcacheds.v1beta1.cache.example.com sample --type merge -p '{"spec":{"maxConnections":100}}' >/dev/null
  kubectl patch memcacheds.v1alpha1.cache.example.com sample --type merge -p '{"spec":{"memory":128}}' >/dev/null
  until_is 100 kubectl get memcacheds.v1beta1.cache.example.com sample -o 'jsonpath={.spec.maxConnections}'
  until_is 128 kubectl get configmap sample -o 'jsonpath={.data.MEMORY}'
  until_is cache.example.com/report kubectl get $kind sample -o 'jsonpath={.metadata.finalizers[0]}'
  kubectl delete $kind sample --wait=false >/dev/null
  until_is "" kubectl get $kind,deployments,services -l '!component' -o name
  until_is Released kubectl get events -o 'jsonpath={.items[?(@.reason=="Released")].reason}'
}

check_restricted() {
  local kind=widgets.batch.example.com ready='jsonpath={.status.conditions[?(@.type=="Ready")].status}'
  until_is True kubectl --namespace team-a get $kind sample -o "$ready"
  # It has no role elsewhere, and so cannot have looked there; another namespace of its own comes after it.
  sed 's/namespace: team-a/namespace: default/' config/samples/widget.yaml | kubectl apply -f - >/dev/null
  sed 's/namespace: team-a/namespace: team-b/' config/samples/widget.yaml | kubectl apply -f - >/dev/null
  until_is True kubectl --namespace team-b get $kind sample -o "$ready"
  until_is "" kubectl --namespace default get $kind sample -o "$ready"
  until_is "" eval "kubectl get clusterroles,clusterrolebindings -o name | grep restricted-operator || true"
  refused 'cannot list resource' kubectl --as system:serviceaccount:restricted-operator-system:restricted-operator --namespace default get $kind
  ! grep -iE 'forbidden|cannot (list|watch)' "$work/restricted-operator.log" || fail "the operator asked for more than its roles allow"
}

# On the server of KUBECONFIG: from the chart to objects that are reconciled, and back.
on_server() {
  local name=$1 operator=$1-operator
  cd "$work/$name/$operator"
  trap stop_pod EXIT
  follow "$title: cluster"
  "check_$name"
  stop_pod
  "$HELM" uninstall "$operator" --namespace "$operator-system" --wait --timeout 60s >/dev/null
  kubectl get crd -o name | grep -q "\.example\.com$" || fail "the uninstall deleted the CRDs"
}

# From an empty folder to an operator that passes its tests.
build_operator() {
  local name=$1
  rm -rf "${work:?}/$name"
  mkdir -p "$work/$name"
  cd "$work/$name"
  follow "$title"
  # The code that the page shows, and dependencies as they are here.
  if [[ -d $root/hack/tutorial/$name ]]; then cp -r "$root/hack/tutorial/$name/." .; fi
  cp "$root/Cargo.lock" .
  follow "$title: tests"
  cargo fmt --check || fail "the code of $name is not formatted"
}

if [[ ${1:-} == --on ]]; then
  title=$3
  on_server "$2"
  exit
fi

servers=() names=()
for word in "$@"; do
  case $word in
    embedded | real) servers+=("$word") ;;
    podset | memcached | restricted) names+=("$word") ;;
    *)
      sed -n '2,/^set -/p' "$0" | sed '$d; s/^# \{0,1\}//'
      exit 2
      ;;
  esac
done
[[ ${#servers[@]} -gt 0 ]] || servers=(embedded real)
[[ ${#names[@]} -gt 0 ]] || names=(podset memcached restricted)
command -v jq >/dev/null || skip "no jq"
[[ " ${servers[*]} " != *" real "* ]] || need_real_server
find_kubectl
go_tool HELM "$root/target/clients/helm/helm" clients/helm helm.sh/helm/v3/cmd/helm
if [[ -z ${KUBE_CODEGEN:-} || -z ${EMBEDDED_APISERVER:-} ]]; then
  cargo build --quiet --locked --manifest-path "$root/Cargo.toml" --bin kube-codegen --bin embedded-apiserver
  built=${CARGO_TARGET_DIR:-$root/target}/debug
  KUBE_CODEGEN=$built/kube-codegen EMBEDDED_APISERVER=$built/embedded-apiserver
fi
mkdir -p "$work/bin"
ln -sf "$KUBECTL" "$work/bin/kubectl"
printf '#!/bin/sh\necho "docker $*"\n' >"$work/bin/docker"
chmod +x "$work/bin/docker"
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target} KUBE_CODEGEN HELM KUBECTL_KUBERC=false PATH=$work/bin:$PATH
export CARGO_TERM_QUIET=true HELM_CACHE_HOME=$work/helm/cache HELM_CONFIG_HOME=$work/helm/config HELM_DATA_HOME=$work/helm/data

# on SERVER COMMAND…: runs a command with KUBECONFIG set, and a server with RBAC that ends with it.
on() {
  if [[ $1 == real ]]; then
    "$root/hack/envtest.sh" run --controller-manager -- "${@:2}"
    return
  fi
  local kubeconfig=$work/embedded.kubeconfig server status=0
  rm -f "$kubeconfig"
  "$EMBEDDED_APISERVER" --listen 127.0.0.1:0 --authorization-mode RBAC --kubeconfig "$kubeconfig" >"$work/server.log" 2>&1 &
  server=$!
  for _ in {1..100}; do [[ -s $kubeconfig ]] && break; sleep 0.1; done
  KUBECONFIG=$kubeconfig "${@:2}" || status=$?
  kill "$server"
  return "$status"
}

declare -A titles=([podset]=PodSet [memcached]=Memcached [restricted]=Restricted)
for name in "${names[@]}"; do
  title=${titles[$name]}
  commands=$(count "$title" "$title: tests" "$title: cluster")
  [[ $commands -le 12 ]] || fail "$title takes $commands commands"
  (build_operator "$name")
  for server in "${servers[@]}"; do
    on "$server" "${BASH_SOURCE[0]}" --on "$name" "$title" || fail "$name on the $server server"
    echo "tutorial: $name runs from its chart on the $server server, after $commands commands"
  done
done
