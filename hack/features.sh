#!/usr/bin/env bash
# Checks codegen-runtime with each of its features alone and with interacting combinations, the generator with and without its command, and a
# golden crate with each kind alone: hack/features.sh [--all]
#
# --all adds slow checks: another Kubernetes version, and the crypto provider aws-lc-rs, which compiles C.
# OpenSSL is checked if its headers are installed, else skipped with a message. Warnings are failures: they show code that only
# some features use.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

sets=(latest "latest rustls-tls ring" "latest endpoints" "latest prometheus" "latest endpoints prometheus"
  "latest app" "latest demo" "latest app rustls-tls ring" "latest derive" "latest runtime" "latest fake" "latest fake endpoints prometheus" "latest packed"
  "latest webhooks" "latest self-signed" "latest webhooks validate endpoints prometheus")
if pkg-config --exists openssl 2>/dev/null; then
  sets+=("latest openssl-tls")
else
  echo "skipped: openssl-tls (no headers of OpenSSL: install libssl-dev)"
fi
if [[ ${1:-} == --all ]]; then
  sets+=("latest rustls-tls aws-lc-rs" "v1_33 rustls-tls ring endpoints prometheus derive fake")
fi

failed=0
check() { # PACKAGE FEATURES
  if output=$(cargo check --quiet --locked -p "$1" --no-default-features --features "$2" 2>&1) && [[ -z $output ]]; then
    echo "ok: $1: ${2:-none}"
  else
    echo "FAILED: $1: ${2:-none}"
    echo "$output"
    failed=1
  fi
}
for features in "${sets[@]}"; do
  check codegen-runtime "$features"
done
for features in "" go cli "cli go"; do
  check kube-codegen "$features"
done
for kind in "" styled_v1_image styled_v1_image_builder; do
  check golden-styled "$kind"
done
exit "$failed"
