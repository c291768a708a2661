//! Defaults of pods, containers and volumes.

use serde_json::{Map, Value, json};

use crate::kinds::defaults::{objects, set};
use crate::metadata::object::child;

/// Sets the defaults of a pod.
pub(super) fn default_pod(spec: &mut Map<String, Value>) {
    if matches!(
        spec.get("terminationGracePeriodSeconds")
            .and_then(Value::as_i64),
        Some(..0)
    ) {
        spec.insert("terminationGracePeriodSeconds".into(), json!(1));
    }
    set(spec, "restartPolicy", "Always");
    pod_spec(spec);
    set(spec, "enableServiceLinks", true);
    // Requests default to the limits.
    for list in ["containers", "initContainers"] {
        for container in objects(spec, list) {
            let resources = child(container, "resources");
            if let Some(Value::Object(limits)) = resources.get("limits").cloned() {
                let requests = child(resources, "requests");
                for (name, limit) in limits {
                    set(requests, &name, limit);
                }
            }
        }
    }
}

/// Sets the fields that admission adds to a pod: its priority, and how long it tolerates an unreachable node.
pub(super) fn admit_pod(spec: &mut Map<String, Value>) {
    set(spec, "preemptionPolicy", "PreemptLowerPriority");
    set(spec, "priority", 0);
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

/// Sets the defaults of a pod template with the restart policy `Always`.
pub(in crate::kinds) fn default_template(spec: &mut Map<String, Value>) {
    let pod = child(child(spec, "template"), "spec");
    set(pod, "restartPolicy", "Always");
    pod_spec(pod);
}

/// Sets the defaults of the pod template of a job, which has no default restart policy.
pub(in crate::kinds) fn default_job_template(spec: &mut Map<String, Value>) {
    pod_spec(child(child(spec, "template"), "spec"));
}

fn pod_spec(spec: &mut Map<String, Value>) {
    set(spec, "terminationGracePeriodSeconds", 30);
    set(spec, "dnsPolicy", "ClusterFirst");
    set(spec, "securityContext", json!({}));
    set(spec, "schedulerName", "default-scheduler");
    if let Some(name) = spec.get("serviceAccountName").cloned() {
        set(spec, "serviceAccount", name);
    }
    for list in ["containers", "initContainers", "ephemeralContainers"] {
        for container in objects(spec, list) {
            default_container(container);
        }
    }
    for volume in objects(spec, "volumes") {
        default_volume(volume);
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
    set(container, "imagePullPolicy", policy);
    set(container, "resources", json!({}));
    set(container, "terminationMessagePath", "/dev/termination-log");
    set(container, "terminationMessagePolicy", "File");
    for port in objects(container, "ports") {
        set(port, "protocol", "TCP");
    }
    for name in ["livenessProbe", "readinessProbe", "startupProbe"] {
        if let Some(Value::Object(probe)) = container.get_mut(name) {
            for (field, value) in [
                ("timeoutSeconds", 1),
                ("periodSeconds", 10),
                ("successThreshold", 1),
                ("failureThreshold", 3),
            ] {
                set(probe, field, value);
            }
            if let Some(Value::Object(get)) = probe.get_mut("httpGet") {
                set(get, "path", "/");
                set(get, "scheme", "HTTP");
            }
        }
    }
    for variable in objects(container, "env") {
        if let Some(Value::Object(field)) = variable
            .get_mut("valueFrom")
            .and_then(|from| from.get_mut("fieldRef"))
        {
            set(field, "apiVersion", "v1");
        }
    }
}

fn default_volume(volume: &mut Map<String, Value>) {
    if volume.keys().all(|key| key == "name") {
        volume.insert("emptyDir".into(), json!({}));
    }
    for source in ["configMap", "secret", "projected", "downwardAPI"] {
        if let Some(Value::Object(source)) = volume.get_mut(source) {
            set(source, "defaultMode", 0o644);
        }
    }
    if let Some(Value::Object(path)) = volume.get_mut("hostPath") {
        set(path, "type", "");
    }
}
