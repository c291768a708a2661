#!/usr/bin/env bash
# Lints Go modules with `kube-codegen lint` and with kube-api-linter's analyzers at their defaults, which hack/lint/main.go runs: a line for each
# module, with the places that both find, only we, and only they, of the rules that both have, and the seconds of each; then the places by rule.
#
#   hack/lint.sh [NAME…]     names of hack/lint/modules.tsv; all by default
#
# The places are in target/lint/NAME.tsv; docs/lint.md says why they differ. Both programs run three times, after the Go toolchain has built
# what the packages need; the fastest run counts. KUBE_CODEGEN names a prebuilt optimized program.
set -euo pipefail
# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"
command -v go >/dev/null || skip "no Go toolchain"

work=${CARGO_TARGET_DIR:-$root/target}/lint
mkdir -p "$work/download"
export GOFLAGS="-mod=mod -modcacherw" GOWORK=off GOTOOLCHAIN=local
if [[ -z ${KUBE_CODEGEN:-} ]]; then
  cargo build --quiet --release --locked -p kube-codegen --bin kube-codegen
  KUBE_CODEGEN=${CARGO_TARGET_DIR:-$root/target}/release/kube-codegen
fi
(cd hack/lint && GOFLAGS=-buildvcs=false go build -o "$work/kube-api-linter" .)
[[ -f $work/download/go.mod ]] || printf 'module download\n' >"$work/download/go.mod"

# fastest COMMAND…: prints the seconds of the fastest of three runs, whose output is in $work/out.
fastest() {
  local best="" start seconds
  for _ in 1 2 3; do
    start=$EPOCHREALTIME
    "$@" >"$work/out" 2>"$work/log" || [[ $? -le 3 ]] || { cat "$work/log" >&2; return 1; }
    seconds=$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.3f", b - a }')
    best=$(printf '%s\n%s\n' "$best" "$seconds" | grep . | sort -n | head -n 1)
  done
  echo "$best"
}

rules=items,description-start,conditions,defaults,integers,names,durations,floats,maps,nullable,phases,references,timestamps,list-type
tables=()
printf '%-22s %6s %6s %6s %10s %10s %8s\n' module both here there "s here" "s there" times
while IFS=$'\t' read -r -u 3 name module patterns; do
  [[ $name == \#* ]] && continue
  [[ $# -eq 0 || " $* " == *" $name "* ]] || continue
  folder=$work/modules/$name
  if [[ ! -f $folder/.version || $(cat "$folder/.version") != "$module" ]]; then
    from=$(cd "$work/download" && go mod download -json "$module" | jq -er '.Dir // error(.Error)')
    rm -rf "$folder"
    mkdir -p "$work/modules"
    cp -r --no-preserve=mode "$from" "$folder"
    echo "$module" >"$folder/.version"
  fi
  {
    printf '[[crate]]\nemit = []\n[[crate.go]]\npackages = ['
    # shellcheck disable=SC2086
    printf '"%s", ' $patterns
    printf ']\n[crate.lint]\n'
  } >"$folder/codegen.toml"
  # The first run fills the build cache, which both may use.
  # shellcheck disable=SC2086
  (cd "$folder" && "$work/kube-api-linter" -json $patterns >/dev/null 2>"$work/log") || { cat "$work/log" >&2; exit 1; }
  # shellcheck disable=SC2086
  slow=$(cd "$folder" && fastest "$work/kube-api-linter" -json $patterns)
  cp "$work/out" "$work/$name.theirs.json"
  quick=$(cd "$folder" && fastest "$KUBE_CODEGEN" lint --format json --off all --warn "$rules")
  cp "$work/out" "$work/$name.ours.json"
  python3 hack/lint/compare.py "$folder" "$work/$name.theirs.json" "$work/$name.ours.json" >"$work/$name.tsv"
  tables+=("$work/$name.tsv")
  awk -F'\t' -v name="$name" -v quick="$quick" -v slow="$slow" '
    { count[$2]++ }
    END { printf "%-22s %6d %6d %6d %10s %10s %8.0f\n", name, count["both"], count["here"], count["there"], quick, slow, slow / quick }' "$work/$name.tsv"
done 3<hack/lint/modules.tsv

printf '\n%-20s %6s %6s %6s\n' rule both here there
cat "${tables[@]}" | awk -F'\t' '
  { seen[$1]; count[$1, $2]++ }
  END { for (rule in seen) printf "%-20s %6d %6d %6d\n", rule, count[rule, "both"], count[rule, "here"], count[rule, "there"] }' | sort
