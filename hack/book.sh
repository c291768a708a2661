#!/usr/bin/env bash
# Builds the book from docs into target/book/html: hack/book.sh
#
# Installs a pinned mdBook into target/book if it is missing. Fails if a picture is not that of its description, or if a link of the built
# pages leads nowhere. `cargo test --test generator book` holds the blocks of code to the code.
set -euo pipefail
# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

version=0.5.4
command -v python3 >/dev/null || skip "no python3 to collect the pages with"
target=${CARGO_TARGET_DIR:-$root/target}/book
mdbook=$target/bin/mdbook
if [[ ! -x $mdbook || $("$mdbook" --version) != "mdbook v$version" ]]; then
  cargo install --quiet --locked --root "$target" mdbook --version "$version" --debug --no-default-features --features search ||
    skip "mdbook $version cannot be installed"
fi

python3 hack/book/pictures.py docs/pictures --check
python3 hack/book/stage.py "$root" "$target/src"
rm -rf "$target/html"
"$mdbook" build --dest-dir "$target/html" "$target/src" 2>"$target/log" || {
  cat "$target/log" >&2
  exit 1
}
python3 hack/book/links.py "$target/html"
