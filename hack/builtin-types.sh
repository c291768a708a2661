#!/usr/bin/env bash
# Makes codegen/src/builtin from the sources of k8s.io at one version: types.bin, the table of Kubernetes' own types; and, of
# what every version in k8s-openapi has, k8s-openapi.txt, the names, and k8s-openapi-fields.txt, the fields. Needs the sources in the Go module cache; without them the
# `go mod download` line is printed. With --check, compares instead of writing.
set -euo pipefail
cd "$(dirname "$0")/.."
version=v0.36.3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/go.mod" <<MOD
module builtin

go 1.25

require (
	k8s.io/api $version
	k8s.io/apiextensions-apiserver $version
	k8s.io/apimachinery $version
)
MOD
machinery=k8s.io/apimachinery/pkg
cargo run --quiet -p codegen -- builtin-types -C "$work" \
	k8s.io/api/... \
	$machinery/api/resource $machinery/apis/meta/v1 $machinery/runtime $machinery/types $machinery/util/intstr \
	$machinery/version k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1 >"$work/types.bin"
source=$(cargo metadata --format-version 1 --locked |
	python3 -c 'import json,sys; print(next(p["manifest_path"] for p in json.load(sys.stdin)["packages"] if p["name"] == "k8s-openapi"))')
for what in names fields; do
	python3 "hack/k8s-openapi-$what.py" "$(dirname "$source")/src" >"$work/k8s-openapi-$what.txt"
done
mv "$work/k8s-openapi-names.txt" "$work/k8s-openapi.txt"
for file in types.bin k8s-openapi.txt k8s-openapi-fields.txt; do
	if [[ ${1:-} == --check ]]; then
		cmp "$work/$file" "codegen/src/builtin/$file" || { echo "run hack/builtin-types.sh"; exit 1; }
	else
		cp "$work/$file" "codegen/src/builtin/$file"
	fi
done
ls -l codegen/src/builtin/types.bin
