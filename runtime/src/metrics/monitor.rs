//! What shows and watches the metrics of [`GROUPS`]: a dashboard for Grafana, and rules that raise
//! alerts in Prometheus.
//!
//! An operator keeps both as files beside its other manifests; a test of its own holds them to
//! these functions, with the metrics that it adds.

use serde_json::{Value, json};

use super::table::{self, GROUPS, MetricGroup, MetricInfo, MetricKind};

/// Where the descriptions of the alerts are, by the name of the alert.
const RUNBOOKS: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/runbooks.md#");

/// Panels in a row, and the width and height of each, in units of Grafana's grid.
const COLUMNS: usize = 3;
const WIDTH: usize = 8;
const HEIGHT: usize = 7;

/// The dashboard in Grafana's JSON, a panel a line, for the programs that Prometheus knows as
/// `job`: a row for each group of the runtime's metrics and of `own` ones, a panel for each metric.
///
/// Counters are shown as rates, histograms by their median and 99th percentile. Variables select
/// the data source, the namespace and the controller.
pub fn dashboard(job: &str, own: &[MetricGroup]) -> String {
    let mut panels = Vec::new();
    let mut y = 0;
    for group in GROUPS.iter().chain(own) {
        panels.push(json!({
            "id": panels.len() + 1,
            "type": "row",
            "title": group.title,
            "collapsed": false,
            "gridPos": {"x": 0, "y": y, "w": COLUMNS * WIDTH, "h": 1},
            "panels": [],
        }));
        y += 1;
        for (at, metric) in group.metrics.iter().enumerate() {
            let (row, column) = (at / COLUMNS, at % COLUMNS);
            let place =
                json!({"x": column * WIDTH, "y": y + row * HEIGHT, "w": WIDTH, "h": HEIGHT});
            panels.push(panel(panels.len() + 1, job, metric, &place));
        }
        y += group.metrics.len().div_ceil(COLUMNS) * HEIGHT;
    }
    let head = json!({
        "title": job,
        "uid": uid(job),
        "tags": ["kubernetes", "operator"],
        "schemaVersion": 41,
        "editable": true,
        "graphTooltip": 1,
        "refresh": "30s",
        "time": {"from": "now-1h", "to": "now"},
        "templating": {"list": [
            {"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus"},
            variable("namespace", "Namespace", &format!("label_values(up{{job=\"{job}\"}}, namespace)")),
            variable("controller", "Controller", &format!(
                "label_values({}{{job=\"{job}\", namespace=~\"$namespace\"}}, controller)",
                table::MAX_CONCURRENT_RECONCILES.name,
            )),
        ]},
    });
    let panels: Vec<String> = panels.iter().map(Value::to_string).collect();
    let members = head.as_object().into_iter().flatten();
    let mut lines: Vec<String> = members
        .map(|(name, value)| format!("  \"{name}\": {value}"))
        .collect();
    lines.push(format!(
        "  \"panels\": [\n    {}\n  ]",
        panels.join(",\n    ")
    ));
    format!("{{\n{}\n}}\n", lines.join(",\n"))
}

/// The identifier of a dashboard, of which Grafana takes 40 characters.
fn uid(job: &str) -> String {
    job.chars().take(40).collect()
}

/// A variable with the values that a query gives.
fn variable(name: &str, label: &str, query: &str) -> Value {
    json!({
        "name": name,
        "label": label,
        "type": "query",
        "datasource": source(),
        "query": {"query": query, "refId": name},
        "refresh": 2,
        "multi": true,
        "includeAll": true,
        "allValue": ".*",
        "current": {"text": ["All"], "value": ["$__all"]},
    })
}

fn source() -> Value {
    json!({"type": "prometheus", "uid": "${datasource}"})
}

fn panel(id: usize, job: &str, metric: &MetricInfo, place: &Value) -> Value {
    let targets: Vec<Value> = queries(job, metric)
        .into_iter()
        .zip(["A", "B"])
        .map(|((query, legend), id)| json!({"refId": id, "expr": query, "legendFormat": legend}))
        .collect();
    json!({
        "id": id,
        "type": "timeseries",
        "title": metric.name,
        "description": metric.help,
        "datasource": source(),
        "gridPos": place,
        "fieldConfig": {"defaults": {"unit": unit(metric), "min": 0}, "overrides": []},
        "options": {"tooltip": {"mode": "multi", "sort": "desc"}},
        "targets": targets,
    })
}

