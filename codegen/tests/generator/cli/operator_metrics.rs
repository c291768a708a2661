//! `create metric` and `delete metric`.

use super::operator::{files, operator};
use crate::cli::sandbox::{Run, Sandbox};

const TABLE: &str = "src/metrics.rs";

fn create(sandbox: &Sandbox, name: &str, more: &[&str]) -> Run {
    let own = ["create", "metric", name, "--description", "Racks"];
    sandbox.quiet(&[&own[..], more].concat())
}

fn delete(sandbox: &Sandbox, name: &str, more: &[&str]) -> Run {
    sandbox.quiet(&[&["delete", "metric", name], more].concat())
}

/// An operator with two metrics.
fn with_metrics() -> Sandbox {
    let sandbox = operator();
    let counter = create(&sandbox, "racks_total", &["--type", "counter"]);
    assert_eq!(counter.code, 0, "{}", counter.stderr);
    let labels = ["--type", "gauge", "--labels", "room,rack"];
    let gauge = create(&sandbox, "rack_fill_ratio", &labels);
    assert_eq!(gauge.code, 0, "{}", gauge.stderr);
    sandbox
}

#[test]
fn metrics_are_rows_of_a_table_that_the_operator_registers() {
    let sandbox = with_metrics();
    let table = sandbox.read(TABLE);
    for row in [
        "RACKS_TOTAL = Counter racks_total()\n            \"Racks\";",
        "RACK_FILL_RATIO = Gauge rack_fill_ratio(room, rack)\n            \"Racks\";",
    ] {
        assert!(table.contains(row), "{table}");
    }
    assert!(sandbox.read("src/lib.rs").contains("pub mod metrics;\n"));
    let register = "    crate::metrics::register(process.metrics());\n";
    let app = sandbox.read("src/app.rs");
    assert_eq!(app.matches(register).count(), 1, "{app}");
    let again = create(&sandbox, "racks_total", &["--type", "counter"]);
    assert_eq!(again.code, 1);
    again.says("src/metrics.rs declares `racks_total` already");
}

#[test]
fn deleting_all_metrics_restores_the_operator() {
    let untouched = files(&operator().path(""));
    let sandbox = with_metrics();
    // What the test of the metrics writes.
    sandbox.write("docs/metrics.md", "# Metrics\n");
    let dashboard = "config/dashboard/dashboard.yaml";
    sandbox.write(dashboard, &(sandbox.read(dashboard) + "# a row\n"));
    assert_eq!(delete(&sandbox, "racks_total", &[]).code, 0);
    assert!(sandbox.read(TABLE).contains("rack_fill_ratio"));
    assert_eq!(delete(&sandbox, "rack_fill_ratio", &[]).code, 0);
    assert_eq!(files(&sandbox.path("")), untouched);
}

#[test]
fn a_metric_in_use_is_not_deleted() {
    let sandbox = with_metrics();
    sandbox.edit(
        "src/app.rs",
        "    Ok(manager)",
        "    crate::metrics::RACKS_TOTAL.inc([]);\n    Ok(manager)",
    );
    let before = sandbox.state();
    let run = delete(&sandbox, "racks_total", &[]);
    assert_eq!(run.code, 1);
    run.says("`RACKS_TOTAL` is still used");
    assert_eq!(sandbox.state(), before);
}

#[test]
fn a_changed_test_is_removed_on_request_only() {
    let sandbox = with_metrics();
    assert_eq!(delete(&sandbox, "racks_total", &[]).code, 0);
    let test = "tests/operator/metrics.rs";
    sandbox.write(test, &(sandbox.read(test) + "// mine\n"));
    let run = delete(&sandbox, "rack_fill_ratio", &[]);
    assert_eq!(run.code, 1);
    run.says("tests/operator/metrics.rs differs from what `create metric` writes");
    assert_eq!(delete(&sandbox, "rack_fill_ratio", &["--force"]).code, 0);
    assert!(!sandbox.path(test).exists());
}

#[test]
fn what_cannot_be_a_metric_is_refused() {
    let sandbox = operator();
    let refused = |name: &str, more: &[&str], says: &str| {
        let run = create(&sandbox, name, more);
        assert_eq!(run.code, 1, "{name}");
        run.says(says);
        assert!(!sandbox.path(TABLE).exists());
    };
    let counter = ["--type", "counter"];
    refused("racks", &counter, "not called `racks_total`");
    let labels = ["--type", "gauge", "--labels", "namespace"];
    refused("racks", &labels, "invalid label `namespace`");
    sandbox.write("docs/metrics.md", "Mine.\n");
    refused("racks_total", &counter, "docs/metrics.md already exists");
    let run = delete(&sandbox, "racks_total", &[]);
    assert_eq!(run.code, 1);
    run.says("src/metrics.rs does not exist");
}

#[test]
fn a_table_that_is_gone_is_named() {
    let sandbox = with_metrics();
    sandbox.write(TABLE, "//! Elsewhere.\n");
    for run in [
        create(&sandbox, "racks_total", &["--type", "counter"]),
        delete(&sandbox, "racks_total", &[]),
    ] {
        assert_eq!(run.code, 1);
        run.says("src/metrics.rs cannot be edited: it has no `own_metrics! {");
    }
}
