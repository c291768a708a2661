//! Cluster-scoped resources.

use crate::model::{ApiSet, Scope};

/// Kubernetes' own cluster-scoped resources, by group.
#[rustfmt::skip]
const CLUSTER: &[(&str, &[&str])] = &[
    ("", &["componentstatuses", "namespaces", "nodes", "persistentvolumes"]),
    ("admissionregistration.k8s.io", &["*"]),
    ("apiextensions.k8s.io", &["customresourcedefinitions"]),
    ("apiregistration.k8s.io", &["apiservices"]),
    ("authentication.k8s.io", &["selfsubjectreviews", "tokenreviews"]),
    ("authorization.k8s.io", &["selfsubjectaccessreviews", "selfsubjectrulesreviews", "subjectaccessreviews"]),
    ("certificates.k8s.io", &["certificatesigningrequests", "clustertrustbundles", "signers"]),
    ("flowcontrol.apiserver.k8s.io", &["*"]),
    ("internal.apiserver.k8s.io", &["*"]),
    ("metrics.k8s.io", &["nodes"]),
    ("networking.k8s.io", &["ingressclasses", "ipaddresses", "servicecidrs"]),
    ("node.k8s.io", &["*"]),
    ("rbac.authorization.k8s.io", &["clusterrolebindings", "clusterroles"]),
    ("resource.k8s.io", &["deviceclasses", "devicetaintrules", "resourceslices"]),
    ("scheduling.k8s.io", &["priorityclasses"]),
    ("storage.k8s.io", &["csidrivers", "csinodes", "storageclasses", "volumeattachments", "volumeattributesclasses"]),
    ("storagemigration.k8s.io", &["*"]),
];

/// Whether a resource, which may have a `/` before a subresource, is cluster-scoped. Resources of unknown groups count as
/// namespaced.
pub(super) fn is_of_cluster(api: &ApiSet, group: &str, resource: &str) -> bool {
    let plural = resource.split('/').next().unwrap_or_default();
    let own = api
        .versions()
        .filter(|(own, _)| own.name == group)
        .flat_map(|(_, version)| &version.resources)
        .find(|own| own.plural == plural);
    if let Some(own) = own {
        return own.scope == Scope::Cluster;
    }
    CLUSTER.iter().any(|(known, plurals)| {
        *known == group && (plurals.contains(&plural) || plurals.contains(&"*"))
    })
}
