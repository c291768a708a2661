//! Resources: a kind with its names, scope, verbs and subresources.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde::{Deserialize, Serialize};

use super::{KnownType, TypeRef, WebhookEndpoint, schema::Schema};

/// A kind that the API server serves under a plural name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Resource {
    /// `VirtualMachine`.
    pub kind: String,
    /// `VirtualMachineList`.
    pub list_kind: String,
    /// `virtualmachines`, lower case, as in URLs.
    pub plural: String,
    /// `virtualmachine`.
    pub singular: String,
    /// The plural in snake case, used as accessor on the typed client (`virtual_machines`).
    pub accessor: String,
    /// The plural in camel case, used as name of the typed client (`VirtualMachines`).
    pub client_name: String,
    /// The name of the root's [`TypeDef`](super::TypeDef).
    pub root: String,
    /// Whether objects are namespaced.
    pub scope: Scope,
    /// Short names for kubectl, in declaration order.
    pub short_names: Vec<String>,
    /// Categories such as `all`, in declaration order.
    pub categories: Vec<String>,
    /// Whether `/status` is a subresource.
    pub status_subresource: bool,
    /// The `/scale` subresource.
    pub scale_subresource: Option<ScaleSubresource>,
    /// Columns of `kubectl get`.
    pub printer_columns: Vec<PrinterColumn>,
    /// Fields that field selectors may use.
    pub selectable_fields: Vec<SelectableField>,
    /// How versions are converted.
    pub conversion: Conversion,
    /// Whether this version is the one stored in etcd.
    pub storage: bool,
    /// Whether the API server serves this version.
    pub served: bool,
    /// Annotations of the CRD itself.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
    /// Labels of the CRD itself.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// The deprecation warning: `Some("")` for a deprecated version without a custom warning.
    pub deprecation: Option<String>,
    /// The methods of the typed client.
    pub verbs: VerbSet,
    /// Methods from `+genclient:method=…` and from subresources.
    pub methods: Vec<CustomMethod>,
    /// Whether to generate a typed client, lister and informer (`+genclient`; always for a CRD).
    pub client: bool,
    /// Whether its CRD is that of another project, and is not written
    /// (`#[kube(schema = "disabled")]`).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub foreign: bool,
    /// The parts of a CRD besides its types. `None` for other input, and if
    /// [`Options::manifests`](crate::Options::manifests) does not request CRDs.
    #[serde(skip)]
    pub rest: Option<CrdRest>,
}

/// The parts of a CRD that its types do not represent, so that the CRD can be written again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CrdRest {
    /// Parts of the schema: descriptions, which can differ between schemas that share a type; the
    /// full schemas of values held as JSON or as Kubernetes types; and the schemas of the
    /// properties that every object has.
    pub schema: Schema,
    /// The versions excluded by filters, which have no types. The same for every version of the
    /// kind.
    pub left_out: Arc<[LeftOut]>,
}

/// A version of a CRD without types.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOut {
    /// The version.
    pub version: String,
    /// The kind in that version; the schema in its [`rest`](Resource::rest) is complete.
    pub resource: Resource,
}

impl Resource {
    /// Whether a lister and informer are possible: both need list and watch.
    #[must_use]
    pub fn has_informer(&self) -> bool {
        self.client && self.verbs.contains(Verb::List) && self.verbs.contains(Verb::Watch)
    }

    /// Whether the client supports server-side apply, of the object or of its status.
    #[must_use]
    pub fn is_applied(&self) -> bool {
        let has = |verb| self.verbs.contains(verb);
        self.client && (has(Verb::Apply) || has(Verb::ApplyStatus))
    }
}

/// The scope of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scope {
    /// Objects live in a namespace.
    Namespaced,
    /// Objects are cluster-scoped.
    Cluster,
}

/// The paths of a scale subresource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ScaleSubresource {
    /// JSON path of the desired replicas.
    pub spec_replicas_path: String,
    /// JSON path of the actual replicas.
    pub status_replicas_path: String,
    /// JSON path of the label selector, as a string.
    pub label_selector_path: Option<String>,
}

/// A column of `kubectl get`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PrinterColumn {
    /// The column heading.
    pub name: String,
    /// `string`, `integer`, `number`, `boolean` or `date`.
    pub type_: String,
    /// Format of the type, such as `int32`.
    pub format: Option<String>,
    /// A description of the column.
    pub description: Option<String>,
    /// 0 for the standard view, greater than 0 for `-o wide`.
    pub priority: i32,
    /// JSON path of the value.
    pub json_path: String,
}

/// A field that field selectors may use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SelectableField {
    /// JSON path of the field.
    pub json_path: String,
}

/// How the versions of a CRD are converted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub enum Conversion {
    /// Only `apiVersion` changes.
    #[default]
    None,
    /// A webhook converts objects.
    Webhook(Box<ConversionWebhook>),
}

