#!/usr/bin/env bash
# Runs the real kube-apiserver, for tests that compare with it.
#
#   hack/envtest.sh build                    build the binary into target/envtest/ unless it is there; print its path
#   hack/envtest.sh assets                   build etcd and kube-apiserver into target/envtest/assets/; print the folder, for KUBEBUILDER_ASSETS
#   hack/envtest.sh start [flags…]           start a server in the background; print the kubeconfig's path
#   hack/envtest.sh stop                     stop it
#   hack/envtest.sh run [flags…] -- cmd…     run cmd with KUBECONFIG set, and a server that ends with it
#
# Flags are passed to the server; the useful one is --controller-manager. In order of preference, the server is
#   1. the cluster of ENVTEST_KUBECONFIG, if set (start and run use it unchanged, stop leaves it running);
#   2. the etcd and kube-apiserver binaries in KUBEBUILDER_ASSETS, if set;
#   3. the binary built from hack/envtest, which needs Go (a cold build takes ten minutes and 3 GB on two cores).
# Exit code 3: none of the three is available.
set -euo pipefail

# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
target=$root/target/envtest
run_dir=${ENVTEST_DIR:-$target/run}
binary=$target/envtest

say() { echo "envtest: $*" >&2; }

has_assets() { [[ -n ${KUBEBUILDER_ASSETS:-} && -x $KUBEBUILDER_ASSETS/kube-apiserver && -x $KUBEBUILDER_ASSETS/etcd ]]; }

# Builds if the sources are newer than the binary; `go build` caches the rest.
build() {
	if ! command -v go >/dev/null; then
		if [[ -x $binary ]]; then return; fi
		say "no Go toolchain, no KUBEBUILDER_ASSETS and no ENVTEST_KUBECONFIG: the real server cannot be run here"
		exit 3
	fi
	if [[ -x $binary && -z $(find "$root/hack/envtest" -newer "$binary" \( -name '*.go' -o -name 'go.*' \) -not -path '*/cmd/*' -print -quit) ]]; then return; fi
	say "building hack/envtest (ten minutes when cold)"
	mkdir -p "$target"
	compile "$binary" .
	touch "$binary"
}

# compile OUTPUT PACKAGE: builds a program of hack/envtest, with the version that a release build of Kubernetes embeds.
compile() {
	local version package stamps=""
	version=$(awk '$1 == "k8s.io/kubernetes" { print $2; exit }' "$root/hack/envtest/go.mod")
	for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
		stamps+=" -X $package.gitVersion=$version -X $package.gitMajor=1 -X $package.gitMinor=$(cut -d. -f2 <<<"$version")"
	done
	(cd "$root/hack/envtest" && GOFLAGS="${GOFLAGS:+$GOFLAGS }-p=2 -buildvcs=false" nice go build -ldflags "$stamps" -o "$1" "$2") >&2
}

# Builds the two programs that envtest starts, unless they are there.
assets() {
	local name
	if ! command -v go >/dev/null; then
		say "no Go toolchain: the real server cannot be built here"
		exit 3
	fi
	for name in etcd kube-apiserver; do
		[[ -x $target/assets/$name ]] || compile "$target/assets/$name" "./cmd/$name" || exit
	done
}

# Retries a command until it succeeds: at most $1 times, 0.1 s apart.
wait_for() {
	local tries=$1 i
	shift
	for ((i = 0; i < tries; i++)); do
		if "$@" >/dev/null 2>&1; then return 0; fi
		sleep 0.1
	done
	return 1
}

