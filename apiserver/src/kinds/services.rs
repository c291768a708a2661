//! Services, and the allocation of addresses and ports.

use serde_json::{Map, Value, json};

use super::defaults::{objects, set};
use crate::field::FieldError;
use crate::metadata::object::{child, fields, text};
use crate::registry::{Cluster, Strategy, label_not_supported};
use crate::table::cells::{self, age, items, joined, name, number, selector, text_or};
use crate::table::{Printer, col, wide};

#[derive(Debug)]
pub(super) struct Service;

impl Strategy for Service {
    fn set_defaults(&self, object: &mut Value) {
        default_spec(child(fields(object), "spec"));
    }

    fn prepare_create(&self, cluster: &dyn Cluster, object: &mut Value) {
        fields(object).insert("status".into(), json!({"loadBalancer": {}}));
        allocate(None, object, &cluster.stored("", "services"));
    }

    fn prepare_update(
        &self,
        cluster: &dyn Cluster,
        _subresource: &str,
        old: &Value,
        new: &mut Value,
    ) {
        allocate(Some(old), new, &cluster.stored("", "services"));
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let (kind, address) = (
            text(object, &["spec", "type"]),
            text(object, &["spec", "clusterIP"]),
        );
        let ports = object["spec"]["ports"].as_array().map_or(0, Vec::len);
        if ports == 0 && kind != "ExternalName" && address != "None" {
            return vec![FieldError::required("spec.ports", "")];
        }
        Vec::new()
    }

    /// A service cannot change its address.
    fn validate_update(&self, old: &Value, new: &Value) -> Vec<FieldError> {
        let before = text(old, &["spec", "clusterIP"]);
        let after = text(new, &["spec", "clusterIP"]);
        if before.is_empty() || before == after || text(new, &["spec", "type"]) == "ExternalName" {
            return Vec::new();
        }
        let detail = "may not change once set";
        vec![FieldError::invalid(
            "spec.clusterIPs[0]",
            json!([after]),
            detail,
        )]
    }

    fn unknown_field(&self, _kind: &str, field: &str) -> String {
        label_not_supported(field)
    }

    fn storage_prefix(&self) -> Option<&'static str> {
        Some("services/specs")
    }

    fn printer(&self) -> &'static Printer {
        static PRINTER: Printer = Printer::new(
            &[
                col("Name"),
                col("Type"),
                col("Cluster-IP"),
                col("External-IP"),
                col("Port(s)"),
                col("Age"),
                wide("Selector"),
            ],
            service_cells,
        );
        &PRINTER
    }
}

/// Returns the service `kubernetes`, through which pods reach the API server.
pub(crate) fn kubernetes_service() -> Value {
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
            "clusterIP": "10.0.0.1",
            "clusterIPs": ["10.0.0.1"],
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
    if kind != "ExternalName" {
        set(spec, "internalTrafficPolicy", json!("Cluster"));
    }
    let has_addresses = kind == "ClusterIP"
        && matches!(spec.get("externalIPs"), Some(Value::Array(list)) if !list.is_empty());
    if has_addresses || matches!(kind.as_str(), "NodePort" | "LoadBalancer") {
        set(spec, "externalTrafficPolicy", json!("Cluster"));
    }
    if kind == "LoadBalancer" {
        set(spec, "allocateLoadBalancerNodePorts", json!(true));
    }
    if spec.get("sessionAffinity") == Some(&json!("ClientIP")) {
        let client = child(child(spec, "sessionAffinityConfig"), "clientIP");
        set(client, "timeoutSeconds", 10800);
    } else {
        spec.remove("sessionAffinityConfig");
    }
    for port in objects(spec, "ports") {
        set(port, "protocol", json!("TCP"));
        let number = port.get("port").cloned().unwrap_or_default();
        if matches!(port.get("targetPort"), None | Some(Value::Null))
            || port.get("targetPort") == Some(&json!(0))
        {
            port.insert("targetPort".into(), number);
        }
    }
}

