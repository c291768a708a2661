//! Endpoints and endpoint slices: the addresses behind services.

use std::collections::BTreeSet;
use std::net::IpAddr;

use serde_json::{Value, json};

use super::check::{dns_label, immutable, one_of};
use super::defaults::{objects, set};
use super::net::{ip_fault, port_number, protocol, reachable_ip};
use crate::field::{FieldError, FieldErrorKind};
use crate::metadata::object::{fields, text};
use crate::registry::Strategy;
use crate::table::cells::{age, first, items, name, number};
use crate::table::{Printer, col, columns};
use kube_names::subdomain_fault;

/// The number of addresses and ports that a cell shows.
const SHOWN: usize = 3;

const MOST_ENDPOINTS: usize = 1000;
const MOST_ADDRESSES: usize = 100;

#[derive(Debug)]
pub(super) struct Endpoints;

impl Strategy for Endpoints {
    fn set_defaults(&self, object: &mut Value) {
        for subset in objects(fields(object), "subsets") {
            for port in objects(subset, "ports") {
                set(port, "protocol", "TCP");
            }
        }
    }

    fn validate_create(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Vec::new();
        for (index, subset) in items(object, &["subsets"]).iter().enumerate() {
            check_subset(&format!("subsets[{index}]"), subset, &mut errors);
        }
        errors
    }

    /// Subsets that an update keeps may be invalid.
    fn validate_update(&self, old: &Value, new: &Value) -> Vec<FieldError> {
        match old["subsets"] == new["subsets"] {
            true => Vec::new(),
            false => self.validate_create(new),
        }
    }

    fn printer(&self) -> &'static Printer {
        columns! { |o| {
            let subsets = items(o, &["subsets"]);
            let shown = match subsets {
                [] => "<none>".to_owned(),
                _ => first(SHOWN, subsets.iter().flat_map(endpoints), ","),
            };
        }
            col("Name") => name(o),
            col("Endpoints") => shown,
            col("Age") => age(o),
        }
    }
}

fn too_many(path: &str, count: usize, most: usize) -> FieldError {
    let detail = format!("must have at most {most} items");
    FieldError::with_value(path, FieldErrorKind::TooMany, count.into(), detail)
}

/// Checks a subset: its addresses, and its ports, which need names if there are several.
fn check_subset(path: &str, subset: &Value, errors: &mut Vec<FieldError>) {
    let lists = ["addresses", "notReadyAddresses"];
    if lists.iter().all(|list| items(subset, &[list]).is_empty()) {
        let detail = "must specify `addresses` or `notReadyAddresses`";
        errors.push(FieldError::required(path, detail));
    }
    for list in lists {
        for (index, address) in items(subset, &[list]).iter().enumerate() {
            let path = format!("{path}.{list}[{index}]");
            let ip = text(address, &["ip"]);
            let here = format!("{path}.ip");
            errors.extend(ip_fault(ip).map(|fault| FieldError::invalid(&here, ip, fault)));
            dns_label(
                format!("{path}.hostname"),
                text(address, &["hostname"]),
                errors,
            );
            reachable_ip(&here, ip, errors);
        }
    }
    let ports = items(subset, &["ports"]);
    for (index, port) in ports.iter().enumerate() {
        let path = format!("{path}.ports[{index}]");
        let name = text(port, &["name"]);
        if ports.len() > 1 && name.is_empty() {
            errors.push(FieldError::required(format!("{path}.name"), ""));
        }
        dns_label(format!("{path}.name"), name, errors);
        let number = port["port"].as_i64().unwrap_or_default();
        port_number(format!("{path}.port"), number, errors);
        protocol(&path, port, errors);
    }
}

/// Checks the names and protocols of a slice's ports.
fn check_slice_ports(ports: &[Value], errors: &mut Vec<FieldError>) {
    let mut names = BTreeSet::new();
    for (index, port) in ports.iter().enumerate() {
        let path = format!("ports[{index}]");
        let name = text(port, &["name"]);
        dns_label(format!("{path}.name"), name, errors);
        if !names.insert(name) {
            errors.push(FieldError::duplicate(format!("{path}.name"), name));
        }
        protocol(&path, port, errors);
    }
}

/// Checks an endpoint of a slice with this type of addresses.
fn check_endpoint(path: &str, kind: &str, endpoint: &Value, errors: &mut Vec<FieldError>) {
    let here = format!("{path}.addresses");
    let addresses = items(endpoint, &["addresses"]);
    if addresses.is_empty() {
        errors.push(FieldError::required(
            &here,
            "must contain at least 1 address",
        ));
    } else if addresses.len() > MOST_ADDRESSES {
        errors.push(too_many(&here, addresses.len(), MOST_ADDRESSES));
    }
    for (index, address) in addresses.iter().enumerate() {
        let address = address.as_str().unwrap_or_default();
        match kind {
            "IPv4" | "IPv6" => check_ip(&here, index, kind, address, errors),
            "FQDN" => check_domain(format!("{here}[{index}]"), address, errors),
            _ => {}
        }
    }
    let host = text(endpoint, &["hostname"]);
    dns_label(format!("{path}.hostname"), host, errors);
}

