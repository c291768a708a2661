//! Pod disruption budgets, limit ranges and resource quotas.

use serde_json::{Value, json};

use super::check::{at_most_all, label_selector, number_or_percent, one_of};
use super::defaults::{objects, set};
use crate::field::FieldError;
use crate::metadata::object::{at, child, fields, text};
use crate::registry::Strategy;
use crate::table::cells::{age, name, number};
use crate::table::{Printer, col, columns, num};

#[derive(Debug)]
pub(super) struct LimitRange;

impl Strategy for LimitRange {
    /// Limits default to the maximum; requests default to the limits, then to the minimum.
    fn set_defaults(&self, object: &mut Value) {
        for item in objects(child(fields(object), "spec"), "limits") {
            if item.get("type").and_then(Value::as_str) != Some("Container") {
                continue;
            }
            for (from, to) in [
                ("max", "default"),
                ("default", "defaultRequest"),
                ("min", "defaultRequest"),
            ] {
                if let Some(Value::Object(values)) = item.get(from).cloned() {
                    let target = child(item, to);
                    for (name, value) in values {
                        set(target, &name, value);
                    }
                }
            }
        }
    }
}

#[derive(Debug)]
pub(super) struct ResourceQuota;

impl Strategy for ResourceQuota {
    fn printer(&self) -> &'static Printer {
        columns! { |o| {
            let [requests, limits] = quotas(&o["status"]);
        }
            col("Name") => name(o),
            col("Request") => requests,
            col("Limit") => limits,
            col("Age") => age(o),
        }
    }
}

/// Returns what is used of what is allowed: of all resources but limits, and of limits.
fn quotas(status: &Value) -> [String; 2] {
    let (mut requests, mut limits) = (Vec::new(), Vec::new());
    // The keys of an object are sorted.
    for (resource, hard) in status["hard"].as_object().into_iter().flatten() {
        let used = match text(&status["used"], &[resource]) {
            "" => "0",
            used => used,
        };
        let shown = format!("{resource}: {used}/{}", hard.as_str().unwrap_or_default());
        match resource.starts_with("limits.") {
            true => limits.push(shown),
            false => requests.push(shown),
        }
    }
    [requests.join(", "), limits.join(", ")]
}

#[derive(Debug)]
pub(super) struct PodDisruptionBudget;

impl Strategy for PodDisruptionBudget {
    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Vec::new();
        let spec = &object["spec"];
        let (available, unavailable) = (&spec["minAvailable"], &spec["maxUnavailable"]);
        if !available.is_null() && !unavailable.is_null() {
            let shown = json!({"MinAvailable": available, "Selector": spec["selector"],
                "MaxUnavailable": unavailable, "UnhealthyPodEvictionPolicy": spec["unhealthyPodEvictionPolicy"]});
            let detail = "minAvailable and maxUnavailable cannot be both set";
            errors.push(FieldError::invalid("spec", shown, detail));
        }
        for (path, value) in [
            ("spec.minAvailable", available),
            ("spec.maxUnavailable", unavailable),
        ] {
            number_or_percent(path, value, &mut errors);
            at_most_all(path, value, &mut errors);
        }
        label_selector("spec.selector", &spec["selector"], &mut errors);
        one_of(
            "spec.unhealthyPodEvictionPolicy".to_owned(),
            &spec["unhealthyPodEvictionPolicy"],
            &["AlwaysAllow", "IfHealthyBudget"],
            &mut errors,
        );
        errors
    }

    fn printer(&self) -> &'static Printer {
        columns! { |o| {
            let limit = |field: &str| match at(o, &["spec", field]) {
                Some(Value::String(text)) => json!(text),
                Some(Value::Number(n)) => json!(n.to_string()),
                _ => json!("N/A"),
            };
        }
            col("Name") => name(o),
            col("Min Available") => limit("minAvailable"),
            col("Max Unavailable") => limit("maxUnavailable"),
            num("Allowed Disruptions") => number(o, &["status", "disruptionsAllowed"]),
            col("Age") => age(o),
        }
    }
}
