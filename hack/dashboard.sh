#!/usr/bin/env bash
# Draws the dashboard of the book: hack/dashboard.sh
#
# Prometheus (that of $PROMETHEUS, else the one in PATH, else built from hack/alerts) reads the metrics of the scaffolded operator's demo (testdata/operator) for four minutes, in which its
# objects change. Then hack/dashboard/draw.py asks it for what the dashboard's panels ask, and writes docs/pictures/dashboard.svg. Needs
# Python, kubectl, and Go unless Prometheus is there.
set -euo pipefail
# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

command -v python3 >/dev/null || skip "no python3"
find_kubectl
PROMETHEUS=${PROMETHEUS:-$(command -v prometheus || true)}
GOFLAGS="${GOFLAGS:+$GOFLAGS }-tags=remove_all_sd" go_tool PROMETHEUS "$root/target/clients/prometheus" alerts github.com/prometheus/prometheus/cmd/prometheus
cargo build --quiet --locked --bin sample-operator
work=$root/target/dashboard
rm -rf "$work"
mkdir -p "$work"
metrics=$(free_port) port=$(free_port)
"${CARGO_TARGET_DIR:-$root/target}/debug/sample-operator" demo --listen 127.0.0.1:0 --kubeconfig "$work/kubeconfig" -- \
  --metrics-bind-address="127.0.0.1:$metrics" >"$work/said" 2>"$work/log" &
operator=$! prometheus=
trap 'kill $operator $prometheus 2>/dev/null || true' EXIT
cat >"$work/prometheus.yml" <<YAML
global: {scrape_interval: 5s, scrape_timeout: 4s}
scrape_configs:
- job_name: sample-operator
  static_configs:
  - targets: ["127.0.0.1:$metrics"]
    labels: {namespace: sample-operator-system, pod: sample-operator-0}
YAML
"$PROMETHEUS" --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/series" --web.listen-address="127.0.0.1:$port" >"$work/prometheus.log" 2>&1 &
prometheus=$!
for _ in {1..300}; do [[ -s $work/kubeconfig ]] && break; sleep 0.1; done

# Changes objects in waves, now and then with one that is refused.
end=$((SECONDS + 245)) round=0
while ((SECONDS < end)); do
  round=$((round + 1))
  for ((index = 0; index < round * 7 % 40 + 5; index++)); do
    printf -- '---\n{apiVersion: batch.example.com/v1alpha1, kind: Widget, metadata: {name: w%s, namespace: default}, spec: {size: %s}}\n' "$index" "$round"
  done | "$KUBECTL" --kubeconfig "$work/kubeconfig" apply --server-side --force-conflicts -f - >/dev/null 2>&1 || true
  sleep $((round * 3 % 7 + 2))
done
python3 hack/dashboard/draw.py testdata/operator/config/dashboard/dashboard.yaml "http://127.0.0.1:$port" docs/pictures/dashboard.svg \
  Controllers "Work queues"
