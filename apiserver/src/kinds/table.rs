//! The table of the built-in kinds, by their real group, version, scope, names and subresources.

use super::rbac::Reach;
use super::{
    config, definitions, events, jobs, leases, namespaces, networking, nodes, pods, policy, rbac,
    services, volumes, workloads,
};
use crate::metadata::rules::Rules;
use crate::names::NameRule;
use crate::registry::{
    Conversion, Origin, Plain, Registry, Resource, ScalePaths, Selectable, Strategy, Subresource,
    Version,
};

/// One line of the table. `flags`: `n` namespaced, `s` status, `c` scale, `g` generation, `u` no unconditional update,
/// `p` an update may create, `d` a deletion answers the object, `x` collections cannot be deleted.
struct Row {
    group: &'static str,
    version: &'static str,
    kind: &'static str,
    plural: &'static str,
    flags: &'static str,
    short: &'static [&'static str],
    categories: &'static [&'static str],
    subresources: &'static [Subresource],
    selectable: &'static [Field],
    names: NameRule,
    /// Where the scale subresource finds a selector that is a map of labels.
    scale_selector: Option<&'static str>,
    strategy: &'static dyn Strategy,
    /// The group of the kind that this one is a view of, and how the two differ.
    view_of: Option<(&'static str, Conversion)>,
}

/// A selectable field: the name, the path, and the text that stands for an absent value.
struct Field(&'static str, &'static str, &'static str);

const fn field(path: &'static str) -> Field {
    Field(path, path, "")
}

impl Field {
    const fn or(self, absent: &'static str) -> Self {
        Self(self.0, self.1, absent)
    }
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
        names: NameRule::Subdomain,
        scale_selector: None,
        strategy: &Plain,
        view_of: None,
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

    const fn sub(mut self, subresources: &'static [Subresource]) -> Self {
        self.subresources = subresources;
        self
    }

    const fn fields(mut self, selectable: &'static [Field]) -> Self {
        self.selectable = selectable;
        self
    }

    const fn names(mut self, rule: NameRule) -> Self {
        self.names = rule;
        self
    }

    const fn scaled_by(mut self, selector: &'static str) -> Self {
        self.scale_selector = Some(selector);
        self
    }

    /// The rules of the kind alone.
    const fn with(mut self, strategy: &'static dyn Strategy) -> Self {
        self.strategy = strategy;
        self
    }

    const fn view_of(mut self, group: &'static str, conversion: Conversion) -> Self {
        self.view_of = Some((group, conversion));
        self
    }
}

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

const ROWS: &[Row] = &[
    row("", "v1", "Namespace", "namespaces", "sdx", &["ns"])
        .sub(&[Subresource::Finalize])
        .fields(&[field("status.phase")])
        .names(NameRule::Label)
        .with(&namespaces::Namespace),
    row("", "v1", "Pod", "pods", "nsgd", &["po"])
        .all()
        .sub(&[Subresource::Binding, Subresource::Eviction])
        .fields(POD_FIELDS)
        .with(&pods::Pod),
    row("", "v1", "Service", "services", "nspd", &["svc"])
        .all()
        .fields(&[field("spec.clusterIP"), field("spec.type")])
        .names(NameRule::Label)
        .with(&services::Service),
    row("", "v1", "ConfigMap", "configmaps", "n", &["cm"]).with(&config::ConfigMap),
    row("", "v1", "Secret", "secrets", "n", &[])
        .fields(&[field("type")])
        .with(&config::Secret),
    row("", "v1", "ServiceAccount", "serviceaccounts", "nd", &["sa"]).with(&config::ServiceAccount),
    row("", "v1", "Event", "events", "np", &["ev"])
        .fields(EVENT_FIELDS)
        .with(&events::Event),
    row("", "v1", "Node", "nodes", "s", &["no"])
        .fields(&[field("spec.unschedulable").or("false")])
        .with(&nodes::Node),
    row(
        "",
        "v1",
        "PersistentVolume",
        "persistentvolumes",
        "sd",
        &["pv"],
    )
    .with(&volumes::PersistentVolume),
    row(
        "",
        "v1",
        "PersistentVolumeClaim",
        "persistentvolumeclaims",
        "nsd",
        &["pvc"],
    )
    .with(&volumes::PersistentVolumeClaim),
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
    .fields(&[field("status.replicas").or("0")])
    .scaled_by(".spec.selector")
    .with(&workloads::ReplicationController),
    row(
        "apps",
        "v1",
        "Deployment",
        "deployments",
        "nscg",
        &["deploy"],
    )
    .all()
    .with(&workloads::Deployment),
    row("apps", "v1", "ReplicaSet", "replicasets", "nscg", &["rs"])
        .all()
        .fields(&[field("status.replicas").or("0")])
        .with(&workloads::ReplicaSet),
    row(
        "apps",
        "v1",
        "StatefulSet",
        "statefulsets",
        "nscg",
        &["sts"],
    )
    .all()
    .with(&workloads::StatefulSet),
    row("apps", "v1", "DaemonSet", "daemonsets", "nsg", &["ds"])
        .all()
        .with(&workloads::DaemonSet),
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
        .fields(&[field("status.successful").or("0")])
        .with(&jobs::Job),
    row("batch", "v1", "CronJob", "cronjobs", "nsg", &["cj"])
        .all()
        .with(&jobs::CronJob),
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
    )
    .with(&policy::PodDisruptionBudget),
    row(
        "networking.k8s.io",
        "v1",
        "Ingress",
        "ingresses",
        "nsg",
        &["ing"],
    )
    .with(&networking::Ingress),
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
    row("coordination.k8s.io", "v1", "Lease", "leases", "npu", &[]).with(&leases::Lease),
    row("events.k8s.io", "v1", "Event", "events", "np", &["ev"])
        .fields(EVENT_VIEW_FIELDS)
        .view_of("", events::CONVERSION)
        .with(&events::EventView),
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
    row(RBAC, "v1", "Role", "roles", "np", &[])
        .names(NameRule::PathSegment)
        .with(&rbac::Role(Reach::Namespace)),
    row(RBAC, "v1", "RoleBinding", "rolebindings", "np", &[])
        .names(NameRule::PathSegment)
        .with(&rbac::Binding(Reach::Namespace)),
    row(RBAC, "v1", "ClusterRole", "clusterroles", "p", &[])
        .names(NameRule::PathSegment)
        .with(&rbac::Role(Reach::Cluster)),
    row(
        RBAC,
        "v1",
        "ClusterRoleBinding",
        "clusterrolebindings",
        "p",
        &[],
    )
    .names(NameRule::PathSegment)
    .with(&rbac::Binding(Reach::Cluster)),
    row(
        "apiextensions.k8s.io",
        "v1",
        "CustomResourceDefinition",
        "customresourcedefinitions",
        "sgu",
        &["crd", "crds"],
    )
    .of_category(&["api-extensions"])
    .with(&definitions::CustomResourceDefinition),
];

