//! The columns of workloads.

use serde_json::{Value, json};

use crate::table::cells::{age, containers, name, number, selector};
use crate::table::{Printer, col, num, wide};

/// The path of a workload's pod spec.
pub(in crate::kinds) const TEMPLATE: &[&str] = &["spec", "template", "spec"];

pub(super) static DEPLOYMENT: Printer = Printer::new(
    &[
        col("Name"),
        col("Ready"),
        col("Up-to-date"),
        col("Available"),
        col("Age"),
        wide("Containers"),
        wide("Images"),
        wide("Selector"),
    ],
    |o| {
        let [names, images] = workload_tail(o, TEMPLATE);
        vec![
            name(o),
            json!(format!(
                "{}/{}",
                number(o, &["status", "readyReplicas"]),
                number(o, &["spec", "replicas"])
            )),
            json!(number(o, &["status", "updatedReplicas"])),
            json!(number(o, &["status", "availableReplicas"])),
            age(o),
            names,
            images,
            selector(&o["spec"]["selector"]),
        ]
    },
);
pub(super) static REPLICA_SET: Printer = Printer::new(
    &[
        col("Name"),
        num("Desired"),
        num("Current"),
        num("Ready"),
        col("Age"),
        wide("Containers"),
        wide("Images"),
        wide("Selector"),
    ],
    |o| {
        let [names, images] = workload_tail(o, TEMPLATE);
        vec![
            name(o),
            json!(number(o, &["spec", "replicas"])),
            json!(number(o, &["status", "replicas"])),
            json!(number(o, &["status", "readyReplicas"])),
            age(o),
            names,
            images,
            selector(&o["spec"]["selector"]),
        ]
    },
);
pub(super) static STATEFUL_SET: Printer = Printer::new(
    &[
        col("Name"),
        col("Ready"),
        col("Age"),
        wide("Containers"),
        wide("Images"),
    ],
    |o| {
        let [names, images] = workload_tail(o, TEMPLATE);
        let ready = format!(
            "{}/{}",
            number(o, &["status", "readyReplicas"]),
            number(o, &["spec", "replicas"])
        );
        vec![name(o), json!(ready), age(o), names, images]
    },
);
pub(super) static DAEMON_SET: Printer = Printer::new(
    &[
        col("Name"),
        num("Desired"),
        num("Current"),
        num("Ready"),
        num("Up-to-date"),
        num("Available"),
        col("Node Selector"),
        col("Age"),
        wide("Containers"),
        wide("Images"),
        wide("Selector"),
    ],
    |o| {
        let [names, images] = workload_tail(o, TEMPLATE);
        let status = |field: &str| json!(number(o, &["status", field]));
        vec![
            name(o),
            status("desiredNumberScheduled"),
            status("currentNumberScheduled"),
            status("numberReady"),
            status("updatedNumberScheduled"),
            status("numberAvailable"),
            selector(&o["spec"]["template"]["spec"]["nodeSelector"]),
            age(o),
            names,
            images,
            selector(&o["spec"]["selector"]),
        ]
    },
);
/// Returns the last cells of workloads: container names, images and the selector.
pub(in crate::kinds) fn workload_tail(o: &Value, pod: &[&str]) -> [Value; 2] {
    let path: Vec<&str> = pod.iter().copied().chain(["containers"]).collect();
    [containers(o, &path, "name"), containers(o, &path, "image")]
}
