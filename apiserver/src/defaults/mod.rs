//! Defaults of built-in kinds, as far as controllers and kubectl look at them.

use serde_json::{Map, Value, json};

mod pods;
pub(crate) mod services;

use crate::object::{child, fields};
use pods::{job_template, template};

fn set(map: &mut Map<String, Value>, key: &str, value: Value) {
    if map.get(key).is_none_or(Value::is_null) {
        map.insert(key.to_owned(), value);
    }
}

/// Fills in the defaults of a kind.
pub(crate) fn apply(group: &str, kind: &str, object: &mut Value) {
    let fields = fields(object);
    match (group, kind) {
        ("", "Pod") => pods::pod(child(fields, "spec")),
        ("", "Service") => services::service(child(fields, "spec")),
        ("", "Secret") => set(fields, "type", json!("Opaque")),
        ("apps", "Deployment") => deployment(child(fields, "spec")),
        ("apps", "ReplicaSet") => {
            let spec = child(fields, "spec");
            set(spec, "replicas", json!(1));
            template(spec);
        }
        ("apps", "StatefulSet") => stateful_set(child(fields, "spec")),
        ("apps", "DaemonSet") => {
            let spec = child(fields, "spec");
            set(spec, "revisionHistoryLimit", json!(10));
            update_strategy(spec, json!({"maxSurge": 0, "maxUnavailable": 1}));
            template(spec);
        }
        ("batch", "Job") => job(child(fields, "spec")),
        ("batch", "CronJob") => {
            let spec = child(fields, "spec");
            set(spec, "concurrencyPolicy", json!("Allow"));
            set(spec, "suspend", json!(false));
            set(spec, "successfulJobsHistoryLimit", json!(3));
            set(spec, "failedJobsHistoryLimit", json!(1));
            job_template(child(child(spec, "jobTemplate"), "spec"));
        }
        ("", "PersistentVolume") => {
            let spec = child(fields, "spec");
            set(spec, "persistentVolumeReclaimPolicy", json!("Retain"));
            set(spec, "volumeMode", json!("Filesystem"));
            if let Some(Value::Object(path)) = spec.get_mut("hostPath") {
                set(path, "type", json!(""));
            }
        }
        ("rbac.authorization.k8s.io", "RoleBinding" | "ClusterRoleBinding") => role_binding(fields),
        ("", "PersistentVolumeClaim") => {
            set(child(fields, "spec"), "volumeMode", json!("Filesystem"))
        }
        _ => {}
    }
}

/// Users and groups belong to RBAC's own group, service accounts to the core group.
fn role_binding(fields: &mut Map<String, Value>) {
    const GROUP: &str = "rbac.authorization.k8s.io";
    let role = child(fields, "roleRef");
    if role
        .get("apiGroup")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .is_empty()
    {
        role.insert("apiGroup".into(), json!(GROUP));
    }
    for subject in pods::objects(fields, "subjects") {
        if matches!(
            subject.get("kind").and_then(Value::as_str),
            Some("User" | "Group")
        ) {
            set(subject, "apiGroup", json!(GROUP));
        }
    }
}

/// Sets the status that a new object of a kind has.
pub(crate) fn initial_status(group: &str, kind: &str, object: &mut Value) {
    let phase = match (group, kind) {
        ("", "Pod") => {
            let class = qos_class(object);
            fields(object).insert(
                "status".into(),
                json!({"phase": "Pending", "qosClass": class}),
            );
            return;
        }
        ("", "PersistentVolume" | "PersistentVolumeClaim") => json!({"phase": "Pending"}),
        ("", "Service") => json!({"loadBalancer": {}}),
        ("apps" | "batch", "Deployment" | "StatefulSet" | "Job" | "CronJob") => json!({}),
        ("apps", "ReplicaSet") | ("", "ReplicationController") => json!({"replicas": 0}),
        ("apps", "DaemonSet") => json!({"currentNumberScheduled": 0, "desiredNumberScheduled": 0,
            "numberMisscheduled": 0, "numberReady": 0}),
        _ => return,
    };
    fields(object).insert("status".into(), phase);
}

