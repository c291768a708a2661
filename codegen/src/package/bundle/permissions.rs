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
        let restricted = package.restricted_to();
        for binding in package.objects.iter().filter(|it| package.binds(it)) {
            let is_cluster = binding.is("ClusterRoleBinding");
            let is_own = binding.namespace() == package.namespace();
            // OLM grants what a RoleBinding grants in its own namespace, and in those that the
            // operator is installed for.
            if !is_cluster && !is_own && !restricted.contains(&binding.namespace()) {
                continue;
            }
            let Some(role) = role_of(package, binding) else {
                continue;
            };
            let granted = match is_cluster {
                true => &mut found.everywhere,
                false => &mut found.in_namespace,
            };
            for rule in role.0["rules"].as_array().into_iter().flatten() {
                // Roles of several namespaces are alike.
                if !granted.contains(rule) {
                    granted.push(rule.clone());
                }
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

/// The role that a binding refers to; `None` for one of the cluster's own.
fn role_of<'a>(package: &'a Package, binding: &Object) -> Option<&'a Object> {
    let (kind, name) = (binding.text("/roleRef/kind"), binding.text("/roleRef/name"));
    package.objects.iter().find(|object| {
        let is_near = kind == "ClusterRole" || object.namespace() == binding.namespace();
        object.is(kind) && object.name() == name && is_near
    })
}
