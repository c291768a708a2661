//! Validation of jobs and of the jobs in a cron job's template.

use serde_json::{Map, Value, json};

use super::{generated_labels, is_indexed};
use crate::field::FieldError;
use crate::kinds::check::{
    immutable, label_selector, matches_template, non_negative, one_of, selects,
};
use crate::kinds::pods::pod_template;
use crate::metadata::object::{self, copy_field, name, text};
use crate::table::cells::items;
use kube_names::label_fault;

/// The most pods of an indexed job that run at once.
const MOST_PARALLEL: i64 = 100_000;

/// Validates a job.
pub(super) fn validate(job: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let spec = &job["spec"];
    if spec["manualSelector"] != json!(true) {
        check_generated_selector(job, &mut errors);
    }
    check_spec(spec, "spec", &mut errors);
    let selector = &spec["selector"];
    if selector.is_null() {
        errors.push(FieldError::required("spec.selector", ""));
    } else {
        label_selector("spec.selector", selector, &mut errors);
        matches_template(spec, &mut errors);
    }
    let last = spec["completions"].as_i64().unwrap_or_default() - 1;
    let host = format!("{}-{last}", name(job));
    if is_indexed(spec) && last >= 0 && label_fault(&host).is_some() {
        let detail = format!("will not able to create pod with invalid DNS label: {host}");
        errors.push(FieldError::invalid("metadata.name", name(job), detail));
    }
    errors
}

/// Validates the spec of the jobs that a cron job creates. Their selectors are always generated.
pub(super) fn job_template(spec: &Value, path: &str, errors: &mut Vec<FieldError>) {
    check_spec(spec, path, errors);
    if !spec["selector"].is_null() {
        let detail = "`selector` will be auto-generated";
        errors.push(FieldError::invalid(
            format!("{path}.selector"),
            spec["selector"].clone(),
            detail,
        ));
    }
    if spec["manualSelector"] == json!(true) {
        let path = format!("{path}.manualSelector");
        errors.push(FieldError::unsupported(path, true, &["nil", "false"]));
    }
}

/// Checks that the pods have the labels that the generated selector expects: labels in the template
/// may conflict.
fn check_generated_selector(job: &Value, errors: &mut Vec<FieldError>) {
    let selector = &job["spec"]["selector"];
    if selector.is_null() {
        return;
    }
    let expected = generated_labels(job);
    let labels = &job["spec"]["template"]["metadata"]["labels"];
    for (key, value) in expected {
        let path = format!("spec.template.metadata.labels[{key}]");
        match labels.get(key) {
            None => errors.push(FieldError::required(path, format!("must be '{value}'"))),
            Some(found) if *found != value => errors.push(FieldError::invalid(
                path,
                labels.clone(),
                format!("must be '{value}'"),
            )),
            Some(_) => {}
        }
    }
    let expected: Map<String, Value> = expected
        .map(|(key, value)| (key.to_owned(), json!(value)))
        .into_iter()
        .collect();
    if !selects(selector, &json!({"metadata": {"labels": expected}})) {
        let detail = "`selector` not auto-generated";
        let selector = selector.clone();
        errors.push(FieldError::invalid("spec.selector", selector, detail));
    }
}

/// Validates the spec of a job, except for its selector.
fn check_spec(spec: &Value, path: &str, errors: &mut Vec<FieldError>) {
    for field in [
        "parallelism",
        "completions",
        "activeDeadlineSeconds",
        "backoffLimit",
        "ttlSecondsAfterFinished",
        "backoffLimitPerIndex",
        "maxFailedIndexes",
    ] {
        non_negative(format!("{path}.{field}"), &spec[field], errors);
    }
    if !spec["maxFailedIndexes"].is_null() && spec["backoffLimitPerIndex"].is_null() {
        let detail = "when maxFailedIndexes is specified";
        errors.push(FieldError::required(
            format!("{path}.backoffLimitPerIndex"),
            detail,
        ));
    }
    check_completion(spec, path, errors);
    let (policy, supported): (_, &[&str]) = match spec["podFailurePolicy"].is_null() {
        true => ("podReplacementPolicy", &["Failed", "TerminatingOrFailed"]),
        false => ("podReplacementPolicy", &["Failed"]),
    };
    one_of(format!("{path}.{policy}"), &spec[policy], supported, errors);
    check_template(spec, path, errors);
}

/// Validates the completion mode, and what depends on it.
fn check_completion(spec: &Value, path: &str, errors: &mut Vec<FieldError>) {
    let mode = format!("{path}.completionMode");
    one_of(
        mode,
        &spec["completionMode"],
        &["NonIndexed", "Indexed"],
        errors,
    );
    let mut refuse = |field: &str, detail: &str| {
        let path = format!("{path}.{field}");
        errors.push(FieldError::invalid(path, spec[field].clone(), detail));
    };
    if !is_indexed(spec) {
        for field in ["backoffLimitPerIndex", "maxFailedIndexes", "successPolicy"] {
            if !spec[field].is_null() {
                refuse(field, "requires indexed completion mode");
            }
        }
        return;
    }
    let completions = spec["completions"].as_i64();
    let above = |field: &str, limit: i64| spec[field].as_i64().is_some_and(|n| n > limit);
    if above("parallelism", MOST_PARALLEL) {
        let detail = format!(
            "must be less than or equal to {MOST_PARALLEL} when completion mode is Indexed"
        );
        refuse("parallelism", &detail);
    }
    if completions.is_some_and(|completions| above("maxFailedIndexes", completions)) {
        refuse(
            "maxFailedIndexes",
            "must be less than or equal to completions",
        );
    }
    if completions.is_none() {
        errors.push(FieldError::required(
            format!("{path}.completions"),
            "when completion mode is Indexed",
        ));
    }
}

