#!/usr/bin/env bash
# Compares the names of types from CRDs between releases: how many types an older and a newer release share, and how many of these
# keep their names. Columns: generated types, named by the rule alone and with the names of the older release recorded (names.toml, the
# default, with which more types stay generated), then Kubernetes' own types. Lists each type whose name changed.
#
# Usage: hack/names.sh [NAME…]        (names of hack/names/releases.tsv; all by default)
#        hack/names.sh --thinned [SEED] [PROJECT…]   compares each project of the public corpus with itself, with properties removed
#        hack/names.sh --sharing [PROJECT…]   counts types with the name of another kind; for projects, lists these and the shared types
# Needs Go, which downloads the modules of the releases the first time.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

target="${CARGO_TARGET_DIR:-$PWD/target}"
corpus() { CARGO_TARGET_DIR="$target" cargo run --quiet --locked --bin corpus -- names "$@"; }

if [[ ${1:-} = --sharing ]]; then
  unpack_corpus "$target" || skip "no archive of real CRDs"
  corpus sharing "$public" "${@:2}"
  exit
fi

printf '%-48s %6s %6s %8s %6s %6s %8s %6s %6s %8s\n' releases types kept 'by rule' types kept recorded k8s kept share

if [[ ${1:-} = --thinned ]]; then
  unpack_corpus "$target" || skip "no archive of real CRDs"
  corpus thinned "$public" "${2:-1}" "${@:3}"
  exit
fi

command -v go >/dev/null || skip "no Go toolchain to download modules with"
export GOFLAGS=-modcacherw GOWORK=off GOTOOLCHAIN=local GO111MODULE=on
folder() { (cd "$target" && go mod download -json "$1" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p'); }
mkdir -p "$target"
releases=()
while IFS=$'\t' read -r name module old new crds; do
  [[ $# -eq 0 || " $* " = *" $name "* ]] || continue
  releases+=("$name $old -> $new" "$(folder "$module@$old")/$crds" "$(folder "$module@$new")/$crds")
done <hack/names/releases.tsv
corpus releases "${releases[@]}"
