#!/usr/bin/env bash
# Measures developers' waiting time: `cargo test --workspace` from scratch, and again after a change in codegen/src/lib.rs and in
# runtime/src/lib.rs. Prints the wall and processor time of each, and the size of the target folder.
#
#   hack/bench/waiting.sh [FOLDER]     builds in FOLDER, which must be empty or new (target/bench-waiting by default)
#
# Crates are downloaded first. Tests run as in a developer's shell, with the profile of Cargo.toml, which decides which crates are built
# incrementally. (CARGO_INCREMENTAL is unset, since it would apply to all crates, including golden ones.) Needs GNU time. Wall time is
# meaningful only on an idle machine.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

cd "$root"
folder=${1:-${CARGO_TARGET_DIR:-$root/target}/bench-waiting}
if [[ -d $folder && -n $(ls -A "$folder") ]]; then
  echo "waiting: $folder is not empty" >&2
  exit 2
fi
mkdir -p "$folder"
export CARGO_TARGET_DIR=$folder
unset CARGO_INCREMENTAL
times=$(mktemp)
trap 'rm -f "$times"' EXIT

# measure NAME: runs all tests, and prints the time taken.
measure() {
  local status=0
  /usr/bin/time -o "$times" -f '%e %U %S' cargo test --quiet --locked --workspace --no-fail-fast >"$folder/$1.log" 2>&1 || status=$?
  tail -n 1 "$times" | awk -v name="$1" -v size="$(du -sm "$folder" | cut -f1)" -v status="$status" '{
    printf "%-22s %7.0f s %11.0f s %8.1f GiB%s\n", name, $1, $2 + $3, size / 1024, status == 0 ? "" : "  FAILED, see " name ".log"
  }'
  failed=$((failed | status))
}

cargo fetch --quiet --locked
failed=0
printf '%-22s %9s %13s %12s\n' run wall processor target
measure cold
for crate in codegen runtime; do
  touch "$crate/src/lib.rs"
  measure "warm-$crate"
done
exit $((failed != 0))
