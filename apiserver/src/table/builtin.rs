//! The columns of built-in kinds, as `k8s.io/kubernetes/pkg/printers` shows them.

use serde_json::{Value, json};

use super::cells::{
    age, containers, entries, items, joined, name, number, selector, text, text_or,
};
use super::cluster::{claim, node, volume};
use super::{age as ages, workloads};
use crate::object::{at, text as raw};

pub(super) const NAME_DESCRIPTION: &str = "Name must be unique within a namespace. Is required when creating resources, although some \
resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation \
idempotence and configuration definition. Cannot be updated. More info: \
https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";

/// A column of a built-in kind.
pub(super) struct BuiltinColumn {
    pub(super) name: &'static str,
    pub(super) kind: &'static str,
    pub(super) priority: i64,
}

impl BuiltinColumn {
    pub(super) fn format(&self) -> &'static str {
        if self.name == "Name" { "name" } else { "" }
    }

    pub(super) fn description(&self) -> &'static str {
        if self.name == "Name" {
            NAME_DESCRIPTION
        } else {
            ""
        }
    }
}

pub(super) const fn col(name: &'static str) -> BuiltinColumn {
    BuiltinColumn {
        name,
        kind: "string",
        priority: 0,
    }
}

pub(super) const fn num(name: &'static str) -> BuiltinColumn {
    BuiltinColumn {
        name,
        kind: "integer",
        priority: 0,
    }
}

pub(super) const fn wide(name: &'static str) -> BuiltinColumn {
    BuiltinColumn {
        name,
        kind: "string",
        priority: 1,
    }
}

/// How a kind is printed.
pub(super) struct Printer {
    pub(super) columns: &'static [BuiltinColumn],
    pub(super) cells: fn(&Value) -> Vec<Value>,
}

const CREATED: BuiltinColumn = BuiltinColumn {
    name: "Created At",
    kind: "date",
    priority: 0,
};
const DEFAULT: Printer = Printer {
    columns: &[col("Name"), CREATED],
    cells: |o| vec![name(o), o["metadata"]["creationTimestamp"].clone()],
};
const NAMESPACE: Printer = Printer {
    columns: &[col("Name"), col("Status"), col("Age")],
    cells: |o| vec![name(o), json!(raw(o, &["status", "phase"])), age(o)],
};
const CONFIG_MAP: Printer = Printer {
    columns: &[col("Name"), col("Data"), col("Age")],
    cells: |o| {
        vec![
            name(o),
            json!(entries(o, &["data"]) + entries(o, &["binaryData"])),
            age(o),
        ]
    },
};
const SECRET: Printer = Printer {
    columns: &[col("Name"), col("Type"), col("Data"), col("Age")],
    cells: |o| {
        vec![
            name(o),
            json!(raw(o, &["type"])),
            json!(entries(o, &["data"])),
            age(o),
        ]
    },
};
const SERVICE_ACCOUNT: Printer = Printer {
    columns: &[col("Name"), col("Age")],
    cells: |o| vec![name(o), age(o)],
};
const LEASE: Printer = Printer {
    columns: &[col("Name"), col("Holder"), col("Age")],
    cells: |o| vec![name(o), json!(raw(o, &["spec", "holderIdentity"])), age(o)],
};
const SERVICE: Printer = Printer {
    columns: &[
        col("Name"),
        col("Type"),
        col("Cluster-IP"),
        col("External-IP"),
        col("Port(s)"),
        col("Age"),
        wide("Selector"),
    ],
    cells: service,
};
const EVENT: Printer = Printer {
    columns: &[
        col("Last Seen"),
        col("Type"),
        col("Reason"),
        col("Object"),
        wide("Subobject"),
        wide("Source"),
        col("Message"),
        wide("First Seen"),
        wide("Count"),
        wide("Name"),
    ],
    cells: event,
};
const NODE: Printer = Printer {
    columns: &[
        col("Name"),
        col("Status"),
        col("Roles"),
        col("Age"),
        col("Version"),
        wide("Internal-IP"),
        wide("External-IP"),
        wide("OS-Image"),
        wide("Kernel-Version"),
        wide("Container-Runtime"),
    ],
    cells: node,
};
const VOLUME: Printer = Printer {
    columns: &[
        col("Name"),
        col("Capacity"),
        col("Access Modes"),
        col("Reclaim Policy"),
        col("Status"),
        col("Claim"),
        col("StorageClass"),
        col("VolumeAttributesClass"),
        col("Reason"),
        col("Age"),
        wide("VolumeMode"),
    ],
    cells: volume,
};
const CLAIM: Printer = Printer {
    columns: &[
        col("Name"),
        col("Status"),
        col("Volume"),
        col("Capacity"),
        col("Access Modes"),
        col("StorageClass"),
        col("VolumeAttributesClass"),
        col("Age"),
        wide("VolumeMode"),
    ],
    cells: claim,
};
const ROLE_BINDING: Printer = Printer {
    columns: &[
        col("Name"),
        col("Role"),
        col("Age"),
        wide("Users"),
        wide("Groups"),
        wide("ServiceAccounts"),
    ],
    cells: role_binding,
};

