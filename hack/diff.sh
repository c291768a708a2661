#!/usr/bin/env bash
# Compares releases of real projects with `kube-codegen diff`: one line each, with the number of incompatible changes, risks and compatible
# changes, of those of the first two that have no witness, and of those whose field the project's own notes between the releases name: an upper
# bound of what readers of the notes could know. `-` stands for notes that are not in the repository.
#
#   hack/diff.sh [--update] [NAME…]     names of hack/diff/releases.tsv; all by default
#
# Needs clones of the projects in $DIFF_REPOSITORIES/NAME, with their tags, bare or not; without one, a row is skipped. A row that differs from
# the table is a failure; --update writes the table, also into docs/diff.md. The findings are below target/diff.
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
find_generator

table=hack/diff/releases.tsv
status=0
rows=0
grep '^#' "$table" >"$work/releases.tsv"
printf '%-40s %-10s %-10s %12s %5s %10s %11s %6s\n' project old new incompatible risks compatible unwitnessed noted

# Where projects keep their release notes.
notes=(CHANGELOG.md CHANGELOG changelogs docs/src/release_notes website/content/release-notes)

# noted OLD NEW FINDINGS: how many of the findings that hurt somebody or may have a field, or else a version, that the lines of the notes
# name which came with NEW. Runs in the clone.
noted() {
  git diff "$1" "$2" -- "${notes[@]}" | sed -n '/^+++/d; s/^+//p' | tr -cs '[:alnum:]_' '\n' | sort -u >"$work/words"
  if [[ ! -s $work/words ]]; then
    echo -
    return
  fi
  jq -r '.findings[] | select(.severity != "compatible")
    | if .path != "" then .path | split(".")[-1] elif .version != "" then .version else .crd | split(".")[0] end
    | gsub("[^A-Za-z0-9_]"; "")' "$3" | awk 'NR == FNR { words[$1]; next } $1 in words { count++ } END { print count + 0 }' "$work/words" -
}

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
        found+=" $(cd "$folder" && noted "$old" "$new" "$work/$name.json")"
        # shellcheck disable=SC2086
        printf '%-40s %-10s %-10s %12s %5s %10s %11s %6s\n' "$name" "$old" "$new" $found
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
if [[ -n $update ]]; then
  cp "$work/releases.tsv" "$table"
  awk -v table="$table" '
    /^<!-- releases: / {
      print; print "| Project | From | To | Incompatible | Risks | Without a witness | Named in its notes |"; print "|---|---|---|---|---|---|---|"
      while ((getline row < table) > 0) {
        if (row ~ /^#/) continue
        split(row, field, "\t"); split(field[5], count, " "); sub(/__/, "/", field[1])
        printf "| %s | %s | %s | %d | %d | %d | %s |\n", field[1], field[3], field[4], count[1], count[2], count[4], count[5] == "-" ? "" : count[5]
      }
      skip = 1; next
    }
    /^<!-- end of releases -->/ { skip = 0 }
    !skip { print }' docs/diff.md >"$work/diff.md"
  cp "$work/diff.md" docs/diff.md
fi
exit "$status"
