//! The objects that deploy an operator, and the order in which a cluster takes them.

use serde_json::Value;

/// The order of kinds: what others refer to comes first, and webhooks come last, since from then on
/// the API server calls them. Kinds that are not listed, such as those of other projects, come
/// before the webhooks.
const ORDER: [&str; 17] = [
    "Namespace",
    "CustomResourceDefinition",
    "ServiceAccount",
    "Role",
    "ClusterRole",
    "RoleBinding",
    "ClusterRoleBinding",
    "ConfigMap",
    "Secret",
    "Service",
    "Deployment",
    "PodDisruptionBudget",
    "NetworkPolicy",
    OTHERS,
    "ValidatingAdmissionPolicy",
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
];

/// Stands for all other kinds in [`ORDER`].
const OTHERS: &str = "";

/// An object of a manifest.
#[derive(Clone, Debug, PartialEq)]
pub struct Object(pub Value);

impl Object {
    /// The text at a JSON pointer; empty if there is none.
    pub(super) fn text(&self, pointer: &str) -> &str {
        let found = self.0.pointer(pointer);
        found.and_then(Value::as_str).unwrap_or_default()
    }

    pub(super) fn kind(&self) -> &str {
        self.text("/kind")
    }

    pub(super) fn name(&self) -> &str {
        self.text("/metadata/name")
    }

    pub(super) fn namespace(&self) -> &str {
        self.text("/metadata/namespace")
    }

    /// The API group and version; the core group is empty.
    pub(super) fn group_version(&self) -> (&str, &str) {
        let text = self.text("/apiVersion");
        text.split_once('/').unwrap_or(("", text))
    }

    pub(super) fn is(&self, kind: &str) -> bool {
        self.kind() == kind
    }

    fn rank(&self) -> usize {
        let at = |kind: &str| ORDER.iter().position(|it| *it == kind);
        at(self.kind()).or_else(|| at(OTHERS)).unwrap_or_default()
    }
}

/// Sorts objects into the order in which a cluster takes them: equal kinds by namespace and name.
pub(super) fn sort(objects: &mut [Object]) {
    let key = |object: &Object| {
        let names = [object.kind(), object.namespace(), object.name()];
        (object.rank(), names.map(str::to_owned))
    };
    objects.sort_by_cached_key(key);
}
