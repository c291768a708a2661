//! The built-in kinds that controllers use, by their real group, version, scope, names and subresources.

use super::{Origin, Registry, Resource, Rules, ScalePaths, Version, events};
use crate::names::NameRule;

/// One line of the table. `flags`: `n` namespaced, `s` status, `c` scale, `g` generation, `u` no unconditional update,
/// `p` an update may create, `d` a deletion answers the object, `x` collections cannot be
/// deleted.
struct Row {
    group: &'static str,
    version: &'static str,
    kind: &'static str,
    plural: &'static str,
    flags: &'static str,
    short: &'static [&'static str],
    categories: &'static [&'static str],
    subresources: &'static [&'static str],
    selectable: &'static [&'static str],
}

const fn row(
    group: &'static str,
    version: &'static str,
    kind: &'static str,
    plural: &'static str,
    flags: &'static str,
    short: &'static [&'static str],
) -> Row {
    Row {
        group,
        version,
        kind,
        plural,
        flags,
        short,
        categories: &[],
        subresources: &[],
        selectable: &[],
    }
}

impl Row {
    const fn all(self) -> Self {
        self.of_category(&["all"])
    }

    const fn of_category(mut self, categories: &'static [&'static str]) -> Self {
        self.categories = categories;
        self
    }

    const fn sub(mut self, subresources: &'static [&'static str]) -> Self {
        self.subresources = subresources;
        self
    }

    const fn fields(mut self, selectable: &'static [&'static str]) -> Self {
        self.selectable = selectable;
        self
    }
}

const POD_FIELDS: &[&str] = &[
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.nominatedNodeName",
];
const EVENT_FIELDS: &[&str] = &[
    "involvedObject.kind",
    "involvedObject.namespace",
    "involvedObject.name",
    "involvedObject.uid",
    "involvedObject.apiVersion",
    "involvedObject.resourceVersion",
    "involvedObject.fieldPath",
    "reason",
    "reportingComponent",
    "source",
    "type",
];
const RBAC: &str = "rbac.authorization.k8s.io";

const ROWS: &[Row] = &[
    row("", "v1", "Namespace", "namespaces", "sdx", &["ns"])
        .sub(&["finalize"])
        .fields(&["status.phase"]),
    row("", "v1", "Pod", "pods", "nsgd", &["po"])
        .all()
        .sub(&["binding", "eviction"])
        .fields(POD_FIELDS),
    row("", "v1", "Service", "services", "nspd", &["svc"])
        .all()
        .fields(&["spec.clusterIP", "spec.type"]),
    row("", "v1", "ConfigMap", "configmaps", "n", &["cm"]),
    row("", "v1", "Secret", "secrets", "n", &[]).fields(&["type"]),
    row("", "v1", "ServiceAccount", "serviceaccounts", "nd", &["sa"]),
    row("", "v1", "Event", "events", "np", &["ev"]).fields(EVENT_FIELDS),
    row("", "v1", "Node", "nodes", "s", &["no"]).fields(&["spec.unschedulable"]),
    row(
        "",
        "v1",
        "PersistentVolume",
        "persistentvolumes",
        "sd",
        &["pv"],
    ),
    row(
        "",
        "v1",
        "PersistentVolumeClaim",
        "persistentvolumeclaims",
        "nsd",
        &["pvc"],
    ),
    row("", "v1", "Endpoints", "endpoints", "np", &["ep"]),
    row("", "v1", "LimitRange", "limitranges", "np", &["limits"]),
    row(
        "",
        "v1",
        "ResourceQuota",
        "resourcequotas",
        "nsd",
        &["quota"],
    ),
    row("", "v1", "PodTemplate", "podtemplates", "ngd", &[]),
    row(
        "",
        "v1",
        "ReplicationController",
        "replicationcontrollers",
        "nscg",
        &["rc"],
    )
    .all()
    .fields(&["status.replicas"]),
    row(
        "apps",
        "v1",
        "Deployment",
        "deployments",
        "nscg",
        &["deploy"],
    )
    .all(),
    row("apps", "v1", "ReplicaSet", "replicasets", "nscg", &["rs"])
        .all()
        .fields(&["status.replicas"]),
    row(
        "apps",
        "v1",
        "StatefulSet",
        "statefulsets",
        "nscg",
        &["sts"],
    )
    .all(),
    row("apps", "v1", "DaemonSet", "daemonsets", "nsg", &["ds"]).all(),
    row(
        "apps",
        "v1",
        "ControllerRevision",
        "controllerrevisions",
        "n",
        &[],
    ),
    row("batch", "v1", "Job", "jobs", "nsg", &[])
        .all()
        .fields(&["status.successful"]),
    row("batch", "v1", "CronJob", "cronjobs", "nsg", &["cj"]).all(),
    row(
        "autoscaling",
        "v2",
        "HorizontalPodAutoscaler",
        "horizontalpodautoscalers",
        "ns",
        &["hpa"],
    )
    .all(),
    row(
        "policy",
        "v1",
        "PodDisruptionBudget",
        "poddisruptionbudgets",
        "nsgu",
        &["pdb"],
    ),
    row(
        "networking.k8s.io",
        "v1",
        "Ingress",
        "ingresses",
        "nsg",
        &["ing"],
    ),
    row(
        "networking.k8s.io",
        "v1",
        "IngressClass",
        "ingressclasses",
        "g",
        &[],
    ),
    row(
        "networking.k8s.io",
        "v1",
        "NetworkPolicy",
        "networkpolicies",
        "ng",
        &["netpol"],
    ),
    row(
        "discovery.k8s.io",
        "v1",
        "EndpointSlice",
        "endpointslices",
        "ng",
        &[],
    ),
    row("coordination.k8s.io", "v1", "Lease", "leases", "npu", &[]),
    row("events.k8s.io", "v1", "Event", "events", "np", &["ev"]).fields(&[
        "regarding.kind",
        "regarding.namespace",
        "regarding.name",
        "regarding.uid",
        "reason",
        "reportingController",
        "type",
    ]),
    row(
        "scheduling.k8s.io",
        "v1",
        "PriorityClass",
        "priorityclasses",
        "g",
        &["pc"],
    ),
    row(
        "storage.k8s.io",
        "v1",
        "StorageClass",
        "storageclasses",
        "d",
        &["sc"],
    ),
    row(RBAC, "v1", "Role", "roles", "np", &[]),
    row(RBAC, "v1", "RoleBinding", "rolebindings", "np", &[]),
    row(RBAC, "v1", "ClusterRole", "clusterroles", "p", &[]),
    row(
        RBAC,
        "v1",
        "ClusterRoleBinding",
        "clusterrolebindings",
        "p",
        &[],
    ),
    row(
        "apiextensions.k8s.io",
        "v1",
        "CustomResourceDefinition",
        "customresourcedefinitions",
        "sgu",
        &["crd", "crds"],
    )
    .of_category(&["api-extensions"]),
];

