//! Names that a type without the name of its kind should not have.

use std::{collections::HashSet, sync::OnceLock};

use crate::{builtin::openapi_structs, kubernetes::KubernetesVersion};

/// Words that every object has, and that say nothing about a type.
const EVERYWHERE: [&str; 3] = ["Metadata", "Spec", "Status"];

/// Whether the name would mislead: it says nothing, or it is that of a type of Kubernetes
/// (`Affinity`), which users import beside it.
pub(super) fn is_misleading(name: &str) -> bool {
    static KUBERNETES: OnceLock<HashSet<&str>> = OnceLock::new();
    let kubernetes = KUBERNETES.get_or_init(|| {
        let structs = openapi_structs(KubernetesVersion::LATEST);
        structs
            .filter_map(|one| one.path.rsplit('/').next())
            .collect()
    });
    EVERYWHERE.contains(&name) || kubernetes.contains(name)
}
