//! Rules of roles, from annotated Rust.

use serde::Serialize;

/// A rule that a controller's role needs (`+kubebuilder:rbac`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyRule {
    /// API groups; the core group is empty.
    pub groups: Vec<String>,
    /// Resources, or `resource/subresource`.
    pub resources: Vec<String>,
    /// Names of individual objects.
    pub resource_names: Vec<String>,
    /// Verbs of the API server, in lower case.
    pub verbs: Vec<String>,
    /// Non-resource URLs.
    pub urls: Vec<String>,
    /// The namespace of the role; `None` means a cluster role.
    pub namespace: Option<String>,
    /// The name of the role; `None` means the generator's default role.
    pub role_name: Option<String>,
}
