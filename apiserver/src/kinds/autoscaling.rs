//! Horizontal pod autoscalers: stored as `autoscaling/v2`, also served as `autoscaling/v1`.

use serde_json::{Map, Value, json};

use super::check::one_of;
use super::defaults::set;
use crate::field::FieldError;
use crate::metadata::object::{child, fields, metadata, text};
use crate::registry::{Conversion, Strategy};
use crate::table::cells::{age, first, items, name, number};
use crate::table::{Printer, col, columns};
use crate::types::normal::normalise;

#[derive(Debug)]
pub(super) struct HorizontalPodAutoscaler;

impl Strategy for HorizontalPodAutoscaler {
    fn set_defaults(&self, object: &mut Value) {
        let is_v1 = text(object, &["apiVersion"]) == "autoscaling/v1";
        let has_others = !text(object, &["metadata", "annotations", METRICS]).is_empty();
        let spec = child(fields(object), "spec");
        set(spec, "minReplicas", 1);
        let has_metrics = spec
            .get("metrics")
            .and_then(Value::as_array)
            .is_some_and(|list| !list.is_empty());
        if !is_v1 && !has_metrics {
            spec.insert("metrics".into(), json!([cpu_metric(&json!(80))]));
        }
        if is_v1 && !has_others {
            set(spec, "targetCPUUtilizationPercentage", 80);
        }
        if let Some(Value::Object(behavior)) = spec.get_mut("behavior") {
            default_behavior(behavior);
        }
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Vec::new();
        let spec = &object["spec"];
        let least = spec["minReplicas"].as_i64().unwrap_or(1);
        let most = spec["maxReplicas"].as_i64().unwrap_or_default();
        if least < 1 {
            let detail = "must be greater than or equal to 1";
            errors.push(FieldError::invalid("spec.minReplicas", least, detail));
        }
        if most == 0 {
            let detail = "must be set and greater than 0";
            errors.push(FieldError::required("spec.maxReplicas", detail));
        } else if most < 0 {
            let detail = "must be greater than or equal to 1";
            errors.push(FieldError::invalid("spec.maxReplicas", most, detail));
        }
        if most < least {
            let detail = "must be greater than or equal to `minReplicas`";
            errors.push(FieldError::invalid("spec.maxReplicas", most, detail));
        }
        for field in ["kind", "name"] {
            let path = format!("spec.scaleTargetRef.{field}");
            match text(spec, &["scaleTargetRef", field]) {
                "" => errors.push(FieldError::required(path, "")),
                given if given.contains('/') => {
                    errors.push(FieldError::invalid(path, given, "may not contain '/'"));
                }
                _ => {}
            }
        }
        errors.extend(validate_target_version(spec));
        validate_metrics(spec, least, &mut errors);
        for direction in ["scaleUp", "scaleDown"] {
            let rules = &spec["behavior"][direction];
            validate_rules(rules, &format!("spec.behavior.{direction}"), &mut errors);
        }
        errors
    }

    fn printer(&self) -> &'static Printer {
        columns! { |o| {
            let o = &to_stored(o.clone());
            let target = &o["spec"]["scaleTargetRef"];
            let reference = format!("{}/{}", text(target, &["kind"]), text(target, &["name"]));
            let least = o["spec"]["minReplicas"].as_i64();
        }
            col("Name") => name(o),
            col("Reference") => reference,
            col("Targets") => targets(o),
            col("MinPods") => least.map_or("<unset>".to_owned(), |least| least.to_string()),
            col("MaxPods") => number(o, &["spec", "maxReplicas"]),
            col("Replicas") => number(o, &["status", "currentReplicas"]),
            col("Age") => age(o),
        }
    }
}

/// Fills in the scaling rules that a given behavior leaves out.
fn default_behavior(behavior: &mut Map<String, Value>) {
    let policy =
        |kind: &str, value: i64| json!({"type": kind, "value": value, "periodSeconds": 15});
    let up = child(behavior, "scaleUp");
    set(up, "stabilizationWindowSeconds", 0);
    set(up, "selectPolicy", "Max");
    let policies = json!([policy("Pods", 4), policy("Percent", 100)]);
    set(up, "policies", policies);
    let down = child(behavior, "scaleDown");
    set(down, "selectPolicy", "Max");
    set(down, "policies", json!([policy("Percent", 100)]));
}

/// Returns the current and the desired values of the first metrics.
fn targets(o: &Value) -> String {
    let metrics = items(o, &["spec", "metrics"]);
    if metrics.is_empty() {
        return "<none>".to_owned();
    }
    let statuses = items(o, &["status", "currentMetrics"]);
    let pairs = metrics.iter().enumerate();
    let shown = pairs.map(|(i, metric)| target(metric, statuses.get(i).unwrap_or(&Value::Null)));
    first(2, shown, ", ")
}

