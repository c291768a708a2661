//! The table of the built-in kinds, with their groups, versions, scopes, names and subresources in
//! Kubernetes.

use super::rbac::Reach;
use super::row::{Field, Row, field, row};
use super::{
    admission, autoscaling, cluster, config, definitions, endpoints, events, jobs, leases,
    namespaces, networking, nodes, pods, policy, rbac, reviews, services, storage, volumes,
    workloads,
};
use crate::registry::{Registry, Resource, Subresource};
use kube_names::NameRule;

const POD_FIELDS: &[Field] = &[
    field("spec.nodeName"),
    field("spec.restartPolicy"),
    field("spec.schedulerName"),
    field("spec.serviceAccountName"),
    field("spec.hostNetwork").or("false"),
    field("status.phase"),
    field("status.podIP"),
    field("status.nominatedNodeName"),
];
const EVENT_FIELDS: &[Field] = &[
    field("involvedObject.kind"),
    field("involvedObject.namespace"),
    field("involvedObject.name"),
    field("involvedObject.uid"),
    field("involvedObject.apiVersion"),
    field("involvedObject.resourceVersion"),
    field("involvedObject.fieldPath"),
    field("reason"),
    field("reportingComponent"),
    Field("source", "source.component", ""),
    field("type"),
];
const EVENT_VIEW_FIELDS: &[Field] = &[
    field("regarding.kind"),
    field("regarding.namespace"),
    field("regarding.name"),
    field("regarding.uid"),
    field("reason"),
    field("reportingController"),
    field("type"),
];
const RBAC: &str = "rbac.authorization.k8s.io";
const ADMISSION: &str = "admissionregistration.k8s.io";
const AUTHORIZATION: &str = "authorization.k8s.io";
const FLOW_CONTROL: &str = "flowcontrol.apiserver.k8s.io";
const EXTENSIONS: &[&str] = &["api-extensions"];

