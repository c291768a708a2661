#!/usr/bin/env bash
# Sends the embedded server small requests that cause large work, and requests that are changed at random.
#
#   hack/hostile.sh [--requests N] [--seed N] [--wait SECONDS] [CASE…]
#
# Prints for each case the longest wait of /healthz, the peak of the memory and what is left of it later. Exit code 1 if /healthz waited
# more than 200 ms, the peak exceeded 10 times the bytes sent and 64 MiB, or memory was not back within 30 s. EMBEDDED_APISERVER names a
# prebuilt program; without it, an optimized one is built.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

command -v python3 >/dev/null || skip "no python3"
binary=${EMBEDDED_APISERVER:-}
if [[ -z $binary ]]; then
	cargo build --quiet --locked --release --bin embedded-apiserver
	binary=$root/target/release/embedded-apiserver
fi
exec python3 hack/hostile/hostile.py "$binary" "$@"
