#!/usr/bin/env bash
# Sends the embedded server small requests that cause large work, and requests that are changed at random.
#
#   hack/hostile.sh [--debug] [--requests N] [--seed N] [--wait SECONDS] [CASE…]
#
# Prints for each case the longest wait of /healthz, the peak of the memory and what is left of it later. Exit code 1 if /healthz waited
# more than 200 ms, the peak exceeded 10 times the bytes sent and 64 MiB, or memory was not back within 30 s. EMBEDDED_APISERVER names a
# prebuilt program; without it, an optimized one is built, or with --debug one that is not.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

command -v python3 >/dev/null || skip "no python3"
binary=${EMBEDDED_APISERVER:-}
profile=release
if [[ ${1:-} == --debug ]]; then
	profile=debug
	shift
fi
if [[ -z $binary ]]; then
	flags=()
	if [[ $profile == release ]]; then flags=(--release); fi
	cargo build --quiet --locked "${flags[@]}" --bin embedded-apiserver
	binary=${CARGO_TARGET_DIR:-$root/target}/$profile/embedded-apiserver
fi
exec python3 hack/hostile/hostile.py "$binary" "$@"
