#!/usr/bin/env bash
# Counts lines of code, without comments, blank lines, tests and generated files: hack/size.sh [--commit COMMIT]
#
# A line for each crate, then one for each top module of it, the largest first. Not counted are folders and files of tests, items below
# #[cfg(test)], and what a generator has written. With --commit, counts a commit instead of the work tree. Needs tokei: the one in PATH, else
# it is built into target/size, once.
set -euo pipefail
# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

version=14.0.0
crates="codegen crates/builtin crates/codec crates/diff crates/names crates/quantity crates/schema templates runtime runtime/macros apiserver
controllers/controller-manager controllers/network controllers/podbuggertool controllers/podset controllers/testing controllers/virtualmachine"

tokei=$(command -v tokei || true)
if [[ -z $tokei ]]; then
  tools=${CARGO_TARGET_DIR:-$root/target}/size
  tokei=$tools/bin/tokei
  if [[ ! -x $tokei ]]; then
    cargo install --quiet --locked --debug --version "$version" --root "$tools" --target-dir "$tools/build" tokei 2>"$tools.error" ||
      skip "tokei cannot be built: $(tail -n 1 "$tools.error")"
    rm -rf "$tools/build" "$tools.error"
  fi
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
from=$root
if [[ ${1:-} == --commit ]]; then
  from=$work/from
  mkdir "$from"
  git archive "${2:?a commit}" | tar -x -C "$from"
fi

# without_tests: drops each item below #[cfg(test)], which ends at the first line of the same indentation that closes it.
without_tests() {
  awk '
    function indentation(line) { match(line, /^ */); return RLENGTH }
    /^ *#\[cfg\((all\()?test[,)]/ && !skipping { skipping = 1; at = indentation($0); next }
    skipping {
      if (indentation($0) == at && $0 !~ /^ *(#\[|\/\/)/ && $0 ~ /[;}]$/) skipping = 0
      next
    }
    { print }'
}

for crate in $crates; do
  [[ -d $from/$crate/src ]] || continue
  (cd "$from/$crate/src" && find . -name '*.rs' -not -path '*/tests/*' -not -name 'tests.rs' -not -name '*_tests.rs' -not -name '*_test.rs') |
    while read -r file; do
      if head -n 3 "$from/$crate/src/$file" | grep -qE 'DO NOT EDIT|@generated'; then continue; fi
      mkdir -p "$work/$crate/src/$(dirname "$file")"
      without_tests <"$from/$crate/src/$file" >"$work/$crate/src/$file"
    done
done

cd "$work"
# shellcheck disable=SC2086
"$tokei" --no-ignore --types Rust --files --output json $crates | python3 -c '
import collections, json, sys
crates = sorted(sys.argv[1:], key=len, reverse=True)
sizes = collections.defaultdict(collections.Counter)
for report in json.load(sys.stdin)["Rust"]["reports"]:
    path = report["name"].removeprefix("./")
    crate = next(crate for crate in crates if path.startswith(crate + "/"))
    module = path.removeprefix(crate + "/src/").split("/")[0].removesuffix(".rs")
    sizes[crate][module] += report["stats"]["code"]
total = 0
for crate, modules in sorted(sizes.items(), key=lambda one: -one[1].total()):
    total += modules.total()
    print(f"{modules.total():7} {crate}")
    for module, lines in sorted(modules.items(), key=lambda one: (-one[1], one[0])):
        print(f"{lines:7}   {module}")
print(f"{total:7} in all")
' $crates
