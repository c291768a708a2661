#!/usr/bin/env bash
# Compares the compile time of our types and kopium's, for the same kinds, versions and derives: lines,
# processor time (user and system) and peak memory of one rustc, for `cargo check` and `cargo build` (debug).
#
#   hack/bench/types.sh [-n RUNS] [PROJECT…]
#
# PROJECT is a folder of the public corpus (see hack/corpus.sh), by default the ten with the most lines of our types. RUNS
# is 1 by default; of several, the minimum is printed. Each side is one crate, built as developers do (incrementally, without debug
# information). Dependencies are built first and not measured.
# A CRD that kopium fails on, or whose types do not compile, is left out on both sides, and counted. KUBE_CODEGEN names a prebuilt
# generator, KOPIUM a prebuilt kopium. Needs GNU time.
set -euo pipefail

source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
source "$root/hack/bench/kopium.sh"
runs=1
while getopts n: option; do
  case $option in
    n) runs=$OPTARG ;;
    *) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2 && exit 2 ;;
  esac
done
shift $((OPTIND - 1))

target=${CARGO_TARGET_DIR:-$root/target}
unpack_corpus "$target" || skip "no archive of real CRDs"
find_kopium "$target" || skip "kopium $kopium_version cannot be built"
find_generator

export CARGO_TARGET_DIR=$target/bench-types CARGO_INCREMENTAL=1 CARGO_PROFILE_DEV_DEBUG=0
work=$CARGO_TARGET_DIR/workspace
rm -rf "$work"
mkdir -p "$work"/{ours,kopium}/src
cd "$work"

# generate FOLDER: generates our types of the CRDs in the folder, as a crate's sources.
generate() {
  rm -rf ours/src/apis
  (cd ours && kube_codegen crd "$1" --keep-going --emit types,deepcopy --output src --base-path crate) >log 2>&1 || true
}

lines() { find "$1/src" -name '*.rs' -exec cat {} + | wc -l; }

