//! Roles for users of the API: admin, editor and viewer of each kind.
//!
//! In kubebuilder projects they come from a template and go stale; here they are generated from the kinds.
//!
//! ```yaml
//! apiVersion: rbac.authorization.k8s.io/v1
//! kind: ClusterRole
//! metadata:
//!   labels:
//!     rbac.authorization.k8s.io/aggregate-to-view: "true"
//!   name: virtualmachine-viewer-role
//! rules:
//! - apiGroups:
//!   - cloudnative.czs
//!   resources:
//!   - virtualmachines
//!   verbs:
//!   - get
//!   - list
//!   - watch
//! ```

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use serde_json::{Value, json};

use crate::{
    emit::manifests::input::{Input, file},
    model::ApiSet,
    output::Tree,
};

/// A file for each role, in a folder.
pub(in crate::emit) fn emit(input: &Input<'_>, path: &str) -> Tree {
    let folder = Path::new(path);
    let roles = user_roles(input.api).into_iter();
    roles
        .flat_map(|it| file(folder.join(it.file), &[it.role]))
        .collect()
}

/// A role for users.
#[derive(Clone, Debug, PartialEq)]
pub struct UserRole {
    /// The name of its file, the same as in kubebuilder projects: `virtualmachine_viewer_role.yaml`.
    pub file: String,
    /// The ClusterRole.
    pub role: Value,
}

/// Level, verbs, and the built-in role that it is aggregated to.
const LEVELS: [(&str, &[&str], &str); 3] = [
    ("admin", &["*"], "admin"),
    (
        "editor",
        &[
            "create", "delete", "get", "list", "patch", "update", "watch",
        ],
        "edit",
    ),
    ("viewer", &["get", "list", "watch"], "view"),
];

/// A kind in all its versions.
struct Kind<'a> {
    module: &'a str,
    status: bool,
}

/// Three roles per kind, sorted by group, plural and level. Labels aggregate them to Kubernetes' own roles `admin`, `edit` and
/// `view`.
#[must_use]
pub fn user_roles(api: &ApiSet) -> Vec<UserRole> {
    let mut kinds: BTreeMap<(&str, &str, &str), Kind<'_>> = BTreeMap::new();
    for (group, version) in api.versions() {
        for resource in &version.resources {
            let key = (&*group.name, &*resource.plural, &*resource.kind);
            let kind = kinds.entry(key).or_insert(Kind {
                module: &group.module,
                status: false,
            });
            kind.status |= resource.status_subresource;
        }
    }
    let mut seen = BTreeSet::new();
    let names = kinds.keys().map(|(.., kind)| kind.to_lowercase());
    // Kind names that occur in several groups.
    let twice: BTreeSet<String> = names.filter(|name| !seen.insert(name.clone())).collect();
    let mut roles = Vec::new();
    for ((group, plural, kind), facts) in kinds {
        let kind = kind.to_lowercase();
        let mut words = vec![kind.clone()];
        if twice.contains(&kind) {
            words.insert(0, facts.module.replace('_', "-"));
        }
        for (level, verbs, aggregated) in LEVELS {
            let mut words = words.clone();
            words.extend([level.to_owned(), "role".to_owned()]);
            let label = format!("rbac.authorization.k8s.io/aggregate-to-{aggregated}");
            let metadata = json!({ "name": words.join("-"), "labels": { label: "true" } });
            let rule = |resource: &str, verbs: &[&str]| json!({ "apiGroups": [group], "resources": [resource], "verbs": verbs });
            let mut rules = vec![rule(plural, verbs)];
            if facts.status {
                rules.push(rule(&format!("{plural}/status"), &["get"]));
            }
            roles.push(UserRole {
                file: format!("{}.yaml", words.join("_")),
                role: json!({
                    "apiVersion": "rbac.authorization.k8s.io/v1",
                    "kind": "ClusterRole",
                    "metadata": metadata,
                    "rules": rules,
                }),
            });
        }
    }
    roles
}
