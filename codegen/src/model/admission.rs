//! Admission webhooks, from annotated Rust.

use serde::Serialize;
use serde_json::Value;

/// Where the API server calls a webhook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum WebhookEndpoint {
    /// A URL.
    Url(String),
    /// A service of the cluster.
    Service {
        /// The service's name; `None` in a CRD whose installer adds it, as Crossplane does.
        name: Option<String>,
        /// The service's namespace; `None` in the same case as the name.
        namespace: Option<String>,
        /// The path.
        path: Option<String>,
        /// The port; `None` means 443.
        port: Option<i32>,
    },
}

impl WebhookEndpoint {
    /// The service name and namespace in kubebuilder's manifests, used if a marker does not specify
    /// a service.
    pub const SERVICE: (&'static str, &'static str) = ("webhook-service", "system");
}

/// An admission webhook (`+kubebuilder:webhook`).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "the API's own names")]
pub struct Webhook {
    pub name: String,
    /// The name of the webhook configuration that contains it
    /// (`+kubebuilder:webhookconfiguration`).
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
    /// A strategic merge patch of the webhook, as a JSON object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<Value>,
    pub endpoint: WebhookEndpoint,
}