/// Serves every built-in kind.
pub(crate) fn install(registry: &Registry) {
    for row in ROWS {
        // A view shares the storage of the kind that it shows.
        let core = row
            .view_of
            .and_then(|(group, _)| registry.resource(group, row.plural));
        let id = match &core {
            Some(core) => core.id,
            None => registry.id(row.group, row.plural),
        };
        let schema_id = registry.next_schema();
        let stored_schema = core
            .and_then(|core| core.versions.first().map(|v| v.schema_id))
            .unwrap_or(schema_id);
        let owned = |list: &[&str]| list.iter().map(|&s| s.to_owned()).collect::<Vec<_>>();
        registry.put(Resource {
            id,
            group: row.group.to_owned(),
            plural: row.plural.to_owned(),
            singular: row.kind.to_lowercase(),
            kind: row.kind.to_owned(),
            list_kind: format!("{}List", row.kind),
            short_names: owned(row.short),
            categories: owned(row.categories),
            namespaced: row.has('n'),
            origin: Origin::Builtin,
            strategy: row.strategy,
            uid: Box::default(),
            generation: 0,
            rules: row.rules(),
            versions: vec![row.version(schema_id, stored_schema)],
        });
    }
}

impl Row {
    fn has(&self, flag: char) -> bool {
        self.flags.contains(flag)
    }

    fn rules(&self) -> Rules {
        Rules {
            names: self.names,
            qualified_finalizers: self.group != "apiextensions.k8s.io",
            unconditional_update: !self.has('u'),
            create_on_update: self.has('p'),
            generation: self.has('g'),
            returns_deleted: self.has('d'),
            delete_collection: !self.has('x'),
        }
    }

    fn version(&self, schema_id: u64, stored_schema: u64) -> Version {
        let selectable = self
            .selectable
            .iter()
            .map(|Field(label, path, absent)| Selectable {
                label: (*label).to_owned(),
                path: (*path).to_owned(),
                absent,
            });
        Version {
            name: self.version.to_owned(),
            served: true,
            deprecation: None,
            schema_id,
            stored_schema,
            schema: None,
            columns: Vec::new(),
            status: self.has('s'),
            scale: self.has('c').then(|| ScalePaths {
                spec_replicas: ".spec.replicas".to_owned(),
                status_replicas: ".status.replicas".to_owned(),
                label_selector: self.scale_selector.map(str::to_owned),
            }),
            subresources: self.subresources,
            selectable: selectable.collect(),
            conversion: self.view_of.map(|(_, conversion)| conversion),
        }
    }
}
