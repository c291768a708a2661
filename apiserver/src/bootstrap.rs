//! The objects that kube-apiserver creates when it starts, as far as operators read them: roles,
//! priority classes, API services, and the configuration of extension API servers.

use serde_json::{Value, json};

use crate::core::Core;
use crate::registry::Origin;

const READ: &[&str] = &["get", "list", "watch"];
const WRITE: &[&str] = &["create", "delete", "deletecollection", "patch", "update"];
const ALL: &[&str] = &[
    "create",
    "delete",
    "deletecollection",
    "get",
    "list",
    "patch",
    "update",
    "watch",
];
const CREATE: &[&str] = &["create"];

/// A rule: its group, resources and verbs.
type Rule = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

/// What `admin` has besides `edit`.
#[rustfmt::skip]
const ADMIN: &[Rule] = &[
    ("authorization.k8s.io", &["localsubjectaccessreviews"], CREATE),
    ("rbac.authorization.k8s.io", &["rolebindings", "roles"], ALL),
];

/// What `edit` has besides `view`.
#[rustfmt::skip]
const EDIT: &[Rule] = &[
    ("", &["pods/attach", "pods/exec", "pods/portforward", "pods/proxy", "secrets", "services/proxy"], READ),
    ("", &["serviceaccounts"], &["impersonate"]),
    ("", &["pods", "pods/attach", "pods/exec", "pods/portforward", "pods/proxy"], WRITE),
    ("", &["pods/eviction"], CREATE),
    ("", &["configmaps", "events", "persistentvolumeclaims", "replicationcontrollers",
        "replicationcontrollers/scale", "secrets", "serviceaccounts", "services", "services/proxy"], WRITE),
    ("", &["serviceaccounts/token"], CREATE),
    ("apps", &["daemonsets", "deployments", "deployments/rollback", "deployments/scale", "replicasets",
        "replicasets/scale", "statefulsets", "statefulsets/scale"], WRITE),
    ("autoscaling", &["horizontalpodautoscalers"], WRITE),
    ("batch", &["cronjobs", "jobs"], WRITE),
    ("extensions", &["daemonsets", "deployments", "deployments/rollback", "deployments/scale", "ingresses",
        "networkpolicies", "replicasets", "replicasets/scale", "replicationcontrollers/scale"], WRITE),
    ("policy", &["poddisruptionbudgets"], WRITE),
    ("networking.k8s.io", &["ingresses", "networkpolicies"], WRITE),
    ("coordination.k8s.io", &["leases"], ALL),
];

#[rustfmt::skip]
const VIEW: &[Rule] = &[
    ("", &["configmaps", "endpoints", "persistentvolumeclaims", "persistentvolumeclaims/status", "pods",
        "replicationcontrollers", "replicationcontrollers/scale", "serviceaccounts", "services",
        "services/status"], READ),
    ("", &["bindings", "events", "limitranges", "namespaces/status", "pods/log", "pods/status",
        "replicationcontrollers/status", "resourcequotas", "resourcequotas/status"], READ),
    ("", &["namespaces"], READ),
    ("discovery.k8s.io", &["endpointslices"], READ),
    ("apps", &["controllerrevisions", "daemonsets", "daemonsets/status", "deployments", "deployments/scale",
        "deployments/status", "replicasets", "replicasets/scale", "replicasets/status", "statefulsets",
        "statefulsets/scale", "statefulsets/status"], READ),
    ("autoscaling", &["horizontalpodautoscalers", "horizontalpodautoscalers/status"], READ),
    ("batch", &["cronjobs", "cronjobs/status", "jobs", "jobs/status"], READ),
    ("extensions", &["daemonsets", "daemonsets/status", "deployments", "deployments/scale",
        "deployments/status", "ingresses", "ingresses/status", "networkpolicies", "replicasets",
        "replicasets/scale", "replicasets/status", "replicationcontrollers/scale"], READ),
    ("policy", &["poddisruptionbudgets", "poddisruptionbudgets/status"], READ),
    ("networking.k8s.io", &["ingresses", "ingresses/status", "networkpolicies"], READ),
];

#[rustfmt::skip]
const BASIC_USER: &[Rule] = &[
    ("authorization.k8s.io", &["selfsubjectaccessreviews", "selfsubjectrulesreviews"], CREATE),
    ("authentication.k8s.io", &["selfsubjectreviews"], CREATE),
];

#[rustfmt::skip]
const AUTH_DELEGATOR: &[Rule] = &[
    ("authentication.k8s.io", &["tokenreviews"], CREATE),
    ("authorization.k8s.io", &["subjectaccessreviews"], CREATE),
];

const DISCOVERY_PATHS: &[&str] = &[
    "/api",
    "/api/*",
    "/apis",
    "/apis/*",
    "/healthz",
    "/livez",
    "/openapi",
    "/openapi/*",
    "/readyz",
    "/version",
    "/version/",
];

/// The label of the roles that join an aggregated role.
pub(crate) fn aggregates_to(role: &str) -> String {
    format!("rbac.authorization.k8s.io/aggregate-to-{role}")
}

/// Returns the metadata of a bootstrap role or binding.
fn metadata(name: &str) -> Value {
    json!({
        "name": name,
        "annotations": {"rbac.authorization.kubernetes.io/autoupdate": "true"},
        "labels": {"kubernetes.io/bootstrapping": "rbac-defaults"},
    })
}

