#!/usr/bin/env bash
# Releases a version: hack/release.sh VERSION [--execute | --notes]
#
# Without a flag nothing is changed: the script checks what it can and prints the commands that a release runs. --notes prints the version's
# section of CHANGELOG.md. It checks that
# - the tree is clean and on main, and the tag is free;
# - VERSION is that of every published crate and of every requirement on a crate of the workspace;
# - `repository` in Cargo.toml is set, and all files that name it agree;
# - CHANGELOG.md has a section of the version, with lines;
# - docs/policy.md states the versions that Cargo.toml asks for;
# - testdata/compat has what this version's generator writes, so that the next release is held against it (hack/compat.sh);
# - testdata/public-api lists the public API (hack/public-api.sh), and VERSION admits what breaks since the last tag (cargo-semver-checks).
# With --execute it then runs hack/package.sh, tags, pushes the tag, from which .github/workflows/release.yml makes binaries and images, and
# publishes the crates in the order of their dependencies. It leaves out what is done, so a run that was cut off is repeated as it was.
# Every finding is reported before the script ends with 1; a dry run with findings still shows the commands.
set -euo pipefail
# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

usage() {
  echo "usage: hack/release.sh VERSION [--execute | --notes]" >&2
  exit 2
}

version=${1:-}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]] || usage
case $#:${2:-} in
  1:) execute= ;;
  2:--execute) execute=1 ;;
  2:--notes) execute= ;;
  *) usage ;;
esac
command -v python3 >/dev/null || skip "no python3 to read cargo's metadata with"
tag=v$version
# The version that is known to read the documentation of the Rust that builds here.
semver_checks=0.45.0

findings=0
finding() {
  echo "release: $*" >&2
  findings=$((findings + 1))
}

# Prints the section of the version, whose heading is `## VERSION…` or `## Unreleased: VERSION…`, without the heading.
changes() {
  awk -v version="$version" '
    /^## / { title = $0; sub(/^## (Unreleased: )?/, "", title); split(title, word, " "); inside = word[1] == version; next }
    inside' CHANGELOG.md
}

check_tree() {
  [[ -z $(git status --porcelain) ]] || finding "the tree has changes: commit them"
  [[ $(git branch --show-current) == main ]] || finding "this is not the branch main"
  if git rev-parse --quiet --verify "refs/tags/$tag" >/dev/null && [[ $(git rev-list -n 1 "$tag") != $(git rev-parse HEAD) ]]; then
    finding "the tag $tag stands at another commit: a version is released once"
  fi
}

check_versions() {
  local name its requirement
  while read -r name its _; do
    [[ $its == "$version" ]] || finding "$name has the version $its: set \`version\` of [workspace.package] in Cargo.toml"
  done <<<"$crates"
  while read -r name requirement; do
    [[ $requirement == "$version" ]] || finding "Cargo.toml requires $name $requirement: write $version"
  done < <(sed -nE '/^\[workspace\.dependencies\]/,/^\[/s/^([a-z-]+) = \{ version = "([^"]*)", path = .*/\1 \2/p' Cargo.toml)
}

# The placeholder stands in Cargo.toml, and in files that tests derive from it.
check_repository() {
  local files
  files=$(git grep -lF 'https://example.com/kube-codegen' -- . ':!hack' | paste -sd ' ') || true
  [[ -z $files ]] || finding "the repository is a placeholder in $files:
  write its address as \`repository\` of [workspace.package] in Cargo.toml, then run
  UPDATE_GOLDEN=1 cargo test --test runtime monitoring && UPDATE_GOLDEN=1 cargo test --test generator"
}

check_changes() {
  if ! grep -q '^- ' < <(changes); then
    finding "CHANGELOG.md has no section \`## $version\` with lines"
  elif [[ -n $execute ]] && grep -qF "## Unreleased: $version" CHANGELOG.md; then
    finding "CHANGELOG.md: write \`## $version\` and the date instead of \`## Unreleased: $version\`"
  fi
}

# check_policy LABEL VALUE: docs/policy.md states what Cargo.toml asks for.
check_policy() {
  grep -qE "^\| the .*$1.* \|.*\|.*\b${2//./\\.}\b" docs/policy.md || finding "docs/policy.md does not say $2 for the $1"
}

check_compat() {
  hack/compat.sh --check "$version" >/dev/null || finding "testdata/compat/$version is not what the generator writes: hack/compat.sh --renew $version"
}

check_public_api() {
  local status=0
  hack/public-api.sh >&2 || status=$?
  case $status in
    0) ;;
    "$SKIPPED") finding "the public API is not checked, as said above" ;;
    *) finding "testdata/public-api is not the public API: hack/public-api.sh --update" ;;
  esac
}

# What breaks users of the last release needs a version that may break them. cargo-semver-checks knows what does: also what is added, such as
# a method that a trait requires.
check_semver() {
  local last name features flags
  # The first release has none before it.
  last=$(git describe --tags --abbrev=0 --match 'v[0-9]*' --exclude "$tag" 2>/dev/null) || return 0
  if ! cargo semver-checks --version >/dev/null 2>&1; then
    finding "no cargo-semver-checks: cargo install --locked cargo-semver-checks@$semver_checks"
    return
  fi
  while read -r name _ features; do
    flags=(--only-explicit-features)
    [[ -z $features ]] || flags+=(--features "${features//$name\//}")
    cargo semver-checks --package "$name" --baseline-rev "$last" "${flags[@]}" </dev/null >&2 ||
      finding "$name $version may not break users of $last, as said above: raise the version, or bring back what is gone"
  done < <(covered <<<"$crates")
}

# required NAME: the version in a requirement of [workspace.dependencies].
required() { sed -nE "s/^$1 = \{ version = \"([^\"]*)\".*/\1/p" Cargo.toml; }

# run COMMAND…: runs it, or prints it in a dry run.
run() {
  if [[ -n $execute ]]; then
    echo "+ $*"
    "$@"
  else
    echo "  $*"
  fi
}

# Whether a registry has a crate in this version.
is_published() { cargo info --quiet --registry crates-io "$1@$version" >/dev/null 2>&1; }

publish() {
  if [[ -n $execute ]] && is_published "$1"; then
    echo "$1 $version is published"
    return
  fi
  run cargo publish --locked --package "$1"
}

if [[ ${2:-} == --notes ]]; then
  changes
  exit
fi

metadata=$(cargo metadata --quiet --locked --no-deps --format-version 1)
crates=$(python3 hack/release/order.py <<<"$metadata")
check_tree
check_versions
check_repository
check_changes
check_policy "minimum Rust version" "$(sed -nE 's/^rust-version = "(.*)"/\1/p' Cargo.toml)"
check_policy "major version of kube" "kube $(required kube)"
check_policy "k8s-openapi" "k8s-openapi $(required k8s-openapi)"
check_compat
check_public_api
check_semver
if [[ $findings -gt 0 && -n $execute ]]; then
  echo "release: $findings findings, nothing was done" >&2
  exit 1
fi

[[ -n $execute ]] || echo "What a release of $version would run:"
run hack/package.sh
if ! git rev-parse --quiet --verify "refs/tags/$tag" >/dev/null; then
  run git tag --annotate "$tag" --message "$version"
fi
run git push origin "$tag"
while read -r name _; do publish "$name"; done <<<"$crates"
if [[ $findings -gt 0 ]]; then
  echo "release: $findings findings to mend before --execute" >&2
  exit 1
fi