#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("", "v1", "Namespace", "namespaces", "sdx", &["ns"])
        .sub(&[Subresource::Finalize]).fields(&[field("status.phase")]).names(NameRule::Label)
        .with(&namespaces::Namespace),
    row("", "v1", "Pod", "pods", "nsgd", &["po"])
        .all().sub(&[Subresource::Binding, Subresource::EphemeralContainers, Subresource::Eviction]).fields(POD_FIELDS)
        .with(&pods::Pod),
    row("", "v1", "Service", "services", "nspd", &["svc"])
        .all().fields(&[field("spec.clusterIP"), field("spec.type")]).names(NameRule::Label).with(&services::Service),
    row("", "v1", "ConfigMap", "configmaps", "n", &["cm"]).with(&config::ConfigMap),
    row("", "v1", "Secret", "secrets", "n", &[]).fields(&[field("type")]).with(&config::Secret),
    row("", "v1", "ServiceAccount", "serviceaccounts", "nd", &["sa"])
        .sub(&[Subresource::Token]).with(&config::ServiceAccount),
    row("", "v1", "Event", "events", "np", &["ev"]).fields(EVENT_FIELDS).with(&events::Event),
    row("", "v1", "Node", "nodes", "s", &["no"]).fields(&[field("spec.unschedulable").or("false")]).with(&nodes::Node),
    row("", "v1", "PersistentVolume", "persistentvolumes", "sd", &["pv"]).with(&volumes::PersistentVolume),
    row("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", "nsd", &["pvc"])
        .with(&volumes::PersistentVolumeClaim),
    row("", "v1", "Endpoints", "endpoints", "np", &["ep"])
        .deprecated("v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice")
        .with(&endpoints::Endpoints),
    row("", "v1", "LimitRange", "limitranges", "np", &["limits"]).with(&policy::LimitRange),
    row("", "v1", "ResourceQuota", "resourcequotas", "nsd", &["quota"]).with(&policy::ResourceQuota),
    row("", "v1", "PodTemplate", "podtemplates", "ngd", &[]).with(&workloads::PodTemplate),
    row("", "v1", "ReplicationController", "replicationcontrollers", "nscg", &["rc"])
        .all().fields(&[field("status.replicas").or("0")]).scaled_by(".spec.selector")
        .with(&workloads::ReplicationController),
    row("apps", "v1", "Deployment", "deployments", "nscg", &["deploy"])
        .all().counting(&["annotations"]).with(&workloads::Deployment),
    row("apps", "v1", "ReplicaSet", "replicasets", "nscg", &["rs"])
        .all().fields(&[field("status.replicas").or("0")]).with(&workloads::ReplicaSet),
    row("apps", "v1", "StatefulSet", "statefulsets", "nscg", &["sts"]).all().with(&workloads::StatefulSet),
    row("apps", "v1", "DaemonSet", "daemonsets", "nsg", &["ds"]).all().with(&workloads::DaemonSet),
    row("apps", "v1", "ControllerRevision", "controllerrevisions", "n", &[]).with(&workloads::ControllerRevision),
    row("batch", "v1", "Job", "jobs", "nsg", &[]).all().fields(&[field("status.successful").or("0")]).with(&jobs::Job),
    row("batch", "v1", "CronJob", "cronjobs", "nsg", &["cj"]).all().with(&jobs::CronJob),
    row("autoscaling", "v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", "ns", &["hpa"])
        .all().with(&autoscaling::HorizontalPodAutoscaler),
    row("autoscaling", "v1", "HorizontalPodAutoscaler", "horizontalpodautoscalers", "ns", &["hpa"])
        .all().view_of("autoscaling", autoscaling::CONVERSION).with(&autoscaling::HorizontalPodAutoscaler),
    row("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", "nsgu", &["pdb"])
        .with(&policy::PodDisruptionBudget),
    row("networking.k8s.io", "v1", "Ingress", "ingresses", "nsg", &["ing"]).with(&networking::Ingress),
    row("networking.k8s.io", "v1", "IngressClass", "ingressclasses", "g", &[]).with(&networking::IngressClass),
    row("networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies", "ng", &["netpol"])
        .with(&networking::NetworkPolicy),
    row("discovery.k8s.io", "v1", "EndpointSlice", "endpointslices", "ng", &[])
        .counting(&["labels"]).with(&endpoints::EndpointSlice),
    row("coordination.k8s.io", "v1", "Lease", "leases", "npu", &[]).with(&leases::Lease),
    row("events.k8s.io", "v1", "Event", "events", "np", &["ev"])
        .fields(EVENT_VIEW_FIELDS).view_of("", events::CONVERSION).with(&events::EventView),
    row("scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", "", &["pc"]).with(&cluster::PriorityClass),
    row("storage.k8s.io", "v1", "StorageClass", "storageclasses", "d", &["sc"]).with(&storage::StorageClass),
    row(RBAC, "v1", "Role", "roles", "np", &[]).names(NameRule::PathSegment).with(&rbac::Role(Reach::Namespace)),
    row(RBAC, "v1", "RoleBinding", "rolebindings", "np", &[])
        .names(NameRule::PathSegment).with(&rbac::Binding(Reach::Namespace)),
    row(RBAC, "v1", "ClusterRole", "clusterroles", "p", &[])
        .names(NameRule::PathSegment).with(&rbac::Role(Reach::Cluster)),
    row(RBAC, "v1", "ClusterRoleBinding", "clusterrolebindings", "p", &[])
        .names(NameRule::PathSegment).with(&rbac::Binding(Reach::Cluster)),
    row("apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", "sgu", &["crd", "crds"])
        .of_category(EXTENSIONS).with(&definitions::CustomResourceDefinition),
    row(ADMISSION, "v1", "MutatingWebhookConfiguration", "mutatingwebhookconfigurations", "g", &[])
        .of_category(EXTENSIONS).with(&admission::MutatingWebhooks),
    row(ADMISSION, "v1", "ValidatingWebhookConfiguration", "validatingwebhookconfigurations", "g", &[])
        .of_category(EXTENSIONS).with(&admission::ValidatingWebhooks),
    row(ADMISSION, "v1", "ValidatingAdmissionPolicy", "validatingadmissionpolicies", "gs", &[])
        .of_category(EXTENSIONS).with(&admission::ValidatingAdmissionPolicy),
    row(ADMISSION, "v1", "ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings", "g", &[])
        .of_category(EXTENSIONS).with(&admission::ValidatingAdmissionPolicyBinding),
    row("apiregistration.k8s.io", "v1", "APIService", "apiservices", "s", &[])
        .of_category(EXTENSIONS).names(NameRule::PathSegment).with(&cluster::ApiService),
    row("certificates.k8s.io", "v1", "CertificateSigningRequest", "certificatesigningrequests", "s", &["csr"])
        .fields(&[field("spec.signerName")]).sub(&[Subresource::Approval]).names(NameRule::PathSegment)
        .with(&cluster::CertificateSigningRequest),
    row("node.k8s.io", "v1", "RuntimeClass", "runtimeclasses", "", &[]).with(&cluster::RuntimeClass),
    row("storage.k8s.io", "v1", "CSIDriver", "csidrivers", "", &[]).with(&storage::CsiDriver),
    row("storage.k8s.io", "v1", "CSINode", "csinodes", "", &[]).with(&storage::CsiNode),
    row("storage.k8s.io", "v1", "CSIStorageCapacity", "csistoragecapacities", "n", &[]),
    row("storage.k8s.io", "v1", "VolumeAttachment", "volumeattachments", "sd", &[])
        .with(&storage::VolumeAttachment),
    row("storage.k8s.io", "v1", "VolumeAttributesClass", "volumeattributesclasses", "d", &["vac"])
        .with(&storage::VolumeAttributesClass),
    row(ADMISSION, "v1", "MutatingAdmissionPolicy", "mutatingadmissionpolicies", "go", &[]).of_category(EXTENSIONS),
    row(ADMISSION, "v1", "MutatingAdmissionPolicyBinding", "mutatingadmissionpolicybindings", "go", &[])
        .of_category(EXTENSIONS),
    row("networking.k8s.io", "v1", "ServiceCIDR", "servicecidrs", "so", &[]),
    row("networking.k8s.io", "v1", "IPAddress", "ipaddresses", "o", &["ip"]),
    row(FLOW_CONTROL, "v1", "FlowSchema", "flowschemas", "so", &[]),
    row(FLOW_CONTROL, "v1", "PriorityLevelConfiguration", "prioritylevelconfigurations", "so", &[]),
    row("resource.k8s.io", "v1", "DeviceClass", "deviceclasses", "go", &[]),
    row("resource.k8s.io", "v1", "ResourceClaim", "resourceclaims", "nsdo", &[]),
    row("resource.k8s.io", "v1", "ResourceClaimTemplate", "resourceclaimtemplates", "no", &[]),
    row("resource.k8s.io", "v1", "ResourceSlice", "resourceslices", "go", &[]),
    row("authentication.k8s.io", "v1", "TokenReview", "tokenreviews", "v", &[]).with(&reviews::Token),
    row("authentication.k8s.io", "v1", "SelfSubjectReview", "selfsubjectreviews", "v", &[]).with(&reviews::SelfSubject),
    row(AUTHORIZATION, "v1", "SubjectAccessReview", "subjectaccessreviews", "v", &[]).with(&reviews::Access),
    row(AUTHORIZATION, "v1", "SelfSubjectAccessReview", "selfsubjectaccessreviews", "v", &[]).with(&reviews::Access),
    row(AUTHORIZATION, "v1", "LocalSubjectAccessReview", "localsubjectaccessreviews", "nv", &[]).with(&reviews::Access),
    row(AUTHORIZATION, "v1", "SelfSubjectRulesReview", "selfsubjectrulesreviews", "v", &[]).with(&reviews::Rules),
];

