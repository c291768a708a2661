#!/usr/bin/env bash
# Compares the embedded API server with the real kube-apiserver: requests per second by verb (eight at a time),
# events per second to 1,000 watches, start-up time and memory. The same client sends requests to both over HTTP on loopback. The
# real one uses TLS and HTTP/2, and stores its objects in etcd (without fsync here).
#
#   hack/bench/apiserver.sh [flags of hack/envtest/cmd/load, such as --seconds 10 --watchers 100]
#
# At the end it stores 100,000 objects of 2 KB in one process, and prints the peak memory.
#
# Needs Go for the client, and for the real server unless KUBEBUILDER_ASSETS provides it.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
if ! command -v go >/dev/null; then
	echo "bench: no Go toolchain to build the load client with" >&2
	exit 3
fi
out=$(mktemp -d)
pid=
trap '[[ -z $pid ]] || kill "$pid" 2>/dev/null; ENVTEST_DIR=$out/real hack/envtest.sh stop; rm -rf "$out"' EXIT

mkdir -p target/envtest
(cd hack/envtest && GOFLAGS="${GOFLAGS:+$GOFLAGS }-p=2 -buildvcs=false" go build -o ../../target/envtest/load ./cmd/load)
cargo build --quiet --release -p embedded-apiserver
hack/envtest.sh build >/dev/null
load=target/envtest/load

now() { date +%s%N; }
# Prints the milliseconds since $1.
since() { echo $((($(now) - $1) / 1000000)); }
# Prints the resident memory of a process, in MB.
resident() { awk '/VmRSS/ { printf "%d\n", $2 / 1024 }' "/proc/$1/status"; }

start=$(now)
"${CARGO_TARGET_DIR:-target}/release/embedded-apiserver" --listen 127.0.0.1:0 --kubeconfig "$out/kubeconfig" >"$out/embedded.log" &
pid=$!
until [[ -s $out/embedded.log ]]; do sleep 0.001; done
echo -e "start-up, ms\t$(since "$start")" >"$out/embedded.rates"
"$load" --kubeconfig "$out/kubeconfig" "$@" >>"$out/embedded.rates"
echo -e "resident at the end, MB\t$(resident "$pid")" >>"$out/embedded.rates"
kill "$pid"
pid=

start=$(now)
kubeconfig=$(ENVTEST_DIR=$out/real hack/envtest.sh start)
echo -e "start-up, ms\t$(since "$start")" >"$out/real.rates"
"$load" --kubeconfig "$kubeconfig" "$@" >>"$out/real.rates"
if [[ -f $out/real/pids ]]; then
	total=0
	while read -r component; do total=$((total + $(resident "$component"))); done <"$out/real/pids"
	echo -e "resident at the end, MB\t$total" >>"$out/real.rates"
fi

echo "a second unless said otherwise; $(nproc) cores"
{
	printf '\treal\tembedded\n'
	join -t $'\t' <(sort "$out/real.rates") <(sort "$out/embedded.rates")
} | column -t -s $'\t'

cargo test --quiet --release -p embedded-apiserver --test apiserver -- --ignored --nocapture | grep objects
