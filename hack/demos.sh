#!/usr/bin/env bash
# Starts the demo of each controller, and of the operator that `kube-codegen init` and `create api` wrote, and runs the lines that it prints, in
# their order, with the kubeconfig that it writes.
#
#   hack/demos.sh [NAME…]     all controllers below controllers/ that have a demo and the operator, or these
#
# A line that fails is tried again for 30 s, as a reader would: what it asks for may take a moment. One that watches is ended after 3 s.
# Needs kubectl: $KUBECTL, the PATH's, or a built one (hack/lib.sh); without one it is skipped, with exit code 3.
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

# Runs a line of a demo; its output stands in $folder/output.
line_works() {
  local status=0
  if [[ $1 == *" -w" ]]; then
    # What it watches is there, and it does not end by itself.
    timeout 3 bash -c "$1" >"$folder/output" 2>&1 || status=$?
    [[ $status -eq 124 && -s $folder/output ]]
  else
    timeout 60 bash -c "$1" >"$folder/output" 2>&1
  fi
}

# Tries a line until it works, for 30 s.
follow() {
  local end=$((SECONDS + 30))
  until line_works "$1"; do
    if ((SECONDS > end)); then return 1; fi
    sleep 0.5
  done
}

# Starts a demo, and leaves its lines in $folder/lines.
start() {
  # Not by the demo's own redirection alone: until that happens, the lines of the demo before stand there.
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

# The binary of a controller: the package's name.
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
    echo "$name: it does not end in order: $(tail -n 5 "$folder/log")"
    failed=$((failed + 1))
  fi
  demo=
  rm -f "$folder/kubeconfig"
  echo "$name: $count lines"
  [[ $count -gt 0 ]]
done
echo "$# demos, $failed lines failed"
[[ $failed -eq 0 ]]
