#!/usr/bin/env bash
# Runs real clients against the embedded API server, each against a new server on a free loopback port, and prints one table.
#
#   hack/clients.sh [CLIENT…]      all clients, or those named
#
#   python               Python's `kubernetes`: typed, dynamic, watches
#   kopf                 an operator of kopf
#   node                 Node's `@kubernetes/client-node`: typed, untyped, watches, an informer
#   fabric8              Java's fabric8 client with each of its HTTP clients: watches over WebSocket, informers
#   helm                 helm with a chart that has a CRD, hooks and a webhook configuration
#   controller-runtime   its own unmodified suites: controller-runtime/client, …/cache, and so on
#
# Versions are pinned in hack/clients/; everything is downloaded to target/clients/ (Go modules to Go's own cache). A client
# is skipped, with the reason, if its toolchain is missing or it cannot be downloaded. hack/clients/known-failures.tsv lists the
# checks that are known to fail, with reasons. Exit code 1: another check failed. Logs are in target/clients/logs/.
# The first run takes about ten minutes on two cores, mostly to build the Go clients; later runs take four.
# EMBEDDED_APISERVER names a prebuilt server.
set -euo pipefail

# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=hack/checks.sh
source "$(dirname "${BASH_SOURCE[0]}")/checks.sh"
sources=$root/hack/clients
work=$root/target/clients
logs=$work/logs
known=$sources/known-failures.tsv
suites=(client cache builder manager controller cluster)
clients=(python kopf node fabric8 helm "${suites[@]/#/controller-runtime/}")

say() { echo "clients: $*" >&2; }

# Each client has two functions, whose argument is the part of its name after the slash. setup_NAME downloads and builds; if
# it fails, its last line of output is the reason, and exit code 1 skips the client, any other code is a failure. run_NAME prints one
# line per check: `ok<TAB>name`, `fail<TAB>name<TAB>message` or `skip<TAB>name<TAB>reason`. KUBECONFIG names its server.

needs() {
	local tool
	for tool in "$@"; do
		if ! command -v "$tool" >/dev/null; then
			echo "no $tool"
			return 1
		fi
	done
}