fn cluster_role(name: &str, rules: Value) -> Value {
    json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
        "metadata": metadata(name), "rules": rules})
}

fn rules(rules: &[Rule]) -> Value {
    let rules = rules.iter().map(|(group, resources, verbs)| {
        json!({"apiGroups": [group], "resources": resources, "verbs": verbs})
    });
    rules.collect()
}

/// A role whose rules are those of others; nobody but a controller fills them in.
fn aggregated(name: &str) -> Value {
    let mut role = cluster_role(name, Value::Null);
    let label = aggregates_to(name);
    role["aggregationRule"] = json!({"clusterRoleSelectors": [{"matchLabels": {label: "true"}}]});
    role
}

fn joining(mut role: Value, aggregate: &str) -> Value {
    role["metadata"]["labels"][aggregates_to(aggregate)] = json!("true");
    role
}

fn cluster_role_binding(role: &str, groups: &[&str]) -> Value {
    let subjects: Vec<Value> = groups
        .iter()
        .map(|group| {
            json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": group})
        })
        .collect();
    json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
        "metadata": metadata(role), "subjects": subjects,
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role}})
}

fn roles() -> Vec<Value> {
    let paths = |paths: &[&str]| json!([{"nonResourceURLs": paths, "verbs": ["get"]}]);
    let everything = json!([
        {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]},
        {"nonResourceURLs": ["*"], "verbs": ["*"]},
    ]);
    let public = ["/healthz", "/livez", "/readyz", "/version", "/version/"];
    // Those that join others come first, so that each is complete when it is joined.
    vec![
        cluster_role("cluster-admin", everything),
        joining(
            cluster_role("system:aggregate-to-view", rules(VIEW)),
            "view",
        ),
        joining(
            cluster_role("system:aggregate-to-edit", rules(EDIT)),
            "edit",
        ),
        joining(
            cluster_role("system:aggregate-to-admin", rules(ADMIN)),
            "admin",
        ),
        joining(aggregated("view"), "edit"),
        joining(aggregated("edit"), "admin"),
        aggregated("admin"),
        cluster_role("system:basic-user", rules(BASIC_USER)),
        cluster_role("system:auth-delegator", rules(AUTH_DELEGATOR)),
        cluster_role("system:discovery", paths(DISCOVERY_PATHS)),
        cluster_role("system:public-info-viewer", paths(&public)),
        cluster_role_binding("cluster-admin", &["system:masters"]),
        cluster_role_binding("system:basic-user", &["system:authenticated"]),
        cluster_role_binding("system:discovery", &["system:authenticated"]),
        cluster_role_binding(
            "system:public-info-viewer",
            &["system:authenticated", "system:unauthenticated"],
        ),
    ]
}

fn priority_class(name: &str, value: i64, description: &str) -> Value {
    json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name},
        "value": value, "description": description, "preemptionPolicy": "PreemptLowerPriority"})
}

/// The configuration that extension API servers read: from which proxies they take users. There are
/// none.
fn extension_authentication() -> Vec<Value> {
    let name = "extension-apiserver-authentication";
    let reader = format!("{name}-reader");
    let mut role = metadata(&reader);
    role["namespace"] = json!("kube-system");
    vec![
        json!({"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "kube-system"},
        "data": {
            "requestheader-allowed-names": "[]",
            "requestheader-extra-headers-prefix": "[\"X-Remote-Extra-\"]",
            "requestheader-group-headers": "[\"X-Remote-Group\"]",
            "requestheader-username-headers": "[\"X-Remote-User\"]",
        }}),
        json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": role,
            "rules": [{"apiGroups": [""], "resources": ["configmaps"], "resourceNames": [name],
                "verbs": READ}]}),
    ]
}

/// Returns the API service of a version that the server itself serves.
pub(crate) fn api_service(core: &Core, group: &str, version: &str, origin: Origin) -> Value {
    let (kind, minimum, priority) = match origin {
        Origin::Builtin if group.is_empty() => ("onstart", 18_000, 1),
        Origin::Builtin => ("onstart", 17_000, 15),
        _ => ("true", 1000, 100),
    };
    let mut spec =
        json!({"version": version, "groupPriorityMinimum": minimum, "versionPriority": priority});
    if !group.is_empty() {
        spec["group"] = json!(group);
    }
    json!({
        "apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
        "metadata": {
            "name": format!("{version}.{group}"),
            "labels": {"kube-aggregator.kubernetes.io/automanaged": kind},
        },
        "spec": spec,
        "status": {"conditions": [{
            "type": "Available", "status": "True", "reason": "Local",
            "message": "Local APIServices are always available",
            "lastTransitionTime": core.timestamp(),
        }]},
    })
}

/// Returns the objects that exist from the start.
pub(crate) fn objects(core: &Core) -> Vec<Value> {
    let mut objects = roles();
    objects.push(priority_class(
        "system-node-critical",
        2_000_001_000,
        "Used for system critical pods that must not be moved from their current node.",
    ));
    objects.push(priority_class(
        "system-cluster-critical",
        2_000_000_000,
        "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
    ));
    objects.extend(extension_authentication());
    for group in core.registry.groups() {
        for (version, _) in &group.versions {
            objects.push(api_service(core, &group.name, version, Origin::Builtin));
        }
    }
    objects
}
