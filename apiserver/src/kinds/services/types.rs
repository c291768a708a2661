//! What a type of service has: addresses, ports of nodes, traffic from outside the cluster.

use serde_json::{Map, Value};

use crate::kinds::defaults::objects;
use crate::metadata::object::{child, fields};

/// The fields of a service's spec.
pub(super) type Spec = Map<String, Value>;

/// Returns the spec of a service.
pub(super) fn spec(service: &mut Value) -> &mut Spec {
    child(fields(service), "spec")
}

/// Returns a text field, or the empty string.
pub(super) fn text<'a>(spec: &'a Spec, field: &str) -> &'a str {
    spec.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// Returns a list field, or an empty list.
pub(super) fn list<'a>(spec: &'a Spec, field: &str) -> &'a [Value] {
    let list = spec.get(field).and_then(Value::as_array);
    list.map_or(&[], Vec::as_slice)
}

/// Returns a number field, or zero.
pub(super) fn number(fields: &Spec, field: &str) -> i64 {
    fields
        .get(field)
        .and_then(Value::as_i64)
        .unwrap_or_default()
}

/// Returns warnings of what the type of a service makes meaningless.
pub(super) fn warnings(service: &Value) -> Vec<String> {
    let Some(spec) = service["spec"].as_object() else {
        return Vec::new();
    };
    let is_name = text(spec, "type") == "ExternalName";
    let mut warnings = Vec::new();
    if is_name && !list(spec, "externalIPs").is_empty() {
        let warning = "spec.externalIPs is ignored when spec.type is \"ExternalName\"";
        warnings.push(warning.to_owned());
    }
    if !is_name && !text(spec, "externalName").is_empty() {
        let warning = "spec.externalName is ignored when spec.type is not \"ExternalName\"";
        warnings.push(warning.to_owned());
    }
    warnings
}

/// Whether a service has addresses in the cluster, or at least `None`.
pub(super) fn has_cluster_ip(spec: &Spec) -> bool {
    text(spec, "type") != "ExternalName"
}

/// Whether the only address of a service is `None`.
pub(super) fn is_headless(spec: &Spec) -> bool {
    matches!(list(spec, "clusterIPs"), [only] if only == "None")
}

/// Whether a service may have ports of nodes.
pub(super) fn may_have_node_ports(spec: &Spec) -> bool {
    matches!(text(spec, "type"), "NodePort" | "LoadBalancer")
}

/// Whether all ports of a service get a port of the nodes.
pub(super) fn needs_node_ports(spec: &Spec) -> bool {
    let is_refused = spec.get("allocateLoadBalancerNodePorts") == Some(&Value::Bool(false));
    match text(spec, "type") {
        "NodePort" => true,
        "LoadBalancer" => !is_refused,
        _ => false,
    }
}

/// Whether a service has a port of the nodes for health checks.
pub(super) fn needs_health_check(spec: &Spec) -> bool {
    text(spec, "type") == "LoadBalancer" && text(spec, "externalTrafficPolicy") == "Local"
}

/// Whether a service is reachable from outside the cluster.
pub(super) fn is_external(spec: &Spec) -> bool {
    may_have_node_ports(spec)
        || (text(spec, "type") == "ClusterIP" && !list(spec, "externalIPs").is_empty())
}

fn is_load_balancer(spec: &Spec) -> bool {
    text(spec, "type") == "LoadBalancer"
}

/// Removes the fields that the type of an updated service no longer has, unless the update changed
/// them.
pub(super) fn drop_dependent(old: &Value, new: &mut Value) {
    let none = Spec::new();
    let old = old["spec"].as_object().unwrap_or(&none);
    let now = spec(new);
    let loses = |now: &Spec, has: fn(&Spec) -> bool| has(old) && !has(now);
    let unchanged = |now: &Spec, field: &str| old.get(field) == now.get(field);

    if loses(now, has_cluster_ip) {
        if unchanged(now, "clusterIP") && unchanged(now, "clusterIPs") {
            now.remove("clusterIP");
            now.remove("clusterIPs");
        }
        drop_unchanged(old, now, &["ipFamilies", "ipFamilyPolicy"]);
    }
    if loses(now, may_have_node_ports) && keeps_node_ports(old, now) {
        for port in objects(now, "ports") {
            port.remove("nodePort");
        }
    }
    if loses(now, needs_health_check) {
        drop_unchanged(old, now, &["healthCheckNodePort"]);
    }
    if loses(now, is_load_balancer) {
        let fields = ["allocateLoadBalancerNodePorts", "loadBalancerClass"];
        drop_unchanged(old, now, &fields);
    }
    if loses(now, is_external) {
        drop_unchanged(old, now, &["externalTrafficPolicy"]);
    }
    drop_ignored(now);
    if !is_load_balancer(now) {
        let status = child(fields(new), "status");
        status.insert("loadBalancer".into(), Value::Object(Spec::new()));
    }
}

/// Removes what a service without addresses is never shown with, even if a client gives it.
pub(super) fn drop_ignored(spec: &mut Spec) {
    if !has_cluster_ip(spec) {
        spec.remove("internalTrafficPolicy");
    }
}

fn drop_unchanged(old: &Spec, now: &mut Spec, names: &[&str]) {
    for name in names {
        if old.get(*name) == now.get(*name) {
            now.remove(*name);
        }
    }
}

/// Whether an update adds no port of the nodes.
fn keeps_node_ports(old: &Spec, now: &Spec) -> bool {
    let before = node_ports(old);
    node_ports(now).iter().all(|port| before.contains(port))
}

/// Returns the ports of the nodes that a service has, without the one for health checks.
pub(super) fn node_ports(spec: &Spec) -> Vec<i64> {
    let ports = list(spec, "ports").iter().filter_map(Value::as_object);
    ports
        .map(|port| number(port, "nodePort"))
        .filter(|n| *n != 0)
        .collect()
}
