#!/usr/bin/env bash
# Checks what `kube-codegen package` writes for the scaffolded operator with the tools that read it.
#
#   hack/packages.sh [CHECK…]     all checks, or only these:
#     kustomize    what kustomize builds from config/ is what install.yaml has
#     helm         the chart passes `helm lint --strict`, and renders the objects of install.yaml
#     cluster      install, upgrade and uninstall on the embedded API server: CRDs and their objects survive
#
# Helm is the one of hack/clients/helm, kustomize is kubectl's; $HELM and $KUBECTL name others. Needs Go without $HELM. Without a tool, exits
# with code 3 (skipped).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

[[ $# -gt 0 ]] || set -- kustomize helm cluster
work=$root/target/packages
rm -rf "$work"
mkdir -p "$work"
find_kubectl
if [[ -z ${HELM:-} ]]; then
  command -v go >/dev/null || skip "no Go toolchain to build helm with"
  HELM=$root/target/clients/helm/helm
  [[ -x $HELM ]] || (cd "$root/hack/clients/helm" && GOFLAGS="${GOFLAGS:+$GOFLAGS }-p=2 -buildvcs=false" nice go build -o "$HELM" helm.sh/helm/v3/cmd/helm) >&2
fi
if [[ -z ${KUBE_CODEGEN:-} ]]; then
  cargo build --quiet --locked --manifest-path "$root/Cargo.toml" --bin kube-codegen
  KUBE_CODEGEN=${CARGO_TARGET_DIR:-$root/target}/debug/kube-codegen
fi
export HELM_CACHE_HOME=$work/helm/cache HELM_CONFIG_HOME=$work/helm/config HELM_DATA_HOME=$work/helm/data
name=sample-operator
namespace=$name-system
failed=0
checks=0

# check NAME COMMAND…: runs a command, which must succeed, and prints its output if it fails.
check() {
  local what=$1 said
  shift
  checks=$((checks + 1))
  if ! said=$("$@" 2>&1); then
    printf 'failed: %s: %s\n' "$what" "$said"
    failed=$((failed + 1))
  fi
}

# Runs `package` in the folder of an operator.
package() { (cd "$1" && "$KUBE_CODEGEN" package "${@:2}"); }

# canonical FOLDER: rewrites the objects of standard input as `package` prints them.
canonical() {
  package "$operator" --from - --format install --output "$work/$1" >/dev/null
  cat "$work/$1/install.yaml"
}

operator=$root/testdata/operator
dist=$work/dist
package "$operator" --output "$dist" >/dev/null

check_kustomize() {
  check "kustomize builds the objects of install.yaml" \
    diff <("$KUBECTL" kustomize "$operator/config" | canonical kustomize) "$dist/install.yaml"
}

# The chart's objects, with the namespace, which Helm creates.
rendered() {
  cat "$operator/config/namespace.yaml"
  "$HELM" template "$name" "$dist/chart" --namespace "$namespace" "$@"
}

check_helm() {
  check "lint" "$HELM" lint --strict "$dist/chart"
  # The annotation of CRDs is Helm's own.
  check "the chart renders the objects of install.yaml" \
    diff <(rendered --set crds.keep=false | canonical helm) "$dist/install.yaml"
  check "a misspelled setting is refused" refused "additional properties 'replica' not allowed" \
    "$HELM" template "$name" "$dist/chart" --set replica=2
}

# refused PATTERN COMMAND…: succeeds if a command fails and says this.
refused() {
  local pattern=$1 said
  shift
  if said=$("$@" 2>&1); then return 1; fi
  grep -q -- "$pattern" <<<"$said" || { echo "$said"; return 1; }
}

helm() { timeout 120 "$HELM" --namespace "$namespace" "$@"; }
k() { "$KUBECTL" --namespace "$namespace" "$@"; }

start_server() {
  if [[ -z ${EMBEDDED_APISERVER:-} ]]; then
    cargo build --quiet --locked --manifest-path "$root/Cargo.toml" --bin embedded-apiserver
    EMBEDDED_APISERVER=${CARGO_TARGET_DIR:-$root/target}/debug/embedded-apiserver
  fi
  export KUBECONFIG=$work/kubeconfig KUBECTL_KUBERC=false
  "$EMBEDDED_APISERVER" --listen 127.0.0.1:0 --kubeconfig "$KUBECONFIG" >"$work/server.log" 2>&1 &
  server=$!
  trap 'kill "$server" 2>/dev/null || true' EXIT
  for _ in {1..100}; do
    grep -qs '^listening' "$work/server.log" && return
    sleep 0.1
  done
  cat "$work/server.log"
  return 1
}

# The operator in a new version, with another name for a column of its kinds.
next_release() {
  cp -r "$operator" "$work/next"
  sed -i 's/^version = .*/version = "0.2.0"/' "$work/next/Cargo.toml"
  sed -i 's/name: Reason/name: Why/' "$work/next/config/crd.yaml"
  package "$work/next" --output "$work/next-dist" >/dev/null
}

# is VALUE COMMAND…: succeeds if a command prints this.
is() {
  local said
  said=$("${@:2}")
  [[ $said == "$1" ]] || { echo "$said"; return 1; }
}

column() { k get crd regions.cache.example.com -o 'jsonpath={.spec.versions[0].additionalPrinterColumns[1].name}'; }

check_cluster() {
  start_server
  next_release
  check "install" helm install "$name" "$dist/chart" --create-namespace --set replicas=1
  check "the Deployment has the setting" is 1 k get deployment "$name" -o 'jsonpath={.spec.replicas}'
  check "an object is created" k apply --server-side -f "$operator/config/samples/region.yaml"
  check "the CRD is that of the chart" is Reason column
  check "upgrade" helm upgrade "$name" "$work/next-dist/chart" --reuse-values
  check "the CRD is updated" is Why column
  check "uninstall" helm uninstall "$name" --wait --timeout 60s
  check "the Deployment is gone" refused NotFound k get deployment "$name"
  check "the object is still there" k get -f "$operator/config/samples/region.yaml"
  check "the chart is installed again, and adopts its CRDs" helm install "$name" "$work/next-dist/chart"
  check "an uninstall without crds.keep" helm upgrade "$name" "$work/next-dist/chart" --set crds.keep=false
  check "deletes" helm uninstall "$name"
  check "the CRDs" refused NotFound k get crd regions.cache.example.com
  check "install.yaml is applied" k apply --server-side -f "$dist/install.yaml"
  check "and again" k apply --server-side --warnings-as-errors -f "$dist/install.yaml"
  check "and deleted" k delete --wait=false --ignore-not-found -f "$dist/install.yaml"
}

for part in "$@"; do
  "check_$part"
done
echo "$checks checks, $failed failed"
[[ $failed -eq 0 ]]