fn target(metric: &Value, status: &Value) -> String {
    let (field, has_name) = match text(metric, &["type"]) {
        "External" => ("external", false),
        "Object" => ("object", false),
        "Pods" => ("pods", false),
        "Resource" => ("resource", true),
        "ContainerResource" => ("containerResource", true),
        _ => return "<unknown type>".to_owned(),
    };
    let (source, current) = (&metric[field], &status[field]["current"]);
    let target = &source["target"];
    let is_average = field == "pods" || !target["averageValue"].is_null();
    let (key, unit, absent) = match (is_average, has_name) {
        (true, _) => ("averageValue", "", "<unset>"),
        (false, true) => ("averageUtilization", "%", "<auto>"),
        (false, false) => ("value", "", "<unset>"),
    };
    let value = |values: &Value, absent: &str| match &values[key] {
        Value::Null => absent.to_owned(),
        Value::String(text) => text.clone(),
        other => format!("{other}{unit}"),
    };
    let pair = format!("{}/{}", value(current, "<unknown>"), value(target, absent));
    match (has_name, is_average && field != "pods") {
        (true, _) => format!("{}: {pair}", text(source, &["name"])),
        (false, true) => format!("{pair} (avg)"),
        (false, false) => pair,
    }
}

/// Validates the target's apiVersion: only kinds of the core group may omit the group.
fn validate_target_version(spec: &Value) -> Option<FieldError> {
    let target = &spec["scaleTargetRef"];
    let given = text(target, &["apiVersion"]);
    let is_core = text(target, &["kind"]) == "ReplicationController";
    let lacks_group = !given.contains('/') && !is_core;
    let detail = "apiVersion must specify API group";
    lacks_group.then(|| FieldError::invalid("spec.scaleTargetRef.apiVersion", given, detail))
}

/// The types of metrics, and the fields with their sources.
const SOURCES: &[(&str, &str)] = &[
    ("ContainerResource", "containerResource"),
    ("External", "external"),
    ("Object", "object"),
    ("Pods", "pods"),
    ("Resource", "resource"),
];

/// Validates that each metric has the source that its type names, and no other.
fn validate_metrics(spec: &Value, least: i64, errors: &mut Vec<FieldError>) {
    let metrics = items(spec, &["metrics"]);
    for (index, metric) in metrics.iter().enumerate() {
        let path = format!("spec.metrics[{index}]");
        let kind = text(metric, &["type"]);
        let named = SOURCES.iter().find(|(name, _)| *name == kind);
        if named.is_none() {
            let names: Vec<&str> = SOURCES.iter().map(|(name, _)| *name).collect();
            let here = format!("{path}.type");
            errors.push(FieldError::unsupported(here, kind, &names));
        }
        for (name, field) in SOURCES {
            let here = format!("{path}.{field}");
            match (*name == kind, metric[field].is_null()) {
                (true, true) => {
                    let detail = "must populate information for the given metric source";
                    errors.push(FieldError::required(here, detail));
                }
                (false, false) if named.is_some() => {
                    let detail = "must populate the given metric source only";
                    errors.push(FieldError::forbidden(here, detail));
                }
                _ => {}
            }
        }
    }
    let from_outside = |m: &Value| matches!(text(m, &["type"]), "Object" | "External");
    if least == 0 && !metrics.iter().any(from_outside) {
        let detail = "must specify at least one Object or External metric to support scaling to zero replicas";
        errors.push(FieldError::forbidden("spec.metrics", detail));
    }
}

/// Validates how an autoscaler may scale in one direction.
fn validate_rules(rules: &Value, path: &str, errors: &mut Vec<FieldError>) {
    if rules.is_null() {
        return;
    }
    if let Some(window) = rules["stabilizationWindowSeconds"].as_i64() {
        let detail = match window {
            ..0 => "must be greater than or equal to zero",
            0..=3600 => "",
            _ => "must be less than or equal to 3600",
        };
        if !detail.is_empty() {
            let here = format!("{path}.stabilizationWindowSeconds");
            errors.push(FieldError::invalid(here, window, detail));
        }
    }
    let select = &rules["selectPolicy"];
    let supported = ["Disabled", "Max", "Min"];
    one_of(format!("{path}.selectPolicy"), select, &supported, errors);
    let policies = items(rules, &["policies"]);
    if policies.is_empty() {
        let detail = "must specify at least one Policy";
        errors.push(FieldError::required(format!("{path}.policies"), detail));
    }
    for (index, policy) in policies.iter().enumerate() {
        validate_policy(policy, &format!("{path}.policies[{index}]"), errors);
    }
}

fn validate_policy(policy: &Value, path: &str, errors: &mut Vec<FieldError>) {
    let kind = text(policy, &["type"]);
    let kinds = ["Percent", "Pods"];
    if !kinds.contains(&kind) {
        let here = format!("{path}.type");
        errors.push(FieldError::unsupported(here, kind, &kinds));
    }
    let value = policy["value"].as_i64().unwrap_or_default();
    let period = policy["periodSeconds"].as_i64().unwrap_or_default();
    let rows = [
        (value <= 0, "value", value, "must be greater than zero"),
        (
            period <= 0,
            "periodSeconds",
            period,
            "must be greater than zero",
        ),
        (
            period > 1800,
            "periodSeconds",
            period,
            "must be less than or equal to 1800",
        ),
    ];
    for (is_wrong, field, given, detail) in rows {
        if is_wrong {
            errors.push(FieldError::invalid(
                format!("{path}.{field}"),
                given,
                detail,
            ));
        }
    }
}