/// Validates the pods of a job. They must be able to finish, so the template must set a restart
/// policy.
fn check_template(spec: &Value, path: &str, errors: &mut Vec<FieldError>) {
    let pod = &spec["template"]["spec"];
    let here = format!("{path}.template.spec.restartPolicy");
    errors.extend(
        pod_template(pod, &format!("{path}.template.spec"))
            .into_iter()
            .filter(|e| e.field != here),
    );
    match text(pod, &["restartPolicy"]) {
        "OnFailure" if !spec["podFailurePolicy"].is_null() => errors.push(FieldError::invalid(
            here,
            "OnFailure",
            "only \"Never\" is supported when podFailurePolicy is specified",
        )),
        "OnFailure" | "Never" => {}
        "" | "Always" => errors.push(FieldError::required(
            here,
            "valid values: \"OnFailure\", \"Never\"",
        )),
        other => errors.push(FieldError::unsupported(
            here,
            other,
            &["OnFailure", "Never"],
        )),
    }
}

/// Validates the changes of an update to a job.
pub(super) fn validate_update(old: &Value, new: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let (old_spec, spec) = (&old["spec"], &new["spec"]);
    check_completions_update(old_spec, spec, &mut errors);
    immutable("spec.selector", old_spec, spec, &mut errors);
    check_template_update(old, spec, &mut errors);
    for field in [
        "completionMode",
        "podFailurePolicy",
        "backoffLimitPerIndex",
        "managedBy",
        "successPolicy",
    ] {
        immutable(&format!("spec.{field}"), old_spec, spec, &mut errors);
    }
    errors
}

/// The completions of an indexed job can change, together with its parallelism.
fn check_completions_update(old: &Value, spec: &Value, errors: &mut Vec<FieldError>) {
    let completions = &spec["completions"];
    if !is_indexed(spec) {
        immutable("spec.completions", old, spec, errors);
    } else if old["completions"] != *completions
        && !completions.is_null()
        && *completions != spec["parallelism"]
    {
        errors.push(FieldError::invalid(
            "spec.completions",
            completions.clone(),
            "can only be modified in tandem with spec.parallelism",
        ));
    }
}

/// The template can change while a job is suspended and has no active pods: where its pods may run,
/// their labels and annotations, and the resources of their containers.
fn check_template_update(old: &Value, spec: &Value, errors: &mut Vec<FieldError>) {
    let template = &spec["template"];
    if !is_at_rest(old) {
        return immutable("spec.template", &old["spec"], spec, errors);
    }
    let pod = &template["spec"];
    let mut kept = old["spec"]["template"]["spec"].clone();
    for field in ["nodeSelector", "tolerations", "schedulingGates"] {
        copy_field(pod, &mut kept, field);
    }
    copy_node_affinity(pod, &mut kept);
    copy_resources(pod, &mut kept);
    if *pod != kept {
        let detail = "field is immutable";
        let pod = pod.clone();
        errors.push(FieldError::invalid("spec.template.spec", pod, detail));
    }
}

/// Whether a job is suspended and has no active pods: it has not started, or its pods are gone.
fn is_at_rest(job: &Value) -> bool {
    let status = &job["status"];
    let is_suspended = items(status, &["conditions"])
        .iter()
        .any(|c| text(c, &["type"]) == "Suspended" && text(c, &["status"]) == "True");
    job["spec"]["suspend"] == json!(true)
        && (status["startTime"].is_null() || is_suspended)
        && status["active"].as_i64().unwrap_or_default() == 0
}

/// Copies the node affinity of a pod to another, which loses its affinity if it has no other.
fn copy_node_affinity(from: &Value, to: &mut Value) {
    let mut affinity = match &to["affinity"] {
        Value::Null => json!({}),
        affinity => affinity.clone(),
    };
    copy_field(&from["affinity"], &mut affinity, "nodeAffinity");
    match from["affinity"].is_null() && affinity == json!({}) {
        true => copy_field(from, to, "affinity"),
        false => to["affinity"] = affinity,
    }
}

/// Copies the resources of containers to those of the same name and place in another pod.
fn copy_resources(from: &Value, to: &mut Value) {
    for list in ["containers", "initContainers"] {
        let Some(kept) = to.get_mut(list).and_then(Value::as_array_mut) else {
            continue;
        };
        let given = object::list(&from[list]);
        if given.len() != kept.len() {
            continue;
        }
        for (given, kept) in given.iter().zip(kept) {
            if given["name"] == kept["name"] {
                copy_field(given, kept, "resources");
            }
        }
    }
}
