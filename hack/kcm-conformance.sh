#!/usr/bin/env bash
# Compares controllers/controller-manager with kube-controller-manager: runs a suite of scenarios on the real kube-apiserver, once with the
# real kube-controller-manager and once with ours, both with our simulated kubelet. Prints one table.
#
#   hack/kcm-conformance.sh [--only real|ours] [SCENARIO]     all scenarios, or those whose names contain SCENARIO
#
# A scenario that fails only with ours shows a bug of ours. One that fails with the real one is a wrong scenario, unless
# hack/kcm-conformance/known.tsv gives a reason. The final states are compared too: sizes, revisions, conditions, counts.
# Exit code 3: the real server cannot be run here (no Go toolchain).
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
work=${KCM_DIR:-$root/target/kcm}
real=$root/target/envtest/kube-controller-manager
known=$root/hack/kcm-conformance/known.tsv

# Starts or restarts $work/loops.sh in the background.
restart() {
	if [[ -f $work/loops.pid ]]; then
		kill -9 "$(cat "$work/loops.pid")" 2>/dev/null || true
	fi
	# Not a child process, since the scenarios restart it too.
	setsid bash "$work/loops.sh" </dev/null >>"$work/loops.log" 2>&1 &
	echo $! >"$work/loops.pid"
}

if [[ ${1:-} == restart ]]; then
	restart
	exit
fi

build() {
	"$root/hack/envtest.sh" build >/dev/null
	if [[ ! -x $real ]]; then
		local version
		version=$(awk '$1 == "k8s.io/kubernetes" { print $2; exit }' "$root/hack/envtest/go.mod")
		(cd "$root/hack/envtest" && GOFLAGS="-p=2 -buildvcs=false" nice go build \
			-ldflags "-X k8s.io/component-base/version.gitVersion=$version" -o "$real" k8s.io/kubernetes/cmd/kube-controller-manager)
	fi
	(cd "$root" && cargo build -q --bin controller-manager && cargo test -q --workspace --test controller-manager --no-run)
}

# $1: real or ours. Writes $work/$1.tsv.
run() {
	local kubeconfig which=$1
	export ENVTEST_DIR=$work/$which-envtest
	kubeconfig=$("$root/hack/envtest.sh" start --controller-manager)
	case $which in
	real)
		echo "exec '$real' --kubeconfig '$kubeconfig' --controllers=deployment-controller,replicaset-controller --leader-elect=false" \
			"--secure-port=0 --kube-api-qps=1000 --kube-api-burst=1000"
		;;
	ours)
		echo "exec '$target/debug/controller-manager' --kubeconfig '$kubeconfig' --controllers=deployment,replicaset --leader-elect=false"
		;;
	esac >"$work/loops.sh"
	restart
	"$target/debug/controller-manager" --kubeconfig "$kubeconfig" --controllers=pod-simulator --leader-elect=false \
		>"$work/$which-kubelet.log" 2>&1 &
	local kubelet=$!
	(cd "$root" && KCM_KUBECONFIG=$kubeconfig KCM_RESTART="$root/hack/kcm-conformance.sh restart" KCM_DIR=$work KCM_REPORT=$work/$which.tsv \
		KCM_SCENARIO=$filter cargo test -q --workspace --test controller-manager scenario::scenarios) >"$work/$which.log" 2>&1 || true
	kill "$kubelet" "$(cat "$work/loops.pid")" 2>/dev/null || true
	rm -f "$work/loops.pid"
	"$root/hack/envtest.sh" stop
	if [[ ! -s $work/$which.tsv ]]; then
		tail -n 20 "$work/$which.log" >&2
		exit 1
	fi
}

table() {
	python3 - "$work/real.tsv" "$work/ours.tsv" "$known" <<-'PYTHON'
		import os, sys
		def read(path):
		    lines = open(path).read().splitlines() if os.path.exists(path) else []
		    return {line.split("\t")[0]: line.split("\t")[1:] for line in lines if line and not line.startswith("#")}
		real, ours, known = (read(path) for path in sys.argv[1:4])
		width, bad = max(map(len, ours or real or {"": 0})), 0
		print(f"{'scenario':{width}}  real    ours    end state")
		for name in sorted(set(real) | set(ours)):
		    results = [side[name][0][:6] if name in side else "-" for side in (real, ours)]
		    both = name in real and name in ours and results == ["ok", "ok"]
		    same = "" if not both else "same" if real[name][1] == ours[name][1] else "differs"
		    fine = name in known or results[1] != "FAILED" and same in ("same", "") and results[0] != "FAILED"
		    bad += not fine
		    print(f"{name:{width}}  {results[0]:6}  {results[1]:6}  {same}{'  (known)' if name in known else ''}")
		    if not fine:
		        for label, side in (("real", real), ("ours", ours)):
		            print(f"    {label}: " + " | ".join(side.get(name, ["-"])))
		passed = [sum(row[0] == "ok" for row in side.values()) for side in (real, ours)]
		print(f"{passed[0]} of {len(real)} pass with kube-controller-manager, {passed[1]} of {len(ours)} with ours; {bad} to explain")
		sys.exit(1 if bad else 0)
	PYTHON
}

sides=(real ours)
if [[ ${1:-} == --only ]]; then
	sides=("$2")
	shift 2
fi
filter=${1:-}
mkdir -p "$work"
build
for side in "${sides[@]}"; do run "$side"; done
table
