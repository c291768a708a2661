#!/usr/bin/env bash
# Round-trips random objects of the golden Go APIs (testdata/go, testdata/parity/timers) from Go through the Rust types. Skipped without Go.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v go >/dev/null || { echo "skipped: no Go toolchain"; exit 0; }
# shellcheck source=hack/kubernetes.env
source hack/kubernetes.env
seed=${1:-$RANDOM}
cargo build --quiet --locked -p golden-go --example roundtrip
rust=$(cargo metadata --format-version 1 --locked --no-deps |
	python3 -c 'import json,sys; print(json.load(sys.stdin)["target_directory"])')/debug/examples/roundtrip
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r testdata/go/. testdata/parity "$work/"
mkdir "$work/roundtrip"
cp hack/go-roundtrip/main.go "$work/roundtrip/"
cat >"$work/roundtrip/go.mod" <<MOD
module roundtrip

go 1.26.0

require (
	example.com/shapes v0.0.0
	k8s.io/api v0.${types#1.}
	k8s.io/apiextensions-apiserver v0.${types#1.}
	k8s.io/apimachinery v0.${types#1.}
	k8s.io/sample-apiserver v0.0.0
	k8s.io/sample-controller v0.0.0
	parity.example.com/parity v0.0.0
	sigs.k8s.io/randfill v1.0.0
)

replace (
	example.com/shapes => ../shapes
	k8s.io/sample-apiserver => ../sample-apiserver
	k8s.io/sample-controller => ../sample-controller
	parity.example.com/parity => ../parity
)
MOD
cd "$work/roundtrip"
go mod tidy >/dev/null 2>&1 || { echo "skipped: cannot download the Go modules of k8s.io"; exit 0; }
go run . "$rust" "$seed"
