//! The namespaces that the program watches, and roles that are for these and not for the cluster.

use serde_json::Value;

use super::{Package, object::Object};

/// The flag with the watched namespaces.
pub(super) const FLAG: &str = "--namespaces=";

impl Package {
    /// The namespaces that the Deployment's flag names; empty for all.
    pub(super) fn watched(&self) -> Vec<&str> {
        let args = self.container()["args"].as_array().into_iter().flatten();
        let mut args = args.filter_map(Value::as_str);
        let named = args.find_map(|arg| arg.strip_prefix(FLAG));
        let names = named.into_iter().flat_map(|names| names.split(','));
        names.filter(|name| !name.is_empty()).collect()
    }

    /// The watched namespaces, if the operator has a role in each of them.
    pub(super) fn restricted_to(&self) -> Vec<&str> {
        let watched = self.watched();
        let has_role = |namespace: &&str| {
            let mut bindings = self.objects.iter().filter(|it| self.binds(it));
            bindings.any(|it| it.is("RoleBinding") && it.namespace() == *namespace)
        };
        match watched.iter().all(has_role) {
            true => watched,
            false => Vec::new(),
        }
    }

    /// Whether the object binds a role to the operator's service account, and to nobody else.
    pub(super) fn binds(&self, object: &Object) -> bool {
        let is_binding = object.is("ClusterRoleBinding") || object.is("RoleBinding");
        let subjects = object.0["subjects"].as_array();
        let is_own = |subject: &Value| {
            subject["kind"] == "ServiceAccount"
                && subject["name"] == self.service_account()
                && subject["namespace"] == self.namespace()
        };
        is_binding && subjects.is_some_and(|subjects| matches!(&subjects[..], [one] if is_own(one)))
    }

    /// Whether the object is a role, or the binding of one, that each namespace of
    /// [`restricted_to`](Self::restricted_to) has.
    pub(super) fn is_repeated(&self, object: &Object) -> bool {
        let restricted = self.restricted_to();
        let is_role = object.is("Role") || object.is("RoleBinding");
        let is_beside = |namespace: &&str| {
            let mut beside = object.clone();
            beside.0["metadata"]["namespace"] = (*namespace).into();
            self.objects.contains(&beside)
        };
        is_role && restricted.contains(&object.namespace()) && restricted.iter().all(is_beside)
    }
}
