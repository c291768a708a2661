#!/usr/bin/env bash
# Shows witnesses of `kube-codegen diff` between releases of real projects to the real kube-apiserver: each object must be accepted and refused
# there as the witness says, in the same words, or keep, lose and get the fields that it names.
#
#   hack/witnesses.sh [NAME…]     names of hack/diff/releases.tsv; all by default
#
# MOST witnesses of each kind of finding are taken from a project (default 3). Those for readers of generated types are not, nor losses by a
# conversion, which need a stored object. Needs clones in $DIFF_REPOSITORIES as hack/diff.sh does, Python with PyYAML, and the requirements of
# hack/envtest.sh. KUBE_CODEGEN names a prebuilt program.
set -euo pipefail
# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

[[ -n ${DIFF_REPOSITORIES:-} ]] || skip "no clones in \$DIFF_REPOSITORIES"
python3 -c 'import yaml' 2>/dev/null || skip "no PyYAML"
need_real_server
if [[ -z ${WITNESSES_ON_SERVER:-} ]]; then
  WITNESSES_ON_SERVER=1 exec "$root/hack/envtest.sh" run -- "$root/hack/witnesses.sh" "$@"
fi
find_kubectl
export KUBECTL
find_generator

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
while IFS=$'\t' read -r -u 3 name path old new _; do
  [[ $name == \#* ]] && continue
  [[ $# -eq 0 || " $* " == *" $name "* ]] || continue
  folder=$DIFF_REPOSITORIES/$name
  [[ -d $folder ]] || continue
  (cd "$folder" && "$KUBE_CODEGEN" diff "git:$old:$path" "git:$new:$path" --json) >"$work/found.json" 2>"$work/error" || [[ $? -eq 1 ]] || {
    cat "$work/error" >&2
    exit 1
  }
  echo "$name $old $new"
  python3 hack/diff/witnesses.py "$folder" "$work/found.json" "${MOST:-3}" | tee -a "$work/said" || status=1
done 3<hack/diff/releases.tsv
[[ -f $work/said ]] || skip "no clone of a project in \$DIFF_REPOSITORIES"
awk '/witnesses are true/ { held += $1; all += $3 } END { printf "together %d of %d\n", held, all; exit all == 0 }' "$work/said" || status=1
exit "$status"