projects=("$@")
if [[ $# = 0 ]]; then
  mapfile -t projects < <(for folder in "$public"/corpus/*/; do
    generate "$folder"
    echo "$(lines ours) $(basename "$folder")"
  done | sort -rn | head -10 | cut -d' ' -f2)
fi

cp "$root/Cargo.lock" .
printf '[workspace]\nresolver = "3"\nmembers = ["ours", "kopium"]\n' >Cargo.toml
manifest() {
  printf '[package]\nname = "%s"\nversion = "0.1.0"\nedition = "2024"\n\n[dependencies]\n' "$1"
  echo 'k8s-openapi = { version = "0.29", default-features = false, features = ["latest", "std"] }'
  printf 'serde = { version = "1", features = ["derive"] }\nserde_json = "1"\n'
}
manifest ours >ours/Cargo.toml
(manifest kopium && echo 'kube = { version = "5", default-features = false, features = ["derive"] }') >kopium/Cargo.toml
touch {ours,kopium}/src/lib.rs
# Build one by one: together they would unify features, and dependencies would be rebuilt during the measurement.
for package in ours kopium; do
  cargo check --quiet -p "$package" && cargo build --quiet -p "$package"
done

# generate_kopium FOLDER: generates kopium's modules for the CRDs, one per version that we have types for. Files that fail move to `out`.
generate_kopium() {
  local crd name version
  rm -rf kopium/src out
  mkdir -p kopium/src out
  for crd in "$1"/*; do
    name=$(basename "$crd" .yaml | tr -c 'a-z0-9\n' _)
    for version in $("$KUBE_CODEGEN" inspect "$crd" 2>>log | sed -nE 's/^  ([a-z0-9]+) \(module.*/\1/p'); do
      "$KOPIUM" --docs --derive Default --derive PartialEq --api-version "$version" -f "$crd" >"kopium/src/${name}__$version.rs" 2>>log || touch "out/$name"
    done
    [[ ! -e out/$name ]] || leave_out "$1" "$name"
  done
}

# list_modules: writes the crate of all kopium modules.
list_modules() { find kopium/src -name '*__*.rs' -printf 'pub mod %f\n' | sort | sed 's/\.rs$/;/' >modules && cp modules kopium/src/lib.rs; }

# measure_kopium FOLDER: prints the figures of `cargo check` for the CRDs whose types compile.
measure_kopium() {
  list_modules
  until measure check kopium; do
    sed -nE 's#^kopium/src/(.*)__[a-z0-9]+\.rs:.* error.*#\1#p' log | sort -u >failed
    [[ -s failed ]] || { cat log >&2; return 1; }
    while read -r name; do leave_out "$1" "$name"; done <failed
    list_modules
  done
}

# leave_out FOLDER NAME: removes a CRD from both sides.
leave_out() {
  local crd
  for crd in "$1"/*; do
    if [[ $(basename "$crd" .yaml | tr -c 'a-z0-9\n' _) = "$2" ]]; then mv "$crd" out/; fi
  done
  rm -f kopium/src/"$2"__*.rs out/"$2"
}

# measure COMMAND PACKAGE: prints the minimum processor time of `cargo COMMAND` in seconds, and its peak memory in MiB.
measure() {
  local best='' seconds memory
  for _ in $(seq "$runs"); do
    rm -rf "$CARGO_TARGET_DIR/debug/incremental/$2"-*
    touch "$2/src/lib.rs"
    /usr/bin/time -o used -f '%U %S %M' cargo "$1" --quiet --message-format short -p "$2" 2>log || return 1
    read -r seconds memory < <(tail -1 used | awk '{ printf "%.2f %d\n", $1 + $2, $3 / 1024 }')
    if [[ -z $best ]] || awk "BEGIN { exit !($seconds < $best) }"; then best=$seconds; fi
  done
  echo "$best $memory"
}

# print_rows: prints one line per row, or with `-v total=1` only the total.
print_rows() {
  awk "$@" '
    function line(name, v) {
      printf "%-46s %5d %4d %8d %8d %4.1f", name, v[2], v[3], v[4], v[5], v[5] / v[4]
      printf " %8.1f %8.1f %4.1f %8.1f %8.1f %4.1f", v[6], v[10], v[10] / v[6], v[8], v[12], v[12] / v[8]
      printf " %7d %6d %7d %6d\n", v[7], v[11], v[9], v[13]
    }
    {
      for (i = 2; i <= NF; i++) {
        v[i] = $i
        # Memory does not add up; take the maximum.
        if (i > 6 && i % 2) { if ($i > sum[i]) sum[i] = $i } else sum[i] += $i
      }
      if (!total) line($1, v)
    }
    END { if (total) line("total (memory: the most)", sum) }'
}

printf '%-46s %5s %4s %22s %22s %22s %14s %14s\n' '' '' '' lines 'check, seconds' 'build, seconds' 'check, MiB' 'build, MiB'
printf '%-46s %5s %4s' project kinds out
for _ in 1 2 3; do printf ' %8s %8s %4s' ours kopium ×; done
printf ' %7s %6s %7s %6s\n' ours kopium ours kopium
: >rows
for project in "${projects[@]}"; do
  [[ -d $public/corpus/$project ]] || { echo "no project $project" >&2; exit 2; }
  rm -rf crds
  cp -r "$public/corpus/$project" crds
  : >log
  generate_kopium "$work/crds"
  kopium="$(measure_kopium "$work/crds") $(measure build kopium)"
  [[ -s modules ]] || { echo "$project: kopium generates no types that compile" && continue; }
  generate "$work/crds"
  echo 'pub mod apis;' >ours/src/lib.rs
  ours="$(measure check ours) $(measure build ours)"
  echo "$project $(grep -c . modules) $(find out -type f | wc -l) $(lines ours) $(lines kopium) $ours $kopium" >>rows
  tail -1 rows | print_rows
done
print_rows -v total=1 <rows
