#!/usr/bin/env bash
# Starts the demo of each controller and of the scaffolded operator (testdata/operator), and runs the commands that it prints, in order,
# with the kubeconfig that it writes.
#
#   hack/demos.sh [NAME…]     the named demos; by default, of all controllers that have one and of the operator
#
# A command that fails is retried for 30 s, since its objects may take a moment to appear. A watch is stopped after 3 s.
# Needs kubectl: $KUBECTL, the one in PATH, or one built with Go (hack/lib.sh). Without one, the script exits with code 3 (skipped).
set -euo pipefail
# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

find_kubectl
folder=$(mktemp -d)
demo=
trap 'kill $demo 2>/dev/null || true; rm -rf "$folder"' EXIT
ln -s "$KUBECTL" "$folder/kubectl"
export PATH=$folder:$PATH KUBECTL_KUBERC=false

# Runs a line of a demo. Writes its output to $folder/output.
line_works() {
  local status=0
  if [[ $1 == *" -w" ]]; then
    # A watch does not end by itself; the timeout is expected.
    timeout 3 bash -c "$1" >"$folder/output" 2>&1 || status=$?
    [[ $status -eq 124 && -s $folder/output ]]
  else
    timeout 60 bash -c "$1" >"$folder/output" 2>&1
  fi
}

# Retries a line until it succeeds, for 30 s.
follow() {
  local end=$((SECONDS + 30))
  until line_works "$1"; do
    if ((SECONDS > end)); then return 1; fi
    sleep 0.5
  done
}

# Starts a demo, and writes its lines to $folder/lines.
start() {
  # Truncate the log first: the background redirection happens later, and until then the file has the lines of the previous demo.
  : >"$folder/said"
  "$1" demo --listen 127.0.0.1:0 --kubeconfig "$folder/kubeconfig" >"$folder/said" 2>"$folder/log" &
  demo=$!
  for ((i = 0; i < 300; i++)); do
    if grep -q '^Ctrl-C ends it' "$folder/said"; then break; fi
    if ! kill -0 "$demo" 2>/dev/null; then break; fi
    sleep 0.1
  done
  if ! grep -q "^  export KUBECONFIG=$folder/kubeconfig$" "$folder/said"; then
    cat "$folder/said" "$folder/log" >&2
    return 1
  fi
  sed -n 's/^  \(kubectl .*\)/\1/p' "$folder/said" >"$folder/lines"
}

# Prints the binary of a controller, which is named after its package.
binary_of() {
  local crate=controllers/$1
  if [[ $1 == operator ]]; then crate=testdata/operator; fi
  sed -n 's/^name = "\(.*\)"/\1/p' "$crate/Cargo.toml" | head -n 1
}

(($#)) || set -- $(cd controllers && ls -d */src/main.rs | cut -d/ -f1) operator
binaries=()
for name in "$@"; do binaries+=(--bin "$(binary_of "$name")"); done
cargo build -q --locked "${binaries[@]}"
failed=0
for name in "$@"; do
  start "${CARGO_TARGET_DIR:-$root/target}/debug/$(binary_of "$name")"
  export KUBECONFIG=$folder/kubeconfig
  count=0
  while IFS= read -r line; do
    count=$((count + 1))
    if ! follow "$line" </dev/null; then
      echo "$name: $line: $(cat "$folder/output")"
      failed=$((failed + 1))
    fi
  done <"$folder/lines"
  kill -TERM "$demo"
  if ! wait "$demo"; then
    echo "$name: it does not exit cleanly: $(tail -n 5 "$folder/log")"
    failed=$((failed + 1))
  fi
  demo=
  rm -f "$folder/kubeconfig"
  echo "$name: $count lines"
  [[ $count -gt 0 ]]
done
echo "$# demos, $failed lines failed"
[[ $failed -eq 0 ]]
