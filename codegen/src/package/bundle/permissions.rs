//! What the roles that are bound to the operator's service account allow. OLM makes roles and
//! bindings from these rules.

use serde_json::{Value, json};

use super::super::{Package, object::Object};

/// The roles of the operator's service account.
pub(super) struct Permissions<'a> {
    /// Objects whose rules are in the ClusterServiceVersion, with their bindings.
    covered: Vec<&'a Object>,
    everywhere: Vec<Value>,
    in_namespace: Vec<Value>,
}

impl<'a> Permissions<'a> {
    pub(super) fn of(package: &'a Package) -> Self {
        let mut found = Self {
            covered: Vec::new(),
            everywhere: Vec::new(),
            in_namespace: Vec::new(),
        };
        for binding in package.objects.iter().filter(|it| binds(package, it)) {
            let is_cluster = binding.is("ClusterRoleBinding");
            // OLM grants what a RoleBinding grants in its own namespace only.
            if !is_cluster && binding.namespace() != package.namespace() {
                continue;
            }
            let Some(role) = role_of(package, binding) else {
                continue;
            };
            let rules = role.0["rules"].as_array().into_iter().flatten().cloned();
            match is_cluster {
                true => found.everywhere.extend(rules),
                false => found.in_namespace.extend(rules),
            }
            found.covered.extend([binding, role]);
        }
        found
    }

    /// Whether the ClusterServiceVersion says what the object says.
    pub(super) fn covers(&self, object: &Object) -> bool {
        self.covered.contains(&object)
    }

    /// `clusterPermissions` and `permissions` of the ClusterServiceVersion.
    pub(super) fn to_json(&self, account: &str) -> [Value; 2] {
        let of_account = |rules: &[Value]| match rules.is_empty() {
            true => json!([]),
            false => json!([{ "serviceAccountName": account, "rules": rules }]),
        };
        [of_account(&self.everywhere), of_account(&self.in_namespace)]
    }
}

/// Whether the object binds a role to the operator's service account, and to nobody else.
fn binds(package: &Package, object: &Object) -> bool {
    let is_binding = object.is("ClusterRoleBinding") || object.is("RoleBinding");
    let subjects = object.0["subjects"].as_array();
    let is_own = |subject: &Value| {
        subject["kind"] == "ServiceAccount"
            && subject["name"] == package.service_account()
            && subject["namespace"] == package.namespace()
    };
    is_binding && subjects.is_some_and(|subjects| matches!(&subjects[..], [one] if is_own(one)))
}

/// The role that a binding refers to; `None` for one of the cluster's own.
fn role_of<'a>(package: &'a Package, binding: &Object) -> Option<&'a Object> {
    let (kind, name) = (binding.text("/roleRef/kind"), binding.text("/roleRef/name"));
    package.objects.iter().find(|object| {
        let is_near = kind == "ClusterRole" || object.namespace() == binding.namespace();
        object.is(kind) && object.name() == name && is_near
    })
}
