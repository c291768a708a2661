//! Metrics that a program declares itself.

use codegen_runtime::metrics::Metrics;

codegen_runtime::own_metrics! {
    "Racks" {
        RACKS_FILLED_TOTAL = Counter racks_filled_total(room) "Racks that have become full";
        RACK_FILL_RATIO = Gauge rack_fill_ratio(room, rack) "How full racks are";
        FILL_SECONDS = Histogram rack_fill_seconds() "How long it takes to fill one";
    }
}

#[test]
fn own_metrics_are_served_as_they_are_declared() {
    let metrics = Metrics::new();
    register(&metrics);
    RACKS_FILLED_TOTAL.inc(["cellar"]);
    RACKS_FILLED_TOTAL.inc_by(["cellar"], 2);
    RACK_FILL_RATIO.set(["cellar", "a"], 0.25);
    RACK_FILL_RATIO.set(["cellar", "gone"], 1.0);
    RACK_FILL_RATIO.remove(["cellar", "gone"]);
    FILL_SECONDS.observe([], 100.0);
    let text = metrics.encode().unwrap();
    let own: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("rack") && !line.contains("_bucket{le=\"0."))
        .collect();
    let expected = [
        "# HELP racks_filled Racks that have become full.",
        "# TYPE racks_filled counter",
        "racks_filled_total{room=\"cellar\"} 3",
        "# HELP rack_fill_ratio How full racks are.",
        "# TYPE rack_fill_ratio gauge",
        "rack_fill_ratio{room=\"cellar\",rack=\"a\"} 0.25",
        "# HELP rack_fill_seconds How long it takes to fill one.",
        "# TYPE rack_fill_seconds histogram",
        "rack_fill_seconds_sum{} 100.0",
        "rack_fill_seconds_count{} 1",
    ];
    for line in expected {
        assert!(own.contains(&line), "{line} is not in {own:#?}");
    }
    assert!(!text.contains("gone"));
    let names: Vec<&str> = GROUPS[0].metrics.iter().map(|it| it.name).collect();
    assert_eq!(
        names,
        ["racks_filled_total", "rack_fill_ratio", "rack_fill_seconds"]
    );
}
