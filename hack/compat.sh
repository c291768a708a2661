#!/usr/bin/env bash
# Whether today's runtime serves the code that earlier releases generated: hack/compat.sh [--renew VERSION | --check VERSION]
#
# testdata/compat holds, for each release, what kube-codegen wrote for one small kind of each input, with every generator: a crate of the
# workspace with tests of its own. Without a flag, the script compiles those crates and runs their tests.
# --renew writes the crate of a version from hack/compat with today's generator; --check fails if that would change it, which
# hack/release.sh asks. A crate whose series the runtime no longer serves (`generated_by!`) is removed with the line that served it.
set -euo pipefail
# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

# write VERSION FOLDER: the crate of a version. The folder lies where crates of the workspace may.
write() {
  local suffix=${1//[.+]/-}
  rm -rf "$2"
  cp -R hack/compat "$2"
  sed -e "s/{{version}}/$1/; s/{{suffix}}/$suffix/" "$2/manifest.toml" >"$2/Cargo.toml"
  sed -e "s/compat_VERSION/compat_${suffix//-/_}/" hack/compat/tests/compat.rs >"$2/tests/compat.rs"
  if ! (cd "$2" && kube_codegen generate) >"$2/log" 2>&1; then
    cat "$2/log" >&2
    exit 1
  fi
  # What it was written from: the types of Rust alone are part of a crate.
  rm -r "$2/log" "$2/manifest.toml" "$2/codegen.toml" "$2/crds" "$2/go"
}

case $#:${1:-} in
  0:)
    cargo test --quiet --locked --workspace --test compat
    ;;
  2:--renew)
    write "$2" "testdata/compat/$2"
    echo "compat: wrote testdata/compat/$2: commit it with Cargo.lock, in which \`cargo metadata\` enters it"
    ;;
  2:--check)
    fresh=$(mktemp -d)
    trap 'rm -rf "$fresh"' EXIT
    write "$2" "$fresh/crate"
    diff -ru "testdata/compat/$2" "$fresh/crate" || {
      echo "compat: run hack/compat.sh --renew $2" >&2
      exit 1
    }
    ;;
  *)
    echo "usage: hack/compat.sh [--renew VERSION | --check VERSION]" >&2
    exit 2
    ;;
esac
