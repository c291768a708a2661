//! `AdmissionReview` of `admission.k8s.io/v1`: requests and responses.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::authentication::v1::UserInfo;
use kube::core::{GroupVersionKind, GroupVersionResource};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::Refusal;
use super::room::Held;

/// The operation on an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Operation {
    /// The object is created.
    Create,
    /// The object replaces its old state.
    Update,
    /// The object is deleted.
    Delete,
    /// A connection to the object is opened (`pods/exec`).
    Connect,
}

/// The request of an admission review.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AdmissionRequest {
    /// The ID of the call.
    pub uid: String,
    /// The kind of `object`, as in the webhook's rule.
    pub kind: GroupVersionKind,
    /// The resource, as in the webhook's rule.
    pub resource: GroupVersionResource,
    /// The subresource, such as `status`; empty for the object itself.
    #[serde(default)]
    pub sub_resource: String,
    /// The kind that the client sent, if it is another version.
    pub request_kind: Option<GroupVersionKind>,
    /// The object's name; empty if the name is yet to be generated.
    #[serde(default)]
    pub name: String,
    /// The namespace; empty for cluster-scoped kinds.
    #[serde(default)]
    pub namespace: String,
    /// The operation on the object.
    pub operation: Operation,
    /// The user who sent the request.
    #[serde(default)]
    pub user_info: UserInfo,
    /// The new state, as JSON; `null` for deletions.
    #[serde(default)]
    pub object: Value,
    /// The old state, as JSON; `null` for creations.
    #[serde(default)]
    pub old_object: Value,
    /// Whether the object will not be stored: the handler must have no side effects.
    #[serde(default)]
    pub dry_run: bool,
    /// `CreateOptions`, `UpdateOptions` or `DeleteOptions`.
    #[serde(default)]
    pub options: Value,
    #[serde(skip)]
    pub(super) cost: Cost,
}

/// What a request takes of the process.
#[derive(Clone, Debug, Default)]
pub(super) struct Cost {
    /// The length of its JSON.
    pub(super) bytes: usize,
    /// The memory that is reserved for it.
    #[allow(dead_code, reason = "held, and dropped")]
    pub(super) held: Option<Arc<Held>>,
}

impl AdmissionRequest {
    /// Decodes the new state.
    ///
    /// # Errors
    /// A bad request, if it does not decode.
    pub fn decode<K: DeserializeOwned>(&self) -> Result<K, Refusal> {
        decode("object", &self.object)
    }

    /// Decodes the old state.
    ///
    /// # Errors
    /// A bad request, if it does not decode.
    pub fn decode_old<K: DeserializeOwned>(&self) -> Result<K, Refusal> {
        decode("oldObject", &self.old_object)
    }
}

fn decode<K: DeserializeOwned>(field: &str, value: &Value) -> Result<K, Refusal> {
    K::deserialize(value)
        .map_err(|error| Refusal::bad_request(format!("the {field} cannot be decoded: {error}")))
}

/// Warnings for the client, which kubectl prints. Each should fit on a line of 120 characters.
#[derive(Clone, Debug, Default)]
pub struct Warnings(Vec<String>);

impl Warnings {
    /// Adds a warning.
    pub fn add(&mut self, warning: impl Into<String>) {
        self.0.push(warning.into());
    }
}

/// The response of an admission review.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct AdmissionResponse {
    refusal: Option<Refusal>,
    /// A JSON Patch, encoded.
    patch: Option<Vec<u8>>,
    warnings: Vec<String>,
    audit: BTreeMap<String, String>,
}

impl AdmissionResponse {
    /// Allows the request.
    pub fn allow() -> Self {
        Self::default()
    }

    /// Refuses the request.
    pub fn refuse(refusal: Refusal) -> Self {
        Self {
            refusal: Some(refusal),
            ..Self::default()
        }
    }

    /// Allows the request with `object` in place of the request's; the patch is computed. Has no
    /// effect on a refusal.
    pub fn change(request: &AdmissionRequest, object: &Value) -> Self {
        let patch = json_patch::diff(&request.object, object);
        let is_empty = patch.0.is_empty();
        Self {
            patch: (!is_empty).then(|| serde_json::to_vec(&patch).unwrap_or_default()),
            ..Self::default()
        }
    }

    /// Adds warnings.
    pub fn with_warnings(mut self, warnings: Warnings) -> Self {
        self.warnings.extend(warnings.0);
        self
    }

    /// Adds an entry for the audit log.
    pub fn with_audit(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.audit.insert(key.into(), value.into());
        self
    }

    /// The length of its longest part, about.
    pub(super) fn bytes(&self) -> usize {
        self.patch.as_ref().map_or(0, Vec::len)
    }

    /// Returns the response as JSON.
    pub(super) fn into_json(self, subject: &Subject) -> Value {
        let mut response = json!({"uid": subject.uid, "allowed": self.refusal.is_none()});
        if let Some(refusal) = &self.refusal {
            let kind = &subject.kind;
            response["status"] = refusal.status(&kind.group, &kind.kind, &subject.name);
        } else if let Some(patch) = self.patch {
            response["patch"] = json!(k8s_openapi::ByteString(patch));
            response["patchType"] = json!("JSONPatch");
        }
        if !self.warnings.is_empty() {
            response["warnings"] = json!(self.warnings);
        }
        if !self.audit.is_empty() {
            response["auditAnnotations"] = json!(self.audit);
        }
        response
    }
}

/// What a response says of its request.
pub(super) struct Subject {
    uid: String,
    kind: GroupVersionKind,
    name: String,
}

impl Subject {
    pub(super) fn of(request: &AdmissionRequest) -> Self {
        Self {
            uid: request.uid.clone(),
            kind: request.kind.clone(),
            name: request.name.clone(),
        }
    }
}

impl From<Result<(), Refusal>> for AdmissionResponse {
    fn from(outcome: Result<(), Refusal>) -> Self {
        outcome.map_or_else(Self::refuse, |()| Self::allow())
    }
}
