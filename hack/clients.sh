#!/usr/bin/env bash
# Real clients against the embedded API server, each against a fresh one on a free port of loopback; prints one table.
#
#   hack/clients.sh [CLIENT…]      all clients, or those named
#
#   python               Python's `kubernetes`: typed, dynamic, watches
#   kopf                 an operator of kopf
#   node                 Node's `@kubernetes/client-node`: typed, untyped, watches, an informer
#
# Versions are pinned in hack/clients/; everything is fetched into target/clients/. A client whose toolchain is missing or
# which cannot be fetched is skipped, with the reason. The checks that are known to fail stand with their reasons in
# hack/clients/known-failures.tsv. Exit code 1: another check failed. Logs are in target/clients/logs/.
# EMBEDDED_APISERVER names a built server to use instead of building it here.
set -euo pipefail

# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
sources=$root/hack/clients
work=$root/target/clients
logs=$work/logs
known=$sources/known-failures.tsv
clients=(python kopf node)

say() { echo "clients: $*" >&2; }

# Each client has two functions. setup_NAME fetches and builds; its last line of output is the reason where it fails.
# run_NAME prints a line a check: `ok<TAB>name`, `fail<TAB>name<TAB>message` or `skip<TAB>name<TAB>reason`. KUBECONFIG names its server.

needs() {
	local tool
	for tool in "$@"; do
		if ! command -v "$tool" >/dev/null; then
			echo "no $tool"
			return 1
		fi
	done
}

# Fetching or building is cut after ten minutes, a run after five.
fetch() {
	timeout --kill-after=10 "${CLIENTS_SETUP_TIMEOUT:-600}" "$@" || {
		echo "cannot be fetched or built: $1 ended with exit code $?"
		return 1
	}
}
bounded() { timeout --kill-after=10 "${CLIENTS_RUN_TIMEOUT:-300}" "$@"; }

setup_python() {
	needs python3 || return 1
	local venv=$work/python
	if cmp -s "$sources/python/requirements.txt" "$venv/installed.txt"; then return; fi
	rm -rf "$venv"
	python3 -m venv "$venv" || {
		echo "python3 has no venv"
		return 1
	}
	fetch "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$sources/python/requirements.txt" || return 1
	cp "$sources/python/requirements.txt" "$venv/installed.txt"
}
run_python() { PYTHONDONTWRITEBYTECODE=1 bounded "$work/python/bin/python" "$sources/python/client.py"; }

setup_kopf() { setup_python; }
run_kopf() { PYTHONDONTWRITEBYTECODE=1 bounded "$work/python/bin/python" "$sources/python/kopf_operator.py"; }

setup_node() {
	needs node npm || return 1
	local prefix=$work/node
	mkdir -p "$prefix"
	cp "$sources/node/client.mjs" "$prefix/"
	if cmp -s "$sources/node/package-lock.json" "$prefix/installed.json"; then return; fi
	cp "$sources/node/package.json" "$sources/node/package-lock.json" "$prefix/"
	fetch npm ci --prefix "$prefix" --ignore-scripts --no-audit --no-fund || return 1
	cp "$sources/node/package-lock.json" "$prefix/installed.json"
}
run_node() { bounded node "$work/node/client.mjs"; }

find_server() {
	if [[ -n ${EMBEDDED_APISERVER:-} ]]; then return; fi
	cargo build --quiet --locked --manifest-path "$root/Cargo.toml" -p embedded-apiserver
	EMBEDDED_APISERVER=${CARGO_TARGET_DIR:-$root/target}/debug/embedded-apiserver
}

stop_server() {
	if [[ -n ${server_pid:-} ]]; then
		kill "$server_pid" 2>/dev/null || true
		wait "$server_pid" 2>/dev/null || true
	fi
	server_pid=
}

# Starts a server and sets KUBECONFIG; $1 names its log.
start_server() {
	local _
	stop_server
	export KUBECONFIG=$work/kubeconfig
	rm -f "$KUBECONFIG"
	"$EMBEDDED_APISERVER" --listen 127.0.0.1:0 --kubeconfig "$KUBECONFIG" >"$logs/$1.server.log" 2>&1 &
	server_pid=$!
	for _ in {1..100}; do
		if grep -q '^listening' "$logs/$1.server.log"; then return; fi
		sleep 0.1
	done
	say "the server does not start; see $logs/$1.server.log"
	exit 1
}

# Runs a client and leaves its lines in $logs/NAME.tsv.
run_client() {
	local name=$1 code=0 results=$logs/$1.tsv
	say "$name"
	if ! "setup_$name" >"$logs/$name.setup.log" 2>&1; then
		printf 'skip\t(all)\t%s\n' "$(tail -n 1 "$logs/$name.setup.log")" >"$results"
		return
	fi
	start_server "$name"
	"run_$name" >"$logs/$name.out" 2>"$logs/$name.log" </dev/null || code=$?
	stop_server
	grep -aP '^(ok|fail|skip)\t' "$logs/$name.out" >"$results" || true
	# A client that ends early has not made all of its checks.
	if [[ $code -ne 0 ]]; then
		printf 'fail\t(run)\texit code %s; see %s\n' "$code" "$logs/$name.log" >>"$results"
	elif [[ ! -s $results ]]; then
		printf 'fail\t(run)\tno check ran\n' >>"$results"
	fi
}

# The table, then what failed and what is known; exit code 1 if a failure is unknown.
report() {
	awk -F '\t' -v known_file="$known" -v names="$*" -v logs="$logs" '
		function row(name, a, b, c, d) { printf "%-20s %7s %7s %7s %8s\n", name, a, b, c, d }
		BEGIN {
			while ((getline line < known_file) > 0) {
				if (line ~ /^#/ || split(line, field, "\t") != 3) continue
				reason[field[1], field[2]] = field[3]
			}
			row("client", "passed", "failed", "known", "skipped")
			count = split(names, clients, " ")
			for (i = 1; i <= count; i++) {
				name = clients[i]; ok = bad = expected = skipped = 0; why = ""
				file = logs "/" name ".tsv"
				while ((getline < file) > 0) {
					key = name SUBSEP $2
					seen[key] = $1
					if ($1 == "ok") { ok++; if (key in reason) stale = stale "\n  " name ": " $2 }
					else if ($1 == "skip") { if ($2 == "(all)") { why = $3 } else { skipped++; skips = skips "\n  " name ": " $2 ": " $3 } }
					else if (key in reason) { expected++; exceptions = exceptions "\n  " name ": " $2 ": " reason[key] }
					else { bad++; failures = failures "\n  " name ": " $2 ": " $3 }
				}
				close(file)
				if (why != "") { printf "%-20s skipped: %s\n", name, why } else { row(name, ok, bad, expected, skipped) }
				failed += bad
			}
			if (exceptions != "") print "\nknown failures:" exceptions
			if (skips != "") print "\nskipped:" skips
			if (stale != "") print "\nno longer fail; remove them from hack/clients/known-failures.tsv:" stale
			if (failures != "") print "\nfailed:" failures
			exit failed > 0
		}'
}

for name in "$@"; do
	if [[ " ${clients[*]} " != *" $name "* ]]; then
		sed -n '2,/^set -/p' "${BASH_SOURCE[0]}" | sed '$d; s/^# \{0,1\}//' >&2
		exit 2
	fi
done
if [[ $# -gt 0 ]]; then clients=("$@"); fi

rm -rf "$logs"
mkdir -p "$logs"
find_server
trap stop_server EXIT
for name in "${clients[@]}"; do run_client "$name"; done
report "${clients[@]}"