pub(super) const CONVERSION: Conversion = Conversion {
    from_stored,
    to_stored,
};

/// The annotations that hold the v2 fields without an equivalent in `autoscaling/v1`.
const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";
const BEHAVIOR: &str = "autoscaling.alpha.kubernetes.io/behavior";

fn cpu_metric(utilization: &Value) -> Value {
    json!({"type": "Resource", "resource": {"name": "cpu",
        "target": {"type": "Utilization", "averageUtilization": utilization}}})
}

/// Returns the target utilization of a CPU metric.
fn cpu_target(metric: &Value) -> Option<Value> {
    let resource = &metric["resource"];
    let is_cpu = metric["type"] == "Resource" && resource["name"] == "cpu";
    resource["target"]
        .get("averageUtilization")
        .filter(|_| is_cpu)
        .cloned()
}

fn from_stored(object: Value) -> Value {
    let mut v1 = object;
    let spec = child(fields(&mut v1), "spec");
    let mut kept = Vec::new();
    if let Some(Value::Array(metrics)) = spec.remove("metrics") {
        for metric in metrics {
            match cpu_target(&metric) {
                Some(target) if !spec.contains_key("targetCPUUtilizationPercentage") => {
                    spec.insert("targetCPUUtilizationPercentage".into(), target);
                }
                _ => kept.push(metric),
            }
        }
    }
    let behavior = spec.remove("behavior");
    let annotations = [
        (METRICS, (!kept.is_empty()).then_some(Value::Array(kept))),
        (BEHAVIOR, behavior),
    ];
    for (key, value) in annotations {
        if let Some(value) = value {
            let annotations = child(metadata(&mut v1), "annotations");
            annotations.insert(key.to_owned(), json!(value.to_string()));
        }
    }
    let status = child(fields(&mut v1), "status");
    let current = status.remove("currentMetrics").unwrap_or_default();
    let used = current.as_array().into_iter().flatten().find_map(|metric| {
        let resource = &metric["resource"];
        let used = resource["current"].get("averageUtilization");
        used.filter(|_| resource["name"] == "cpu").cloned()
    });
    if let Some(used) = used {
        status.insert("currentCPUUtilizationPercentage".into(), used);
    }
    status.remove("conditions");
    // A stored object always decodes.
    drop(normalise("autoscaling.v1.HorizontalPodAutoscaler", &mut v1));
    v1
}

fn to_stored(object: Value) -> Value {
    let mut v2 = object;
    let mut restored = |key: &str| -> Option<Value> {
        let annotations = child(metadata(&mut v2), "annotations");
        let text = annotations.remove(key)?;
        if annotations.is_empty() {
            metadata(&mut v2).remove("annotations");
        }
        serde_json::from_str(text.as_str()?).ok()
    };
    let (kept, behavior) = (restored(METRICS), restored(BEHAVIOR));
    let spec = child(fields(&mut v2), "spec");
    let mut metrics = match kept {
        Some(Value::Array(list)) => list,
        _ => Vec::new(),
    };
    if let Some(target) = spec.remove("targetCPUUtilizationPercentage") {
        metrics.insert(0, cpu_metric(&target));
    }
    if !metrics.is_empty() {
        spec.insert("metrics".into(), Value::Array(metrics));
    }
    if let Some(behavior) = behavior {
        spec.insert("behavior".into(), behavior);
    }
    let status = child(fields(&mut v2), "status");
    if let Some(used) = status.remove("currentCPUUtilizationPercentage") {
        let metric = json!({"type": "Resource",
            "resource": {"name": "cpu", "current": {"averageUtilization": used}}});
        status.insert("currentMetrics".into(), json!([metric]));
    }
    drop(normalise("autoscaling.v2.HorizontalPodAutoscaler", &mut v2));
    v2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_autoscaler_survives_the_way_through_v1() {
        let v2 = json!({"metadata": {"name": "a"}, "spec": {"maxReplicas": 3, "scaleTargetRef": {"kind": "K", "name": "n"},
            "metrics": [cpu_metric(&json!(50)), {"type": "Pods", "pods": {"metric": {"name": "m"}, "target": {"type": "Value"}}}]},
            "status": {"desiredReplicas": 1, "currentMetrics": null}});
        let v1 = from_stored(v2.clone());
        assert_eq!(v1["spec"]["targetCPUUtilizationPercentage"], json!(50));
        assert!(v1["spec"].get("metrics").is_none());
        assert_eq!(to_stored(v1), v2);
    }
}
