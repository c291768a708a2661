//! Validation of network policies.

use serde_json::Value;

use super::check::{label_selector, one_of};
use super::net::{contains, port_number, port_or_name, read_cidr};
use crate::field::FieldError;
use crate::metadata::object::text;
use crate::table::cells::items;

/// Validates the spec of a network policy.
pub(super) fn validate(spec: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    label_selector("spec.podSelector", &spec["podSelector"], &mut errors);
    for (direction, peers) in [("ingress", "from"), ("egress", "to")] {
        for (index, rule) in items(spec, &[direction]).iter().enumerate() {
            let path = format!("spec.{direction}[{index}]");
            for (index, port) in items(rule, &["ports"]).iter().enumerate() {
                check_port(&format!("{path}.ports[{index}]"), port, &mut errors);
            }
            for (index, peer) in items(rule, &[peers]).iter().enumerate() {
                check_peer(&format!("{path}.{peers}[{index}]"), peer, &mut errors);
            }
        }
    }
    for (index, policy) in items(spec, &["policyTypes"]).iter().enumerate() {
        let path = format!("spec.policyTypes[{index}]");
        one_of(path, policy, &["Ingress", "Egress"], &mut errors);
    }
    errors
}

fn check_port(path: &str, port: &Value, errors: &mut Vec<FieldError>) {
    let protocols = &["TCP", "UDP", "SCTP"];
    one_of(
        format!("{path}.protocol"),
        &port["protocol"],
        protocols,
        errors,
    );
    let (start, end) = (&port["port"], port["endPort"].as_i64());
    if !start.is_null() {
        port_or_name(&format!("{path}.port"), start, errors);
    }
    let Some(end) = end else {
        return;
    };
    let path = format!("{path}.endPort");
    match start.as_i64() {
        Some(start) => {
            if end < start {
                let detail = "must be greater than or equal to `port`";
                errors.push(FieldError::invalid(path.clone(), start, detail));
            }
            port_number(path, end, errors);
        }
        None if start.is_null() => {
            let detail = "may not be specified when `port` is not specified";
            errors.push(FieldError::invalid(path, end, detail));
        }
        None => {
            let detail = "may not be specified when `port` is non-numeric";
            errors.push(FieldError::invalid(path, end, detail));
        }
    }
}

fn check_peer(path: &str, peer: &Value, errors: &mut Vec<FieldError>) {
    let mut selectors = 0;
    for field in ["podSelector", "namespaceSelector"] {
        if !peer[field].is_null() {
            selectors += 1;
            label_selector(&format!("{path}.{field}"), &peer[field], errors);
        }
    }
    let block = &peer["ipBlock"];
    match (block.is_null(), selectors) {
        (true, 0) => errors.push(FieldError::required(path, "must specify a peer")),
        (true, _) => {}
        (false, others) => {
            check_block(&format!("{path}.ipBlock"), block, errors);
            if others > 0 {
                let detail = "may not specify both ipBlock and another peer";
                errors.push(FieldError::forbidden(path, detail));
            }
        }
    }
}

fn check_block(path: &str, block: &Value, errors: &mut Vec<FieldError>) {
    let given = text(block, &["cidr"]);
    if given.is_empty() {
        errors.push(FieldError::required(format!("{path}.cidr"), ""));
        return;
    }
    let whole = match read_cidr(given) {
        Ok(range) => range,
        Err(fault) => {
            errors.push(FieldError::invalid(format!("{path}.cidr"), given, fault));
            return;
        }
    };
    for (index, except) in items(block, &["except"]).iter().enumerate() {
        let path = format!("{path}.except[{index}]");
        let except = except.as_str().unwrap_or_default();
        match read_cidr(except) {
            Ok((first, bits)) if contains(whole, first) && whole.1 < bits => {}
            Ok(_) => {
                let detail = "must be a strict subset of `cidr`";
                errors.push(FieldError::invalid(path, except, detail));
            }
            Err(fault) => errors.push(FieldError::invalid(path, except, fault)),
        }
    }
}