# Starts etcd and kube-apiserver from KUBEBUILDER_ASSETS as two processes, and writes $run_dir/kubeconfig.
start_assets() {
	local etcd_port peer_port port token
	etcd_port=$(free_port) peer_port=$(free_port) port=$(free_port)
	token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
	openssl genrsa -out "$run_dir/service-account.key" 2048 2>/dev/null
	printf '%s,admin,admin,"system:masters"\n' "$token" >"$run_dir/tokens.csv"
	"$KUBEBUILDER_ASSETS/etcd" --data-dir "$run_dir/etcd" --unsafe-no-fsync \
		--listen-client-urls "http://127.0.0.1:$etcd_port" --advertise-client-urls "http://127.0.0.1:$etcd_port" \
		--listen-peer-urls "http://127.0.0.1:$peer_port" --initial-advertise-peer-urls "http://127.0.0.1:$peer_port" \
		--initial-cluster "default=http://127.0.0.1:$peer_port" </dev/null >"$run_dir/etcd.log" 2>&1 &
	echo $! >"$run_dir/pids"
	"$KUBEBUILDER_ASSETS/kube-apiserver" --etcd-servers "http://127.0.0.1:$etcd_port" --bind-address 127.0.0.1 \
		--secure-port "$port" --cert-dir "$run_dir" --token-auth-file "$run_dir/tokens.csv" --authorization-mode RBAC \
		--service-account-issuer https://envtest.invalid --service-account-key-file "$run_dir/service-account.key" \
		--service-account-signing-key-file "$run_dir/service-account.key" --service-cluster-ip-range 10.0.0.0/16 \
		--endpoint-reconciler-type none --allow-privileged --disable-admission-plugins ServiceAccount \
		</dev/null >"$run_dir/server.log" 2>&1 &
	echo $! >>"$run_dir/pids"
	wait_for 600 curl -fsk -H "Authorization: Bearer $token" "https://127.0.0.1:$port/readyz" || return 1
	cat >"$run_dir/kubeconfig" <<-YAML
		apiVersion: v1
		kind: Config
		current-context: envtest
		clusters: [{name: envtest, cluster: {server: "https://127.0.0.1:$port", insecure-skip-tls-verify: true}}]
		users: [{name: admin, user: {token: $token}}]
		contexts: [{name: envtest, context: {cluster: envtest, user: admin}}]
	YAML
}

start_built() {
	build
	"$binary" --dir "$run_dir" "$@" </dev/null >"$run_dir/ready" 2>"$run_dir/server.log" &
	echo $! >"$run_dir/pids"
	wait_for 700 grep -q ^ready "$run_dir/ready"
}

start() {
	if [[ -n ${ENVTEST_KUBECONFIG:-} ]]; then
		echo "$ENVTEST_KUBECONFIG"
		return
	fi
	stop
	mkdir -p "$run_dir"
	if has_assets; then
		if [[ $# -gt 0 ]]; then say "KUBEBUILDER_ASSETS has no controller manager; ignored: $*"; fi
		start_assets || { tail -n 5 "$run_dir/server.log" >&2; stop; exit 1; }
	else
		start_built "$@" || { tail -n 5 "$run_dir/server.log" >&2; stop; exit 1; }
	fi
	echo "$run_dir/kubeconfig"
}

stop() {
	[[ -f $run_dir/pids ]] || return 0
	local pid
	# Stop kube-apiserver before etcd.
	for pid in $(tac "$run_dir/pids"); do
		kill "$pid" 2>/dev/null || true
		wait_for 120 eval "! kill -0 $pid" || kill -9 "$pid" 2>/dev/null || true
	done
	rm -rf "$run_dir"
}

run() {
	local flags=()
	while [[ $# -gt 0 && $1 != -- ]]; do
		flags+=("$1")
		shift
	done
	shift || true
	if [[ -z ${ENVTEST_KUBECONFIG:-} ]]; then
		run_dir=$(mktemp -d)/run
		trap 'stop; rmdir "$(dirname "$run_dir")"' EXIT
	fi
	KUBECONFIG=$(start "${flags[@]}")
	export KUBECONFIG
	"$@"
}

command=${1:-}
shift || true
case $command in
build) build && echo "$binary" ;;
assets) assets && echo "$target/assets" ;;
start) start "$@" ;;
stop) stop ;;
run) run "$@" ;;
*)
	sed -n '2,/^set -/p' "${BASH_SOURCE[0]}" | sed '$d; s/^# \{0,1\}//'
	exit 2
	;;
esac
