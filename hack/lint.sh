#!/usr/bin/env bash
# Lints Go modules with `kube-codegen lint` and with kube-api-linter's analyzers at their defaults, which hack/lint/main.go runs: a line for each
# module, with the places that both find, only we, and only they, of the rules that both have, and the seconds and processor seconds of each; then
# the places by rule, and why they differ. Fails if a difference has no reason in hack/lint/compare.py.
#
#   hack/lint.sh [--update] [--cold] [NAME…]     names of hack/lint/modules.tsv; all by default
#
# --update writes the table of rules into docs/lint.md. --cold also runs theirs once with an empty build cache, which takes a minute a module.
# The places are in target/lint/NAME.tsv. Both programs run three times, after the Go toolchain has built what the packages need; the run with the
# fewest processor seconds counts. KUBE_CODEGEN names a prebuilt optimized program.
set -euo pipefail
# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"
command -v go >/dev/null || skip "no Go toolchain"

update="" cold="" cache=""
trap 'rm -rf "$cache"' EXIT
while [[ ${1:-} == --* ]]; do
  case $1 in
  --update) update=yes ;;
  --cold) cold=yes ;;
  *) echo "unknown option: $1" >&2; exit 2 ;;
  esac
  shift
done
[[ -z $update || $# -eq 0 ]] || { echo "--update needs all modules" >&2; exit 2; }

work=${CARGO_TARGET_DIR:-$root/target}/lint
mkdir -p "$work/download"
export GOFLAGS="-mod=mod -modcacherw" GOWORK=off GOTOOLCHAIN=local
find_generator --release
(cd hack/lint && GOFLAGS=-buildvcs=false go build -o "$work/kube-api-linter" .)
[[ -f $work/download/go.mod ]] || printf 'module download\n' >"$work/download/go.mod"

# run COMMAND…: its output is in $work/out, its seconds and processor seconds in $work/times.
run() {
  local TIMEFORMAT='%R %U %S' code=0
  { time "$@" >"$work/out" 2>"$work/log" || code=$?; } 2>"$work/times"
  # 1 says that there are errors, 3 that there are findings.
  [[ $code -eq 0 || $code -eq 1 || $code -eq 3 ]] || { cat "$work/log" >&2; return 1; }
  awk '{ printf "%.3f %.3f\n", $1, $2 + $3 }' "$work/times"
}

# best COMMAND…: that of three runs with the fewest processor seconds.
best() {
  for _ in 1 2 3; do run "$@" || return 1; done | sort -n -k 2 | head -n 1
}

# line NAME TIMES TABLE…: the sums of times and places.
line() {
  awk -F'\t' -v name="$1" '
    NR == FNR { split($0, t, " "); for (i = 1; i <= 4; i++) s[i] += t[i]; next }
    { count[$2]++ }
    END {
      printf "%-20s %5d %5d %5d  %7.3f %7.3f  %7.3f %7.3f  %9.0f %9.0f\n", name, count["both"], count["here"], count["there"], s[1], s[2], s[3], s[4], s[3] / s[1], s[4] / s[2]
    }' "${@:2}"
}

rules=items,description-start,descriptions,conditions,defaults,integers,names,durations,floats,maps,nullable,phases,references,timestamps,list-type
tables=()
: >"$work/times.tsv"
printf '%-20s %5s %5s %5s  %7s %7s  %7s %7s  %9s %9s\n' module both here there s "CPU s" "s there" "CPU s" times "CPU times"
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
  if [[ -n $cold ]]; then
    cache=$(mktemp -d)
    # shellcheck disable=SC2086
    seconds=$(cd "$folder" && GOCACHE=$cache run "$work/kube-api-linter" -json $patterns)
    rm -rf "$cache"
    echo "$name with an empty build cache: $seconds" >>"$work/cold"
  fi
  # The first run fills the build cache.
  # shellcheck disable=SC2086
  (cd "$folder" && "$work/kube-api-linter" -json $patterns >/dev/null 2>"$work/log") || { cat "$work/log" >&2; exit 1; }
  # shellcheck disable=SC2086
  slow=$(cd "$folder" && best "$work/kube-api-linter" -json $patterns)
  cp "$work/out" "$work/$name.theirs.json"
  quick=$(cd "$folder" && best "$KUBE_CODEGEN" lint --format json --off all --warn "$rules")
  cp "$work/out" "$work/$name.ours.json"
  (cd "$folder" && "$KUBE_CODEGEN" inspect --json >"$work/$name.model.json" 2>"$work/log") || { cat "$work/log" >&2; exit 1; }
  python3 hack/lint/compare.py "$folder" "$work/$name."{theirs,ours,model}.json >"$work/$name.tsv"
  tables+=("$work/$name.tsv")
  echo "$quick $slow" >>"$work/times.tsv"
  line "$name" <(echo "$quick $slow") "$work/$name.tsv"
done 3<hack/lint/modules.tsv
line together "$work/times.tsv" "${tables[@]}"

if [[ -n $cold ]]; then
  echo
  cat "$work/cold"
  rm "$work/cold"
fi
echo
explained=0
python3 hack/lint/compare.py --table "${tables[@]}" | tee "$work/table" || explained=1
if [[ -n $update ]]; then
  awk -v table="$(cat "$work/table")" '
    /<!-- lint: / { print; print table; skip = 1; next }
    /<!-- end of lint -->/ { skip = 0 }
    !skip { print }' docs/lint.md >"$work/lint.md"
  cp "$work/lint.md" docs/lint.md
fi
exit "$explained"