/// The printer of a kind.
pub(super) fn printer(group: &str, kind: &str) -> &'static Printer {
    match (group, kind) {
        ("", "Namespace") => &NAMESPACE,
        ("", "ConfigMap") => &CONFIG_MAP,
        ("", "Secret") => &SECRET,
        ("", "ServiceAccount") => &SERVICE_ACCOUNT,
        ("", "Service") => &SERVICE,
        ("", "Node") => &NODE,
        ("", "PersistentVolume") => &VOLUME,
        ("", "PersistentVolumeClaim") => &CLAIM,
        (_, "Event") => &EVENT,
        ("coordination.k8s.io", _) => &LEASE,
        ("rbac.authorization.k8s.io", "RoleBinding" | "ClusterRoleBinding") => &ROLE_BINDING,
        _ => workloads::printer(group, kind).unwrap_or(&DEFAULT),
    }
}

/// Whether a kind has no columns of its own.
pub(super) fn is_default(group: &str, kind: &str) -> bool {
    printer(group, kind)
        .columns
        .get(1)
        .is_some_and(|column| column.name == CREATED.name)
}

fn service(o: &Value) -> Vec<Value> {
    let kind = raw(o, &["spec", "type"]);
    let external: Vec<String> = items(o, &["spec", "externalIPs"])
        .iter()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect();
    let ingress: Vec<String> = items(o, &["status", "loadBalancer", "ingress"])
        .iter()
        .map(|i| [raw(i, &["ip"]), raw(i, &["hostname"])].concat())
        .collect();
    let external = match kind {
        "ExternalName" => json!(raw(o, &["spec", "externalName"])),
        "LoadBalancer" if ingress.is_empty() && external.is_empty() => json!("<pending>"),
        "LoadBalancer" => joined(ingress.into_iter().chain(external)),
        _ => joined(external),
    };
    let ports = joined(items(o, &["spec", "ports"]).iter().map(|port| {
        let protocol = text_or(port, &["protocol"], "TCP");
        let protocol = protocol.as_str().unwrap_or_default();
        match number(port, &["nodePort"]) {
            0 => format!("{}/{protocol}", number(port, &["port"])),
            node => format!("{}:{node}/{protocol}", number(port, &["port"])),
        }
    }));
    vec![
        name(o),
        json!(if kind.is_empty() { "ClusterIP" } else { kind }),
        text(o, &["spec", "clusterIP"]),
        external,
        ports,
        age(o),
        selector(&o["spec"]["selector"]),
    ]
}

fn event(o: &Value) -> Vec<Value> {
    let either = |core: &[&str], new: &[&str]| -> String {
        [raw(o, core), raw(o, new)]
            .into_iter()
            .find(|t| !t.is_empty())
            .unwrap_or_default()
            .to_owned()
    };
    let object = at(o, &["involvedObject"])
        .or_else(|| at(o, &["regarding"]))
        .unwrap_or(&Value::Null);
    let first = either(&["firstTimestamp"], &["eventTime"]);
    let last = either(&["lastTimestamp"], &["series", "lastObservedTime"]);
    let last = if last.is_empty() { first.clone() } else { last };
    let count = o["series"]["count"]
        .as_i64()
        .or(o["count"].as_i64())
        .unwrap_or(1);
    let component = either(&["source", "component"], &["reportingComponent"]);
    let host = raw(o, &["source", "host"]);
    let source = if host.is_empty() {
        component
    } else {
        format!("{component}, {host}")
    };
    let kind = raw(object, &["kind"]).to_lowercase();
    let target = match raw(object, &["name"]) {
        "" => kind,
        name => format!("{kind}/{name}"),
    };
    vec![
        json!(ages::since(&last)),
        json!(raw(o, &["type"])),
        json!(raw(o, &["reason"])),
        json!(target),
        json!(raw(object, &["fieldPath"])),
        json!(source),
        json!(either(&["message"], &["note"]).trim()),
        json!(ages::since(&first)),
        json!(count.max(1)),
        name(o),
    ]
}

fn role_binding(o: &Value) -> Vec<Value> {
    let subjects = |kind: &str| {
        let names: Vec<String> = items(o, &["subjects"])
            .iter()
            .filter(|s| raw(s, &["kind"]) == kind)
            .map(|s| match raw(s, &["namespace"]) {
                "" => raw(s, &["name"]).to_owned(),
                namespace => format!("{namespace}/{}", raw(s, &["name"])),
            })
            .collect();
        json!(names.join(", "))
    };
    vec![
        name(o),
        json!(format!(
            "{}/{}",
            raw(o, &["roleRef", "kind"]),
            raw(o, &["roleRef", "name"])
        )),
        age(o),
        subjects("User"),
        subjects("Group"),
        subjects("ServiceAccount"),
    ]
}

/// The container names, images and selector that end the rows of workloads.
pub(super) fn workload_tail(o: &Value, pod: &[&str]) -> [Value; 2] {
    let path: Vec<&str> = pod.iter().copied().chain(["containers"]).collect();
    [containers(o, &path, "name"), containers(o, &path, "image")]
}
