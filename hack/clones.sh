#!/usr/bin/env bash
# Runs the tests in fresh clones that lie and run in unusual ways, and prints one line each.
#
#   hack/clones.sh [CASE[+CASE…]…] [-- ARGUMENT…]    all cases, or those named; arguments for cargo in place of `test --quiet --workspace`
#
# Cases: temporary (below the system's temporary folder, as all of them are), spaces (a path with spaces and umlauts), link (through a
# symbolic link), user (as an ordinary user, if root runs this), no-home (HOME unset), no-go (no Go toolchain in PATH), update (the newest
# dependencies that Cargo.toml permits). Cases joined by + are one run, which saves builds: without arguments, three runs show all of them.
# The dependencies' build is shared: target/clones. Exits with 1 if a run fails.
set -euo pipefail
# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

all=(temporary spaces link user no-home no-go update)
runs=()
while [[ $# -gt 0 && $1 != -- ]]; do
  for case in ${1//+/ }; do
    [[ " ${all[*]} " == *" $case "* ]] || { echo "no case $case: expected some of ${all[*]}, joined by +" >&2; exit 2; }
  done
  runs+=("$1")
  shift
done
[[ ${1:-} == -- ]] && shift
arguments=("$@")
[[ ${#arguments[@]} -gt 0 ]] || arguments=(test --quiet --workspace)
[[ ${#runs[@]} -gt 0 ]] || runs=(link+no-home+no-go spaces+user temporary+update)

export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target/clones}
# Each clone is built once.
export CARGO_INCREMENTAL=0
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

# has RUN CASE: whether the run has the case.
has() { [[ +$1+ == *+$2+* ]]; }

# run RUN: clones, and runs cargo as the run's cases say.
run() {
  local place=$work/$1 path=$PATH as=(env)
  has "$1" spaces && place="$work/ein Ordner für Tests"
  clone "$place"
  if has "$1" link; then
    ln -s "$place" "$work/linked"
    place=$work/linked
  fi
  has "$1" no-home && as+=(-u HOME "CARGO_HOME=${CARGO_HOME:-$HOME/.cargo}" "RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup}")
  has "$1" no-go && path=$(path_without_go)
  if has "$1" user && [[ $(id -u) == 0 ]]; then
    # The toolchain may lie where only root can read: it is mounted elsewhere for this run. All else lies in the clone.
    mkdir "$work/toolchain"
    chmod 755 "$work"
    chown -R nobody "$place"
    as=(unshare --mount bash -c 'mount --bind "$(rustc --print sysroot)" "$0" && exec "$@"' "$work/toolchain"
      setpriv --reuid nobody --clear-groups "${as[@]}" "HOME=$place/target/home" "CARGO_TARGET_DIR=$place/target"
      "CARGO_HOME=$place/target/cargo")
    path=$work/toolchain/bin:$path
  fi
  as+=("PATH=$path")
  cd "$place" || return
  if has "$1" update; then "${as[@]}" cargo update --quiet || return; fi
  "${as[@]}" cargo "${arguments[@]}"
}

failed=0
for run in "${runs[@]}"; do
  log=$work/$run.log
  if (run "$run") >"$log" 2>&1; then
    printf '%-22s passed\n' "$run"
  else
    failed=1
    printf '%-22s FAILED\n' "$run"
    grep -E '^(error|failures:|    [a-z_:]+$|.*panicked at)' "$log" | head -n 20 || true
    tail -n 5 "$log"
  fi
  rm -rf "${work:?}"/*
done
exit "$failed"
