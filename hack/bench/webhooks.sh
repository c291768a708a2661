#!/usr/bin/env bash
# Compares webhook servers over TLS on loopback: this project's and controller-runtime's, with the same defaulter of pods and the same
# client. Prints a table.
#
#   hack/bench/webhooks.sh [-s SECONDS]
#
# Each of the two parts takes 10 seconds by default: small reviews as fast as 8 connections can send them, and 200 small reviews a
# second, with their waits, beside two connections that send reviews of 3 MB without a pause. Needs cargo, and go for the second row.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
seconds=10
while getopts s: option; do
  case $option in
    s) seconds=$OPTARG ;;
    *) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2 && exit 2 ;;
  esac
done

bench=$root/hack/bench/webhooks
target=${CARGO_TARGET_DIR:-$root/target}/bench-webhooks
port=${WEBHOOKS_BENCH_PORT:-18443}
mkdir -p "$target/certificate"

cargo build --quiet --release --locked --manifest-path "$bench/Cargo.toml" --target-dir "$target"
go_server=
if command -v go >/dev/null; then
  (cd "$bench/go" && go build -o "$target/go-server" .) && go_server=$target/go-server
fi

server=
trap '[[ -n $server ]] && kill "$server" 2>/dev/null; wait 2>/dev/null' EXIT

# measure WHO SERVER…: starts the server, sends it reviews, and ends it.
measure() {
  local who=$1
  shift
  : >"$target/server.log"
  "$@" >"$target/server.log" &
  server=$!
  until grep -q listening "$target/server.log"; do
    kill -0 "$server" || exit 1
    sleep 0.1
  done
  sleep 1
  "$target/release/client" "$who" "127.0.0.1:$port" "$target/certificate/tls.crt" "$seconds"
  kill "$server"
  wait "$server" 2>/dev/null || true
  server=
}

rows=$target/rows.tsv
printf 'who\treviews/s\tbeside large: p50 ms\tp99 ms\tlongest ms\tlarge/s\n' >"$rows"
# The first server writes the certificate that both use.
measure ours "$target/release/server" "127.0.0.1:$port" "$target/certificate" >>"$rows"
[[ -z $go_server ]] || measure controller-runtime "$go_server" 127.0.0.1 "$port" "$target/certificate" >>"$rows"
echo "$seconds seconds a part, $(nproc) cores"
column -t -s $'\t' "$rows"
[[ -n $go_server ]] || echo "no Go toolchain: the row of controller-runtime is missing"
