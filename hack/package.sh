#!/usr/bin/env bash
# Whether the published crates work as a registry serves them: hack/package.sh (five minutes, and one if little has changed)
#
# Packages the crates, serves them from a directory in place of crates.io, and from these packages alone, in an empty folder:
# - installs kube-codegen;
# - follows the first minutes of docs/five-minutes.md word for word: an operator with a kind, its tests on the embedded API server and its
#   demo, then each of the four inputs;
# - checks that no manifest that was written has a path, and that each package has its licence.
# Dependencies on other crates are those of Cargo.lock, from cargo's cache. What is built stays in target/package for the next run.
set -euo pipefail
# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

command -v python3 >/dev/null || skip "no python3 to read docs/five-minutes.md and Cargo.lock with"
target=${CARGO_TARGET_DIR:-$root/target}/package-check
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
try=$(mktemp -d)
trap 'rm -rf "$try"' EXIT

fail() {
  echo "package: $*" >&2
  exit 1
}

# check_package NAME: what a package has to contain and must not.
check_package() {
  local folder=$target/registry/$1-$version file
  for file in Cargo.toml LICENSE NOTICE README.md src/lib.rs; do
    [[ -f $folder/$file ]] || fail "$1 lacks $file"
  done
  for file in tests benches fuzz; do
    [[ ! -e $folder/$file ]] || fail "$1 contains $file"
  done
  ! grep -n '^path = "\.\.' "$folder/Cargo.toml" || fail "$1 depends on a path"
}

# A crate that was written here depends on nothing but the registry.
check_crate() {
  ! grep -nE 'path *= *"[^"]' "$1/Cargo.toml" | grep -vE '= "(\.|(src|xtask)/(main|lib)\.rs)"' || fail "$1/Cargo.toml has a path"
  python3 hack/package/registry.py sources "$1/Cargo.lock"
}

# readme HEADING FOLDER: follows a section of the page in a folder. There, `kubectl` knows the CRDs of testdata/buildscript, and what is
# installed is built without optimization.
readme() {
  mkdir -p "$try/$2"
  echo "== $1"
  python3 hack/package/readme.py docs/five-minutes.md "$1" >"$try/script"
  (
    export CRDS=$root/testdata/buildscript/crds
    cd "$try/$2"
    bash -euo pipefail -c 'source "$0"; source "$1"' "$root/hack/package/stubs.sh" "$try/script"
  )
}

mapfile -t crates < <(cargo metadata --quiet --locked --no-deps --format-version 1 | python3 hack/release/order.py | cut -d ' ' -f 1)
echo "== packages: ${crates[*]}"
# Compiling them is what the rest does.
cargo package --quiet --allow-dirty --no-verify --target-dir "$target" "${crates[@]/#/--package=}"
# Also those for other platforms, which a resolver asks for.
cargo fetch --quiet --locked || skip "not all crates of Cargo.lock are in cargo's cache or can be downloaded"
python3 hack/package/registry.py make "$target/registry" Cargo.lock "$target/package" "$version" "${crates[@]}"
for crate in "${crates[@]}"; do check_package "$crate"; done

# A home without a registry: whatever is not in the folder does not exist.
mkdir "$try/home"
cat >"$try/home/config.toml" <<TOML
[net]
offline = true
[source.crates-io]
replace-with = "packages"
[source.packages]
directory = "$target/registry"
[profile.dev]
debug = false
incremental = false
strip = "symbols"
TOML
# rustup is found through its own home, and its programs through PATH.
export RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup}
export CARGO_HOME=$try/home CARGO_TARGET_DIR=$target PATH=$try/home/bin:$PATH

mkdir "$try/go"
cp -r testdata/go/shapes/. "$try/go"
mkdir "$try/crds"
cp -r testdata/buildscript/crds "$try/crds/crds"

readme "First minute: an operator" operator
[[ $(cd / && kube-codegen --version) == "kube-codegen $version" ]] || fail "the version is $(kube-codegen --version)"
readme "First minute: annotated Rust" rust
readme "First minute: kube-derive types" kubederive
readme "First minute: CRD YAML" crds
readme "First minute: Go types" go

while read -r manifest; do check_crate "$(dirname "$manifest")"; done < <(find "$try" -name Cargo.lock -not -path "$try/home/*")
echo "package: all of it works from packages alone"
