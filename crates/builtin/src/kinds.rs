//! Kubernetes' own kinds.

/// A kind that clients list and watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The group; empty for the core group.
    pub group: &'static str,
    /// The version.
    pub version: &'static str,
    /// The kind.
    pub kind: &'static str,
    /// The plural.
    pub plural: &'static str,
    /// Whether its objects live in namespaces.
    pub namespaced: bool,
}

impl Kind {
    /// Its Go package: `k8s.io/api/apps/v1`.
    #[must_use]
    pub fn package(&self) -> String {
        package_of(self.group, self.version)
    }
}

/// Returns the Go package of a version of one of Kubernetes' own groups: `k8s.io/api/apps/v1`.
#[must_use]
pub fn package_of(group: &str, version: &str) -> String {
    let first = group.split('.').next().unwrap_or_default();
    match first {
        "" => format!("k8s.io/api/core/{version}"),
        "apiextensions" => format!("k8s.io/apiextensions-apiserver/pkg/apis/{first}/{version}"),
        "apiregistration" => format!("k8s.io/kube-aggregator/pkg/apis/{first}/{version}"),
        _ => format!("k8s.io/api/{first}/{version}"),
    }
}

const fn namespaced(
    group: &'static str,
    version: &'static str,
    kind: &'static str,
    plural: &'static str,
) -> Kind {
    Kind {
        group,
        version,
        kind,
        plural,
        namespaced: true,
    }
}

const fn cluster(
    group: &'static str,
    version: &'static str,
    kind: &'static str,
    plural: &'static str,
) -> Kind {
    Kind {
        namespaced: false,
        ..namespaced(group, version, kind, plural)
    }
}

const RBAC: &str = "rbac.authorization.k8s.io";
const ADMISSION: &str = "admissionregistration.k8s.io";

/// The kinds that the embedded API server serves, in its order. Its tests compare this table with
/// its own.
#[rustfmt::skip]
pub const KINDS: &[Kind] = &[
    cluster("", "v1", "Namespace", "namespaces"),
    namespaced("", "v1", "Pod", "pods"),
    namespaced("", "v1", "Service", "services"),
    namespaced("", "v1", "ConfigMap", "configmaps"),
    namespaced("", "v1", "Secret", "secrets"),
    namespaced("", "v1", "ServiceAccount", "serviceaccounts"),
    namespaced("", "v1", "Event", "events"),
    cluster("", "v1", "Node", "nodes"),
    cluster("", "v1", "PersistentVolume", "persistentvolumes"),
    namespaced("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims"),
    namespaced("", "v1", "Endpoints", "endpoints"),
    namespaced("", "v1", "LimitRange", "limitranges"),
    namespaced("", "v1", "ResourceQuota", "resourcequotas"),
    namespaced("", "v1", "PodTemplate", "podtemplates"),
    namespaced("", "v1", "ReplicationController", "replicationcontrollers"),
    namespaced("apps", "v1", "Deployment", "deployments"),
    namespaced("apps", "v1", "ReplicaSet", "replicasets"),
    namespaced("apps", "v1", "StatefulSet", "statefulsets"),
    namespaced("apps", "v1", "DaemonSet", "daemonsets"),
    namespaced("apps", "v1", "ControllerRevision", "controllerrevisions"),
    namespaced("batch", "v1", "Job", "jobs"),
    namespaced("batch", "v1", "CronJob", "cronjobs"),
    namespaced("autoscaling", "v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers"),
    namespaced("autoscaling", "v1", "HorizontalPodAutoscaler", "horizontalpodautoscalers"),
    namespaced("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets"),
    namespaced("networking.k8s.io", "v1", "Ingress", "ingresses"),
    cluster("networking.k8s.io", "v1", "IngressClass", "ingressclasses"),
    namespaced("networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies"),
    namespaced("discovery.k8s.io", "v1", "EndpointSlice", "endpointslices"),
    namespaced("coordination.k8s.io", "v1", "Lease", "leases"),
    namespaced("events.k8s.io", "v1", "Event", "events"),
    cluster("scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses"),
    cluster("storage.k8s.io", "v1", "StorageClass", "storageclasses"),
    namespaced(RBAC, "v1", "Role", "roles"),
    namespaced(RBAC, "v1", "RoleBinding", "rolebindings"),
    cluster(RBAC, "v1", "ClusterRole", "clusterroles"),
    cluster(RBAC, "v1", "ClusterRoleBinding", "clusterrolebindings"),
    cluster("apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions"),
    cluster(ADMISSION, "v1", "MutatingWebhookConfiguration", "mutatingwebhookconfigurations"),
    cluster(ADMISSION, "v1", "ValidatingWebhookConfiguration", "validatingwebhookconfigurations"),
    cluster(ADMISSION, "v1", "ValidatingAdmissionPolicy", "validatingadmissionpolicies"),
    cluster(ADMISSION, "v1", "ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings"),
    cluster("apiregistration.k8s.io", "v1", "APIService", "apiservices"),
    cluster("certificates.k8s.io", "v1", "CertificateSigningRequest", "certificatesigningrequests"),
    cluster("node.k8s.io", "v1", "RuntimeClass", "runtimeclasses"),
    cluster("storage.k8s.io", "v1", "CSIDriver", "csidrivers"),
    cluster("storage.k8s.io", "v1", "CSINode", "csinodes"),
    namespaced("storage.k8s.io", "v1", "CSIStorageCapacity", "csistoragecapacities"),
    cluster("storage.k8s.io", "v1", "VolumeAttachment", "volumeattachments"),
    cluster("storage.k8s.io", "v1", "VolumeAttributesClass", "volumeattributesclasses"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_type_in_the_table_of_types() {
        for kind in KINDS {
            let package = kind.package();
            let name = format!("{package}.{}", kind.kind);
            assert!(crate::find(&package, kind.kind).is_some(), "{name}");
            let list = format!("{}List", kind.kind);
            assert!(crate::find(&package, &list).is_some(), "{name}List");
        }
    }
}