fn qos_class(pod: &Value) -> &'static str {
    let containers = pod["spec"]["containers"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    let has = |c: &Value, field: &str| {
        c["resources"][field]
            .as_object()
            .is_some_and(|m| !m.is_empty())
    };
    if !containers
        .iter()
        .any(|c| has(c, "limits") || has(c, "requests"))
    {
        return "BestEffort";
    }
    let guaranteed = containers.iter().all(|c| {
        let limits = &c["resources"]["limits"];
        let same = |key: &str| {
            let request = c["resources"]["requests"].get(key);
            limits
                .get(key)
                .is_some_and(|limit| request.is_none_or(|r| r == limit))
        };
        same("cpu") && same("memory")
    });
    if guaranteed {
        "Guaranteed"
    } else {
        "Burstable"
    }
}

/// How a stateful or daemon set rolls out; `rolling` are the defaults of a rolling update.
fn update_strategy(spec: &mut Map<String, Value>, rolling: Value) {
    let strategy = child(spec, "updateStrategy");
    set(strategy, "type", json!("RollingUpdate"));
    if strategy.get("type") == Some(&json!("RollingUpdate")) {
        let given = child(strategy, "rollingUpdate");
        for (field, value) in rolling.as_object().into_iter().flatten() {
            set(given, field, value.clone());
        }
    }
}

fn deployment(spec: &mut Map<String, Value>) {
    set(spec, "replicas", json!(1));
    set(spec, "revisionHistoryLimit", json!(10));
    set(spec, "progressDeadlineSeconds", json!(600));
    let strategy = child(spec, "strategy");
    set(strategy, "type", json!("RollingUpdate"));
    if strategy.get("type") == Some(&json!("RollingUpdate")) {
        let rolling = child(strategy, "rollingUpdate");
        set(rolling, "maxSurge", json!("25%"));
        set(rolling, "maxUnavailable", json!("25%"));
    }
    template(spec);
}

fn stateful_set(spec: &mut Map<String, Value>) {
    set(spec, "replicas", json!(1));
    set(spec, "revisionHistoryLimit", json!(10));
    set(spec, "podManagementPolicy", json!("OrderedReady"));
    update_strategy(spec, json!({"partition": 0}));
    set(
        spec,
        "persistentVolumeClaimRetentionPolicy",
        json!({"whenDeleted": "Retain", "whenScaled": "Retain"}),
    );
    template(spec);
}

fn job(spec: &mut Map<String, Value>) {
    set(spec, "backoffLimit", json!(6));
    set(spec, "completionMode", json!("NonIndexed"));
    set(spec, "suspend", json!(false));
    set(spec, "podReplacementPolicy", json!("TerminatingOrFailed"));
    if spec.get("completions").is_none() && spec.get("parallelism").is_none() {
        set(spec, "completions", json!(1));
    }
    set(spec, "parallelism", json!(1));
    job_template(spec);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deployment_gets_the_defaults_of_apps_v1() {
        let mut object = json!({"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "i:1"}]}}}});
        apply("apps", "Deployment", &mut object);
        assert_eq!(object["spec"]["replicas"], json!(1));
        assert_eq!(
            object["spec"]["strategy"]["rollingUpdate"]["maxSurge"],
            json!("25%")
        );
        let container = &object["spec"]["template"]["spec"]["containers"][0];
        assert_eq!(container["imagePullPolicy"], json!("IfNotPresent"));
    }

    #[test]
    fn the_quality_of_service_follows_from_requests_and_limits() {
        let check = |resources: Value, expected: &str| {
            let pod = json!({"spec": {"containers": [{"resources": resources}]}});
            assert_eq!(qos_class(&pod), expected);
        };
        check(json!({}), "BestEffort");
        check(json!({"requests": {"cpu": "1"}}), "Burstable");
        check(
            json!({"limits": {"cpu": "1", "memory": "1Gi"}}),
            "Guaranteed",
        );
    }
}