/// The queries that show a metric, each with its legend: that of Grafana, which names the labels,
/// unless two queries have the same ones.
fn queries(job: &str, metric: &MetricInfo) -> Vec<(String, &'static str)> {
    let name = metric.name;
    let mut selector = format!("job=\"{job}\", namespace=~\"$namespace\"");
    if metric.labels.contains(&"controller") {
        selector.push_str(", controller=~\"$controller\"");
    }
    let by = match metric.labels {
        [] => "pod".to_owned(),
        labels => labels.join(", "),
    };
    let quantile = |q: &str| {
        format!(
            "histogram_quantile({q}, sum by (le, {by}) (rate({name}_bucket{{{selector}}}[$__rate_interval])))"
        )
    };
    match metric.kind {
        MetricKind::Counter => {
            let rate = format!("sum by ({by}) (rate({name}{{{selector}}}[$__rate_interval]))");
            vec![(rate, "__auto")]
        }
        // Of several, the first counts. Grafana's dates are in milliseconds.
        MetricKind::Gauge if is_date(metric) => {
            let earliest = format!("1000 * min by ({by}) ({name}{{{selector}}})");
            vec![(earliest, "__auto")]
        }
        MetricKind::Gauge => vec![(format!("sum by ({by}) ({name}{{{selector}}})"), "__auto")],
        MetricKind::Histogram => vec![
            (quantile("0.5"), "median"),
            (quantile("0.99"), "99th percentile"),
        ],
    }
}

/// Whether a metric is a point in time, in seconds since 1970.
fn is_date(metric: &MetricInfo) -> bool {
    let ends = ["_timestamp_seconds", "_start_time_seconds"];
    ends.iter().any(|end| metric.name.ends_with(end))
}

/// Grafana's name of the unit that a panel shows, by the metric's name.
fn unit(metric: &MetricInfo) -> &'static str {
    let name = metric.name.trim_end_matches("_total");
    let is_rate = metric.kind == MetricKind::Counter;
    match name.rsplit('_').next() {
        // Of what is counted in seconds, a rate has no unit: a share of the time.
        Some("seconds") if is_rate => "percentunit",
        Some("seconds") if is_date(metric) => "dateTimeAsIso",
        Some("seconds") => "s",
        Some("bytes") if is_rate => "Bps",
        Some("bytes") => "bytes",
        _ if is_rate => "cps",
        _ => "short",
    }
}

/// The metrics as tables in Markdown, each under its group's title.
pub fn page(groups: &[MetricGroup]) -> String {
    let section = |group: &MetricGroup| format!("\n## {}\n\n{}", group.title, rows(group));
    groups.iter().map(section).collect()
}

/// The metrics of a group as a table in Markdown.
pub fn rows(group: &MetricGroup) -> String {
    let mut text = "| Metric | Labels | Meaning |\n|---|---|---|\n".to_owned();
    for metric in group.metrics {
        let labels: Vec<_> = metric.labels.iter().map(|it| format!("`{it}`")).collect();
        let kind = match metric.kind {
            MetricKind::Histogram => "histogram: ",
            MetricKind::Counter | MetricKind::Gauge => "",
        };
        let (name, labels, help) = (metric.name, labels.join(", "), metric.help);
        text.push_str(&format!("| `{name}` | {labels} | {kind}{help} |\n"));
    }
    text
}

/// The dashboard as the ConfigMap from which Grafana's sidecar reads it, in YAML.
pub fn dashboard_manifest(job: &str, namespace: &str, own: &[MetricGroup]) -> String {
    let dashboard = dashboard(job, own);
    let lines: String = dashboard.lines().map(|it| format!("    {it}\n")).collect();
    format!(
        "# Made of the runtime's table of metrics, as `metrics::monitor::dashboard` gives it.\n\
         apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {job}-dashboard\n  namespace: {namespace}\n  \
         labels:\n    app.kubernetes.io/name: {job}\n    grafana_dashboard: \"1\"\n\
         data:\n  {job}.json: |\n{lines}"
    )
}

/// A rule that raises an alert.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Alert {
    /// Its name, which is also that of its section among the run-books.
    pub name: &'static str,
    /// The query whose every result is an alert.
    pub expr: String,
    /// How long the query must have had the result, as Prometheus writes durations.
    pub after: &'static str,
    /// `critical` if work stands still, else `warning`.
    pub severity: &'static str,
    /// What is the matter, in a sentence with `$labels`.
    pub summary: &'static str,
}

