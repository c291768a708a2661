//! Validation shared by all kinds of containers.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::field::FieldError;
use crate::kinds::check::{non_negative, one_of};
use crate::kinds::net::{port_name_faults, port_number, port_or_name, protocol};
use crate::metadata::object::text;
use crate::table::cells::items;
use kube_names::label_fault;

/// Checks that a name is present, a DNS label, and not in `taken`.
pub(super) fn named(path: &str, name: &str, taken: &[&str], errors: &mut Vec<FieldError>) {
    let path = format!("{path}.name");
    if name.is_empty() {
        errors.push(FieldError::required(path, ""));
    } else if let Some(fault) = label_fault(name) {
        errors.push(FieldError::invalid(path, name, fault));
    } else if taken.contains(&name) {
        errors.push(FieldError::duplicate(path, name));
    }
}

/// Validates the fields common to all kinds of containers.
pub(super) fn validate_container(
    path: &str,
    container: &Value,
    volumes: &[&str],
    errors: &mut Vec<FieldError>,
) {
    if text(container, &["image"]).is_empty() {
        errors.push(FieldError::required(format!("{path}.image"), ""));
    }
    one_of(
        format!("{path}.terminationMessagePolicy"),
        &container["terminationMessagePolicy"],
        &["File", "FallbackToLogsOnError"],
        errors,
    );
    check_ports(path, container, errors);
    for (index, variable) in items(container, &["env"]).iter().enumerate() {
        if text(variable, &["name"]).is_empty() {
            errors.push(FieldError::required(
                format!("{path}.env[{index}].name"),
                "",
            ));
        }
    }
    for (index, mount) in items(container, &["volumeMounts"]).iter().enumerate() {
        let here = format!("{path}.volumeMounts[{index}]");
        let name = text(mount, &["name"]);
        if name.is_empty() {
            errors.push(FieldError::required(format!("{here}.name"), ""));
        } else if !volumes.contains(&name) {
            errors.push(FieldError::not_found(format!("{here}.name"), name));
        }
        if text(mount, &["mountPath"]).is_empty() {
            errors.push(FieldError::required(format!("{here}.mountPath"), ""));
        }
    }
    for name in ["livenessProbe", "readinessProbe", "startupProbe"] {
        check_probe(&format!("{path}.{name}"), &container[name], errors);
    }
    one_of(
        format!("{path}.imagePullPolicy"),
        &container["imagePullPolicy"],
        &["Always", "IfNotPresent", "Never"],
        errors,
    );
}

fn check_ports(path: &str, container: &Value, errors: &mut Vec<FieldError>) {
    let mut names = BTreeSet::new();
    for (index, port) in items(container, &["ports"]).iter().enumerate() {
        let path = format!("{path}.ports[{index}]");
        if let Some(name) = port["name"].as_str().filter(|name| !name.is_empty()) {
            let faults = port_name_faults(name);
            let is_new = names.insert(name);
            if faults.is_empty() && !is_new {
                errors.push(FieldError::duplicate(format!("{path}.name"), name));
            }
            for fault in faults {
                errors.push(FieldError::invalid(format!("{path}.name"), name, fault));
            }
        }
        let here = format!("{path}.containerPort");
        match port["containerPort"].as_i64().unwrap_or_default() {
            0 => errors.push(FieldError::required(here, "")),
            number => port_number(here, number, errors),
        }
        let on_host = port["hostPort"].as_i64().unwrap_or_default();
        if on_host != 0 {
            port_number(format!("{path}.hostPort"), on_host, errors);
        }
        protocol(&path, port, errors);
    }
}

/// Validates the handler of a probe and its numbers.
fn check_probe(path: &str, probe: &Value, errors: &mut Vec<FieldError>) {
    if probe.is_null() {
        return;
    }
    for handler in ["httpGet", "tcpSocket", "grpc"] {
        let handled = &probe[handler];
        if !handled.is_null() {
            port_or_name(&format!("{path}.{handler}.port"), &handled["port"], errors);
        }
    }
    for field in [
        "initialDelaySeconds",
        "timeoutSeconds",
        "periodSeconds",
        "successThreshold",
        "failureThreshold",
    ] {
        non_negative(format!("{path}.{field}"), &probe[field], errors);
    }
}

/// Checks that the image of a container has no leading or trailing whitespace.
pub(super) fn trimmed_image(path: &str, container: &Value, errors: &mut Vec<FieldError>) {
    let image = text(container, &["image"]);
    if image.trim().len() != image.len() {
        let detail = "must not have leading or trailing whitespace";
        errors.push(FieldError::invalid(format!("{path}.image"), image, detail));
    }
}
