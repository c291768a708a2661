#!/usr/bin/env bash
# Differential fuzzing: sends one seeded random sequence of requests to the real kube-apiserver and to the embedded one, and prints one
# table of the classes in which answers differ: how often, an example with its seed and step, and the reason of hack/fuzz-conformance/known.tsv
# or NEW. Compared are status codes, reasons, causes, messages (without what they quote), warnings and bodies (without uids, times, versions
# and addresses). What differed is deleted from both servers, so that a difference has no successors.
#
#   hack/fuzz-conformance.sh [--seed N] [--requests N] [--only KIND] [--minutes N]      seed 1, 1,000 requests, at most 20 minutes
#   hack/fuzz-conformance.sh --seed N --requests STEP+1 --show STEP                     also print a step's requests and both answers
#
# EMBEDDED_APISERVER names a built embedded-apiserver to use instead of building it here. The real server comes from hack/envtest.sh, without a
# controller manager; it must listen on loopback, and the run adds objects with unique names and deletes the cluster's own ones at the end.
# Needs Python 3. Exit codes: 0 nothing new, 1 new classes, 3 no real server.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

if [[ ${1:-} == -h || ${1:-} == --help ]]; then
  sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"
  exit 0
fi
embedded=${EMBEDDED_APISERVER:-}
if [[ -z $embedded ]]; then
  (cd "$root" && cargo build --quiet --locked --bin embedded-apiserver)
  embedded=${CARGO_TARGET_DIR:-$root/target}/debug/embedded-apiserver
fi
"$root/hack/envtest.sh" run -- python3 "$root/hack/fuzz-conformance/main.py" --embedded "$embedded" "$@"
