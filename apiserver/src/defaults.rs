//! Defaults of built-in kinds, as far as controllers and kubectl look at them.

use serde_json::{Map, Value, json};

use crate::object::{child, fields};

fn set(map: &mut Map<String, Value>, key: &str, value: Value) {
    if map.get(key).is_none_or(Value::is_null) {
        map.insert(key.to_owned(), value);
    }
}

/// Fills in the defaults of a kind.
pub(crate) fn apply(group: &str, kind: &str, object: &mut Value) {
    let fields = fields(object);
    match (group, kind) {
        ("", "Pod") => pod(child(fields, "spec")),
        ("", "Service") => service(child(fields, "spec")),
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
            set(
                spec,
                "updateStrategy",
                json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}),
            );
            template(spec);
        }
        ("batch", "Job") => job(child(fields, "spec")),
        ("batch", "CronJob") => {
            let spec = child(fields, "spec");
            set(spec, "concurrencyPolicy", json!("Allow"));
            set(spec, "suspend", json!(false));
            set(spec, "successfulJobsHistoryLimit", json!(3));
            set(spec, "failedJobsHistoryLimit", json!(1));
        }
        ("", "PersistentVolume") => {
            let spec = child(fields, "spec");
            set(spec, "persistentVolumeReclaimPolicy", json!("Retain"));
            set(spec, "volumeMode", json!("Filesystem"));
        }
        ("", "PersistentVolumeClaim") => {
            set(child(fields, "spec"), "volumeMode", json!("Filesystem"))
        }
        _ => {}
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

/// A pod of its own gets what admission adds, too: its priority and how long it tolerates a lost node.
fn pod(spec: &mut Map<String, Value>) {
    pod_spec(spec);
    set(spec, "enableServiceLinks", json!(true));
    set(spec, "preemptionPolicy", json!("PreemptLowerPriority"));
    set(spec, "priority", json!(0));
    let tolerations = spec.entry("tolerations").or_insert_with(|| json!([]));
    for key in [
        "node.kubernetes.io/not-ready",
        "node.kubernetes.io/unreachable",
    ] {
        if let Value::Array(list) = tolerations
            && !list.iter().any(|t| {
                t["key"] == key && matches!(t["effect"].as_str(), None | Some("NoExecute"))
            })
        {
            list.push(json!({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}));
        }
    }
}

fn pod_spec(spec: &mut Map<String, Value>) {
    set(spec, "restartPolicy", json!("Always"));
    set(spec, "terminationGracePeriodSeconds", json!(30));
    set(spec, "dnsPolicy", json!("ClusterFirst"));
    set(spec, "securityContext", json!({}));
    set(spec, "schedulerName", json!("default-scheduler"));
    if let Some(name) = spec.get("serviceAccountName").cloned() {
        set(spec, "serviceAccount", name);
    }
    for list in ["containers", "initContainers"] {
        let containers = spec.get_mut(list).and_then(Value::as_array_mut);
        for container in containers
            .into_iter()
            .flatten()
            .filter_map(Value::as_object_mut)
        {
            default_container(container);
        }
    }
}

fn default_container(container: &mut Map<String, Value>) {
    let image = container
        .get("image")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let tag = image
        .rsplit('/')
        .next()
        .unwrap_or_default()
        .split_once(':')
        .map(|(_, tag)| tag);
    let latest = !image.contains('@') && matches!(tag, None | Some("latest"));
    let policy = if latest { "Always" } else { "IfNotPresent" };
    set(container, "imagePullPolicy", json!(policy));
    set(container, "resources", json!({}));
    set(
        container,
        "terminationMessagePath",
        json!("/dev/termination-log"),
    );
    set(container, "terminationMessagePolicy", json!("File"));
    let ports = container.get_mut("ports").and_then(Value::as_array_mut);
    for port in ports.into_iter().flatten().filter_map(Value::as_object_mut) {
        set(port, "protocol", json!("TCP"));
    }
}

fn template(spec: &mut Map<String, Value>) {
    pod_spec(child(child(spec, "template"), "spec"));
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
    set(
        spec,
        "updateStrategy",
        json!({"type": "RollingUpdate", "rollingUpdate": {"partition": 0}}),
    );
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
    template(spec);
}

fn service(spec: &mut Map<String, Value>) {
    set(spec, "type", json!("ClusterIP"));
    set(spec, "sessionAffinity", json!("None"));
    if spec.get("type") != Some(&json!("ExternalName")) {
        set(spec, "internalTrafficPolicy", json!("Cluster"));
    }
    let ports = spec.get_mut("ports").and_then(Value::as_array_mut);
    for port in ports.into_iter().flatten().filter_map(Value::as_object_mut) {
        set(port, "protocol", json!("TCP"));
        let number = port.get("port").cloned().unwrap_or_default();
        if matches!(port.get("targetPort"), None | Some(Value::Null))
            || port.get("targetPort") == Some(&json!(0))
        {
            port.insert("targetPort".into(), number);
        }
    }
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
