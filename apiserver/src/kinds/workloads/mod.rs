//! Deployments, replica sets, stateful sets, daemon sets and replication controllers.

mod printers;

use serde_json::{Map, Value, json};

use super::check::{
    at_most_all, is_nothing, is_selector, label_selector, non_negative, number_or_percent, one_of,
};
use super::defaults::{objects, set};
use super::pods::{default_template, pod_spec};
use crate::field::FieldError;
use crate::metadata::object::{child, copy_field, fields, metadata, text};
use crate::registry::{Cluster, Strategy, label_not_supported};
use crate::table::Printer;
pub(super) use printers::{TEMPLATE, workload_tail};

#[derive(Debug)]
pub(super) struct Deployment;

impl Strategy for Deployment {
    fn set_defaults(&self, object: &mut Value) {
        default_deployment(child(fields(object), "spec"));
    }

    fn prepare_create(&self, _cluster: &dyn Cluster, object: &mut Value) {
        fields(object).insert("status".into(), json!({}));
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        validate_deployment(object)
    }

    fn validate_update(&self, old: &Value, new: &Value) -> Vec<FieldError> {
        validate_selector_update(old, new)
    }

    fn printer(&self) -> &'static Printer {
        &printers::DEPLOYMENT
    }
}

#[derive(Debug)]
pub(super) struct ReplicaSet;

impl Strategy for ReplicaSet {
    fn set_defaults(&self, object: &mut Value) {
        let spec = child(fields(object), "spec");
        set(spec, "replicas", 1);
        default_template(spec);
    }

    fn prepare_create(&self, _cluster: &dyn Cluster, object: &mut Value) {
        fields(object).insert("status".into(), json!({"replicas": 0}));
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        validate("replicaset", object)
    }

    fn validate_update(&self, old: &Value, new: &Value) -> Vec<FieldError> {
        validate_selector_update(old, new)
    }

    fn unknown_field(&self, kind: &str, field: &str) -> String {
        format!("field label \"{field}\" not supported for {kind}")
    }

    fn printer(&self) -> &'static Printer {
        &printers::REPLICA_SET
    }
}

#[derive(Debug)]
pub(super) struct ReplicationController;

impl Strategy for ReplicationController {
    /// A controller without a selector or labels of its own takes those of its template.
    fn set_defaults(&self, object: &mut Value) {
        let labels = object["spec"]["template"]["metadata"]
            .get("labels")
            .cloned();
        let spec = child(fields(object), "spec");
        set(spec, "replicas", 1);
        if let Some(labels) = labels {
            set(spec, "selector", labels.clone());
            set(metadata(object), "labels", labels);
        }
        let spec = child(fields(object), "spec");
        if spec.get("template").is_some_and(Value::is_object) {
            default_template(spec);
        }
    }

    fn prepare_create(&self, _cluster: &dyn Cluster, object: &mut Value) {
        fields(object).insert("status".into(), json!({"replicas": 0}));
    }

    fn unknown_field(&self, _kind: &str, field: &str) -> String {
        label_not_supported(field)
    }

    fn printer(&self) -> &'static Printer {
        &printers::REPLICA_SET
    }
}

#[derive(Debug)]
pub(super) struct StatefulSet;

impl Strategy for StatefulSet {
    fn set_defaults(&self, object: &mut Value) {
        let spec = child(fields(object), "spec");
        default_stateful_set(spec);
        for claim in objects(spec, "volumeClaimTemplates") {
            set(claim, "apiVersion", "v1");
            set(claim, "kind", "PersistentVolumeClaim");
            set(child(claim, "spec"), "volumeMode", "Filesystem");
            set(child(claim, "status"), "phase", "Pending");
        }
    }

    fn prepare_create(&self, _cluster: &dyn Cluster, object: &mut Value) {
        fields(object).insert("status".into(), json!({}));
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        validate_stateful_set(object)
    }

    fn validate_update(&self, old: &Value, new: &Value) -> Vec<FieldError> {
        let mut errors = validate_selector_update(old, new);
        errors.extend(validate_stateful_set_update(old, new));
        errors
    }

    fn printer(&self) -> &'static Printer {
        &printers::STATEFUL_SET
    }
}

#[derive(Debug)]
pub(super) struct DaemonSet;

impl Strategy for DaemonSet {
    fn set_defaults(&self, object: &mut Value) {
        let spec = child(fields(object), "spec");
        set(spec, "revisionHistoryLimit", 10);
        update_strategy(spec, json!({"maxSurge": 0, "maxUnavailable": 1}));
        default_template(spec);
        let annotations = child(metadata(object), "annotations");
        set(annotations, TEMPLATE_GENERATION, "0");
    }

    fn prepare_create(&self, _cluster: &dyn Cluster, object: &mut Value) {
        let status = json!({"currentNumberScheduled": 0, "desiredNumberScheduled": 0,
            "numberMisscheduled": 0, "numberReady": 0});
        fields(object).insert("status".into(), status);
        count_template(None, object);
    }

