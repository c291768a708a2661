#!/usr/bin/env bash
# Checks the manifests in controllers/*/deploy* and of the scaffolded operator against the real kube-apiserver: it must
# accept each kustomization and each file, and admit a pod of each Deployment to its namespace, which enforces the restricted pod
# security standard.
#
#   hack/deploy.sh            all controllers and the operator, on a new server
#   hack/deploy.sh NAME…      only these
#
# A warning of the server is an error. Needs jq and the requirements of hack/envtest.sh; without them, exits with code 3 (skipped).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if [[ -z ${DEPLOY_ON_SERVER:-} ]]; then
  need_real_server
  command -v jq >/dev/null || skip "no jq"
  DEPLOY_ON_SERVER=1 exec "$root/hack/envtest.sh" run -- "${BASH_SOURCE[0]}" "$@"
fi

find_kubectl
[[ $# -gt 0 ]] || set -- $(cd "$root/controllers" && ls -d */deploy | cut -d/ -f1) operator operator-cert-manager
# Force conflicts: CRDs shared by two operators are patched in between.
apply=("$KUBECTL" apply --server-side --force-conflicts --warnings-as-errors)
refused=0
files=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Runs a command, and prints its output if it fails.
accepted() {
  local said what=$1
  shift
  if ! said=$("$@" 2>&1); then
    echo "refused: $what: $said"
    refused=$((refused + 1))
  fi
}

# Changes to the crate of a controller, and sets its deployment folders, the one to deploy first at the front.
enter() {
  if [[ $1 == operator ]]; then
    cd "$root/testdata/operator"
    folders=(config)
  elif [[ $1 == operator-cert-manager ]]; then
    rm -rf "$scratch"/*
    cp -r "$root/testdata/operator/config" "$scratch"
    rm -r "$scratch"/config/webhooks/*
    cp -r "$root"/testdata/operator-cert-manager/* "$scratch/config/webhooks"
    cd "$scratch"
    folders=(config)
  else
    cd "$root/controllers/$1"
    folders=(deploy*)
  fi
}

# Prints the pod of a folder's Deployment, with the patches of its kustomization.
pod() {
  "$KUBECTL" create --dry-run=client -k "$1" -o json |
    jq 'if .kind == "List" then .items[] else . end | select(.kind == "Deployment")
        | .metadata.namespace as $namespace | .spec.template
        | {apiVersion: "v1", kind: "Pod", metadata: (.metadata + {name: "of-the-deployment", namespace: $namespace}), spec}'
}

# cert-manager would create the certificates of webhooks.
for plural in certificates issuers; do
  definition=$root/testdata/crds/cert-manager/$plural.cert-manager.io.yaml
  accepted "cert-manager's $plural" "${apply[@]}" -f "$definition"
  accepted "cert-manager's $plural" "$KUBECTL" wait --for=condition=Established --timeout=60s -f "$definition"
done

# Prometheus' operator would define the kinds of the components `monitor` and `alerts`.
for kind in ServiceMonitor PrometheusRule; do
  plural=$(tr '[:upper:]' '[:lower:]' <<<"$kind")s
  accepted "$kind" "${apply[@]}" -f - <<DEFINITION
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: $plural.monitoring.coreos.com}
spec:
  group: monitoring.coreos.com
  names: {kind: $kind, plural: $plural}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
DEFINITION
  accepted "$kind" "$KUBECTL" wait --for=condition=Established --timeout=60s "crd/$plural.monitoring.coreos.com"
done

# Checks the files below the folders that match these conditions of `find`. Configurations of kustomize are no objects.
check_files() {
  while read -r file; do
    accepted "$name/$file" "${apply[@]}" --dry-run=server -f "$file"
    files=$((files + 1))
  done < <(find "${folders[@]}" -name '*.yaml' -not -name kustomization.yaml -not -name names.yaml "$@" | sort)
}

# Removes the webhooks, since their program does not run here.
call_no_webhooks() {
  "$KUBECTL" delete mutatingwebhookconfigurations,validatingwebhookconfigurations --all >/dev/null
  local definitions definition
  definitions=$("$KUBECTL" get crd -o json | jq -r '.items[] | select(.spec.conversion.strategy == "Webhook").metadata.name')
  for definition in $definitions; do
    accepted "$name: $definition" "$KUBECTL" patch crd "$definition" --type merge -p '{"spec": {"conversion": {"strategy": "None", "webhook": null}}}'
  done
}

for name in "$@"; do
  enter "$name"
  for folder in "${folders[@]}"; do
    accepted "$name/$folder" "${apply[@]}" -k "$folder"
    if [[ -f $folder/crd.yaml ]]; then
      accepted "$name/$folder/crd.yaml" "$KUBECTL" wait --for=condition=Established --timeout=60s -f "$folder/crd.yaml"
    fi
  done
  check_files -not -path '*/samples/*'
  call_no_webhooks
  check_files -path '*/samples/*'
  accepted "$name: a pod of the Deployment" "${apply[@]}" --dry-run=server -f <(pod "${folders[0]}")
done
for name in "$@"; do
  enter "$name"
  "$KUBECTL" delete --wait=false --ignore-not-found -k "${folders[0]}" >/dev/null
done
echo "$# controllers, $files files, $refused refused"
[[ $refused -eq 0 ]]
