//! The operator's own metrics. `kube-codegen create metric` adds a row to the table, from which
//! their series, `docs/metrics.md` and the dashboard's panels derive. Count with them anywhere:
//! `metrics::NAME.inc(["value of a label"])`.

codegen_runtime::own_metrics! {
    "sample-operator" {
        WIDGET_RESIZES_TOTAL = Counter widget_resizes_total(direction)
            "Widgets whose size was changed";
        WIDGET_READY_SECONDS = Histogram widget_ready_seconds()
            "How long it takes until a widget is ready";
    }
}
