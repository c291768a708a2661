//! Ingresses, their classes, and network policies.

use serde_json::{Value, json};

use super::defaults::{objects, set};
use super::net::port_number;
use super::network_policy;
use crate::field::FieldError;
use crate::metadata::object::{child, fields, text};
use crate::registry::Strategy;
use crate::table::cells::{self, age, class_name, items, joined, name, selector, text_or};
use crate::table::{Printer, col, columns};
use kube_names::{label_1035_fault, subdomain_fault};

#[derive(Debug)]
pub(super) struct NetworkPolicy;

impl Strategy for NetworkPolicy {
    fn set_defaults(&self, object: &mut Value) {
        let spec = child(fields(object), "spec");
        for list in ["ingress", "egress"] {
            for rule in objects(spec, list) {
                for port in objects(rule, "ports") {
                    set(port, "protocol", "TCP");
                }
            }
        }
        let has_egress = spec.get("egress").is_some_and(|list| !list.is_null());
        let policies: &[&str] = if has_egress {
            &["Ingress", "Egress"]
        } else {
            &["Ingress"]
        };
        set(spec, "policyTypes", json!(policies));
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        network_policy::validate(&object["spec"])
    }

    fn printer(&self) -> &'static Printer {
        columns! { |o|
            col("Name") => name(o),
            col("Pod-Selector") => selector(&o["spec"]["podSelector"]),
            col("Age") => age(o),
        }
    }
}

#[derive(Debug)]
pub(super) struct IngressClass;

impl Strategy for IngressClass {
    fn printer(&self) -> &'static Printer {
        columns! { |o|
            col("Name") => class_name(o, "ingressclass.kubernetes.io/is-default-class"),
            col("Controller") => text(o, &["spec", "controller"]),
            col("Parameters") => parameters(&o["spec"]["parameters"]),
            col("Age") => age(o),
        }
    }
}

/// Returns the parameters of an ingress class as `Kind.group/name`.
fn parameters(reference: &Value) -> String {
    if reference.is_null() {
        return "<none>".to_owned();
    }
    let (kind, name) = (text(reference, &["kind"]), text(reference, &["name"]));
    match reference["apiGroup"].as_str() {
        Some(group) => format!("{kind}.{group}/{name}"),
        None => format!("{kind}/{name}"),
    }
}

#[derive(Debug)]
pub(super) struct Ingress;

impl Strategy for Ingress {
    fn validate(&self, object: &Value) -> Vec<FieldError> {
        validate_ingress(&object["spec"])
    }

    fn printer(&self) -> &'static Printer {
        columns! { |o| {
            let hosts: Vec<String> = items(o, &["spec", "rules"])
                .iter()
                .map(|rule| {
                    text_or(rule, &["host"], "*")
                        .as_str()
                        .unwrap_or_default()
                        .to_owned()
                })
                .collect();
            let addresses: Vec<&str> = items(o, &["status", "loadBalancer", "ingress"])
                .iter()
                .map(|i| {
                    if text(i, &["ip"]).is_empty() {
                        text(i, &["hostname"])
                    } else {
                        text(i, &["ip"])
                    }
                })
                .collect();
            let ports = if items(o, &["spec", "tls"]).is_empty() {
                "80"
            } else {
                "80, 443"
            };
        }
            col("Name") => name(o),
            col("Class") => cells::text(o, &["spec", "ingressClassName"]),
            col("Hosts") => if hosts.is_empty() { json!("*") } else { joined(hosts) },
            col("Address") => addresses.join(","),
            col("Ports") => ports,
            col("Age") => age(o),
        }
    }
}

