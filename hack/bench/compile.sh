#!/usr/bin/env bash
# Measures the compile time of generated code: processor time (user and system), peak memory of one rustc and size of the rlib of a
# debug build, for KubeVirt's crate with 38 kinds (testdata/crds/kubevirt and testdata/bench/kubevirt), with and without its `generated`
# module, and for a controller that uses one of its kinds.
#
#   hack/bench/compile.sh [-n RUNS] [CRATE]
#
# One run by default; of several, the minimum is printed. Dependencies are built first and not measured. CRATE is another crate below
# testdata/expected, for which only the first two rows are measured. On a busy machine, processor time is higher, and wall time
# meaningless.
set -euo pipefail

source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
runs=1
while getopts n: option; do
  case $option in
    n) runs=$OPTARG ;;
    *) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2 && exit 2 ;;
  esac
done
shift $((OPTIND - 1))
crate=${1:-kubevirt}

# The golden crate lacks some of the project's CRDs, which are in testdata/bench.
generated=$(mktemp -d)
trap 'rm -rf "$generated"' EXIT
cp -r "$root/testdata/expected/$crate/src" "$generated/"
if [[ -d $root/testdata/bench/$crate ]]; then
  (cd "$generated" && kube_codegen crd "$root/testdata/crds/$crate" "$root/testdata/bench/$crate" --output src --base-path crate >/dev/null)
fi

export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}/bench-compile
export CARGO_INCREMENTAL=1 CARGO_PROFILE_DEV_DEBUG=0
work=$CARGO_TARGET_DIR/workspace
rm -rf "$work"
mkdir -p "$work"
cp "$root/Cargo.lock" "$work/"
# The members, as copies: the whole crate, types alone, and the controller.
sed -n '/^\[workspace.package\]/,/^\[profile/{/^\[profile/d;p}' "$root/Cargo.toml" \
  | sed -E "s#path = \"#path = \"$root/#" >"$work/shared.toml"
{
  echo '[workspace]'
  echo 'resolver = "3"'
  echo 'members = ["whole", "types", "controller", "dependencies"]'
  cat "$work/shared.toml"
} >"$work/Cargo.toml"
for part in whole types; do
  mkdir "$work/$part"
  cp -r "$generated/src" "$work/$part/"
  sed -e "s/^name = .*/name = \"$part\"/" -e '/^\[dev-dependencies\]/,/^\[lints\]/{/^\[lints\]/!d}' \
    "$root/testdata/expected/$crate/Cargo.toml" >"$work/$part/Cargo.toml"
done
rm -r "$work/types/src/generated"
sed -i '/^pub mod generated;/d' "$work/types/src/lib.rs"
cp -r "$root/hack/bench/compile" "$work/controller"
# A package that depends on all their dependencies, to build those first.
mkdir -p "$work/dependencies/src"
touch "$work/dependencies/src/lib.rs"
sed -e 's/^name = .*/name = "dependencies"/' -e '/^whole = /d' -e '$a serde_json.workspace = true' \
  -e 's/^codegen-runtime.*/codegen-runtime = { workspace = true, features = ["latest"] }/' \
  "$work/controller/Cargo.toml" >"$work/dependencies/Cargo.toml"

cd "$work"
cargo build --quiet --offline -p dependencies

# measure PACKAGE: builds only the package, and prints the minimum processor time with its memory and size.
measure() {
  local package=$1 best='' seconds memory
  for _ in $(seq "$runs"); do
    rm -rf "$CARGO_TARGET_DIR/debug/incremental/$package"-*
    touch "$package/src/lib.rs"
    /usr/bin/time -o "$work/time" -f '%U %S %M' cargo rustc --quiet --offline -p "$package" --lib
    read -r seconds memory < <(awk '{ printf "%.1f %d\n", $1 + $2, $3 / 1024 }' "$work/time")
    if [[ -z $best ]] || awk "BEGIN { exit !($seconds < $best) }"; then best=$seconds; fi
  done
  printf '%-12s %8s s %8s MiB %8s MiB\n' "$package" "$best" "$memory" \
    "$(du -m "$CARGO_TARGET_DIR/debug/lib$package.rlib" | cut -f1)"
}

printf '%-12s %10s %12s %12s\n' package processor memory rlib
measure whole
measure types
if [[ $crate = kubevirt ]]; then measure controller; fi
