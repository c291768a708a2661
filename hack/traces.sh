#!/usr/bin/env bash
# Sends spans by OpenTelemetry's crates, as docs/deploying.md shows, to a collector: hack/traces.sh
#
# A reconciliation and its request must arrive as spans, and the trace's id must be in the annotation of the event and in the log. Needs
# Python, kubectl and the Rust registry.
set -euo pipefail
# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

command -v python3 >/dev/null || skip "no python3"
find_kubectl
work=$root/target/traces
rm -rf "$work"
mkdir -p "$work"
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}
# Beside the workspace's lock file, so that all but OpenTelemetry's crates are those of the workspace.
mkdir "$work/program"
cp -rp "$root/hack/traces/src" "$work/program"
sed 's#path = "[^"]*/runtime"#path = "'"$root"'/runtime"#' "$root/hack/traces/Cargo.toml" >"$work/program/Cargo.toml"
cp "$root/Cargo.lock" "$work/program"
cargo build --quiet --manifest-path "$work/program/Cargo.toml"
: >"$work/spans"
python3 "$root/hack/traces/collect.py" "$work/spans" >"$work/port" &
collector=$! program=
trap 'kill "$collector" $program 2>/dev/null || true' EXIT
for _ in {1..100}; do [[ -s $work/port ]] && break; sleep 0.1; done
export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:$(<"$work/port") OTEL_SERVICE_NAME=traces
"$CARGO_TARGET_DIR/debug/traces" demo --listen 127.0.0.1:0 --kubeconfig "$work/kubeconfig" -v >"$work/said" 2>"$work/log" &
program=$!
# Prints the trace's id in the event.
annotated() {
  "$KUBECTL" --kubeconfig "$work/kubeconfig" get events.events.k8s.io -o 'jsonpath={.items[?(@.reason=="Traced")].metadata.annotations.kube-codegen/trace-id}' 2>/dev/null
}
for _ in {1..300}; do
  id=$(annotated || true)
  [[ -z $id ]] || break
  sleep 0.1
done
kill -TERM "$program"
wait "$program" || { tail -n 5 "$work/log" >&2; exit 1; }
program=
[[ $id =~ ^[0-9a-f]{32}$ ]] || { echo "traces: the event's annotation is \`$id\`" >&2; exit 1; }
python3 - "$work/spans" "$id" <<'PYTHON'
import sys

with open(sys.argv[1], "rb") as file:
    sent = file.read()
for part in [b"reconcile", b"request", b"default/traced", b"/api/v1/namespaces/default/configmaps/traced", bytes.fromhex(sys.argv[2])]:
    if part not in sent:
        sys.exit(f"traces: the collector did not get {part}")
PYTHON
grep -q "trace_id=$id" "$work/log" || { echo "traces: the log does not have the trace's id" >&2; exit 1; }
echo "traces: the spans of trace $id have arrived, and the event has its id"
