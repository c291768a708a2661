#!/usr/bin/env bash
# Whether hack/release.sh does what it says, in a clone: hack/release/check.sh
#
# - A dry run on a tree that is ready prints the plan, and changes nothing.
# - Each thing that is not ready is a finding.
# - --execute tags, pushes and publishes in an order in which each crate finds those that it depends on, and a second run goes on where the
#   first one ended. The registry is a stand-in for cargo, and the remote a folder.
set -euo pipefail
# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

command -v python3 >/dev/null || skip "no python3 to read cargo's metadata with"
cargo=$(command -v cargo)
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' "$root/Cargo.toml")
try=$(mktemp -d)
trap 'rm -rf "$try"' EXIT

fail() {
  echo "release/check: $*" >&2
  cat "$try/output" >&2
  exit 1
}

# release STATUS ARGUMENT…: runs the script in the clone, which has to end with the status.
release() {
  local wanted=$1 status=0
  shift
  (cd "$try/clone" && hack/release.sh "$@") >"$try/output" 2>&1 || status=$?
  [[ $status == "$wanted" ]] || fail "hack/release.sh $* ended with $status and not with $wanted"
}

says() { grep -qF -- "$1" "$try/output" || fail "it does not say: $1"; }

# The tree as it is, with stand-ins for scripts that build: packaging passes, the archive of generated code is there, the public API is that
# of the lists, unless the file `status` has another exit code, and cargo-semver-checks finds nothing but in $BROKEN.
git init --quiet --bare "$try/remote"
git init --quiet --initial-branch main "$try/clone"
(cd "$root" && git ls-files -z --cached --others --exclude-standard | tar --null --files-from - --ignore-failed-read -cf - 2>/dev/null) | tar -xf - -C "$try/clone"
cd "$try/clone"
git remote add origin "$try/remote"
git config user.name check
git config user.email check@example.com
printf '#!/bin/sh\necho packaged\n' >hack/package.sh
printf '#!/bin/sh\n[ -d "testdata/compat/$2" ]\n' >hack/compat.sh
printf '#!/bin/sh\nexit "$(cat ../status 2>/dev/null || echo 0)"\n' >hack/public-api.sh
git add --all
git commit --quiet --message ready

# A cargo that knows a registry in a folder: it refuses a crate whose dependencies are not there, and, once, the crate in $CUT.
mkdir "$try/bin" "$try/registry"
cat >"$try/bin/cargo" <<STUB
#!/usr/bin/env bash
registry=$try/registry
case \$1 in
  info) name=\${*: -1}; [[ -e \$registry/\${name%@*} ]] ;;
  semver-checks) [[ \$* == *" \${BROKEN:-none} "* ]] && exit 1; exit 0 ;;
  publish)
    name=\${*: -1}
    [[ \$name != "\${CUT:-}" ]] || exit 1
    [[ ! -e \$registry/\$name ]] || { echo "\$name is published twice"; exit 1; }
    "$cargo" metadata --quiet --locked --offline --no-deps --format-version 1 | python3 "$try/resolve.py" "\$registry" "\$name" || exit 1
    touch "\$registry/\$name" ;;
  *) exec "$cargo" "\$@" ;;
esac
STUB
cat >"$try/resolve.py" <<'PYTHON'
import json, os, sys
registry, name = sys.argv[1:]
package = next(it for it in json.load(sys.stdin)["packages"] if it["name"] == name)
for it in package["dependencies"]:
    if it.get("path") and it["req"] != "*" and it["name"] != name and not os.path.exists(os.path.join(registry, it["name"])):
        sys.exit(f"{name} comes before {it['name']}")
PYTHON
chmod +x "$try/bin/cargo"
export PATH=$try/bin:$PATH

echo "== what is to be done before a release"
release 1 "$version" --execute
says "the repository is a placeholder in Cargo.toml"
says "write its address as \`repository\` of [workspace.package] in Cargo.toml"
says "write \`## $version\` and the date instead of \`## Unreleased: $version\`"
[[ -z $(git tag)$(ls "$try/registry") ]] || fail "a run with findings did something"
sed -i 's|^repository = .*|repository = "https://git.example.org/kube-codegen"|' Cargo.toml
release 1 "$version"
says "the repository is a placeholder in controllers/"
# What the tests that it names write.
git grep -lF https://example.com/kube-codegen -- . ':!hack' | xargs sed -i 's|https://example.com/kube-codegen|https://git.example.org/kube-codegen|'
sed -i "s|^## Unreleased: $version|## $version (2030-01-01)|" CHANGELOG.md
git commit --quiet --all --message mended

echo "== dry run"
release 0 "$version"
cat "$try/output"
says "git tag --annotate v$version"
[[ -z $(git tag)$(ls "$try/registry")$(git status --porcelain) ]] || fail "a dry run changed something"
release 0 "$version" --notes
says "- "
release 2
release 2 "v$version"
release 2 "$version" --publish

echo "== findings"
release 1 9.9.9
says "kube-codegen has the version $version"
says "Cargo.toml requires kube-names $version: write 9.9.9"
says "hack/compat.sh --renew 9.9.9"
says "CHANGELOG.md has no section \`## 9.9.9\` with lines"
touch new
release 1 "$version" --execute
says "the tree has changes"
rm new
git switch --quiet --create other
release 1 "$version"
says "this is not the branch main"
git switch --quiet main
echo 1 >"$try/status"
release 1 "$version"
says "is not the public API: hack/public-api.sh --update"
echo 3 >"$try/status"
release 1 "$version"
says "the public API is not checked"
rm "$try/status"
git tag v0.0.9
release 0 "$version"
BROKEN=kube-names release 1 "$version"
says "kube-names $version may not break users of v0.0.9, as said above: raise the version"
git tag --delete v0.0.9 >/dev/null
sed -i 's/^rust-version = .*/rust-version = "1.99"/; s/^\(k8s-openapi = { version = \)"[^"]*"/\1"0.99"/; s/^\(kube = { version = \)"[^"]*"/\1"99"/' Cargo.toml
release 1 "$version"
says "does not say 1.99 for the minimum Rust version"
says "does not say kube 99"
says "does not say k8s-openapi 0.99"
git checkout --quiet .
[[ -z $(git tag)$(ls "$try/registry") ]] || fail "a run with findings did something"

echo "== a release that is cut off, and goes on"
CUT=codegen-runtime release 1 "$version" --execute
[[ -e $try/registry/kube-names && ! -e $try/registry/codegen-runtime ]] || fail "it was not cut off in the middle"
release 0 "$version" --execute
says "kube-names $version is published"
[[ -e $try/registry/kube-codegen && -e $try/registry/codegen-runtime ]] || fail "crates are missing"
[[ $(git -C "$try/remote" rev-parse "v$version^{commit}") == $(git rev-parse HEAD) ]] || fail "the tag was not pushed"
git commit --quiet --allow-empty --message later
release 1 "$version"
says "the tag v$version stands at another commit"
echo "release/check: all of it holds"