fn name_rule(row: &Row) -> NameRule {
    match (row.group, row.kind) {
        ("", "Namespace" | "Service") => NameRule::Label,
        (RBAC, _) => NameRule::PathSegment,
        _ => NameRule::Subdomain,
    }
}

fn scale_paths(kind: &str) -> ScalePaths {
    ScalePaths {
        spec_replicas: ".spec.replicas".to_owned(),
        status_replicas: ".status.replicas".to_owned(),
        label_selector: (kind == "ReplicationController").then(|| ".spec.selector".to_owned()),
    }
}

impl Registry {
    /// Serves every built-in kind.
    pub(crate) fn add_builtins(&self) {
        let core_events = self.id("", "events");
        for row in ROWS {
            let owned = |list: &[&str]| list.iter().map(|&s| s.to_owned()).collect::<Vec<_>>();
            let has = |flag: char| row.flags.contains(flag);
            // Both event groups are one storage.
            let is_view = row.group == "events.k8s.io";
            let id = if is_view {
                core_events
            } else {
                self.id(row.group, row.plural)
            };
            let schema_id = self.next_schema();
            let stored_schema = self
                .resource("", "events")
                .filter(|_| is_view)
                .and_then(|core| core.versions.first().map(|v| v.schema_id))
                .unwrap_or(schema_id);
            self.put(Resource {
                id,
                group: row.group.to_owned(),
                plural: row.plural.to_owned(),
                singular: row.kind.to_lowercase(),
                kind: row.kind.to_owned(),
                list_kind: format!("{}List", row.kind),
                short_names: owned(row.short),
                categories: owned(row.categories),
                namespaced: has('n'),
                origin: Origin::Builtin,
                uid: Box::default(),
                generation: 0,
                rules: Rules {
                    names: name_rule(row),
                    unconditional_update: !has('u'),
                    create_on_update: has('p'),
                    generation: has('g'),
                    returns_deleted: has('d'),
                    delete_collection: !has('x'),
                },
                versions: vec![Version {
                    name: row.version.to_owned(),
                    served: true,
                    deprecation: None,
                    schema_id,
                    stored_schema,
                    schema: None,
                    columns: Vec::new(),
                    status: has('s'),
                    scale: has('c').then(|| scale_paths(row.kind)),
                    subresources: row.subresources,
                    selectable: owned(row.selectable),
                    conversion: is_view.then_some(events::CONVERSION),
                }],
            });
        }
    }
}
