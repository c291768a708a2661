#!/usr/bin/env bash
# Compares CRDs, roles and webhook configurations generated from the Go types and markers of real projects with controller-gen's, byte
# for byte.
#
#   hack/parity.sh [NAME…]
#   hack/parity.sh --module PATH@VERSION…
#
# Both tools read the same packages, with the options of each project; roles and webhooks are those of a whole module. With --module, the
# modules are any others, and their CRDs those of all packages with a group and an object. controller-gen's version annotation is ignored.
# Prints one line per module: CRDs, lines of all files, differing lines, rules of roles, webhooks, seconds of each tool, and whether our
# strict mode accepts the markers. Exits with 1 if anything differs; the first lines of each difference (PARITY_LINES, 12) follow the table,
# with what each tool said. KUBE_CODEGEN names a prebuilt optimized kube-codegen. Needs Go, and a network the first time.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
command -v go >/dev/null || skip "no Go toolchain"

# Name, module, packages of CRDs (empty: no CRDs), options of controller-gen's crd generator, the same in codegen.toml, folder of roles and
# webhooks (empty: the module has no such markers).
modules=(
	"controller-tools|sigs.k8s.io/controller-tools@v0.21.0||||pkg/rbac/testdata"
	"jobset|sigs.k8s.io/jobset@v0.10.1|./api/jobset/...|generateEmbeddedObjectMeta=true|embedded-object-meta = true|."
	"lws|sigs.k8s.io/lws@v0.7.0|./api/leaderworkerset/...|generateEmbeddedObjectMeta=true|embedded-object-meta = true|."
	"keda|github.com/kedacore/keda/v2@v2.21.0|./apis/...|crdVersions=v1,generateEmbeddedObjectMeta=true|embedded-object-meta = true|."
	"cert-manager|github.com/cert-manager/cert-manager@v1.21.2|./pkg/apis/certmanager/v1 ./pkg/apis/acme/v1|||"
	"velero|github.com/vmware-tanzu/velero@v1.18.3|./pkg/apis/velero/v1 ./pkg/apis/velero/v2alpha1|crdVersions=v1||."
	"kueue|sigs.k8s.io/kueue@v0.14.0|./apis/kueue/v1alpha1 ./apis/kueue/v1beta1|generateEmbeddedObjectMeta=true|embedded-object-meta = true|."
	"cloudnative-pg|github.com/cloudnative-pg/cloudnative-pg@v1.27.1|./api/v1|||."
	"prometheus-operator|github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring@v0.85.0|./v1 ./v1alpha1|crdVersions=v1||"
	"prometheus-0.95|github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring@v0.95.2|./v1 ./v1alpha1 ./v1beta1|crdVersions=v1||"
	"argo-workflows|github.com/argoproj/argo-workflows/v4@v4.0.5|./pkg/apis/workflow/v1alpha1|||"
	"cilium|github.com/cilium/cilium@v1.20.0|./pkg/k8s/apis/cilium.io/v2 ./pkg/k8s/apis/cilium.io/v2alpha1|||"
	"dapr|github.com/dapr/dapr@v1.18.0|./pkg/apis/components/v1alpha1 ./pkg/apis/configuration/v1alpha1 ./pkg/apis/httpEndpoint/v1alpha1|||"
	"kubevela|github.com/oam-dev/kubevela@v1.11.0|./apis/core.oam.dev/v1alpha1 ./apis/core.oam.dev/v1beta1|||"
	"longhorn|github.com/longhorn/longhorn-manager@v1.12.0|./k8s/pkg/apis/longhorn/v1beta2|||"
	"kubernetes-ingress|github.com/nginxinc/kubernetes-ingress@v1.11.0|./pkg/apis/configuration/v1 ./pkg/apis/configuration/v1alpha1|||"
	"external-snapshotter|github.com/kubernetes-csi/external-snapshotter/client/v8@v8.7.0|./apis/volumesnapshot/v1 ./apis/volumegroupsnapshot/v1 ./apis/volumegroupsnapshot/v1beta2|||"
	"solr-operator|github.com/apache/solr-operator@v0.9.0|./api/v1beta1|||"
	"messaging-topology|github.com/rabbitmq/messaging-topology-operator@v1.15.0|./api/v1alpha1 ./api/v1beta1|||"
	"metallb|go.universe.tf/metallb@v0.14.9|./api/v1beta1 ./api/v1beta2|||"
	"cluster-api|sigs.k8s.io/cluster-api@v1.14.2||||."
)
if [[ ${1:-} == --module ]]; then
	shift
	[[ $# -gt 0 ]] || { echo "parity: --module needs PATH@VERSION" >&2; exit 2; }
	modules=()
	for module in "$@"; do
		[[ $module == ?*@?* ]] || { echo "parity: $module is not PATH@VERSION" >&2; exit 2; }
		modules+=("$module|$module|any|allowDangerousTypes=true|floats = true|.")
	done
fi
known=" $(printf '%s\n' "${modules[@]%%|*}" | tr '\n' ' ')"
for name in "$@"; do
	[[ $known == *" $name "* ]] || { echo "parity: unknown module $name, expected one of$known" >&2; exit 2; }
done
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
export GOFLAGS=-mod=mod GOTOOLCHAIN=local GO111MODULE=on GOWORK=off
GOBIN=$work go install sigs.k8s.io/controller-tools/cmd/controller-gen@v0.21.0
target=${CARGO_TARGET_DIR:-$root/target}
find_generator --release
ours=$KUBE_CODEGEN

# timed SECONDS COMMAND…: runs the command and adds its run time to the variable SECONDS.
timed() {
	local -n sum=$1
	local start=$EPOCHREALTIME code=0
	shift
	"$@" || code=$?
	sum=$(awk -v sum="$sum" -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.3f", sum + b - a }')
	return "$code"
}

# with_kinds: prints the packages of $tree/module that have a group and an object.
with_kinds() {
	(cd "$tree/module" && grep -rl --include='*.go' --exclude='*_test.go' --exclude-dir=vendor --exclude-dir=testdata -E '^// ?\+groupName=' . |
		xargs -r -n 1 dirname | sort -u | while read -r folder; do
		grep -ql 'metav1\.ObjectMeta' "$folder"/*.go 2>/dev/null && printf '%s\n' "$folder"
	done) || true
}

# crds: writes the CRDs of both tools to $tree/theirs and $tree/ours/out.
crds() {
	local paths=() listed="" package
	[[ $packages != any ]] || packages=$(with_kinds)
	[[ -n $packages ]] || return 0
	for package in $packages; do paths+=("paths=$package") listed+="\"$package\", "; done
	(cd "$tree/module" && rm -rf vendor go.work && go mod download >/dev/null 2>&1) || true
	# An unmeasured run fills Go's build cache.
	(cd "$tree/module" && "$work/controller-gen" "crd${options:+:$options}" "${paths[@]}" output:crd:dir="$tree/unmeasured") >"$tree/crds.log" 2>&1 || true
	timed theirs env -C "$tree/module" "$work/controller-gen" "crd${options:+:$options}" "${paths[@]}" output:crd:dir="$tree/theirs" >"$tree/crds.log" 2>&1 || true
	sed -i '/^    controller-gen.kubebuilder.io\/version: /d' "$tree"/theirs/*.yaml 2>/dev/null || true
	# Annotations that are empty without it.
	sed -i -e '/^  annotations:$/{N;/\n    /!s/^[^\n]*\n//}' "$tree"/theirs/*.yaml 2>/dev/null || true
	count=$(find "$tree/theirs" -name '*.yaml' | wc -l)
	printf '[[crate]]\npath = "ours"\n[[crate.go]]\ndir = "../module"\npackages = [%s]\n[crate.manifests]\ncrds = "out"\nroles = ""\nwebhooks = ""\ncompat = "controller-gen"\n%s\n' \
		"$listed" "$toml" >"$tree/codegen.toml"
	timed mine env -C "$tree" "$ours" manifests >"$tree/ours.log" 2>&1 || note "$(grep -A4 '^error' "$tree/ours.log" | head -20)"
}

# roles_of COMPAT FOLDER: writes our roles and webhooks of the module to FOLDER within the crate.
roles_of() {
	printf '[[crate]]\npath = "ours"\n[[crate.go]]\ndir = "../policy"\n[crate.manifests]\ncrds = ""\nroles = "%s/role.yaml"\nwebhooks = "%s/manifests.yaml"\ncompat = "%s"\n' \
		"$2" "$2" "$1" >"$tree/codegen.toml"
	env -C "$tree" "$ours" manifests
}

# policy: writes roles and webhooks of both tools to the same folders. Only syntax matters: without requirements nothing is downloaded, and
# missing imports are ignored.
policy() {
	local module_path=${module%@*}
	mkdir -p "$tree/policy" && cp -r "$dir/$below/." "$tree/policy" && chmod -R u+w "$tree/policy"
	rm -rf "$tree/policy/vendor" "$tree/policy/go.sum" "$tree/policy/go.work"
	printf 'module %s\n\ngo 1.24\n' "$module_path" >"$tree/policy/go.mod"
	timed theirs env -C "$tree/policy" GOPROXY=off "$work/controller-gen" rbac:roleName=manager-role webhook paths=./... \
		output:rbac:dir="$tree/theirs" output:webhook:dir="$tree/theirs" >"$tree/policy.log" 2>&1 || true
	timed mine roles_of controller-gen out >"$tree/errors" 2>&1 || note "$(grep -A4 '^error' "$tree/errors" | head -20)"
	rules=$(cat "$tree/ours/out/role.yaml" 2>/dev/null | grep -cE '^- (apiGroups|nonResourceURLs):') || true
	webhooks=$(cat "$tree/ours/out/manifests.yaml" 2>/dev/null | grep -c '^- admissionReviewVersions:') || true
	strict=taken
	roles_of strict strict >"$tree/errors" 2>&1 || strict="$(grep -c '^error' "$tree/errors") errors"
}

failed=0
note() {
	failed=1
	printf '== %s\n%s\n' "$name" "$1" >>"$work/differences"
}

printf '%-20s %5s %8s %9s %6s %9s %15s %8s  %s\n' module CRDs lines differing rules webhooks controller-gen ours strict
for entry in "${modules[@]}"; do
	IFS='|' read -r name module packages options toml below <<<"$entry"
	[[ $# -eq 0 || " $* " == *" $name "* ]] || continue
	dir=$(go mod download -json "$module" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p') || dir=
	if [[ ! -d $dir ]]; then
		note "$module cannot be downloaded"
		continue
	fi
	tree=$work/$name count=- rules=- webhooks=- strict=- theirs=0 mine=0
	mkdir -p "$tree"/{theirs,ours/src,ours/out,module}
	printf '[package]\nname = "parity"\nversion = "0.1.0"\nedition = "2024"\n' >"$tree/ours/Cargo.toml"
	touch "$tree/ours/src/lib.rs"
	if [[ -n $packages ]]; then
		cp -r "$dir/." "$tree/module" && chmod -R u+w "$tree/module"
		crds
	fi
	[[ -z $below ]] || policy
	lines=$(cat "$tree"/theirs/*.yaml 2>/dev/null | wc -l)
	differ=$(diff -rN "$tree/theirs" "$tree/ours/out" | grep -c '^[<>]' || true)
	if [[ $lines -eq 0 ]]; then
		note "controller-gen wrote nothing: $(cat "$tree"/{crds,policy}.log 2>/dev/null | tail -5)"
	elif [[ $differ -gt 0 ]]; then
		note "$(diff -rN "$tree/theirs" "$tree/ours/out" | head "-${PARITY_LINES:-12}" || true)"
		note "controller-gen says: $(cat "$tree"/{crds,policy}.log 2>/dev/null | grep -E '^(/|Error)' | sort -u | head -5)"
	fi
	printf '%-20s %5s %8d %9d %6s %9s %15.2f %8.3f  %s\n' "$name" "$count" "$lines" "$differ" "$rules" "$webhooks" "$theirs" "$mine" "$strict"
	chmod -R u+w "$tree" && rm -rf "$tree"
done
[[ ! -s $work/differences ]] || cat "$work/differences"
exit "$failed"
