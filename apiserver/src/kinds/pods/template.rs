//! Defaults of pods and containers.

use serde_json::{Map, Value, json};

use super::image::pull_policy;
use super::volumes;
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
    if spec.get("hostNetwork") == Some(&Value::Bool(true)) {
        publish_ports(spec);
    }
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

/// Publishes the ports of containers on the node, whose network they use.
fn publish_ports(spec: &mut Map<String, Value>) {
    for list in ["containers", "initContainers"] {
        for container in objects(spec, list) {
            for port in objects(container, "ports") {
                let number = port.get("containerPort").cloned().unwrap_or_default();
                set(port, "hostPort", number);
            }
        }
    }
}

/// Sets the fields that admission adds to a pod: its priority, and how long it tolerates an
/// unreachable node.
pub(super) fn admit_pod(spec: &mut Map<String, Value>) {
    set(spec, "preemptionPolicy", "PreemptLowerPriority");
    set(spec, "priority", 0);
    tolerate_unreachable_nodes(spec);
}

/// Sets the fields that admission keeps in an update of a pod, which may leave them out.
pub(super) fn admit_update(old: &Value, spec: &mut Map<String, Value>) {
    for field in ["preemptionPolicy", "priority"] {
        if let Some(value) = old.get(field) {
            set(spec, field, value.clone());
        }
    }
    tolerate_unreachable_nodes(spec);
}

fn tolerate_unreachable_nodes(spec: &mut Map<String, Value>) {
    let tolerations = spec.entry("tolerations").or_insert_with(|| json!([]));
    for key in [
        "node.kubernetes.io/not-ready",
        "node.kubernetes.io/unreachable",
    ] {
        if let Value::Array(list) = tolerations
            && !list.iter().any(|t| {
                (matches!(t["key"].as_str(), None | Some("")) || t["key"] == key)
                    && matches!(t["effect"].as_str(), None | Some("" | "NoExecute"))
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
    // Two names of one field; the second is deprecated.
    for (name, other) in [
        ("serviceAccountName", "serviceAccount"),
        ("serviceAccount", "serviceAccountName"),
    ] {
        if let Some(account) = spec.get(name).cloned() {
            set(spec, other, account);
        }
    }
    for list in ["containers", "initContainers", "ephemeralContainers"] {
        for container in objects(spec, list) {
            default_container(container);
        }
    }
    for volume in objects(spec, "volumes") {
        volumes::default(volume);
    }
}

fn default_http_get(handler: &mut Map<String, Value>) {
    if let Some(Value::Object(get)) = handler.get_mut("httpGet") {
        set(get, "path", "/");
        set(get, "scheme", "HTTP");
    }
}

fn default_container(container: &mut Map<String, Value>) {
    let policy = pull_policy(container.get("image"));
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
            default_http_get(probe);
            if let Some(Value::Object(call)) = probe.get_mut("grpc") {
                set(call, "service", "");
            }
        }
    }
    if let Some(Value::Object(lifecycle)) = container.get_mut("lifecycle") {
        for name in ["postStart", "preStop"] {
            if let Some(Value::Object(handler)) = lifecycle.get_mut(name) {
                default_http_get(handler);
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
