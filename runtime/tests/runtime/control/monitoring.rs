//! The page of metrics, the dashboard and the alerts have what the table of metrics declares.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use codegen_runtime::metrics::{GROUPS, MetricGroup, MetricInfo, MetricKind, monitor};
use serde_json::{Value, json};

/// The name that `kube-codegen` replaces in a template.
const NAME: &str = "{{name}}";

fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// Compares a file with what it should be, or writes it if `UPDATE_GOLDEN` is set.
fn compare(path: &str, expected: &str) {
    let file = file(path);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&file, expected).unwrap();
    }
    let text = fs::read_to_string(&file).unwrap();
    assert!(text == expected, "{path} differs: set UPDATE_GOLDEN=1");
}

fn all() -> impl Iterator<Item = &'static MetricInfo> {
    GROUPS.iter().flat_map(|group| group.metrics)
}

/// The panels of the dashboard for `job`.
fn panels(own: &[MetricGroup]) -> Vec<Value> {
    let dashboard: Value = serde_json::from_str(&monitor::dashboard("job", own)).unwrap();
    dashboard["panels"].as_array().unwrap().clone()
}

#[test]
fn the_page_of_metrics_has_the_rows_of_the_table() {
    let page = fs::read_to_string(file("docs/metrics.md")).unwrap();
    let mut parts = page.split("\n## ");
    let mut expected = parts.next().unwrap().to_owned();
    let mut titles = Vec::new();
    for part in parts {
        let title = part.lines().next().unwrap();
        let group = GROUPS.iter().find(|it| it.title == title);
        let group = group.unwrap_or_else(|| panic!("no metrics of {title}"));
        titles.push(title);
        let (before, table) = part.split_once("| Metric").unwrap();
        let after = table.split_once("|\n\n").map_or("", |(_, after)| after);
        expected.push_str(&format!("\n## {before}{}", monitor::rows(group)));
        if !after.is_empty() {
            expected.push_str(&format!("\n{after}"));
        }
    }
    let known: Vec<_> = GROUPS.iter().map(|group| group.title).collect();
    assert_eq!(titles, known);
    compare("docs/metrics.md", &expected);
}

#[test]
fn an_operator_gets_the_dashboard_of_the_table() {
    let text = monitor::dashboard_manifest(NAME, &format!("{NAME}-system"), &[]);
    compare("templates/operator/dashboard/dashboard.yaml", &text);
}

#[test]
fn an_operator_gets_the_alerts_of_the_table() {
    let rule = json!({
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": {
            "name": NAME,
            "namespace": format!("{NAME}-system"),
            "labels": {"app.kubernetes.io/name": NAME},
        },
        "spec": monitor::rules(NAME),
    });
    let text = format!(
        "# As the runtime's `metrics::monitor::rules` gives them. docs/runbooks.md of the project says what to do.\n{}",
        serde_saphyr::to_string(&rule).unwrap()
    );
    compare("templates/operator/alerts/rules.yaml", &text);
}

/// The names in a query that have the form of a metric's.
fn names(query: &str) -> BTreeSet<&str> {
    let is_name = |it: char| it.is_ascii_alphanumeric() || it == '_';
    let words = query.split(|it| !is_name(it));
    words
        .filter(|it| it.contains('_') && !it.starts_with("__"))
        .filter(|it| !["min_over_time", "histogram_quantile", "label_values"].contains(it))
        .collect()
}

#[test]
fn queries_name_metrics_of_the_table_alone() {
    let mut known = BTreeSet::new();
    for metric in all() {
        known.insert(metric.name.to_owned());
        if metric.kind == MetricKind::Histogram {
            known.insert(format!("{}_bucket", metric.name));
        }
    }
    let alerts = monitor::alerts("job").into_iter().map(|it| it.expr);
    let panels = panels(&[]);
    let targets = panels
        .iter()
        .filter_map(|panel| panel["targets"].as_array())
        .flatten()
        .map(|target| {
            target["expr"]
                .as_str()
                .unwrap()
                .replace("__rate_interval", "")
        });
    let queries: Vec<String> = alerts.chain(targets).collect();
    for query in &queries {
        let unknown: Vec<_> = names(query)
            .into_iter()
            .filter(|it| !known.contains(*it))
            .collect();
        assert!(unknown.is_empty(), "{unknown:?} in {query}");
    }
    // Each metric has a panel.
    for metric in all() {
        assert!(
            panels.iter().any(|it| it["title"] == metric.name),
            "{}",
            metric.name
        );
    }
}

#[test]
fn own_metrics_get_a_row_of_panels_that_do_not_overlap() {
    const OWN: MetricInfo = MetricInfo::new(
        MetricKind::Histogram,
        "rack_fill_bytes",
        &["room"],
        "How full racks are",
    );
    let own = MetricGroup::new("Racks", &[OWN]);
    let panels = panels(&[own]);
    let last = panels.last().unwrap();
    assert_eq!(last["title"], "rack_fill_bytes");
    assert_eq!(last["fieldConfig"]["defaults"]["unit"], "bytes");
    assert_eq!(
        last["targets"][0]["expr"],
        "histogram_quantile(0.5, sum by (le, room) (rate(rack_fill_bytes_bucket{job=\"job\", \
         namespace=~\"$namespace\"}[$__rate_interval])))"
    );
    let mut cells = BTreeSet::new();
    let side = |panel: &Value, key: &str| panel["gridPos"][key].as_u64().unwrap();
    for panel in &panels {
        for x in side(panel, "x")..side(panel, "x") + side(panel, "w") {
            for y in side(panel, "y")..side(panel, "y") + side(panel, "h") {
                assert!(cells.insert((x, y)), "{x}, {y} is taken twice");
            }
        }
    }
}

#[test]
fn every_alert_has_a_section_among_the_run_books() {
    let page = fs::read_to_string(file("docs/runbooks.md")).unwrap();
    let sections: Vec<&str> = page
        .lines()
        .filter_map(|it| it.strip_prefix("## "))
        .collect();
    let alerts: Vec<&str> = monitor::alerts("job").iter().map(|it| it.name).collect();
    assert_eq!(sections, alerts);
}
