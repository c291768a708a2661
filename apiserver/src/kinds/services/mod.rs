//! Services: [`addresses`] and [`ports`] allocate what services share, [`types`] tells what a type
//! of service has.

mod addresses;
mod ports;
mod types;
mod validation;

use serde_json::{Map, Value, json};

use super::defaults::{objects, set};
use crate::field::FieldError;
use crate::metadata::object::{child, fields, text};
use crate::registry::{Cluster, ServiceRange, Strategy, label_not_supported};
use crate::status::ApiError;
use crate::table::cells::{self, age, items, joined, name, number, selector, text_or};
use crate::table::{Printer, col, columns, wide};

#[derive(Debug)]
pub(super) struct Service;

impl Strategy for Service {
    fn set_defaults(&self, object: &mut Value) {
        default_spec(child(fields(object), "spec"));
    }

    fn allocate(
        &self,
        cluster: &dyn Cluster,
        old: Option<&Value>,
        new: &mut Value,
    ) -> Result<(), ApiError> {
        addresses::allocate(cluster, old, new)?;
        ports::allocate(cluster, old, new)
    }

    fn prepare_create(&self, _cluster: &dyn Cluster, object: &mut Value) {
        types::drop_ignored(types::spec(object));
        fields(object).insert("status".into(), json!({"loadBalancer": {}}));
    }

    fn prepare_update(&self, old: &Value, new: &mut Value) {
        types::drop_dependent(old, new);
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        validation::validate(object)
    }

    fn validate_update(&self, old: &Value, new: &Value) -> Vec<FieldError> {
        validation::validate_update(old, new)
    }

    fn warnings(&self, _old: Option<&Value>, new: &Value) -> Vec<String> {
        types::warnings(new)
    }

    fn unknown_field(&self, _kind: &str, field: &str) -> String {
        label_not_supported(field)
    }

    fn storage_prefix(&self) -> Option<&'static str> {
        Some("services/specs")
    }

    fn printer(&self) -> &'static Printer {
        columns! { |o| {
            let kind = text(o, &["spec", "type"]);
            let external: Vec<String> = items(o, &["spec", "externalIPs"])
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect();
            let ingress: Vec<String> = items(o, &["status", "loadBalancer", "ingress"])
                .iter()
                .map(|i| [text(i, &["ip"]), text(i, &["hostname"])].concat())
                .collect();
            let external = match kind {
                "ExternalName" => json!(text(o, &["spec", "externalName"])),
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
        }
            col("Name") => name(o),
            col("Type") => if kind.is_empty() { "ClusterIP" } else { kind },
            col("Cluster-IP") => cells::text(o, &["spec", "clusterIP"]),
            col("External-IP") => external,
            col("Port(s)") => ports,
            col("Age") => age(o),
            wide("Selector") => selector(&o["spec"]["selector"]),
        }
    }
}

/// Returns the service `kubernetes`, through which pods reach the API server.
pub(crate) fn kubernetes_service(range: ServiceRange) -> Value {
    let address = range.address(0).to_string();
    json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": "kubernetes",
            "namespace": "default",
            "labels": {"component": "apiserver", "provider": "kubernetes"},
        },
        "spec": {
            "type": "ClusterIP",
            "clusterIP": address,
            "clusterIPs": [address],
            "internalTrafficPolicy": "Cluster",
            "ipFamilies": ["IPv4"],
            "ipFamilyPolicy": "SingleStack",
            "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443}],
            "sessionAffinity": "None",
        },
        "status": {"loadBalancer": {}},
    })
}

fn default_spec(spec: &mut Map<String, Value>) {
    set(spec, "type", json!("ClusterIP"));
    set(spec, "sessionAffinity", json!("None"));
    let kind = spec
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    if matches!(kind.as_str(), "ClusterIP" | "NodePort" | "LoadBalancer") {
        set(spec, "internalTrafficPolicy", json!("Cluster"));
    }
    if types::is_external(spec) {
        set(spec, "externalTrafficPolicy", json!("Cluster"));
    }
    if kind == "LoadBalancer" {
        set(spec, "allocateLoadBalancerNodePorts", json!(true));
    }
    match spec.get("sessionAffinity").and_then(Value::as_str) {
        Some("ClientIP") => {
            let client = child(child(spec, "sessionAffinityConfig"), "clientIP");
            set(client, "timeoutSeconds", 10800);
        }
        Some("None") => {
            spec.remove("sessionAffinityConfig");
        }
        _ => {}
    }
    for port in objects(spec, "ports") {
        set(port, "protocol", json!("TCP"));
        let number = port.get("port").cloned().unwrap_or_default();
        let target = port.get("targetPort").unwrap_or(&Value::Null);
        if target.is_null() || *target == 0 || *target == "" {
            port.insert("targetPort".into(), number);
        }
    }
}
