//! The dashboard and the page of metrics show the operator's own metrics.

use std::path::Path;
use std::{env, fs};

use codegen_runtime::metrics::{Metrics, monitor};

use sample_operator::{app, metrics};

/// The namespace that the operator is deployed to.
const NAMESPACE: &str = "sample-operator-system";

/// Compares a file with what it should be, or writes it if `UPDATE_GOLDEN` is set.
fn compare(path: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, expected).unwrap();
    }
    // Checked out with CRLF on some systems.
    let text = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        text.replace('\r', "") == expected,
        "{} is not up to date: run UPDATE_GOLDEN=1 cargo test metrics",
        path.display()
    );
}

#[test]
fn the_dashboard_has_a_row_of_the_metrics() {
    let dashboard = monitor::dashboard_manifest(app::NAME, NAMESPACE, metrics::GROUPS);
    compare("config/dashboard/dashboard.yaml", &dashboard);
}

#[test]
fn the_page_has_a_table_of_the_metrics() {
    let page = format!("# Metrics\n{}", monitor::page(metrics::GROUPS));
    compare("docs/metrics.md", &page);
}

#[test]
fn no_metric_is_declared_twice() {
    let all = Metrics::new();
    metrics::register(&all);
    let text = all.encode().unwrap();
    let mut types: Vec<&str> = text.lines().filter(|it| it.starts_with("# TYPE")).collect();
    types.sort_unstable();
    let number = types.len();
    types.dedup();
    assert_eq!(types.len(), number, "{types:#?}");
}
