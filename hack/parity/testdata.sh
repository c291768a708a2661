#!/usr/bin/env bash
# Writes the golden CRDs of testdata/parity with controller-gen, to a folder `crds` in each package, without its version annotation.
# Needs Go, and the Go module proxy the first time; run it after changing an input.
set -euo pipefail
testdata=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../testdata/parity" && pwd)
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
GOBIN=$work GOFLAGS=-mod=mod go install sigs.k8s.io/controller-tools/cmd/controller-gen@v0.21.0
cp -r "$testdata" "$work/module"
rm -rf "$work"/module/*/crds
(cd "$work/module" && GOFLAGS=-mod=mod go mod tidy)
for folder in "$testdata"/*/; do
	name=$(basename "$folder")
	rm -rf "$folder/crds"
	(cd "$work/module" && "$work/controller-gen" crd:allowDangerousTypes=true "paths=./$name/..." output:crd:dir="$folder/crds")
	sed -i '/^    controller-gen.kubebuilder.io\/version: /d' "$folder"/crds/*.yaml
	# Annotations that are empty without it.
	sed -i -e '/^  annotations:$/{N;/\n    /!s/^[^\n]*\n//}' "$folder"/crds/*.yaml
done
