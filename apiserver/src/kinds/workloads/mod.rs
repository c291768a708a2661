//! Deployments, replica sets, stateful sets, daemon sets and replication controllers.

mod printers;
mod revisions;
mod validation;

use serde_json::{Map, Value, json};

use super::defaults::{objects, set};
use super::pods::default_template;
use crate::field::FieldError;
use crate::metadata::object::{child, fields, metadata};
use crate::registry::{Cluster, Strategy, label_not_supported};
use crate::table::Printer;
pub(super) use printers::{TEMPLATE, workload_tail};
pub(super) use revisions::{ControllerRevision, PodTemplate};
use validation::{
    validate, validate_daemon_set, validate_deployment, validate_selector_update,
    validate_stateful_set, validate_stateful_set_update,
};

#[derive(Debug)]
pub(super) struct Deployment;

impl Strategy for Deployment {
    fn fixed_in_status(&self) -> &'static [&'static str] {
        &["labels"]
    }

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
        printers::DEPLOYMENT
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
        printers::REPLICA_SET
    }
}

#[derive(Debug)]
pub(super) struct ReplicationController;

impl Strategy for ReplicationController {
    /// As before there was a garbage collector.
    fn orphans(&self) -> bool {
        true
    }

    /// The selector and labels default to the labels of the template.
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
        printers::REPLICA_SET
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
        validate_stateful_set_update(old, new)
    }

    fn printer(&self) -> &'static Printer {
        printers::STATEFUL_SET
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

    fn prepare_update(&self, old: &Value, new: &mut Value) {
        count_template(Some(old), new);
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        validate_daemon_set(object)
    }

    fn validate_update(&self, old: &Value, new: &Value) -> Vec<FieldError> {
        validate_selector_update(old, new)
    }

    fn printer(&self) -> &'static Printer {
        printers::DAEMON_SET
    }
}

/// Sets the update strategy of a stateful or daemon set; `rolling` has the defaults of a rolling
/// update.
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
    let retention = child(spec, "persistentVolumeClaimRetentionPolicy");
    set(retention, "whenDeleted", "Retain");
    set(retention, "whenScaled", "Retain");
    default_template(spec);
}

const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

/// Counts the template changes of a daemon set in an annotation, which replaced a deprecated field.
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
