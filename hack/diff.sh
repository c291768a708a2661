#!/usr/bin/env bash
# Compares releases of real projects with `kube-codegen diff`: one line each, with the number of incompatible changes, risks and compatible
# changes, and of those of the first two that have no witness.
#
#   hack/diff.sh [--update] [NAME…]     names of hack/diff/releases.tsv; all by default
#
# Needs clones of the projects in $DIFF_REPOSITORIES/NAME, with their tags, bare or not; without one, a row is skipped. A row that differs from
# the table is a failure; --update writes the table. The findings are below target/diff.
set -euo pipefail
# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

update=
if [[ ${1:-} == --update ]]; then
  update=1
  shift
fi
[[ -n ${DIFF_REPOSITORIES:-} ]] || skip "no clones in \$DIFF_REPOSITORIES"
work=${CARGO_TARGET_DIR:-$root/target}/diff
mkdir -p "$work"
if [[ -z ${KUBE_CODEGEN:-} ]]; then
  cargo build --quiet --locked --bin kube-codegen
  export KUBE_CODEGEN=${CARGO_TARGET_DIR:-$root/target}/debug/kube-codegen
fi

table=hack/diff/releases.tsv
status=0
rows=0
grep '^#' "$table" >"$work/releases.tsv"
printf '%-28s %-10s %-10s %12s %5s %10s %10s\n' project old new incompatible risks compatible unwitnessed
while IFS=$'\t' read -r -u 3 name path old new wanted; do
  [[ $name == \#* ]] && continue
  found=$wanted
  if [[ $# -eq 0 || " $* " == *" $name "* ]]; then
    folder=$DIFF_REPOSITORIES/$name
    if [[ ! -d $folder ]]; then
      printf '%-28s no clone: skipped\n' "$name"
    else
      rows=$((rows + 1))
      code=0
      (cd "$folder" && "$KUBE_CODEGEN" diff "git:$old:$path" "git:$new:$path" --all --json) >"$work/$name.json" 2>"$work/$name.error" || code=$?
      if [[ $code -gt 1 ]]; then
        printf '%-28s %s\n' "$name" "$(head -n 1 "$work/$name.error")"
        status=1
      else
        found=$(jq -r '[.summary.incompatible, .summary.risk, .summary.compatible,
          ([.findings[] | select(any(.harms[]; .note | startswith("no witness: ")))] | length)] | join(" ")' "$work/$name.json")
        # shellcheck disable=SC2086
        printf '%-28s %-10s %-10s %12s %5s %10s %10s\n' "$name" "$old" "$new" $found
        if [[ -z $update && $found != "$wanted" ]]; then
          echo "  the table says $wanted"
          status=1
        fi
      fi
    fi
  fi
  printf '%s\t%s\t%s\t%s\t%s\n' "$name" "$path" "$old" "$new" "$found" >>"$work/releases.tsv"
done 3<"$table"
[[ $rows -gt 0 ]] || skip "no clone of a project in \$DIFF_REPOSITORIES"
if [[ -n $update ]]; then cp "$work/releases.tsv" "$table"; fi
exit "$status"
