# Sourced by the scripts of this folder that measure kopium.

kopium_version=0.24.1

# find_kopium TARGET: sets KOPIUM, unless it is set, to a binary built below TARGET/bench. Fails if it cannot be built.
find_kopium() {
  [[ -z ${KOPIUM:-} ]] || return 0
  KOPIUM=$1/bench/bin/kopium
  [[ -x $KOPIUM ]] || cargo install --quiet --locked kopium --version "$kopium_version" --root "$1/bench"
}