    fn prepare_update(
        &self,
        _cluster: &dyn Cluster,
        _subresource: &str,
        old: &Value,
        new: &mut Value,
    ) {
        count_template(Some(old), new);
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        validate_daemon_set(object)
    }

    fn validate_update(&self, old: &Value, new: &Value) -> Vec<FieldError> {
        validate_selector_update(old, new)
    }

    fn printer(&self) -> &'static Printer {
        &printers::DAEMON_SET
    }
}

/// How a stateful or daemon set rolls out; `rolling` are the defaults of a rolling update.
fn update_strategy(spec: &mut Map<String, Value>, rolling: Value) {
    let strategy = child(spec, "updateStrategy");
    set(strategy, "type", "RollingUpdate");
    if strategy.get("type") == Some(&json!("RollingUpdate")) {
        let given = child(strategy, "rollingUpdate");
        for (field, value) in rolling.as_object().into_iter().flatten() {
            set(given, field, value.clone());
        }
    }
}

fn default_deployment(spec: &mut Map<String, Value>) {
    set(spec, "replicas", 1);
    set(spec, "revisionHistoryLimit", 10);
    set(spec, "progressDeadlineSeconds", 600);
    let strategy = child(spec, "strategy");
    set(strategy, "type", "RollingUpdate");
    if strategy.get("type") == Some(&json!("RollingUpdate")) {
        let rolling = child(strategy, "rollingUpdate");
        set(rolling, "maxSurge", "25%");
        set(rolling, "maxUnavailable", "25%");
    }
    default_template(spec);
}

fn default_stateful_set(spec: &mut Map<String, Value>) {
    set(spec, "replicas", 1);
    set(spec, "revisionHistoryLimit", 10);
    set(spec, "podManagementPolicy", "OrderedReady");
    update_strategy(spec, json!({"partition": 0}));
    set(
        spec,
        "persistentVolumeClaimRetentionPolicy",
        json!({"whenDeleted": "Retain", "whenScaled": "Retain"}),
    );
    default_template(spec);
}

const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

/// Counts the templates of a daemon set, in the annotation that has outlived its field.
fn count_template(old: Option<&Value>, object: &mut Value) {
    let before = old
        .and_then(|old| {
            old["metadata"]["annotations"]
                .get(TEMPLATE_GENERATION)?
                .as_str()?
                .parse::<i64>()
                .ok()
        })
        .unwrap_or_default();
    let changed = old.is_none_or(|old| old["spec"]["template"] != object["spec"]["template"]);
    let count = before + i64::from(changed);
    let annotations = child(metadata(object), "annotations");
    annotations.insert(TEMPLATE_GENERATION.to_owned(), json!(count.to_string()));
}

/// What the kinds with a label selector and a pod template share; `kind` is how messages call them.
fn validate(kind: &str, object: &Value) -> Vec<FieldError> {
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
        let detail = "invalid label selector";
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

/// The template of a workload has the labels that are selected, and a valid pod, which restarts always.
fn validate_template(spec: &Value, errors: &mut Vec<FieldError>) {
    let (selector, template) = (&spec["selector"], &spec["template"]);
    let labels = &template["metadata"]["labels"];
    let matches = selector["matchLabels"]
        .as_object()
        .into_iter()
        .flatten()
        .all(|(key, value)| labels.get(key) == Some(value));
    if !matches || selector.is_null() {
        errors.push(FieldError::invalid(
            "spec.template.metadata.labels",
            labels.clone(),
            "`selector` does not match template `labels`",
        ));
    }
    let pod = pod_spec(&template["spec"], "spec.template.spec");
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

fn validate_deployment(object: &Value) -> Vec<FieldError> {
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

fn validate_stateful_set(object: &Value) -> Vec<FieldError> {
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
    errors.extend(validate("statefulset", object));
    errors
}

fn validate_daemon_set(object: &Value) -> Vec<FieldError> {
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

fn validate_selector_update(old: &Value, new: &Value) -> Vec<FieldError> {
    let selector = &new["spec"]["selector"];
    if old["spec"]["selector"] == *selector {
        return Vec::new();
    }
    let detail = "field is immutable";
    vec![FieldError::invalid(
        "spec.selector",
        selector.clone(),
        detail,
    )]
}

/// What an update may change of a stateful set.
fn validate_stateful_set_update(old: &Value, object: &Value) -> Vec<FieldError> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deployment_gets_the_defaults_of_apps_v1() {
        let mut object = json!({"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "i:1"}]}}}});
        Deployment.set_defaults(&mut object);
        assert_eq!(object["spec"]["replicas"], json!(1));
        assert_eq!(
            object["spec"]["strategy"]["rollingUpdate"]["maxSurge"],
            json!("25%")
        );
        let container = &object["spec"]["template"]["spec"]["containers"][0];
        assert_eq!(container["imagePullPolicy"], json!("IfNotPresent"));
    }
}