/// Allocates the addresses and node ports of a service: keeps those of `old`, or draws new ones that no service in `taken` uses.
fn allocate(old: Option<&Value>, service: &mut Value, taken: &[Value]) {
    let headless_without_selector = service["spec"]["selector"].is_null();
    let kind = text(service, &["spec", "type"]).to_owned();
    if kind == "ExternalName" {
        return;
    }
    let spec = child(fields(service), "spec");
    if let Some(old) = old {
        for field in ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"] {
            if let Some(value) = old["spec"].get(field) {
                set(spec, field, value.clone());
            }
        }
    }
    let used = |address: &str| taken.iter().any(|s| s["spec"]["clusterIP"] == address);
    let address = match spec.get("clusterIP").and_then(Value::as_str) {
        Some(given) => given.to_owned(),
        None => loop {
            let drawn = format!(
                "10.0.{}.{}",
                rand::random_range(0..=255),
                rand::random_range(1..=254)
            );
            if !used(&drawn) {
                break drawn;
            }
        },
    };
    set(spec, "clusterIP", json!(address));
    set(spec, "clusterIPs", json!([address]));
    if address == "None" && headless_without_selector {
        set(spec, "ipFamilies", json!(["IPv4", "IPv6"]));
        set(spec, "ipFamilyPolicy", json!("RequireDualStack"));
    }
    set(
        spec,
        "ipFamilies",
        json!([if address.contains(':') {
            "IPv6"
        } else {
            "IPv4"
        }]),
    );
    set(spec, "ipFamilyPolicy", json!("SingleStack"));
    let shares_node = kind == "NodePort"
        || (kind == "LoadBalancer"
            && spec.get("allocateLoadBalancerNodePorts") != Some(&json!(false)));
    if shares_node {
        allocate_node_ports(old, spec, taken);
    }
}

fn allocate_node_ports(old: Option<&Value>, spec: &mut Map<String, Value>, taken: &[Value]) {
    let ports_of = |service: &Value| {
        service["spec"]["ports"]
            .as_array()
            .cloned()
            .unwrap_or_default()
    };
    let used: Vec<Value> = taken
        .iter()
        .flat_map(ports_of)
        .map(|p| p["nodePort"].clone())
        .collect();
    let before = old.map(ports_of).unwrap_or_default();
    for port in objects(spec, "ports") {
        let kept = before
            .iter()
            .find(|p| p["port"] == port["port"] && p["protocol"] == port["protocol"]);
        if let Some(number) = kept.and_then(|p| p.get("nodePort")) {
            set(port, "nodePort", number.clone());
        }
        while port.get("nodePort").is_none_or(Value::is_null) {
            let drawn = json!(rand::random_range(30000..32768));
            if !used.contains(&drawn) {
                port.insert("nodePort".into(), drawn);
            }
        }
    }
}

fn service_cells(o: &Value) -> Vec<Value> {
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
    vec![
        name(o),
        json!(if kind.is_empty() { "ClusterIP" } else { kind }),
        cells::text(o, &["spec", "clusterIP"]),
        external,
        ports,
        age(o),
        selector(&o["spec"]["selector"]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_keeps_its_addresses_and_gets_missing_ones() {
        let mut first =
            json!({"spec": {"type": "NodePort", "ports": [{"port": 80, "protocol": "TCP"}]}});
        allocate(None, &mut first, &[]);
        let address = first["spec"]["clusterIP"].as_str().unwrap().to_owned();
        assert!(address.starts_with("10.0."));
        assert_eq!(first["spec"]["clusterIPs"], json!([address]));
        let mut second =
            json!({"spec": {"type": "NodePort", "ports": [{"port": 80, "protocol": "TCP"}]}});
        allocate(Some(&first), &mut second, &[]);
        assert_eq!(second, first);
        let mut headless = json!({"spec": {"clusterIP": "None", "selector": {"a": "b"}}});
        allocate(None, &mut headless, &[]);
        assert_eq!(headless["spec"]["clusterIPs"], json!(["None"]));
        assert_eq!(headless["spec"]["ipFamilyPolicy"], json!("SingleStack"));
    }
}