/// Registers all built-in kinds.
pub(crate) fn install(registry: &Registry) {
    let mut resources: Vec<Resource> = Vec::new();
    for row in ROWS {
        // A view shares the storage of its kind.
        let shown = row.view_of.and_then(|(group, _)| {
            let mut resources = resources.iter();
            resources.position(|r| r.group == group && r.plural == row.plural)
        });
        let shown = shown.and_then(|index| resources.get_mut(index));
        let schema_id = registry.next_schema("");
        let stored_schema = shown
            .as_ref()
            .and_then(|shown| shown.storage().map(|v| v.schema_id))
            .unwrap_or(schema_id);
        let version = row.version(schema_id, stored_schema);
        match shown {
            Some(shown) if shown.group == row.group => shown.versions.push(version),
            shown => {
                let id = match shown {
                    Some(shown) => shown.id,
                    None => registry.id(row.group, row.plural),
                };
                resources.push(row.resource(id, version));
            }
        }
    }
    for resource in resources {
        registry.put(resource);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_that_clients_list_and_watch_are_those_of_the_shared_table() {
        let is_shared = |row: &&Row| !row.flags.contains(['v', 'o']);
        let rows = ROWS.iter().filter(is_shared);
        let served: Vec<_> = rows
            .map(|row| kube_builtin_types::Kind {
                group: row.group,
                version: row.version,
                kind: row.kind,
                plural: row.plural,
                namespaced: row.flags.contains('n'),
            })
            .collect();
        assert_eq!(served, kube_builtin_types::KINDS);
    }
}
