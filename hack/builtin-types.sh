#!/usr/bin/env bash
# Writes the tables of Kubernetes' own types:
#   crates/builtin/src/types.bin, docs.bin              from the sources of k8s.io at one version
#   codegen/src/builtin/k8s-openapi.txt          the names that every version in k8s-openapi has
#   codegen/src/builtin/k8s-openapi-fields.txt   the fields that every version in k8s-openapi has
#   codegen/src/builtin/since.txt                the fields that Kubernetes versions since 1.30 added
#   codegen/src/builtin/k8s-openapi-uses.txt     from these two: the fields that have a named type
#   codegen/src/builtin/exact.txt                from these two: the structs with numbers that only the codec writes exactly
# Needs the sources in the Go module cache; if they are missing, prints the `go mod download` command. With --check, compares instead of
# writing.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=hack/kubernetes.env
source hack/kubernetes.env
version=v0.${types#1.}
minor=${version#v0.}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/go.mod" <<MOD
module builtin

go 1.25

require (
	k8s.io/api $version
	k8s.io/apiextensions-apiserver $version
	k8s.io/apimachinery $version
	k8s.io/kube-aggregator $version
)
MOD
machinery=k8s.io/apimachinery/pkg
cargo build --quiet --locked --bin kube-codegen
codegen=$(cargo metadata --format-version 1 --locked --no-deps |
	python3 -c 'import json,sys; print(json.load(sys.stdin)["target_directory"])')/debug/kube-codegen
for file in types docs; do
	"$codegen" builtin-types --file "$file" -C "$work" \
		k8s.io/api/... \
		$machinery/api/resource $machinery/apis/meta/v1 $machinery/runtime $machinery/types $machinery/util/intstr \
		$machinery/version k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1 \
		k8s.io/kube-aggregator/pkg/apis/apiregistration/v1 >"$work/$file.bin"
done
source=$(cargo metadata --format-version 1 --locked |
	python3 -c 'import json,sys; print(next(p["manifest_path"] for p in json.load(sys.stdin)["packages"] if p["name"] == "k8s-openapi"))')
for what in names fields; do
	python3 "hack/k8s-openapi-$what.py" "$(dirname "$source")/src" "v1_${minor%%.*}" >"$work/k8s-openapi-$what.txt"
done
mv "$work/k8s-openapi-names.txt" "$work/k8s-openapi.txt"
# The release before has the earlier versions.
mkdir -p "$work/earlier/src"
: >"$work/earlier/src/lib.rs"
printf '[package]\nname = "earlier"\nedition = "2024"\n[workspace]\n[dependencies]\nk8s-openapi = "=0.26.1"\n' >"$work/earlier/Cargo.toml"
earlier=$(cd "$work/earlier" && cargo metadata --quiet --format-version 1 |
	python3 -c 'import json,sys; print(next(p["manifest_path"] for p in json.load(sys.stdin)["packages"] if p["name"] == "k8s-openapi"))')
python3 hack/k8s-openapi-since.py 30 "$(dirname "$earlier")/src" "$(dirname "$source")/src" >"$work/since.txt"
for file in crates/builtin/src/{types,docs}.bin codegen/src/builtin/{k8s-openapi,k8s-openapi-fields,since}.txt; do
	made="$work/$(basename "$file")"
	if [[ ${1:-} == --check ]]; then
		cmp "$made" "$file" || { echo "run hack/builtin-types.sh"; exit 1; }
	else
		cp "$made" "$file"
	fi
done
# The others are of the new tables. Tests compare them at each run.
[[ ${1:-} == --check ]] || UPDATE_GOLDEN=1 cargo test --quiet --locked -p kube-codegen --lib builtin
ls -l crates/builtin/src/*.bin
