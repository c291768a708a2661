#!/usr/bin/env bash
# Measures wall time, processor time and peak memory of generating types from every real CRD of the corpus in one process, including
# writing, next to only parsing the same YAML (codegen/examples/parse.rs: serde-saphyr, with the same allocator and number of threads).
#
# Usage: hack/bench/corpus.sh [RUNS]     (default 5, alternating; medians are printed)
# Needs cargo and GNU time, and the archive of real CRDs next to the project or in $CORPUS; without it, the script says so and succeeds.
# KUBE_CODEGEN and PARSE name prebuilt optimized programs.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

runs=${1:-5}
target=${CARGO_TARGET_DIR:-$root/target}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$root/hack/bench/measure.sh"

unpack_corpus "$target" || { echo "corpus: no archive of real CRDs; nothing to measure"; exit 0; }
if [[ -z ${KUBE_CODEGEN:-} || -z ${PARSE:-} ]]; then
	cargo build --quiet --release -p kube-codegen --bin kube-codegen --example parse --manifest-path "$root/Cargo.toml"
fi
ours=${KUBE_CODEGEN:-$target/release/kube-codegen}
parse=${PARSE:-$target/release/examples/parse}

for ((run = 0; run < runs; run++)); do
	once parsing "$parse" "$public/corpus"
	once generating "$ours" crd "$public/corpus" --emit types --output "$work/out"
done
find "$work/out" -name '*.rs' -exec cat {} + | wc -l | sed 's/$/ lines of Rust/'
heading
report parsing
report generating
awk -v ours="$(middle generating 1)" -v parsing="$(middle parsing 1)" -v cpu="$(middle generating 3)" -v least="$(middle parsing 3)" \
	'BEGIN { printf "generating takes %.2f times as long as parsing alone (goal 1.5), and %.2f times the processor time\n", ours / parsing, cpu / least }'
