#!/usr/bin/env bash
# Opens API references in HTML in headless Chromium, and checks what users do with them: search, links to fields, light and dark, copying,
# the keyboard, narrow windows, pages without their script, and the rules of axe for accessibility. Leaves pictures in
# target/reference/pictures.
#
#   hack/reference.sh
#
# Needs Node. Chromium is the one in PATH, or Debian's, if apt-get may install it.
set -euo pipefail
# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

command -v npm >/dev/null || skip "no npm to install Playwright and axe with"
if ! command -v chromium >/dev/null && [[ $(id -u) -eq 0 ]] && command -v apt-get >/dev/null; then
  apt-get install -y -qq chromium >/dev/null 2>&1 || true
fi
browser=$(command -v chromium || command -v google-chrome || true)
[[ -n $browser ]] || skip "no Chromium"

work=${CARGO_TARGET_DIR:-$PWD/target}/reference
mkdir -p "$work/pictures"
cp hack/reference/package.json hack/reference/package-lock.json hack/reference/check.mjs "$work/"
if ! (cd "$work" && npm ci --silent --no-audit --no-fund); then
  skip "Playwright and axe cannot be installed from the npm registry"
fi
rm -rf "$work/site"
inputs=()
for input in controllers/virtualmachine/deploy/crd.yaml testdata/expected/multiversion/config/crd testdata/crds/kubevirt; do inputs+=(--from-crd "$input"); done
kube_codegen manifests "${inputs[@]}" \
  --crds '' --roles '' --webhooks '' --docs site --docs-format html --output "$work"
(cd "$work" && node check.mjs "$browser" site pictures node_modules/axe-core/axe.min.js)