# A download or a build times out after 20 minutes, a run after five.
fetch() {
	timeout --kill-after=10 "${CLIENTS_SETUP_TIMEOUT:-1200}" "$@" || {
		echo "cannot be fetched: ${1##*/} ended with exit code $?"
		return 1
	}
}
build() {
	timeout --kill-after=10 "${CLIENTS_SETUP_TIMEOUT:-1200}" "$@" || {
		echo "does not build: ${1##*/} ended with exit code $?"
		return 2
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

setup_fabric8() {
	needs java javac mvn || return 1
	local into=$work/fabric8 java
	java=$(javac -version 2>&1 | sed -E 's/^javac (1\.)?([0-9]+).*/\2/')
	if [[ $java -lt 17 ]]; then
		echo "Java $java, at least 17 is needed"
		return 1
	fi
	mkdir -p "$into"
	if ! cmp -s "$sources/fabric8/pom.xml" "$into/installed.xml"; then
		fetch mvn --quiet --batch-mode --file "$sources/fabric8/pom.xml" -Dmaven.repo.local="$work/maven" \
			dependency:build-classpath -Dmdep.outputFile="$into/classpath" || return 1
		cp "$sources/fabric8/pom.xml" "$into/installed.xml"
	fi
	build javac --release 17 -cp "$(cat "$into/classpath")" -d "$into/classes" "$sources/fabric8/Main.java"
}
run_fabric8() { bounded java -cp "$work/fabric8/classes:$(cat "$work/fabric8/classpath")" clients.Main; }

setup_helm() {
	needs go || return 1
	cd "$sources/helm"
	fetch go mod download || return 1
	build go build -buildvcs=false -p=2 -o "$work/helm/helm" helm.sh/helm/v3/cmd/helm
}
run_helm() { HELM=$work/helm/helm HELM_HOME=$work/helm bounded bash "$sources/helm/checks.sh" "$sources/helm/chart"; }

# The suites need a main module with its own go.sum, so the module is copied out of the read-only cache.
setup_controller_runtime() {
	needs go || return 1
	local module=$work/controller-runtime cached
	cd "$sources/controller-runtime"
	fetch go mod download || return 1
	cached=$(go list -m -f '{{.Dir}}' sigs.k8s.io/controller-runtime) || return 2
	if [[ $(cat "$module/copied-from" 2>/dev/null) != "$cached" ]]; then
		rm -rf "$module"
		cp -R "$cached" "$module"
		chmod -R u+w "$module"
		echo "$cached" >"$module/copied-from"
	fi
	cd "$module"
	fetch go mod download || return 1
	build go test -buildvcs=false -p=2 -vet=off -c -o "$work/suites/$1.test" "./pkg/$1"
}
run_controller_runtime() {
	local code=0 junit=$work/suites/$1.xml lines=$work/suites/$1.tsv
	rm -f "$junit"
	cd "$work/controller-runtime/pkg/$1"
	USE_EXISTING_CLUSTER=true bounded "$work/suites/$1.test" -test.timeout=5m -ginkgo.timeout=4m -ginkgo.no-color \
		-ginkgo.junit-report="$junit" >&2 || code=$?
	if [[ ! -s $junit ]]; then return "$((code ? code : 1))"; fi
	junit_lines <"$junit" >"$lines"
	cat "$lines"
	# The exit code reports a suite that fails without a failing spec.
	if grep -q '^fail' "$lines"; then return 0; fi
	return "$code"
}

find_server() {
	if [[ -n ${EMBEDDED_APISERVER:-} ]]; then return; fi
	cargo build --quiet --locked --manifest-path "$root/Cargo.toml" --bin embedded-apiserver
	EMBEDDED_APISERVER=${CARGO_TARGET_DIR:-$root/target}/debug/embedded-apiserver
}

stop_server() {
	if [[ -n ${server_pid:-} ]]; then
		kill "$server_pid" 2>/dev/null || true
		wait "$server_pid" 2>/dev/null || true
	fi
	server_pid=
}

# Starts a server and sets KUBECONFIG. The log is $1.server.log.
start_server() {
	local _ log=$1.server.log
	stop_server
	export KUBECONFIG=$work/kubeconfig
	rm -f "$KUBECONFIG"
	"$EMBEDDED_APISERVER" --listen 127.0.0.1:0 --kubeconfig "$KUBECONFIG" >"$log" 2>&1 &
	server_pid=$!
	for _ in {1..100}; do
		if grep -qs '^listening' "$log"; then return; fi
		sleep 0.1
	done
	say "the server does not start; see $log"
	exit 1
}

# Runs a client and writes its lines to $logs/NAME.tsv, with a dash for a slash in the name.
run_client() {
	local name=${1%%/*} part= file=$logs/${1//\//-} code=0
	if [[ $1 == */* ]]; then part=${1#*/}; fi
	local results=$file.tsv
	say "$1"
	("setup_${name//-/_}" "$part") >"$file.setup.log" 2>&1 || code=$?
	case $code in
	0) ;;
	1) printf 'skip\t(all)\t%s\n' "$(tail -n 1 "$file.setup.log")" >"$results" ;;
	*) printf 'fail\t(set-up)\t%s; see %s\n' "$(tail -n 1 "$file.setup.log")" "$file.setup.log" >"$results" ;;
	esac
	if [[ $code -ne 0 ]]; then return; fi
	start_server "$file"
	("run_${name//-/_}" "$part") >"$file.out" 2>"$file.log" </dev/null || code=$?
	stop_server
	grep -aE $'^(ok|fail|skip)\t' "$file.out" >"$results" || true
	# A client that exits early has skipped some of its checks.
	if [[ $code -ne 0 ]]; then
		printf 'fail\t(run)\texit code %s; see %s\n' "$code" "$file.log" >>"$results"
	elif [[ ! -s $results ]]; then
		printf 'fail\t(run)\tno check ran\n' >>"$results"
	fi
}

chosen=()
for name in "$@"; do
	if [[ $name == controller-runtime ]]; then
		chosen+=("${suites[@]/#/controller-runtime/}")
	elif [[ " ${clients[*]} " == *" $name "* ]]; then
		chosen+=("$name")
	else
		sed -n '2,/^set -/p' "${BASH_SOURCE[0]}" | sed '$d; s/^# \{0,1\}//' >&2
		exit 2
	fi
done
if [[ $# -gt 0 ]]; then clients=("${chosen[@]}"); fi

rm -rf "$logs"
mkdir -p "$logs"
find_server
trap stop_server EXIT
for name in "${clients[@]}"; do run_client "$name"; done
report "$known" "$logs" "${clients[@]}"
