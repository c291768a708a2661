#!/usr/bin/env bash
# Differential fuzzing: sends a seeded random sequence of requests to the real kube-apiserver and the embedded one, and prints a
# table of the classes of differences: how often, an example with its seed and step, and the reason from hack/fuzz-conformance/known.tsv
# or NEW. Compared are status codes, reasons, causes, messages (without quoted values), warnings and bodies (without uids, times, versions
# and addresses). An object that differs is deleted from both servers, so that it causes no further differences.
#
#   hack/fuzz-conformance.sh [--seed N] [--requests N] [--only KIND] [--minutes N]      seed 1, 1,000 requests, at most 20 minutes
#   hack/fuzz-conformance.sh --seed N --requests STEP+1 --show STEP                     also print the requests of a step and both answers
#
# EMBEDDED_APISERVER names a prebuilt embedded-apiserver. The real server comes from hack/envtest.sh, without a controller manager. It must
# listen on loopback. The run creates objects with unique names, and deletes the cluster-scoped ones at the end.
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
