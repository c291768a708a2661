//! Validation of workloads.

use serde_json::{Map, Value, json};

use crate::field::FieldError;
use crate::kinds::check::{
    at_most_all, immutable, is_nothing, is_selector, label_selector, matches_template,
    non_negative, number_or_percent, one_of,
};
use crate::kinds::pods::pod_template;
use crate::metadata::object::{copy_field, text};

/// Validation shared by the kinds with a label selector and a pod template; `kind` is the kind's
/// name in messages.
pub(super) fn validate(kind: &str, object: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let spec = &object["spec"];
    let selector = &spec["selector"];
    non_negative("spec.replicas".to_owned(), &spec["replicas"], &mut errors);
    if selector.is_null() {
        errors.push(FieldError::required("spec.selector", ""));
    } else {
        label_selector("spec.selector", selector, &mut errors);
        if is_empty(selector) {
            let detail = format!("empty selector is invalid for {kind}");
            errors.push(FieldError::invalid(
                "spec.selector",
                selector.clone(),
                detail,
            ));
        }
    }
    if !is_selector(selector) {
        let detail = match kind {
            "statefulset" => "",
            _ => "invalid label selector",
        };
        errors.push(FieldError::invalid(
            "spec.selector",
            selector.clone(),
            detail,
        ));
        return errors;
    }
    validate_template(spec, &mut errors);
    for field in [
        "minReadySeconds",
        "revisionHistoryLimit",
        "progressDeadlineSeconds",
    ] {
        non_negative(format!("spec.{field}"), &spec[field], &mut errors);
    }
    errors
}

fn is_empty(selector: &Value) -> bool {
    selector["matchLabels"]
        .as_object()
        .is_none_or(Map::is_empty)
        && selector["matchExpressions"]
            .as_array()
            .is_none_or(Vec::is_empty)
}

/// Validates the template of a workload: its labels must match the selector, its pods must be valid
/// and always restart.
fn validate_template(spec: &Value, errors: &mut Vec<FieldError>) {
    let template = &spec["template"];
    matches_template(spec, errors);
    let pod = pod_template(&template["spec"], "spec.template.spec");
    let is_known = pod
        .iter()
        .all(|e| e.field != "spec.template.spec.restartPolicy");
    errors.extend(pod);
    if is_known {
        one_of(
            "spec.template.spec.restartPolicy".to_owned(),
            &template["spec"]["restartPolicy"],
            &["Always"],
            errors,
        );
    }
}

pub(super) fn validate_deployment(object: &Value) -> Vec<FieldError> {
    let mut errors = validate("deployment", object);
    let spec = &object["spec"];
    let strategy = &spec["strategy"];
    let rolling = &strategy["rollingUpdate"];
    let path = "spec.strategy.rollingUpdate";
    match text(strategy, &["type"]) {
        "RollingUpdate" => {
            let (unavailable, surge) = (&rolling["maxUnavailable"], &rolling["maxSurge"]);
            let here = format!("{path}.maxUnavailable");
            let before = errors.len();
            number_or_percent(&here, unavailable, &mut errors);
            number_or_percent(&format!("{path}.maxSurge"), surge, &mut errors);
            if errors.len() == before && is_nothing(unavailable) && is_nothing(surge) {
                let detail = "may not be 0 when `maxSurge` is 0";
                errors.push(FieldError::invalid(
                    here.clone(),
                    unavailable.clone(),
                    detail,
                ));
            }
            at_most_all(&here, unavailable, &mut errors);
        }
        "Recreate" if !rolling.is_null() => errors.push(FieldError::forbidden(
            path,
            "may not be specified when strategy `type` is 'Recreate'",
        )),
        "Recreate" => {}
        other => {
            let shown = json!({"Type": other, "RollingUpdate": rolling});
            let supported = &["Recreate", "RollingUpdate"];
            errors.push(FieldError::unsupported("spec.strategy", shown, supported));
        }
    }
    let deadline = &spec["progressDeadlineSeconds"];
    let ready = spec["minReadySeconds"].as_i64().unwrap_or_default();
    if deadline.as_i64().is_some_and(|deadline| deadline <= ready) {
        errors.push(FieldError::invalid(
            "spec.progressDeadlineSeconds",
            deadline.clone(),
            "must be greater than minReadySeconds",
        ));
    }
    errors
}

pub(super) fn validate_stateful_set(object: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let spec = &object["spec"];
    let policy = text(spec, &["podManagementPolicy"]);
    if !matches!(policy, "OrderedReady" | "Parallel") {
        let detail = "must be 'OrderedReady' or 'Parallel'";
        errors.push(FieldError::invalid(
            "spec.podManagementPolicy",
            policy,
            detail,
        ));
    }
    let strategy = text(spec, &["updateStrategy", "type"]);
    let rolling = &spec["updateStrategy"]["rollingUpdate"];
    if !matches!(strategy, "RollingUpdate" | "OnDelete") {
        let shown = json!({"Type": strategy, "RollingUpdate": rolling});
        let detail = "must be 'RollingUpdate' or 'OnDelete'";
        errors.push(FieldError::invalid("spec.updateStrategy", shown, detail));
    }
    let path = "spec.updateStrategy.rollingUpdate";
    non_negative(
        format!("{path}.partition"),
        &rolling["partition"],
        &mut errors,
    );
    let start = &spec["ordinals"]["start"];
    non_negative("spec.ordinals.start".to_owned(), start, &mut errors);
    errors.extend(validate("statefulset", object));
    errors
}

pub(super) fn validate_daemon_set(object: &Value) -> Vec<FieldError> {
    let mut errors = validate("daemonset", object);
    let strategy = &object["spec"]["updateStrategy"];
    let path = "spec.updateStrategy.rollingUpdate";
    match text(strategy, &["type"]) {
        "OnDelete" => {}
        "RollingUpdate" => {
            let rolling = &strategy["rollingUpdate"];
            let (unavailable, surge) = (&rolling["maxUnavailable"], &rolling["maxSurge"]);
            let here = format!("{path}.maxUnavailable");
            number_or_percent(&here, unavailable, &mut errors);
            at_most_all(&here, unavailable, &mut errors);
            number_or_percent(&format!("{path}.maxSurge"), surge, &mut errors);
            at_most_all(&format!("{path}.maxSurge"), surge, &mut errors);
            if is_nothing(unavailable) && is_nothing(surge) {
                errors.push(FieldError::required(here, "cannot be 0 when maxSurge is 0"));
            }
        }
        other => errors.push(FieldError::unsupported(
            "spec.updateStrategy.type",
            other,
            &["OnDelete", "RollingUpdate"],
        )),
    }
    errors
}

pub(super) fn validate_selector_update(old: &Value, new: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    immutable("spec.selector", &old["spec"], &new["spec"], &mut errors);
    errors
}

/// Validates the changes of an update to a stateful set.
pub(super) fn validate_stateful_set_update(old: &Value, object: &Value) -> Vec<FieldError> {
    let mut masked = object["spec"].clone();
    for field in [
        "replicas",
        "ordinals",
        "template",
        "updateStrategy",
        "revisionHistoryLimit",
        "persistentVolumeClaimRetentionPolicy",
        "minReadySeconds",
    ] {
        copy_field(&old["spec"], &mut masked, field);
    }
    if masked == old["spec"] {
        return Vec::new();
    }
    let detail = "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', \
'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
    vec![FieldError::forbidden("spec", detail)]
}