/// A conversion webhook (`+kubebuilder:conversion:webhook`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConversionWebhook {
    /// The webhook's endpoint; `None` in a CRD that leaves it open.
    pub endpoint: Option<WebhookEndpoint>,
    /// The CA certificates for the webhook's server certificate, in base64.
    pub ca_bundle: Option<String>,
    /// The supported versions of `ConversionReview`, most preferred first.
    pub review_versions: Vec<String>,
}

/// A verb of a typed client, named as in client-gen's markers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Verb {
    /// POST.
    Create,
    /// PUT.
    Update,
    /// PUT of the status subresource.
    UpdateStatus,
    /// DELETE of one object.
    Delete,
    /// DELETE of a collection.
    DeleteCollection,
    /// GET of one object.
    Get,
    /// GET of a collection.
    List,
    /// Streaming GET of a collection.
    Watch,
    /// PATCH.
    Patch,
    /// Server-side apply.
    Apply,
    /// Server-side apply of the status subresource.
    ApplyStatus,
}

impl Verb {
    /// All verbs, in the order in which methods are emitted.
    #[rustfmt::skip]
    pub const ALL: [Self; 11] = [
        Self::Create, Self::Update, Self::UpdateStatus, Self::Delete, Self::DeleteCollection,
        Self::Get, Self::List, Self::Watch, Self::Patch, Self::Apply, Self::ApplyStatus,
    ];

    /// The verb as written in markers (`deleteCollection`).
    #[must_use]
    pub const fn marker_name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::UpdateStatus => "updateStatus",
            Self::Delete => "delete",
            Self::DeleteCollection => "deleteCollection",
            Self::Get => "get",
            Self::List => "list",
            Self::Watch => "watch",
            Self::Patch => "patch",
            Self::Apply => "apply",
            Self::ApplyStatus => "applyStatus",
        }
    }

    /// The names of the client methods for the verb.
    const fn methods(self) -> &'static [&'static str] {
        match self {
            Self::Create => &["create"],
            Self::Update => &["update"],
            Self::UpdateStatus => &["update_status"],
            Self::Delete => &["delete"],
            Self::DeleteCollection => &["delete_collection"],
            Self::Get => &["get", "get_opt"],
            Self::List => &["list"],
            Self::Watch => &["watch"],
            Self::Patch => &["patch"],
            Self::Apply => &["apply"],
            Self::ApplyStatus => &["apply_status"],
        }
    }
}

/// The verbs that a typed client offers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct VerbSet(pub BTreeSet<Verb>);

impl VerbSet {
    /// All verbs.
    #[must_use]
    pub fn all() -> Self {
        Self(Verb::ALL.into_iter().collect())
    }

    /// All verbs except those of the status subresource.
    #[must_use]
    pub fn without_status() -> Self {
        let mut verbs = Self::all();
        verbs
            .0
            .retain(|verb| !matches!(verb, Verb::UpdateStatus | Verb::ApplyStatus));
        verbs
    }

    /// The names of the client methods for these verbs.
    pub fn methods(&self) -> impl Iterator<Item = &'static str> {
        let status = self.contains(Verb::UpdateStatus);
        self.0
            .iter()
            .flat_map(move |verb| match verb {
                Verb::Patch if status => &["patch", "patch_status"],
                verb => verb.methods(),
            })
            .copied()
    }

    /// Whether the verb is offered.
    #[must_use]
    pub fn contains(&self, verb: Verb) -> bool {
        self.0.contains(&verb)
    }
}

/// A client method besides the standard verbs:
/// `+genclient:method=Name,verb=…,subresource=…,input=…,result=…`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CustomMethod {
    /// The method's Rust name (`get_scale`).
    pub name: String,
    /// The verb it performs.
    pub verb: MethodVerb,
    /// The subresource it addresses; `None` means the object itself.
    pub subresource: Option<String>,
    /// The request type, if different from the resource.
    pub input: Option<TypeRef>,
    /// The response type, if different from the resource.
    pub result: Option<TypeRef>,
}

impl CustomMethod {
    /// The methods for the scale subresource, which users of client-gen declare with markers.
    pub(crate) fn of_scale() -> Vec<Self> {
        let scale = || Some(TypeRef::Known(KnownType::Scale));
        let method = |name: &str, verb, input, result| Self {
            name: name.to_owned(),
            verb,
            subresource: Some("scale".to_owned()),
            input,
            result,
        };
        vec![
            method("get_scale", Verb::Get, None, scale()),
            method("update_scale", Verb::Update, scale(), scale()),
            method("patch_scale", Verb::Patch, None, scale()),
        ]
    }
}

/// The verb of a custom method; client-gen allows any of these.
pub type MethodVerb = Verb;