/// Checks an address of this family.
fn check_ip(path: &str, index: usize, kind: &str, address: &str, errors: &mut Vec<FieldError>) {
    let here = format!("{path}[{index}]");
    if let Some(fault) = ip_fault(address) {
        errors.push(FieldError::invalid(here, address, fault));
        return;
    }
    let ip: Option<IpAddr> = address.parse().ok();
    let is_canonical = ip.is_none_or(|ip| ip.to_string() == address);
    if kind == "IPv6" && !is_canonical {
        let canonical = ip.map(|ip| ip.to_string()).unwrap_or_default();
        let detail = format!("must be in canonical form (\"{canonical}\")");
        errors.push(FieldError::invalid(here, address, detail));
        return;
    }
    if ip.is_some_and(|ip| ip.is_ipv4() != (kind == "IPv4")) {
        let detail = format!("must be an {kind} address");
        errors.push(FieldError::invalid(path, address, detail));
    }
    reachable_ip(&here, address, errors);
}

/// Checks a fully qualified domain name, which may end with a dot.
fn check_domain(path: String, name: &str, errors: &mut Vec<FieldError>) {
    if name.is_empty() {
        errors.push(FieldError::required(path, ""));
        return;
    }
    let name = name.strip_suffix('.').unwrap_or(name);
    if let Some(fault) = subdomain_fault(name) {
        errors.push(FieldError::invalid(path, name, fault));
    } else if !name.contains('.') {
        let detail = "should be a domain with at least two segments separated by dots";
        errors.push(FieldError::invalid(path, name, detail));
    } else {
        for label in name.split('.') {
            dns_label(path.clone(), label, errors);
        }
    }
}

/// Returns the addresses of a subset, with each of its ports.
fn endpoints(subset: &Value) -> Vec<String> {
    let addresses = || {
        items(subset, &["addresses"])
            .iter()
            .map(|a| text(a, &["ip"]))
    };
    let ports = items(subset, &["ports"]);
    if ports.is_empty() {
        return addresses().map(str::to_owned).collect();
    }
    let at = |port: &Value| {
        let port = number(port, &["port"]);
        addresses().map(move |ip| match ip.contains(':') {
            true => format!("[{ip}]:{port}"),
            false => format!("{ip}:{port}"),
        })
    };
    ports.iter().flat_map(at).collect()
}

#[derive(Debug)]
pub(super) struct EndpointSlice;

impl Strategy for EndpointSlice {
    fn set_defaults(&self, object: &mut Value) {
        for port in objects(fields(object), "ports") {
            set(port, "name", "");
            set(port, "protocol", "TCP");
        }
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Vec::new();
        match text(object, &["addressType"]) {
            "" => errors.push(FieldError::required("addressType", "")),
            _ => one_of(
                "addressType".to_owned(),
                &object["addressType"],
                &["FQDN", "IPv4", "IPv6"],
                &mut errors,
            ),
        }
        check_slice_ports(items(object, &["ports"]), &mut errors);
        errors
    }

    fn validate_create(&self, object: &Value) -> Vec<FieldError> {
        let endpoints = items(object, &["endpoints"]);
        if endpoints.len() > MOST_ENDPOINTS {
            return vec![too_many("endpoints", endpoints.len(), MOST_ENDPOINTS)];
        }
        let mut errors = Vec::new();
        for (index, endpoint) in endpoints.iter().enumerate() {
            let path = format!("endpoints[{index}]");
            check_endpoint(&path, text(object, &["addressType"]), endpoint, &mut errors);
        }
        errors
    }

    /// Endpoints that an update keeps may be invalid, even for a changed type.
    fn validate_update(&self, old: &Value, new: &Value) -> Vec<FieldError> {
        let mut errors = match old["endpoints"] == new["endpoints"] {
            true => Vec::new(),
            false => self.validate_create(new),
        };
        immutable("addressType", old, new, &mut errors);
        errors
    }

    fn printer(&self) -> &'static Printer {
        columns! { |o| {
            let ports = items(o, &["ports"])
                .iter()
                .map(|port| match port["port"].as_i64() {
                    Some(number) => number.to_string(),
                    None if port["name"].is_null() => "*".to_owned(),
                    None => text(port, &["name"]).to_owned(),
                });
            let addresses = items(o, &["endpoints"]).iter().flat_map(|endpoint| {
                let addresses = items(endpoint, &["addresses"]).iter();
                addresses.filter_map(Value::as_str).map(str::to_owned)
            });
            let or_unset = |shown: String| match shown.is_empty() {
                true => json!("<unset>"),
                false => json!(shown),
            };
        }
            col("Name") => name(o),
            col("AddressType") => text(o, &["addressType"]),
            col("Ports") => or_unset(first(SHOWN, ports, ",")),
            col("Endpoints") => or_unset(first(SHOWN, addresses, ",")),
            col("Age") => age(o),
        }
    }
}
