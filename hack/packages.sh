#!/usr/bin/env bash
# Checks what `kube-codegen package` writes for the scaffolded operator with the tools that read it.
#
#   hack/packages.sh [--update] [CHECK…]     all checks, or only these:
#     kustomize    what kustomize builds from config/ is what install.yaml has
#     names        what kustomize builds under another namespace and prefix is as checked in; --update writes it
#     bundle       the bundle passes the rules of `operator-sdk bundle validate`
#     helm         the chart passes `helm lint --strict`, and renders the objects of install.yaml
#     xtask        the steps of the operator's `cargo xtask` on the embedded API server
#     cluster      install, upgrade and uninstall on the embedded API server: CRDs and their objects survive
#     real         the same on the real one
#
# Helm is the one of hack/clients/helm, kustomize is kubectl's, and the rules are operator-verify's of hack/packages; $HELM, $KUBECTL and
# $OPERATOR_VERIFY name others. Without Go or one of them, exits with code 3 (skipped).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

update=
if [[ ${1:-} == --update ]]; then
  update=1
  shift
fi
[[ $# -gt 0 ]] || set -- kustomize names bundle helm xtask cluster real
work=$root/target/packages
# The server of KUBECONFIG, instead of one of its own.
server=
if [[ $1 == --on-server ]]; then
  server=$KUBECONFIG work=$work-on-server
  shift
  export KUBECTL_KUBERC=false
fi
rm -rf "$work"
mkdir -p "$work"
find_kubectl

go_tool HELM "$root/target/clients/helm/helm" clients/helm helm.sh/helm/v3/cmd/helm
go_tool OPERATOR_VERIFY "$root/target/clients/operator-verify" packages github.com/operator-framework/api/cmd/operator-verify

find_generator
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

# overlay NAME CONFIG [LINE]: builds a config folder under another namespace and prefix.
overlay() {
  mkdir -p "$work/names/overlay"
  rm -rf "$work/names/config"
  cp -r "$2" "$work/names/config"
  cat >"$work/names/overlay/kustomization.yaml" <<EOF
resources: [../config]
namespace: team-a
namePrefix: blue-
${3:-}
EOF
  "$KUBECTL" kustomize "$work/names/overlay" >"$work/names/$1.yaml"
}

# The names in the result are checked by a test of the generator.
check_names() {
  local golden=$root/testdata/operator-renamed
  cp -r "$operator/config" "$work/cert-manager"
  rm -r "$work/cert-manager/webhooks"
  cp -r "$root/testdata/operator-cert-manager" "$work/cert-manager/webhooks"
  overlay self-signed "$operator/config"
  overlay cert-manager "$work/cert-manager" 'transformers: [../config/webhooks/names]'
  if [[ -n $update ]]; then
    mkdir -p "$golden"
    cp "$work"/names/*.yaml "$golden"
  fi
  for file in self-signed cert-manager; do
    check "$file under other names is as checked in: --update" diff "$golden/$file.yaml" "$work/names/$file.yaml"
  done
}

# Validates a bundle: errors are printed, and are not in the exit code.
verified() {
  local said
  said=$("$OPERATOR_VERIFY" manifests "$1" 2>&1)
  ! grep "level=error" <<<"$said"
}

check_bundle() {
  check "the bundle is valid" verified "$dist/bundle"
  cp -r "$dist/bundle" "$work/without-crd"
  rm "$work/without-crd/manifests/regions.cache.example.com_customresourcedefinition.yaml"
  check "a bundle without a CRD is not" refused 'not found in bundle' verified "$work/without-crd"
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
  local all=(--set webhooks.certManager.enabled=true --set monitor.enabled=true --set networkPolicies.enabled=true
    --set watchNamespaces='{a,b}' --set priorityClassName=high --set image.digest=sha256:0)
  check "lint with all switches" "$HELM" lint --strict "$dist/chart" "${all[@]}"
  check "all switches" grep -q "kind: ServiceMonitor" <(rendered "${all[@]}" | canonical switched)
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
  if [[ -n ${server:-} ]]; then return; fi
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

# The steps in the folder of the sample operator; docker only prints what it is asked for.
check_xtask() {
  start_server
  mkdir -p "$work/bin"
  printf '#!/bin/sh\necho "docker $*"\n' >"$work/bin/docker"
  ln -sf "$KUBECTL" "$work/bin/kubectl"
  chmod +x "$work/bin/docker"
  (cd "$operator" && cargo build --quiet --bin xtask)
  local xtask=${CARGO_TARGET_DIR:-$root/target}/debug/xtask
  export KUBE_CODEGEN PATH=$work/bin:$PATH IMAGE=registry.example.com/o:1
  check "xtask lists its steps" refused "undeploy" "$xtask"
  check "image" is "docker build -t registry.example.com/o:1 .
docker push registry.example.com/o:1" "$xtask" image --push
  check "install" "$xtask" install
  check "an object is created" k apply --server-side -f "$operator/config/samples/region.yaml"
  check "deploy" "$xtask" deploy
  check "the image is that of the flag" is registry.example.com/o:1 k get deployment "$name" -o 'jsonpath={.spec.template.spec.containers[0].image}'
  check "undeploy" "$xtask" undeploy
  check "the Deployment is gone" refused NotFound k get deployment "$name"
  check "the object is still there" k get -f "$operator/config/samples/region.yaml"
  check "uninstall asks" refused "add --yes" "$xtask" uninstall
  check "uninstall" "$xtask" uninstall --yes
  check "the CRDs are gone" refused NotFound k get crd regions.cache.example.com
  k delete namespace "$namespace" --wait=false >/dev/null
  rm -rf "$operator/dist"
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

check_real() {
  need_real_server
  export KUBE_CODEGEN HELM OPERATOR_VERIFY KUBECTL
  check "the real API server" "$root/hack/envtest.sh" run --controller-manager -- "${BASH_SOURCE[0]}" --on-server cluster
}

for part in "$@"; do
  "check_$part"
done
echo "$checks checks, $failed failed"
[[ $failed -eq 0 ]]
