#!/usr/bin/env bash
# Reads operators on kube-rs as they are: how many CRDs `kube-codegen manifests` writes of their types, how many of those that the project has
# checked in are the same, and how many differ, without descriptions and apart from what docs/kube-derive.md lists, and how many errors there are.
#
#   hack/operators.sh [NAME…]              names of hack/operators/operators.tsv; all by default
#   hack/operators.sh --compiled [NAME…]   compares with what the compiled `crd()` returns, instead: hack/operators/compiled.tsv
#
# Sources come from the Rust registry, or from checkouts in $OPERATORS_DIR; without these, such rows are skipped. A row that differs from the
# table is a failure. What was written, and the differences, are below target/operators.
set -euo pipefail
# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

work=${CARGO_TARGET_DIR:-$root/target}/operators
mkdir -p "$work"
# Built before: a project's own toolchain and configuration would count for `cargo run` in its folder.
find_generator

# registry NAME VERSION: downloads a package, and prints its folder.
registry() {
  local project=$work/sources/$1
  mkdir -p "$project/src"
  : >"$project/src/lib.rs"
  printf '[package]\nname = "source"\nversion = "0.0.0"\nedition = "2024"\n[workspace]\n[dependencies]\n"%s" = "=%s"\n' "$1" "$2" >"$project/Cargo.toml"
  (cd "$project" && cargo metadata --quiet --format-version 1 2>"$project/error") |
    grep -o "\"manifest_path\":\"[^\"]*/$1-$2/Cargo.toml\"" | head -n 1 | sed 's/.*:"//; s#/Cargo.toml"##'
}

# crds FOLDER: the number of CRDs in it.
crds() { find "$1" -name '*.yaml' -exec grep -l '^kind: CustomResourceDefinition' {} + 2>/dev/null | wc -l; }

# compiled: builds each library with a program that prints what `crd()` of its kinds returns, and compares.
compiled() {
  local status=0 name folder package kube types wanted started built words found
  printf '%-20s %6s %6s %7s %8s %8s\n' project CRDs same differ "ours (s)" "kube (s)"
  while IFS=$'\t' read -r -u 3 name folder package kube types wanted; do
    [[ $name != \#* ]] && [[ $# -eq 0 || " $* " == *" $name "* ]] || continue
    local path=${OPERATORS_DIR:-}/$folder out=$work/compiled/$name
    if [[ ! -d $path ]]; then
      printf '%-20s no checkout: skipped\n' "$name"
      continue
    fi
    rm -rf "$out"
    mkdir -p "$out/src"
    printf '[package]\nname = "ask"\nversion = "0.0.0"\nedition = "2021"\n[workspace]\n[dependencies]\noperator = { path = "%s", package = "%s" }\nkube = { version = "%s", default-features = false, features = ["derive"] }\nserde_json = "1"\n' \
      "$path" "$package" "$kube" >"$out/Cargo.toml"
    local lock=$path
    while [[ $lock != / && ! -f $lock/Cargo.lock ]]; do lock=$(dirname "$lock"); done
    cp "$lock/Cargo.lock" "$out/"
    read -ra words <<<"$types"
    { echo 'use kube::CustomResourceExt as _;'; echo 'fn main() {'
      printf '    println!("{}", serde_json::to_string(&operator::%s::crd()).unwrap());\n' "${words[@]}"
      echo '}'; } >"$out/src/main.rs"
    started=$(now)
    (cd "$path" && kube_codegen manifests . --keep-going --roles '' --webhooks '' --crds made --output "$out") >"$out/log" 2>&1 || true
    built=$(now)
    (cd "$out" && CARGO_TARGET_DIR=$work/compiled/target cargo run --quiet) >"$out/crds.json" 2>"$out/build.log" || echo "  cannot be built: see $out/build.log" >&2
    found=$(python3 hack/operators/compare.py "$out/crds.json" "$out/made" 2>"$out/differences") || true
    read -ra words <<<"$found"
    printf '%-20s %6s %6s %7s %8s %8s\n' "$name" "${words[@]}" "$(seconds "$started" "$built")" "$(seconds "$built" "$(now)")"
    if [[ $found != "$wanted" ]]; then
      echo "  expected $wanted: see $out/differences" >&2
      status=1
    fi
  done 3<hack/operators/compiled.tsv
  return $status
}

now() { date +%s.%N; }

seconds() { awk -v from="$1" -v to="$2" 'BEGIN { printf "%.1f", to - from }'; }

if [[ ${1:-} == --compiled ]]; then
  shift
  compiled "$@"
  exit
fi

status=0
rows=0
printf '%-30s %6s %6s %7s %7s\n' project CRDs same differ errors
while IFS=$'\t' read -r -u 3 name source folder arguments own wanted; do
  [[ $name == \#* ]] && continue
  [[ $# -eq 0 || " $* " == *" $name "* ]] || continue
  rows=$((rows + 1))
  if [[ $source == checkout ]]; then
    path=${OPERATORS_DIR:-}/$name
    if [[ ! -d $path ]]; then
      printf '%-30s no checkout: skipped\n' "$name"
      continue
    fi
  else
    path=$(registry "${source%@*}" "${source#*@}") || true
    if [[ -z $path ]]; then
      printf '%-30s not to be had from the registry: skipped\n' "$name"
      continue
    fi
  fi
  out=$work/$name
  rm -rf "$out"
  mkdir -p "$out/made"
  words=()
  [[ $arguments == - ]] || read -ra words <<<"$arguments"
  (cd "$path/$folder" && kube_codegen manifests . "${words[@]}" --keep-going --max-description 0 --roles '' --webhooks '' --crds made --output "$out") \
    >"$out/log" 2>&1 || true
  same=- differ=-
  if [[ $own != - ]]; then
    read -r _ same differ < <(python3 hack/operators/compare.py "$path/$own" "$out/made" 2>"$out/differences") || true
  fi
  made=$(crds "$out/made") errors=$(grep -c '^error' "$out/log" || true)
  printf '%-30s %6s %6s %7s %7s\n' "$name" "$made" "$same" "$differ" "$errors"
  if [[ "$made	$same	$differ	$errors" != "$wanted" ]]; then
    echo "  expected ${wanted//$'\t'/ }: see $out/log and $out/differences" >&2
    status=1
  fi
done 3<hack/operators/operators.tsv
[[ $rows -gt 0 ]] || { echo "no such project: names are in hack/operators/operators.tsv" >&2; exit 2; }
exit $status
