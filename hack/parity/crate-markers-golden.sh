#!/usr/bin/env bash
# Writes the golden manifests of testdata/crate-markers with controller-gen: each Rust file becomes a Go package with its comments.
# Needs Go; run it after changing an input.
set -euo pipefail
testdata=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../testdata/crate-markers" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
GOBIN=$work GOFLAGS=-mod=mod go install sigs.k8s.io/controller-tools/cmd/controller-gen@v0.21.0
for folder in "$testdata"/*/; do
	rm -rf "$work/module" && mkdir "$work/module"
	printf 'module example.com/policy\n\ngo 1.24\n' >"$work/module/go.mod"
	for file in "$folder"*.rs; do
		package=$(basename "$file" .rs)
		mkdir "$work/module/$package"
		{
			echo "package $package"
			echo
			grep -E '^// |^$' "$file"
		} >"$work/module/$package/markers.go"
	done
	rm -f "$folder"*.yaml
	(cd "$work/module" && "$work/controller-gen" rbac:roleName=manager-role webhook paths=./... output:rbac:dir="$folder" output:webhook:dir="$folder")
done
