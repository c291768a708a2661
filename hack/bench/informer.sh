#!/usr/bin/env bash
# Measures informers over HTTP on loopback, side by side in one run: ours, kube-runtime 5 and Go's client-go, on the same
# objects from the same server. Prints a table.
#
#   hack/bench/informer.sh [OBJECTS] [UPDATES]     (100,000 and 200,000 by default)
#
# Needs cargo; the Go rows need go and are left out, with a word, where there is none.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
objects=${1:-100000}
updates=${2:-200000}
bench=$root/hack/bench/informer
target=${CARGO_TARGET_DIR:-$root/target}/bench-informer
listen=127.0.0.1:${INFORMER_BENCH_PORT:-18099}

cargo build --quiet --release --manifest-path "$bench/Cargo.toml" --target-dir "$target"
go_client=
if command -v go >/dev/null; then
  mkdir -p "$target/go"
  (cd "$bench/go" && go build -o "$target/go/client" .) && go_client=$target/go/client
fi

server=
trap '[[ -n $server ]] && kill "$server" 2>/dev/null; wait 2>/dev/null' EXIT

# Each measurement gets a fresh server, so that no run leaves watches or versions to the next.
measure() {
  "$target/release/server" "$listen" "$objects" >"$target/server.log" &
  server=$!
  until grep -q listening "$target/server.log"; do
    kill -0 "$server" || exit 1
    sleep 0.1
  done
  "$@" "http://$listen" "$objects" "$updates"
  kill "$server"
  wait "$server" 2>/dev/null || true
  server=
}

echo "$objects objects, $updates updates, $(nproc) cores"
{
  printf 'who\tinitial list\thandlers\tsync obj/s\tresident B/obj\tpeak B/obj\tupdates/s\n'
  for how in stream list; do
    measure "$target/release/client" ours "$how" 1
    measure "$target/release/client" kube-runtime "$how" 1
    [[ -z $go_client ]] || measure "$go_client" "$how" 1
  done
  measure "$target/release/client" ours stream 10
  [[ -z $go_client ]] || measure "$go_client" stream 10
} | column -t -s $'\t'
[[ -n $go_client ]] || echo "no go toolchain: the rows of client-go are missing"