fn validate_ingress(spec: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let (rules, backend) = (items(spec, &["rules"]), &spec["defaultBackend"]);
    if rules.is_empty() && backend.is_null() {
        let detail = "either `defaultBackend` or `rules` must be specified";
        errors.push(FieldError::invalid("spec", Value::Null, detail));
    }
    if !backend.is_null() {
        validate_backend("spec.defaultBackend", backend, &mut errors);
    }
    for (index, rule) in rules.iter().enumerate() {
        let path = format!("spec.rules[{index}]");
        validate_host(&path, text(rule, &["host"]), &mut errors);
        let http = &rule["http"];
        if http.is_null() {
            continue;
        }
        if items(http, &["paths"]).is_empty() {
            errors.push(FieldError::required(format!("{path}.http.paths"), ""));
        }
        for (index, item) in items(http, &["paths"]).iter().enumerate() {
            validate_path(&format!("{path}.http.paths[{index}]"), item, &mut errors);
        }
    }
    validate_tls(items(spec, &["tls"]), &mut errors);
    if let Some(class) = spec["ingressClassName"].as_str()
        && let Some(fault) = subdomain_fault(class)
    {
        errors.push(FieldError::invalid("spec.ingressClassName", class, fault));
    }
    errors
}

fn validate_tls(tls: &[Value], errors: &mut Vec<FieldError>) {
    for (index, entry) in tls.iter().enumerate() {
        for (at, host) in items(entry, &["hosts"]).iter().enumerate() {
            let host = host.as_str().unwrap_or_default();
            if let Some(fault) = subdomain_fault(host.strip_prefix("*.").unwrap_or(host)) {
                let path = format!("spec.tls[{index}].hosts[{at}]");
                errors.push(FieldError::invalid(path, host, fault));
            }
        }
    }
}

fn validate_host(path: &str, host: &str, errors: &mut Vec<FieldError>) {
    if host.is_empty() {
        return;
    }
    let here = format!("{path}.host");
    if host.parse::<std::net::IpAddr>().is_ok() {
        let detail = "must be a DNS name, not an IP address";
        errors.push(FieldError::invalid(here.clone(), host, detail));
    }
    if let Some(fault) = subdomain_fault(host.strip_prefix("*.").unwrap_or(host)) {
        errors.push(FieldError::invalid(here, host, fault));
    }
}

fn validate_path(path: &str, item: &Value, errors: &mut Vec<FieldError>) {
    const TYPES: &[&str] = &["Exact", "ImplementationSpecific", "Prefix"];
    let given = text(item, &["path"]);
    match item["pathType"].as_str() {
        None => {
            let detail = "pathType must be specified";
            errors.push(FieldError::required(format!("{path}.pathType"), detail));
            return;
        }
        Some("ImplementationSpecific") if given.is_empty() => {}
        Some(kind) if TYPES.contains(&kind) => {
            if !given.starts_with('/') {
                let detail = "must be an absolute path";
                errors.push(FieldError::invalid(format!("{path}.path"), given, detail));
            }
        }
        Some(kind) => errors.push(FieldError::unsupported(
            format!("{path}.pathType"),
            kind,
            TYPES,
        )),
    }
    validate_backend(&format!("{path}.backend"), &item["backend"], errors);
}

fn validate_backend(path: &str, backend: &Value, errors: &mut Vec<FieldError>) {
    let (service, resource) = (&backend["service"], &backend["resource"]);
    let fault = match (service.is_null(), resource.is_null()) {
        (false, false) => Some("cannot set both resource and service backends"),
        (true, true) => Some("resource or service backend is required"),
        _ => None,
    };
    if let Some(fault) = fault {
        errors.push(FieldError::invalid(path, "", fault));
        return;
    }
    if service.is_null() {
        for field in ["kind", "name"] {
            if text(resource, &[field]).is_empty() {
                errors.push(FieldError::required(format!("{path}.resource.{field}"), ""));
            }
        }
        return;
    }
    let name = text(service, &["name"]);
    if name.is_empty() {
        errors.push(FieldError::required(format!("{path}.service.name"), ""));
    } else if let Some(fault) = label_1035_fault(name) {
        errors.push(FieldError::invalid(
            format!("{path}.service.name"),
            name,
            fault,
        ));
    }
    let port = &service["port"];
    let number = port["number"].as_i64().unwrap_or_default();
    match (text(port, &["name"]), number) {
        ("", 0) => errors.push(FieldError::required(
            path,
            "port name or number is required",
        )),
        ("", _) => port_number(format!("{path}.service.port.number"), number, errors),
        (_, 0) => {}
        _ => {
            let detail = "cannot set both port name & port number";
            errors.push(FieldError::invalid(path, "", detail));
        }
    }
}
