#!/usr/bin/env bash
# Generates types from the API packages of real Go modules, checks them with rustfmt and clippy, compiles them with -D warnings, and
# round-trips every valid sample of the public corpus. Prints for each module: kinds, types, lines of Rust, seconds (of a debug
# build), and the types and lines generated from the same project's CRDs.
#
# Usage: hack/go-corpus.sh [NAME…]     (names of hack/go-corpus/modules.tsv; all by default)
#        hack/go-corpus.sh --download  (only downloads)
# The modules, and those whose types they use, are downloaded once from the Go module proxy to target/go-corpus, and verified
# with the sums in hack/go-corpus/sums.txt. The generator itself neither runs Go nor downloads anything. Samples that differ must be
# listed in hack/go-corpus/differences.tsv, with the reason.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

target="${CARGO_TARGET_DIR:-$PWD/target}"
work="$target/go-corpus"
export GOMODCACHE="${GO_CORPUS_CACHE:-$work/mod}" GOFLAGS=-modcacherw GOWORK=off GOTOOLCHAIN=local
if ! command -v go >/dev/null; then
  skip "no Go toolchain to download modules with"
fi
mkdir -p "$work/download"
[ -f "$work/download/go.mod" ] || printf 'module download\n' >"$work/download/go.mod"

# Prints the folder of a path in the module cache, where capitals are escaped.
escaped() { sed -E 's/([A-Z])/!\L\1/g' <<<"$1"; }

while read -r path version sum; do
  file="$GOMODCACHE/cache/download/$(escaped "$path")/@v/$version.ziphash"
  if [ ! -d "$GOMODCACHE/$(escaped "$path")@$version" ]; then
    # Go refuses a module that needs a later version of Go, but only after it was unpacked.
    (cd "$work/download" && go mod download "$path@$version" >"$work/log" 2>&1) || true
  fi
  if [ ! -f "$file" ]; then
    echo "go-corpus: cannot download $path@$version:" >&2
    cat "$work/log" >&2
    exit 1
  fi
  if [ "$(cat "$file")" != "$sum" ]; then
    echo "go-corpus: $path@$version has the sum $(cat "$file"), not $sum" >&2
    exit 1
  fi
done <hack/go-corpus/sums.txt

[ "${1:-}" != --download ] || exit 0

if ! unpack_corpus "$target"; then
  public=-
  echo "go-corpus: there is no archive of real samples here; the types are compiled only"
fi

crates="$work/crates"
CARGO_TARGET_DIR="$target" cargo run --quiet --locked --bin corpus -- go hack/go-corpus/modules.tsv "$GOMODCACHE" "$public" "$crates" "$@"
cp Cargo.lock "$crates/Cargo.lock"
export CARGO_TARGET_DIR="$work/target"
# rustfmt follows the modules from the root to every file.
find "$crates" -path '*/src/apis/mod.rs' -print0 | xargs -0r rustfmt --check --edition 2024
echo "go-corpus: rustfmt changes nothing"
cargo clippy --quiet --manifest-path "$crates/Cargo.toml" --workspace --lib -- -D warnings
echo "go-corpus: clippy finds nothing"
RUSTFLAGS="-D warnings" cargo build --quiet --manifest-path "$crates/Cargo.toml" --workspace
echo "go-corpus: everything compiles without warnings"

# Differences that are not listed are failures, and so are listed ones that no longer occur.
status=0
passed=0
: >"$work/found"
for program in "$work"/target/debug/*; do
  name="$(basename "$program")"
  [ -f "$crates/$name/samples.txt" ] && [ -x "$program" ] || continue
  if [ $# -gt 0 ] && [[ " $* " != *" $name "* ]]; then continue; fi
  output="$("$program")" || true
  count=$(sed -n 's/^\([0-9][0-9]*\) samples passed.*/\1/p' <<<"$output")
  if [ -z "$count" ]; then
    printf '%s:\n%s\n' "$name" "$output"
    status=1
  fi
  passed=$((passed + ${count:-0}))
  # Columns: module, sample, difference.
  sed -E "/^[0-9]+ samples passed/d; s|^$public/||; s|^|$name\t|; s|: |\t|" <<<"$output" >>"$work/found"
done
wanted() { if [ $# -eq 0 ]; then cat; else awk -F'\t' -v names=" $* " 'index(names, " " $1 " ")'; fi; }
if [ "$public" != - ] && ! diff -u --label hack/go-corpus/differences.tsv --label found \
  <(grep -v '^#' hack/go-corpus/differences.tsv | cut -f 1-3 | wanted "$@" | sort) <(sort "$work/found"); then
  echo "go-corpus: the differences of samples do not match hack/go-corpus/differences.tsv" >&2
  status=1
fi
echo "go-corpus: $passed samples came through unchanged, $(wc -l <"$work/found") differ"
exit "$status"
