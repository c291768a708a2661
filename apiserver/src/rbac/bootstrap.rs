//! The roles and bindings without which nobody but an administrator could discover the API: a part of kube-apiserver's.

use serde_json::{Value, json};

use super::user::{AUTHENTICATED, MASTERS};

const API: &str = "rbac.authorization.k8s.io/v1";

/// Paths that everyone may read.
const DISCOVERY: [&str; 11] = [
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

/// Returns the roles, each followed by its binding to a group.
pub(crate) fn objects() -> Vec<Value> {
    let everything = json!([
        {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]},
        {"verbs": ["*"], "nonResourceURLs": ["*"]},
    ]);
    let discovery = json!([{"verbs": ["get"], "nonResourceURLs": DISCOVERY}]);
    let create = |group: &str, resources: &[&str]| json!({"verbs": ["create"], "apiGroups": [group], "resources": resources});
    let basic = json!([
        create(
            "authorization.k8s.io",
            &["selfsubjectaccessreviews", "selfsubjectrulesreviews"]
        ),
        create("authentication.k8s.io", &["selfsubjectreviews"]),
    ]);
    let roles = [
        ("cluster-admin", MASTERS, everything),
        ("system:discovery", AUTHENTICATED, discovery),
        ("system:basic-user", AUTHENTICATED, basic),
    ];
    let objects = roles.into_iter().flat_map(|(name, group, rules)| {
        let metadata =
            json!({"name": name, "labels": {"kubernetes.io/bootstrapping": "rbac-defaults"}});
        let role_ref =
            json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name});
        let subject =
            json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": group});
        [
            json!({"apiVersion": API, "kind": "ClusterRole", "metadata": metadata, "rules": rules}),
            json!({
                "apiVersion": API,
                "kind": "ClusterRoleBinding",
                "metadata": metadata,
                "roleRef": role_ref,
                "subjects": [subject],
            }),
        ]
    });
    objects.collect()
}
