#!/usr/bin/env bash
# Compares informers over HTTP on loopback: ours, ours with a packed cache, kube-runtime 5 and Go's client-go, with the same objects from the same
# server. Prints a table.
#
#   hack/bench/informer.sh [-n OBJECTS] [-u UPDATES] [stream] [list] [ten]
#
# 100,000 objects and 200,000 updates by default. The parts, all by default: `stream` fills the cache from a streamed list,
# `list` from a LIST, each with one handler; `ten` has ten handlers. Needs cargo. The Go rows need go; without it they are left out,
# with a message.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
objects=100000
updates=200000
while getopts n:u: option; do
  case $option in
    n) objects=$OPTARG ;;
    u) updates=$OPTARG ;;
    *) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2 && exit 2 ;;
  esac
done
shift $((OPTIND - 1))
[[ $# -gt 0 ]] || set -- stream list ten

bench=$root/hack/bench/informer
target=${CARGO_TARGET_DIR:-$root/target}/bench-informer
listen=127.0.0.1:${INFORMER_BENCH_PORT:-18099}

cargo build --quiet --release --locked --manifest-path "$bench/Cargo.toml" --target-dir "$target"
go_client=
if command -v go >/dev/null; then
  mkdir -p "$target/go"
  (cd "$bench/go" && go build -o "$target/go/client" .) && go_client=$target/go/client
fi

server=
trap '[[ -n $server ]] && kill "$server" 2>/dev/null; wait 2>/dev/null' EXIT

# measure CLIENT WHO…: each measurement uses a new server, so that watches and versions do not carry over.
measure() {
  : >"$target/server.log"
  "$target/release/server" "$listen" "$objects" >"$target/server.log" &
  server=$!
  until grep -q listening "$target/server.log"; do
    kill -0 "$server" || exit 1
    sleep 0.1
  done
  timeout 300 "$@" "http://$listen" "$objects" "$updates"
  kill "$server"
  wait "$server" 2>/dev/null || true
  server=
}

# compare LIST HANDLERS: kube-runtime's stream has no handlers, so it is only measured for one handler.
compare() {
  measure "$target/release/client" ours "$1" "$2"
  measure "$target/release/client" packed "$1" "$2"
  [[ $2 -gt 1 ]] || measure "$target/release/client" kube-runtime "$1" 1
  [[ -z $go_client ]] || measure "$go_client" "$1" "$2"
}

rows=$target/rows.tsv
printf 'who\tinitial list\thandlers\tsync obj/s\tresident B/obj\tpeak B/obj\tupdates/s\n' >"$rows"
for part in "$@"; do
  case $part in
    stream | list) compare "$part" 1 ;;
    ten) compare stream 10 ;;
    *) echo "unknown part: $part" >&2 && exit 2 ;;
  esac >>"$rows"
done
echo "$objects objects, $updates updates, $(nproc) cores"
column -t -s $'\t' "$rows"
[[ -n $go_client ]] || echo "no Go toolchain: the rows of client-go are missing"
