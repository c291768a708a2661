//! Nodes.

use serde_json::{Value, json};

use crate::metadata::object::{at, child, fields, text};
use crate::registry::{Cluster, Strategy, label_not_supported};
use crate::table::cells::{age, items, joined, name, text_or};
use crate::table::{Printer, col, columns, wide};

#[derive(Debug)]
pub(super) struct Node;

impl Strategy for Node {
    /// As admission does, taints new nodes until they are ready.
    fn prepare_create(&self, _cluster: &dyn Cluster, object: &mut Value) {
        let taint = json!({"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"});
        let spec = child(fields(object), "spec");
        if let Value::Array(taints) = spec.entry("taints").or_insert_with(|| json!([]))
            && !taints.contains(&taint)
        {
            taints.push(taint);
        }
    }

    fn selects_namespace(&self) -> bool {
        false
    }

    fn unknown_field(&self, _kind: &str, field: &str) -> String {
        label_not_supported(field)
    }

    fn printer(&self) -> &'static Printer {
        columns! { |o| {
            let ready = items(o, &["status", "conditions"])
                .iter()
                .find(|c| text(c, &["type"]) == "Ready");
            let mut status = match ready.map(|c| text(c, &["status"])) {
                Some("True") => "Ready".to_owned(),
                Some(_) => "NotReady".to_owned(),
                None => "Unknown".to_owned(),
            };
            if o["spec"]["unschedulable"] == json!(true) {
                status.push_str(",SchedulingDisabled");
            }
            let labels = at(o, &["metadata", "labels"]).and_then(Value::as_object);
            let roles = labels.into_iter().flatten().filter_map(|(key, value)| {
                let role = key
                    .strip_prefix("node-role.kubernetes.io/")
                    .filter(|r| !r.is_empty());
                let old = (key == "kubernetes.io/role").then(|| value.as_str().unwrap_or_default());
                role.or(old).map(str::to_owned)
            });
            let address = |kind: &str| {
                items(o, &["status", "addresses"])
                    .iter()
                    .find(|a| text(a, &["type"]) == kind)
                    .map_or("<none>", |a| text(a, &["address"]))
            };
            let info = |field: &str| text_or(o, &["status", "nodeInfo", field], "<unknown>");
        }
            col("Name") => name(o),
            col("Status") => status,
            col("Roles") => joined(roles),
            col("Age") => age(o),
            col("Version") => text(o, &["status", "nodeInfo", "kubeletVersion"]),
            wide("Internal-IP") => address("InternalIP"),
            wide("External-IP") => address("ExternalIP"),
            wide("OS-Image") => info("osImage"),
            wide("Kernel-Version") => info("kernelVersion"),
            wide("Container-Runtime") => info("containerRuntimeVersion"),
        }
    }
}
