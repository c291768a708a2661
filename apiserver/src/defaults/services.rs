//! Defaults of services, and the addresses and ports that they are given.

use serde_json::{Map, Value, json};

use super::pods::objects;
use super::set;
use crate::object;

/// Fills in what does not need the cluster.
pub(super) fn service(spec: &mut Map<String, Value>) {
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
    if matches!(kind.as_str(), "NodePort" | "LoadBalancer") {
        set(spec, "externalTrafficPolicy", json!("Cluster"));
    }
    if kind == "LoadBalancer" {
        set(spec, "allocateLoadBalancerNodePorts", json!(true));
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

/// Gives a service its addresses and node ports: those that it had, or new ones that `taken` does not hold.
pub(crate) fn allocate(old: Option<&Value>, service: &mut Value, taken: &[Value]) {
    let headless_without_selector = service["spec"]["selector"].is_null();
    let kind = object::text(service, &["spec", "type"]).to_owned();
    if kind == "ExternalName" {
        return;
    }
    let spec = object::child(object::fields(service), "spec");
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
