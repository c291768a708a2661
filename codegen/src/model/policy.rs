//! What goes with an API beside its types: rules of access, and admission webhooks.

use serde::Serialize;

/// A rule that a controller's role needs (`+kubebuilder:rbac`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyRule {
    /// API groups; the core group is empty.
    pub groups: Vec<String>,
    /// Resources, with `/` before a subresource.
    pub resources: Vec<String>,
    /// Names of single objects.
    pub resource_names: Vec<String>,
    /// Verbs of the API server, in lower case.
    pub verbs: Vec<String>,
    /// URLs that are no resources.
    pub urls: Vec<String>,
    /// The namespace of the role; none means a cluster role.
    pub namespace: Option<String>,
    /// The name of the role; none means the generator's own.
    pub role_name: Option<String>,
}

/// An admission webhook (`+kubebuilder:webhook`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "the API's own names")]
pub struct Webhook {
    pub name: String,
    /// The name of the configuration that holds it (`+kubebuilder:webhookconfiguration`).
    pub configuration: Option<String>,
    pub mutating: bool,
    pub failure_policy: String,
    pub match_policy: Option<String>,
    pub side_effects: Option<String>,
    pub timeout_seconds: Option<i32>,
    pub reinvocation_policy: Option<String>,
    pub groups: Vec<String>,
    pub resources: Vec<String>,
    pub verbs: Vec<String>,
    pub versions: Vec<String>,
    pub admission_review_versions: Vec<String>,
    pub path: Option<String>,
    pub url: Option<String>,
    pub service_name: Option<String>,
    pub service_namespace: Option<String>,
    pub service_port: Option<i32>,
}
