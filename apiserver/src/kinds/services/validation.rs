//! Validation of services. Addresses are validated when they are allocated.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::types::{Spec, is_external, is_headless, list, needs_health_check, number, text};
use crate::field::FieldError;
use crate::kinds::check::{labels, one_of};
use crate::kinds::net::{ip_fault, port_number, port_or_name, protocol, reachable_ip, read_cidr};
use kube_names::{label_fault, label_key_faults, subdomain_fault};

const TYPES: &[&str] = &["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const ONLY_BALANCED: &str = "may only be used when `type` is 'LoadBalancer'";
/// The longest session affinity: a day.
const LONGEST_AFFINITY: i64 = 86_400;

/// Validates a service with its allocated addresses and ports.
pub(super) fn validate(service: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let Some(spec) = service["spec"].as_object() else {
        return errors;
    };
    let kind = text(spec, "type");
    if list(spec, "ports").is_empty() && !is_headless(spec) && kind != "ExternalName" {
        errors.push(FieldError::required("spec.ports", ""));
    }
    check_type(spec, &mut errors);
    check_ports(spec, &mut errors);
    check_selector(spec, &mut errors);
    check_affinity(spec, &mut errors);
    check_external_ips(spec, &mut errors);
    one_of(
        "spec.type".into(),
        &service["spec"]["type"],
        TYPES,
        &mut errors,
    );
    check_node_ports(spec, &mut errors);
    check_duplicate_ports(spec, &mut errors);
    check_balancer(spec, &mut errors);
    check_traffic(spec, &mut errors);
    errors
}

/// Validates the changes of an update.
pub(super) fn validate_update(old: &Value, new: &Value) -> Vec<FieldError> {
    let none = Map::new();
    let before = old["spec"].as_object().unwrap_or(&none);
    let now = new["spec"].as_object().unwrap_or(&none);
    let mut errors = Vec::new();
    let kinds = [text(before, "type"), text(now, "type")];
    if !kinds.contains(&"ExternalName") {
        check_kept_addresses(before, now, &mut errors);
    }
    if kinds == ["LoadBalancer"; 2]
        && before.get("loadBalancerClass") != now.get("loadBalancerClass")
    {
        let value = now.get("loadBalancerClass").cloned().unwrap_or_default();
        let path = "spec.loadBalancerClass";
        errors.push(FieldError::invalid(path, value, "may not change once set"));
    }
    if needs_health_check(before)
        && needs_health_check(now)
        && before.get("healthCheckNodePort") != now.get("healthCheckNodePort")
    {
        let path = "spec.healthCheckNodePort";
        errors.push(FieldError::forbidden(path, "field is immutable"));
    }
    errors
}

fn check_kept_addresses(before: &Spec, now: &Spec, errors: &mut Vec<FieldError>) {
    if is_headless(before) && is_headless(now) {
        return;
    }
    let addresses = list(now, "clusterIPs");
    for (index, address) in list(before, "clusterIPs").iter().enumerate() {
        if addresses.get(index) != Some(address) {
            errors.push(FieldError::invalid(
                format!("spec.clusterIPs[{index}]"),
                json!(addresses),
                "may not change once set",
            ));
        }
    }
}

fn check_type(spec: &Spec, errors: &mut Vec<FieldError>) {
    let kind = text(spec, "type");
    match kind {
        "LoadBalancer" | "NodePort" if is_headless(spec) => errors.push(FieldError::invalid(
            "spec.clusterIPs[0]",
            "None",
            format!("may not be set to 'None' for {kind} services"),
        )),
        "ExternalName" => {
            for field in ["clusterIPs", "ipFamilies", "ipFamilyPolicy"] {
                if !list(spec, field).is_empty() || !text(spec, field).is_empty() {
                    let detail = "may not be set for ExternalName services";
                    errors.push(FieldError::forbidden(format!("spec.{field}"), detail));
                }
            }
            let name = text(spec, "externalName");
            let name = name.strip_suffix('.').unwrap_or(name);
            if name.is_empty() {
                errors.push(FieldError::required("spec.externalName", ""));
            } else if let Some(fault) = subdomain_fault(name) {
                errors.push(FieldError::invalid("spec.externalName", name, fault));
            }
        }
        _ => {}
    }
}

fn check_ports(spec: &Spec, errors: &mut Vec<FieldError>) {
    let ports = list(spec, "ports");
    let mut names = BTreeSet::new();
    for (index, port) in ports.iter().enumerate() {
        let path = format!("spec.ports[{index}]");
        let here = format!("{path}.name");
        match port["name"].as_str().unwrap_or_default() {
            "" if ports.len() > 1 => errors.push(FieldError::required(here, "")),
            "" => {}
            name => {
                if let Some(fault) = label_fault(name) {
                    errors.push(FieldError::invalid(here.clone(), name, fault));
                }
                if !names.insert(name) {
                    errors.push(FieldError::duplicate(here, name));
                }
            }
        }
        let number = port["port"].as_i64().unwrap_or_default();
        port_number(format!("{path}.port"), number, errors);
        protocol(&path, port, errors);
        port_or_name(&format!("{path}.targetPort"), &port["targetPort"], errors);
        if let Some(name) = port["appProtocol"].as_str() {
            qualified_name(&format!("{path}.appProtocol"), name, errors);
        }
    }
}

fn qualified_name(path: &str, name: &str, errors: &mut Vec<FieldError>) {
    for fault in label_key_faults(name) {
        errors.push(FieldError::invalid(path, name, fault));
    }
}

fn check_selector(spec: &Spec, errors: &mut Vec<FieldError>) {
    let selector = spec.get("selector").and_then(Value::as_object);
    labels("spec.selector", selector, errors);
}

fn check_affinity(spec: &Spec, errors: &mut Vec<FieldError>) {
    let affinity = spec.get("sessionAffinity").unwrap_or(&Value::Null);
    let path = "spec.sessionAffinity".to_owned();
    one_of(path, affinity, &["ClientIP", "None"], errors);
    let config = spec.get("sessionAffinityConfig").unwrap_or(&Value::Null);
    let timeout = config["clientIP"]["timeoutSeconds"].as_i64();
    if affinity == "ClientIP"
        && let Some(seconds) = timeout.filter(|s| !(1..=LONGEST_AFFINITY).contains(s))
    {
        errors.push(FieldError::invalid(
            "spec.sessionAffinityConfig.clientIP.timeoutSeconds",
            seconds,
            format!("must be greater than 0 and less than {LONGEST_AFFINITY}"),
        ));
    }
}

fn check_external_ips(spec: &Spec, errors: &mut Vec<FieldError>) {
    for (index, address) in list(spec, "externalIPs").iter().enumerate() {
        let path = format!("spec.externalIPs[{index}]");
        let address = address.as_str().unwrap_or_default();
        match ip_fault(address) {
            Some(fault) => errors.push(FieldError::invalid(path, address, fault)),
            None => reachable_ip(&path, address, errors),
        }
    }
}

fn check_node_ports(spec: &Spec, errors: &mut Vec<FieldError>) {
    let mut seen = BTreeSet::new();
    for (index, port) in list(spec, "ports").iter().enumerate() {
        let path = format!("spec.ports[{index}].nodePort");
        let number = port["nodePort"].as_i64().unwrap_or_default();
        if number == 0 {
            continue;
        }
        if text(spec, "type") == "ClusterIP" {
            let detail = "may not be used when `type` is 'ClusterIP'";
            errors.push(FieldError::forbidden(path.clone(), detail));
        }
        if !seen.insert((port["protocol"].as_str(), number)) {
            errors.push(FieldError::duplicate(path, number));
        }
    }
}

fn check_duplicate_ports(spec: &Spec, errors: &mut Vec<FieldError>) {
    let mut seen = BTreeSet::new();
    for (index, port) in list(spec, "ports").iter().enumerate() {
        if !seen.insert((port["protocol"].as_str(), port["port"].as_i64())) {
            // Go shows the compared struct, in which only two fields are set.
            let shown = json!({"Protocol": port["protocol"], "Port": port["port"]});
            errors.push(FieldError::duplicate(format!("spec.ports[{index}]"), shown));
        }
    }
}

/// Checks the fields that only load balancers have.
fn check_balancer(spec: &Spec, errors: &mut Vec<FieldError>) {
    let is_balanced = text(spec, "type") == "LoadBalancer";
    let ranges = list(spec, "loadBalancerSourceRanges");
    // The path has Go's name of the field.
    let path = "spec.LoadBalancerSourceRanges";
    if !ranges.is_empty() && !is_balanced {
        errors.push(FieldError::forbidden(path, ONLY_BALANCED));
    }
    for (index, range) in ranges.iter().enumerate() {
        let range = range.as_str().unwrap_or_default().trim();
        if let Err(fault) = read_cidr(range) {
            errors.push(FieldError::invalid(
                format!("{path}[{index}]"),
                range,
                fault,
            ));
        }
    }
    if spec.contains_key("allocateLoadBalancerNodePorts") && !is_balanced {
        let path = "spec.allocateLoadBalancerNodePorts";
        errors.push(FieldError::forbidden(path, ONLY_BALANCED));
    }
    let path = "spec.loadBalancerClass";
    match spec.get("loadBalancerClass").and_then(Value::as_str) {
        Some(class) if is_balanced => qualified_name(path, class, errors),
        Some(_) => errors.push(FieldError::forbidden(path, ONLY_BALANCED)),
        None => {}
    }
}

fn check_traffic(spec: &Spec, errors: &mut Vec<FieldError>) {
    const POLICIES: &[&str] = &["Cluster", "Local"];
    let path = "spec.externalTrafficPolicy";
    let policy = text(spec, "externalTrafficPolicy");
    if !is_external(spec) {
        if !policy.is_empty() {
            let detail = "may only be set for externally-accessible services";
            errors.push(FieldError::invalid(path, policy, detail));
        }
    } else if !POLICIES.contains(&policy) {
        errors.push(FieldError::unsupported(path, policy, POLICIES));
    }
    let check = number(spec, "healthCheckNodePort");
    if check != 0 && !needs_health_check(spec) {
        let detail =
            "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
        errors.push(FieldError::invalid(
            "spec.healthCheckNodePort",
            check,
            detail,
        ));
    }
    let fields: [(&str, &[&str]); 2] = [
        ("internalTrafficPolicy", POLICIES),
        (
            "trafficDistribution",
            &["PreferClose", "PreferSameZone", "PreferSameNode"],
        ),
    ];
    for (field, supported) in fields {
        let value = spec.get(field).unwrap_or(&Value::Null);
        one_of(format!("spec.{field}"), value, supported, errors);
    }
}
