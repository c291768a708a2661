#!/usr/bin/env bash
# Tests the VirtualMachine controller and its QEMU driver with real machines, which boot into their firmware only.
#
#   hack/qemu.sh [filter…]       filters as of `cargo test`, in place of `qemu::`
#
# Installs Debian's packages qemu-system-x86 and qemu-utils if they are missing, which needs root or passwordless sudo.
# If that fails, the script exits with code 3 (skipped); with REQUIRE_QEMU=1 it fails.
set -euo pipefail
# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

present() { command -v qemu-system-x86_64 >/dev/null && command -v qemu-img >/dev/null; }

as_root() {
  if [[ $(id -u) == 0 ]]; then "$@"; else sudo -n "$@"; fi
}

install() {
  command -v apt-get >/dev/null || return 1
  as_root true 2>/dev/null || return 1
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends qemu-system-x86 qemu-utils >/dev/null
}

if ! present && ! install; then
  missing="qemu-system-x86_64 and qemu-img are missing and can't be installed"
  if [[ ${REQUIRE_QEMU:-} == 1 ]]; then
    echo "qemu: $missing" >&2
    exit 1
  fi
  skip "$missing"
fi

export QEMU_REQUIRED=1
# Build the whole workspace: a single package would select other features and rebuild dependencies.
(($#)) || set -- qemu::
cargo test -q --locked --workspace --test virtualmachine -- "$@"