/// The alerts for the programs that Prometheus knows as `job`.
pub fn alerts(job: &str) -> Vec<Alert> {
    let of = |metric: MetricInfo| format!("{}{{job=\"{job}\"}}", metric.name);
    let with =
        |metric: MetricInfo, label: &str| format!("{}{{job=\"{job}\", {label}}}", metric.name);
    let rows = [
        (
            "QueueGrows",
            format!(
                "min_over_time({depth}[15m]) > 10 and deriv({depth}[15m]) > 0",
                depth = of(table::QUEUE_DEPTH)
            ),
            ("15m", "warning"),
            "The queue {{ $labels.name }} has been growing for 30 minutes.",
        ),
        (
            "WorkerStuck",
            format!("{} > 900", of(table::LONGEST_RUNNING)),
            ("5m", "warning"),
            "A reconciliation of {{ $labels.controller }} has been running for over 15 minutes.",
        ),
        (
            "ReconcileFails",
            format!(
                "sum by (namespace, controller) (increase({}[20m])) > 0.1 * sum by (namespace, controller) (increase({}[20m]))",
                of(table::RECONCILE_ERRORS),
                of(table::RECONCILES)
            ),
            ("15m", "warning"),
            "More than a tenth of the reconciliations of {{ $labels.controller }} have failed for 15 minutes.",
        ),
        (
            "ReconcilePanics",
            format!(
                "sum by (namespace, controller) (increase({}[15m])) > 0 or sum by (namespace, controller) (increase({}[15m])) > 0",
                of(table::RECONCILE_PANICS),
                of(table::MAPPING_PANICS)
            ),
            ("0m", "warning"),
            "The code of {{ $labels.controller }} panics.",
        ),
        (
            "NoLeader",
            format!(
                "max by (namespace, name) ({}) == 0",
                of(table::LEADER_STATUS)
            ),
            ("2m", "critical"),
            "No replica holds the lease {{ $labels.name }}: nothing is reconciled.",
        ),
        (
            "TwoLeaders",
            format!(
                "sum by (namespace, name) ({}) > 1",
                of(table::LEADER_STATUS)
            ),
            ("2m", "critical"),
            "More than one replica holds the lease {{ $labels.name }}.",
        ),
        (
            "Absent",
            format!("absent(up{{job=\"{job}\"}} == 1)"),
            ("5m", "critical"),
            "Prometheus reaches no replica.",
        ),
        (
            "ShardsUnowned",
            format!(
                "sum by (namespace, name) ({}) < 256",
                of(table::SHARD_SLOTS)
            ),
            ("5m", "critical"),
            "A part of the objects of the group {{ $labels.name }} belongs to no replica.",
        ),
        (
            "CacheDoesNotSync",
            format!("{} == 1", of(table::FAILING)),
            ("10m", "critical"),
            "Lists or watches of {{ $labels.resource }} have failed for 10 minutes: the cache is stale.",
        ),
        (
            "ObjectsSkipped",
            format!("increase({}[15m]) > 0", of(table::UNDECODABLE_OBJECTS)),
            ("0m", "warning"),
            "Objects of {{ $labels.resource }} cannot be decoded and are not reconciled.",
        ),
        (
            "RequestsFail",
            format!(
                "sum by (namespace, host) (rate({}[5m])) > 0.1 * sum by (namespace, host) (rate({}[5m]))",
                with(table::REQUESTS, "code=~\"5..|<error>\""),
                of(table::REQUESTS)
            ),
            ("10m", "warning"),
            "More than a tenth of the requests to {{ $labels.host }} fail.",
        ),
        (
            "WebhookFails",
            format!(
                "sum by (namespace, webhook) (rate({}[5m])) > 0.05 * sum by (namespace, webhook) (rate({}[5m]))",
                with(table::WEBHOOK_REQUESTS, "code=~\"5..\""),
                of(table::WEBHOOK_REQUESTS)
            ),
            ("10m", "critical"),
            "More than one in twenty requests to the webhook {{ $labels.webhook }} fails: users' writes are refused.",
        ),
        (
            "CertificateNotRenewed",
            format!(
                "{} == 1",
                with(table::TASK_FAILING, "task=~\".*certificate.*\"")
            ),
            ("15m", "critical"),
            "The certificate {{ $labels.name }} cannot be renewed and will expire.",
        ),
        (
            "CertificateExpires",
            format!("{} - time() < 86400", of(table::CERTIFICATE_EXPIRY)),
            ("15m", "critical"),
            "The certificate {{ $labels.name }} of {{ $labels.pod }} expires in less than a day.",
        ),
        (
            "TaskFails",
            format!(
                "{} == 1",
                with(table::TASK_FAILING, "task!~\".*certificate.*\"")
            ),
            ("15m", "warning"),
            "The background task {{ $labels.task }} has failed for 15 minutes.",
        ),
        (
            "MigrationFails",
            format!("increase({}[1h]) > 0", of(table::MIGRATION_FAILURES)),
            ("0m", "warning"),
            "Objects of {{ $labels.crd }} cannot be written in the storage version.",
        ),
    ];
    rows.into_iter()
        .map(|(name, expr, (after, severity), summary)| Alert {
            name,
            expr,
            after,
            severity,
            summary,
        })
        .collect()
}

/// The alerts as the rules of one group, which Prometheus reads as a file of rules and its operator
/// as the `spec` of a PrometheusRule.
pub fn rules(job: &str) -> Value {
    let rules: Vec<Value> = alerts(job)
        .into_iter()
        .map(|alert| {
            json!({
                "alert": alert.name,
                "expr": alert.expr,
                "for": alert.after,
                "labels": {"severity": alert.severity, "operator": job},
                "annotations": {
                    "summary": alert.summary,
                    "runbook_url": format!("{RUNBOOKS}{}", alert.name.to_lowercase()),
                },
            })
        })
        .collect();
    json!({"groups": [{"name": job, "rules": rules}]})
}
