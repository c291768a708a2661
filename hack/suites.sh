#!/usr/bin/env bash
# Runs suites of other Go projects, unmodified, with the programs of `embedded-apiserver envtest` for etcd and kube-apiserver, and prints
# a table of checks, seconds and the peak of the servers' memory. hack/suites/suites.tsv lists them.
#
#   hack/suites.sh [--release] [NAME…]       (default: all), such as jobset/webhook, or jobset for all of a module
#   hack/suites.sh --real [NAME…]            with the real etcd and kube-apiserver, to compare
#
# Modules are pinned in hack/suites/modules.tsv, come through the Go module proxy and are copied to target/suites/, where their tests are
# built. hack/suites/known-failures.tsv lists the checks that are known to fail, with reasons. Exit code 1: another check failed. Logs are
# in target/suites/logs/. EMBEDDED_APISERVER names a prebuilt server. --real takes the programs in KUBEBUILDER_ASSETS, or builds them with
# Go (ten minutes when cold).
set -euo pipefail

# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=hack/checks.sh
source "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
sources=$root/hack/suites
work=$root/target/suites
logs=$work/logs

say() { echo "suites: $*" >&2; }

usage() {
	sed -n '2,/^set -/p' "${BASH_SOURCE[0]}" | sed '$d; s/^# \{0,1\}//' >&2
	exit 2
}

# row TABLE NAME: prints the row of a table, without its first column.
row() { awk -F '\t' -v name="$2" '$1 == name' "$sources/$1.tsv" | cut -f2-; }

# Prints the names of a module's suites, or the name of a suite.
named() { awk -F '\t' -v name="$1" '!/^#/ && ($1 == name || index($1, name "/") == 1) { print $1 }' "$sources/suites.tsv"; }

# Downloads a module and copies it out of the read-only cache: tests are only built in a main module.
fetch_module() {
	local module sum folder=$work/$1 found
	IFS=$'\t' read -r module sum < <(row modules "$1")
	if [[ $(cat "$folder/copied-from" 2>/dev/null) == "$module" ]]; then return; fi
	found=$(cd "$work" && GOFLAGS=-mod=mod go mod download -json "$module") || {
		say "cannot download $module: $found"
		return 1
	}
	if [[ $(field Sum <<<"$found") != "$sum" ]]; then
		say "$module has the sum $(field Sum <<<"$found"), not $sum"
		return 2
	fi
	rm -rf "$folder"
	mkdir -p "$folder"
	cp -R "$(field Dir <<<"$found")" "$folder/module"
	chmod -R u+w "$folder/module"
	(cd "$folder/module" && go mod download)
	echo "$module" >"$folder/copied-from"
}

field() { sed -nE "s/^\s*\"$1\": \"(.*)\",?$/\1/p"; }

