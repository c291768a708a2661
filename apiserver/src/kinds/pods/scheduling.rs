//! Validation of where a pod may run: its node selector and tolerations.

use serde_json::Value;

use crate::field::FieldError;
use crate::kinds::check;
use crate::metadata::object::text;
use crate::table::cells::items;
use kube_names::{label_key_faults, label_value_faults};

const OPERATORS: &[&str] = &["Equal", "Exists"];
const COMPARISONS: &[&str] = &["Equal", "Exists", "Lt", "Gt"];
const EFFECTS: &[&str] = &["NoSchedule", "PreferNoSchedule", "NoExecute"];

/// Validates the node selector and the tolerations of a pod or a template.
pub(super) fn validate(spec: &Value, path: &str, errors: &mut Vec<FieldError>) {
    let selector = spec["nodeSelector"].as_object();
    check::labels(&format!("{path}.nodeSelector"), selector, errors);
    for (index, toleration) in items(spec, &["tolerations"]).iter().enumerate() {
        let path = format!("{path}.tolerations[{index}]");
        validate_toleration(toleration, &path, errors);
    }
}

fn validate_toleration(toleration: &Value, path: &str, errors: &mut Vec<FieldError>) {
    let key = text(toleration, &["key"]);
    let operator = text(toleration, &["operator"]);
    let value = text(toleration, &["value"]);
    let effect = text(toleration, &["effect"]);
    let here = format!("{path}.operator");
    if key.is_empty() {
        if operator != "Exists" {
            let detail = "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
            errors.push(FieldError::invalid(&here, operator, detail));
        }
    } else {
        for fault in label_key_faults(key) {
            errors.push(FieldError::invalid(format!("{path}.key"), key, fault));
        }
    }
    if !toleration["tolerationSeconds"].is_null() && effect != "NoExecute" {
        let detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
        errors.push(FieldError::invalid(
            format!("{path}.effect"),
            effect,
            detail,
        ));
    }
    match operator {
        "" | "Equal" => {
            let faults = label_value_faults(value);
            if !faults.is_empty() {
                errors.push(FieldError::invalid(here, value, faults.join(";")));
            }
        }
        "Exists" if value.is_empty() => {}
        "Exists" => {
            let detail = "value must be empty when `operator` is 'Exists'";
            errors.push(FieldError::invalid(here, value, detail));
        }
        // Behind a feature that is off by default.
        "Lt" | "Gt" => errors.push(FieldError::unsupported(here, operator, COMPARISONS)),
        other => errors.push(FieldError::unsupported(here, other, OPERATORS)),
    }
    if !effect.is_empty() {
        let here = format!("{path}.effect");
        check::one_of(here, &toleration["effect"], EFFECTS, errors);
    }
}
