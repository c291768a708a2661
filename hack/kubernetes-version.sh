#!/usr/bin/env bash
# Sets a version of Kubernetes wherever it stands: hack/kubernetes-version.sh [types|server VERSION]
#
#   types 1.38.0     the version whose types generated code has: constants, features, dependencies, docs, go.mod files, then the tables of
#                    types, Cargo.lock and the golden files
#   server 1.37.2    the version that the embedded server emulates, and the modules of the real one
#
# The versions are in hack/kubernetes.env. Without arguments, checks that the places below name them. Needs Go for other versions.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=hack/kubernetes.env
source hack/kubernetes.env
which=${1:-} new=${2:-}
[[ $# == 0 || ($# == 2 && $which =~ ^(types|server)$ && $new =~ ^1\.[0-9]+\.[0-9]+$) ]] || { sed -n '2,9s/^# \?//p' "$0" >&2; exit 2; }

# The places: version; file; a text of it. NN is the minor version, PATCH the version behind `1.`, OO the earliest of the five minor
# versions that a release of k8s-openapi has, KK that release's own minor version.
places() {
	cat <<'PLACES'
types	codegen/src/kubernetes.rs	const LATEST: u8 = NN;
types	codegen/src/options/table.rs	(its features `v1_OO` to
types	codegen/src/options/table.rs	`v1_NN`). Schemas
types	codegen/src/scaffold.rs	k8s-openapi = { version = \"0.KK\"
types	codegen/src/scaffold.rs	k8s-openapi = \"0.KK\"
types	codegen/tests/generator/cli/crates_which.rs	openapi("v1_NN"), &[], NN)
types	codegen/tests/generator/cli/crates_which.rs	k8s-openapi = { version = \"0.KK\"
types	codegen/tests/generator/cli/crd.rs	k8s-openapi = { version = \"0.KK\"
types	Cargo.toml	k8s-openapi = { version = "0.KK"
types	runtime/Cargo.toml	v1_OO = ["k8s-openapi/v1_OO"]
types	runtime/Cargo.toml	v1_NN = ["k8s-openapi/v1_NN"]
types	runtime/README.md	`v1_OO` … `v1_NN`
types	runtime/README.md	| 0.KK | 1.OO (`v1_OO`, `earliest`) to 1.NN (`v1_NN`, `latest`)
types	docs/codegen-toml.md	`v1_OO` to `v1_NN`
types	docs/codegen.schema.json	`v1_OO` to `v1_NN`
types	docs/crd-types.md	`v1_OO` to `v1_NN` (`latest`)
types	docs/five-minutes.md	k8s-openapi = { version = "0.KK"
types	docs/kube-derive.md	from 1.30 to 1.NN
types	docs/migrating-from-kube-runtime.md	| 5 | 0.KK |
types	docs/policy.md	| 1.OO to 1.NN |
types	docs/policy.md	k8s-openapi 0.KK
types	hack/features.sh	"v1_OO rustls-tls
types	hack/bench/informer/Cargo.toml	k8s-openapi = { version = "0.KK"
types	hack/bench/webhooks/Cargo.toml	k8s-openapi = { version = "0.KK"
types	hack/bench/manifests.sh	k8s-openapi = { version = "0.KK"
types	hack/bench/types.sh	k8s-openapi = { version = "0.KK"
types	hack/corpus/src/program.rs	k8s-openapi = {{ version = "0.KK"
types	hack/bench/informer/go/go.mod	k8s.io/client-go v0.PATCH
types	testdata/parity/go.mod	k8s.io/api v0.PATCH
server	apiserver/src/lib.rs	VERSION: &str = "v1.PATCH";
server	codegen/src/emit/manifests/wording.rs	the API server of Kubernetes 1.NN has
server	crates/schema/src/cel/functions/table.rs	as of Kubernetes 1.NN
server	controllers/controller-manager/README.md	As kube-controller-manager 1.NN
server	docs/validation.md	for which kube-apiserver 1.NN would
server	hack/envtest/go.mod	k8s.io/kubernetes v1.PATCH
server	hack/quantity/go.mod	k8s.io/apimachinery v0.PATCH
server	hack/bench/generate/go.mod	k8s.io/code-generator v0.PATCH
PLACES
}

# text VERSION TEMPLATE: the text of a place for a version.
text() {
	local patch=${1#1.} minor
	minor=${patch%%.*}
	sed "s/PATCH/$patch/g; s/NN/$minor/g; s/OO/$((minor - 4))/g; s/KK/$((minor - 8))/g" <<<"$2"
}

if [[ -z $which ]]; then
	missing=0
	while IFS=$'\t' read -r version file template; do
		wanted=$(text "${!version}" "$template")
		grep -qF -- "$wanted" "$file" || { echo "$file does not say: $wanted"; missing=1; }
	done < <(places)
	exit "$missing"
fi

"$0"
old=${!which}
sed -i "s/^$which=.*/$which=$new/" hack/kubernetes.env
while IFS=$'\t' read -r version file template; do
	[[ $version == "$which" && $file != *go.mod && $file != runtime/Cargo.toml ]] || continue
	OLD=$(text "$old" "$template") NEW=$(text "$new" "$template") perl -pi -e 's/\Q$ENV{OLD}\E/$ENV{NEW}/g' "$file"
done < <(places)
if [[ $which == types ]]; then
	sed -i '/^v1_[0-9]* = /d' runtime/Cargo.toml
	minor=$(text "$new" NN)
	for ((feature = minor; feature >= minor - 4; feature--)); do
		sed -i "/^earliest = /a v1_$feature = [\"k8s-openapi/v1_$feature\"]" runtime/Cargo.toml
	done
fi
# Modules that follow the version, by the same patch version.
modules=$(places | grep "^$which" | cut -f 2 | grep 'go\.mod$')
for file in $modules; do
	sed -i "s/v\([01]\)\.${old#1.}\b/v\1.${new#1.}/" "$file"
done
"$0"
[[ $old != "$new" ]] || exit 0
for file in $modules; do
	(cd "$(dirname "$file")" && go mod tidy)
done
if [[ $which == types ]]; then
	cargo update --quiet --package k8s-openapi
	hack/builtin-types.sh
fi
UPDATE_GOLDEN=1 INSTA_FORCE_PASS=1 INSTA_UPDATE=always cargo test --test generator