# Builds the tests of a suite, unless they are built.
build_suite() {
	local module=${1%%/*} program=$work/$1.test package=$2
	fetch_module "$module" || return
	if [[ -x $program ]]; then return; fi
	(cd "$work/$module/module" && nice go test -p=2 -vet=off -buildvcs=false -c -o "$program" "$package")
}

# Prints the greatest resident memory, in MB, of all programs in KUBEBUILDER_ASSETS together, until it is ended.
watch_memory() {
	local most=0 now pid own
	trap 'echo $((most / 1024)); exit 0' TERM
	while true; do
		now=0
		for pid in $(pgrep -f "^$KUBEBUILDER_ASSETS/(etcd|kube-apiserver) " || true); do
			# A program that is ending has no memory.
			own=$(awk '/^VmRSS:/ { print $2 }' "/proc/$pid/status" 2>/dev/null || true)
			now=$((now + ${own:-0}))
		done
		if ((now > most)); then most=$now; fi
		sleep 0.1
	done
}

# Runs a suite, and writes its lines to $logs/NAME.tsv and its figures beside them.
run_suite() {
	local name=$1 package runner code=0 file=$logs/${1//\//-} watcher
	local module=${1%%/*} program=$work/$1.test
	IFS=$'\t' read -r package runner < <(row suites "$name")
	say "$name"
	build_suite "$name" "$package" >"$file.setup.log" 2>&1 || code=$?
	if [[ $code -eq 1 ]]; then
		printf 'skip\t(all)\t%s\n' "$(tail -n 1 "$file.setup.log")" >"$file.tsv"
		return
	elif [[ $code -ne 0 ]]; then
		printf 'fail\t(set-up)\t%s\n' "$(tail -n 1 "$file.setup.log")" >"$file.tsv"
		return
	fi
	watch_memory >"$file.memory" &
	watcher=$!
	local started=$EPOCHREALTIME
	(
		cd "$work/$module/module/$package"
		case $runner in
		ginkgo) exec timeout --kill-after=10 1200 "$program" -test.timeout=19m -ginkgo.timeout=18m -ginkgo.no-color -ginkgo.junit-report="$file.xml" ;;
		go) exec timeout --kill-after=10 1200 "$program" -test.timeout=19m -test.v ;;
		esac
	) >"$file.log" 2>&1 </dev/null || code=$?
	local seconds
	seconds=$(awk -v from="$started" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.1f", to - from }')
	kill -TERM "$watcher"
	wait "$watcher" || true
	echo "$seconds s, $(cat "$file.memory") MB" >"$file.figures"
	case $runner in
	ginkgo) if [[ -s $file.xml ]]; then junit_lines <"$file.xml"; fi ;;
	go) go_test_lines <"$file.log" ;;
	esac >"$file.tsv"
	if [[ $code -ne 0 ]] && ! grep -q '^fail' "$file.tsv"; then
		printf 'fail\t(run)\texit code %s; see %s\n' "$code" "$file.log" >>"$file.tsv"
	elif [[ ! -s $file.tsv ]]; then
		printf 'fail\t(run)\tno check ran; see %s\n' "$file.log" >>"$file.tsv"
	fi
}

# Sets KUBEBUILDER_ASSETS to a folder with the programs.
find_assets() {
	if [[ $real == 1 ]]; then
		if [[ -n ${KUBEBUILDER_ASSETS:-} ]]; then return; fi
		KUBEBUILDER_ASSETS=$("$root/hack/envtest.sh" assets)
	else
		if [[ -z ${EMBEDDED_APISERVER:-} ]]; then
			cargo build --quiet --locked ${profile:+"$profile"} --manifest-path "$root/Cargo.toml" --bin embedded-apiserver
			local kind=${profile#--}
			EMBEDDED_APISERVER=${CARGO_TARGET_DIR:-$root/target}/${kind:-debug}/embedded-apiserver
		fi
		KUBEBUILDER_ASSETS=$work/assets
		"$EMBEDDED_APISERVER" envtest --install "$KUBEBUILDER_ASSETS" >/dev/null
	fi
	export KUBEBUILDER_ASSETS
}

real=0
profile=
chosen=()
while [[ $# -gt 0 ]]; do
	case $1 in
	--real) real=1 ;;
	--release) profile=--release ;;
	-*) usage ;;
	*)
		mapfile -t found < <(named "$1")
		if [[ ${#found[@]} -eq 0 ]]; then usage; fi
		chosen+=("${found[@]}")
		;;
	esac
	shift
done
if [[ ${#chosen[@]} -eq 0 ]]; then mapfile -t chosen < <(grep -v '^#' "$sources/suites.tsv" | cut -f1); fi

if ! command -v go >/dev/null; then skip "no Go toolchain to build suites with"; fi
rm -rf "$logs"
mkdir -p "$logs"
unset USE_EXISTING_CLUSTER
find_assets
for name in "${chosen[@]}"; do run_suite "$name"; done
report "$sources/known-failures.tsv" "$logs" "${chosen[@]}"
