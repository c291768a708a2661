#!/usr/bin/env bash
# Runs the tests in fresh clones that lie and run in unusual ways, and prints one line each.
#
#   hack/clones.sh [CASE…] [-- ARGUMENT…]    all cases, or those named; arguments for cargo in place of `test --quiet --workspace`
#
# Cases: temporary (below the system's temporary folder), spaces (a path with spaces and umlauts), link (through a symbolic link), user (as
# an ordinary user, if root runs this), no-home (HOME unset), no-go (no Go toolchain in PATH), update (the newest dependencies that
# Cargo.toml permits). The dependencies' build is shared: target/clones. Exits with 1 if a case fails.
set -euo pipefail
# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

all=(temporary spaces link user no-home no-go update)
cases=()
while [[ $# -gt 0 && $1 != -- ]]; do
  [[ " ${all[*]} " == *" $1 "* ]] || { echo "no case $1: expected one of ${all[*]}" >&2; exit 2; }
  cases+=("$1")
  shift
done
[[ ${1:-} == -- ]] && shift
arguments=("$@")
[[ ${#arguments[@]} -gt 0 ]] || arguments=(test --quiet --workspace)
[[ ${#cases[@]} -gt 0 ]] || cases=("${all[@]}")

export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target/clones}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# clone FOLDER: a clone of HEAD.
clone() { git clone --quiet "$root" "$1"; }

# The PATH without folders that hold a Go toolchain.
path_without_go() {
  local folder found=()
  IFS=: read -ra folders <<<"$PATH"
  for folder in "${folders[@]}"; do
    [[ -x $folder/go ]] || found+=("$folder")
  done
  (IFS=:; echo "${found[*]}")
}

run_case() {
  local place=$work/$1
  case $1 in
    spaces) place="$work/ein Ordner für Tests" ;;
    link) ln -s "$work/behind" "$place" ;;
  esac
  if [[ $1 == link ]]; then clone "$work/behind"; else clone "$place"; fi
  cd "$place" || return
  case $1 in
    no-home) env -u HOME CARGO_HOME="${CARGO_HOME:-$HOME/.cargo}" RUSTUP_HOME="${RUSTUP_HOME:-$HOME/.rustup}" cargo "${arguments[@]}" ;;
    no-go) PATH=$(path_without_go) cargo "${arguments[@]}" ;;
    update) cargo update --quiet && cargo "${arguments[@]}" ;;
    user)
      # Another user's cargo: the toolchain is read, everything else lies in the clone.
      [[ $(id -u) == 0 ]] || { cargo "${arguments[@]}"; return; }
      chmod 755 "$work"
      chown -R nobody "$place"
      setpriv --reuid nobody --clear-groups env HOME="$place/target/home" CARGO_TARGET_DIR="$place/target" CARGO_HOME="$place/target/cargo" \
        RUSTUP_HOME="${RUSTUP_HOME:-$HOME/.rustup}" cargo "${arguments[@]}"
      ;;
    *) cargo "${arguments[@]}" ;;
  esac
}

failed=0
for case in "${cases[@]}"; do
  log=$work/$case.log
  if (run_case "$case") >"$log" 2>&1; then
    printf '%-10s passed\n' "$case"
  else
    failed=1
    printf '%-10s FAILED\n' "$case"
    grep -E '^(error|failures:|    [a-z_:]+$|.*panicked at)' "$log" | head -n 20 || true
    tail -n 5 "$log"
  fi
done
exit "$failed"
