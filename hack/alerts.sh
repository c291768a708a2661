#!/usr/bin/env bash
# Tests the alerts of the scaffold and of the controllers with Prometheus' own promtool: hack/alerts.sh
#
# Each alert of each file is raised by a case of hack/alerts/cases.tsv, and not before its time nor by the series beside it. promtool is
# that of $PROMTOOL, else the one in PATH, else built from hack/alerts with Go. Without it or Python, exits with code 3 (skipped).
set -euo pipefail
# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

command -v python3 >/dev/null || skip "no python3"
PROMTOOL=${PROMTOOL:-$(command -v promtool || true)}
# Without the discovery of targets in clouds, which only `check config` reads.
GOFLAGS="${GOFLAGS:+$GOFLAGS }-tags=remove_all_sd" go_tool PROMTOOL "$root/target/clients/promtool" alerts github.com/prometheus/prometheus/cmd/promtool
work=$root/target/alerts
count=0
for rules in testdata/operator/config/alerts/rules.yaml controllers/*/deploy/alerts/rules.yaml; do
  name=$(sed -n 's/^  name: "\(.*\)"$/\1/p' "$rules")
  rm -rf "$work"
  mkdir -p "$work"
  # The groups of the object are a file of rules.
  sed '1,/^spec:$/d; s/^  //' "$rules" >"$work/rules.yaml"
  "$PROMTOOL" check rules "$work/rules.yaml" >/dev/null
  python3 hack/alerts/cases.py hack/alerts/cases.tsv "$rules" "$name" >"$work/cases.yaml"
  "$PROMTOOL" test rules "$work/cases.yaml" >"$work/said" || { cat "$work/said"; exit 1; }
  count=$((count + 1))
done
echo "alerts: $(grep -cv '^#' hack/alerts/cases.tsv) cases hold for the rules of $count operators"
