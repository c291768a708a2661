//! The rows of nodes, volumes and claims.

use serde_json::{Value, json};

use super::cells::{age, items, joined, name, text_or};
use crate::object::{at, text as raw};

pub(super) fn node(o: &Value) -> Vec<Value> {
    let ready = items(o, &["status", "conditions"])
        .iter()
        .find(|c| raw(c, &["type"]) == "Ready");
    let mut status = match ready.map(|c| raw(c, &["status"])) {
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
            .find(|a| raw(a, &["type"]) == kind)
            .map_or("<none>", |a| raw(a, &["address"]))
    };
    let info = |field: &str| text_or(o, &["status", "nodeInfo", field], "<unknown>");
    vec![
        name(o),
        json!(status),
        joined(roles),
        age(o),
        json!(raw(o, &["status", "nodeInfo", "kubeletVersion"])),
        json!(address("InternalIP")),
        json!(address("ExternalIP")),
        info("osImage"),
        info("kernelVersion"),
        info("containerRuntimeVersion"),
    ]
}

fn access_modes(o: &Value, path: &[&str]) -> Value {
    let short = |mode: &Value| {
        match mode.as_str() {
            Some("ReadWriteOnce") => "RWO",
            Some("ReadOnlyMany") => "ROX",
            Some("ReadWriteMany") => "RWX",
            Some("ReadWriteOncePod") => "RWOP",
            _ => "",
        }
        .to_owned()
    };
    json!(
        items(o, path)
            .iter()
            .map(short)
            .collect::<Vec<_>>()
            .join(",")
    )
}

fn phase(o: &Value) -> Value {
    if crate::object::is_deleting(o) {
        return json!("Terminating");
    }
    json!(raw(o, &["status", "phase"]))
}

pub(super) fn volume(o: &Value) -> Vec<Value> {
    let claim = match raw(o, &["spec", "claimRef", "name"]) {
        "" => String::new(),
        name => format!("{}/{name}", raw(o, &["spec", "claimRef", "namespace"])),
    };
    vec![
        name(o),
        json!(raw(o, &["spec", "capacity", "storage"])),
        access_modes(o, &["spec", "accessModes"]),
        json!(raw(o, &["spec", "persistentVolumeReclaimPolicy"])),
        phase(o),
        json!(claim),
        json!(raw(o, &["spec", "storageClassName"])),
        text_or(o, &["spec", "volumeAttributesClassName"], "<unset>"),
        json!(raw(o, &["status", "reason"])),
        age(o),
        text_or(o, &["spec", "volumeMode"], "<unset>"),
    ]
}

pub(super) fn claim(o: &Value) -> Vec<Value> {
    let bound = !raw(o, &["spec", "volumeName"]).is_empty();
    vec![
        name(o),
        phase(o),
        json!(raw(o, &["spec", "volumeName"])),
        json!(if bound {
            raw(o, &["status", "capacity", "storage"])
        } else {
            ""
        }),
        if bound {
            access_modes(o, &["status", "accessModes"])
        } else {
            json!("")
        },
        json!(raw(o, &["spec", "storageClassName"])),
        text_or(o, &["spec", "volumeAttributesClassName"], "<unset>"),
        age(o),
        text_or(o, &["spec", "volumeMode"], "<unset>"),
    ]
}
