//! The columns of workloads.

use serde_json::{Value, json};

use crate::table::cells::{age, containers, name, number, selector};
use crate::table::{Printer, col, columns, num, wide};

/// The path of a workload's pod spec.
pub(in crate::kinds) const TEMPLATE: &[&str] = &["spec", "template", "spec"];

pub(super) static DEPLOYMENT: &Printer = columns! { |o| {
    let [names, images] = workload_tail(o, TEMPLATE);
}
    col("Name") => name(o),
    col("Ready") => format!("{}/{}", number(o, &["status", "readyReplicas"]), number(o, &["spec", "replicas"])),
    col("Up-to-date") => number(o, &["status", "updatedReplicas"]),
    col("Available") => number(o, &["status", "availableReplicas"]),
    col("Age") => age(o),
    wide("Containers") => names,
    wide("Images") => images,
    wide("Selector") => selector(&o["spec"]["selector"]),
};
pub(super) static REPLICA_SET: &Printer = columns! { |o| {
    let [names, images] = workload_tail(o, TEMPLATE);
}
    col("Name") => name(o),
    num("Desired") => number(o, &["spec", "replicas"]),
    num("Current") => number(o, &["status", "replicas"]),
    num("Ready") => number(o, &["status", "readyReplicas"]),
    col("Age") => age(o),
    wide("Containers") => names,
    wide("Images") => images,
    wide("Selector") => selector(&o["spec"]["selector"]),
};
pub(super) static STATEFUL_SET: &Printer = columns! { |o| {
    let [names, images] = workload_tail(o, TEMPLATE);
    let ready = format!(
        "{}/{}",
        number(o, &["status", "readyReplicas"]),
        number(o, &["spec", "replicas"])
    );
}
    col("Name") => name(o),
    col("Ready") => ready,
    col("Age") => age(o),
    wide("Containers") => names,
    wide("Images") => images,
};
pub(super) static DAEMON_SET: &Printer = columns! { |o| {
    let [names, images] = workload_tail(o, TEMPLATE);
    let status = |field: &str| json!(number(o, &["status", field]));
}
    col("Name") => name(o),
    num("Desired") => status("desiredNumberScheduled"),
    num("Current") => status("currentNumberScheduled"),
    num("Ready") => status("numberReady"),
    num("Up-to-date") => status("updatedNumberScheduled"),
    num("Available") => status("numberAvailable"),
    col("Node Selector") => selector(&o["spec"]["template"]["spec"]["nodeSelector"]),
    col("Age") => age(o),
    wide("Containers") => names,
    wide("Images") => images,
    wide("Selector") => selector(&o["spec"]["selector"]),
};
/// Returns the last cells of workloads: container names, images and the selector.
pub(in crate::kinds) fn workload_tail(o: &Value, pod: &[&str]) -> [Value; 2] {
    let path: Vec<&str> = pod.iter().copied().chain(["containers"]).collect();
    [containers(o, &path, "name"), containers(o, &path, "image")]
}
