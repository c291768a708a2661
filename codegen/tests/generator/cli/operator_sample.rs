//! The metrics of the operator of `testdata/operator`.

use std::fs;

use crate::cli::sandbox::{Sandbox, testdata};

/// Creates metrics, and copies what their test writes: `UPDATE_GOLDEN=1 cargo test --test operator
/// metrics` updates it in `testdata/operator`.
pub(super) fn create_metrics(sandbox: &Sandbox) {
    let described = ["--description", "Widgets whose size was changed"];
    let create = ["create", "metric", "widget_resizes_total", "--type"];
    sandbox.succeeds(
        &[
            &create[..],
            &["counter", "--labels", "direction"],
            &described,
        ]
        .concat(),
    );
    let described = ["--description", "How long it takes until a widget is ready"];
    let create = ["create", "metric", "widget_ready_seconds", "--type"];
    sandbox.succeeds(&[&create[..], &["histogram"], &described].concat());
    for path in ["config/dashboard/dashboard.yaml", "docs/metrics.md"] {
        let derived = fs::read_to_string(testdata().join("operator").join(path));
        sandbox.write(path, &derived.unwrap_or_default());
    }
}
