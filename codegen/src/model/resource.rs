//! Resources: a kind with its names, scope, verbs and subresources.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde::Serialize;

use super::{TypeRef, WebhookEndpoint, schema::Schema};

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
    /// The plural in snake case, as accessor of the typed client (`virtual_machines`).
    pub accessor: String,
    /// The plural in camel case, as name of the typed client (`VirtualMachines`).
    pub client_name: String,
    /// Name of the root's [`TypeDef`](super::TypeDef).
    pub root: String,
    /// Whether objects live in namespaces.
    pub scope: Scope,
    /// Short names for kubectl, in the order given.
    pub short_names: Vec<String>,
    /// Categories such as `all`, in the order given.
    pub categories: Vec<String>,
    /// Whether `/status` is a subresource of its own.
    pub status_subresource: bool,
    /// The `/scale` subresource.
    pub scale_subresource: Option<ScaleSubresource>,
    /// Columns of `kubectl get`.
    pub printer_columns: Vec<PrinterColumn>,
    /// Fields that field selectors may name.
    pub selectable_fields: Vec<SelectableField>,
    /// How versions are converted into each other.
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
    /// The warning of a deprecated version: `Some("")` where it has none of its own.
    pub deprecation: Option<String>,
    /// The methods that the typed client has.
    pub verbs: VerbSet,
    /// Methods from `+genclient:method=…` and from subresources.
    pub methods: Vec<CustomMethod>,
    /// Whether a typed client, lister and informer are wanted (`+genclient`; always for a CRD).
    pub client: bool,
    /// The part of a CRD beyond the types that are made from it. None for other input, and where
    /// [`Options::manifests`](crate::Options::manifests) does not ask for CRDs.
    #[serde(skip)]
    pub rest: Option<CrdRest>,
}

/// The parts of a CRD that its types do not hold, so that it can be written again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CrdRest {
    /// Parts of the schema: descriptions, which differ where types of one shape are one; all that it says of values held as
    /// JSON or as Kubernetes' own types; and of the properties that every object has.
    pub schema: Schema,
    /// The versions that the filters leave out, so that they have no types. The same for each version of the kind.
    pub left_out: Arc<[LeftOut]>,
}

/// A version of a CRD that has no types.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOut {
    /// The version.
    pub version: String,
    /// The kind in that version; the schema of its [`rest`](Resource::rest) is whole.
    pub resource: Resource,
}

impl Resource {
    /// Whether lister and informer can work: both need list and watch.
    #[must_use]
    pub fn has_informer(&self) -> bool {
        self.client && self.verbs.contains(Verb::List) && self.verbs.contains(Verb::Watch)
    }
}

/// Where objects of a kind live.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Scope {
    /// In a namespace.
    Namespaced,
    /// In the cluster.
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
    /// Heading.
    pub name: String,
    /// `string`, `integer`, `number`, `boolean` or `date`.
    pub type_: String,
    /// Format of the type, such as `int32`.
    pub format: Option<String>,
    /// The content of the column.
    pub description: Option<String>,
    /// 0 for the standard view, above 0 for `-o wide`.
    pub priority: i32,
    /// Where the value comes from.
    pub json_path: String,
}

/// A field that field selectors may name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SelectableField {
    /// JSON path of the field.
    pub json_path: String,
}

/// How a CRD's versions are converted into each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub enum Conversion {
    /// Only `apiVersion` changes.
    #[default]
    None,
    /// A webhook converts.
    Webhook(Box<ConversionWebhook>),
}

/// A conversion webhook (`+kubebuilder:conversion:webhook`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConversionWebhook {
    /// Where it is served; none in a CRD that leaves it open.
    pub endpoint: Option<WebhookEndpoint>,
    /// The certificates that sign the server's, in base64.
    pub ca_bundle: Option<String>,
    /// The versions of `ConversionReview` that it takes, preferred first.
    pub review_versions: Vec<String>,
}

/// A verb of a typed client, named as client-gen's markers name it.
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
    /// Every verb, in the order in which methods are emitted.
    #[rustfmt::skip]
    pub const ALL: [Self; 11] = [
        Self::Create, Self::Update, Self::UpdateStatus, Self::Delete, Self::DeleteCollection,
        Self::Get, Self::List, Self::Watch, Self::Patch, Self::Apply, Self::ApplyStatus,
    ];

    /// The verb as markers write it (`deleteCollection`).
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

    /// The names of the methods that a typed client has for the verb.
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

    /// All verbs but those of the status subresource.
    #[must_use]
    pub fn without_status() -> Self {
        let mut verbs = Self::all();
        verbs
            .0
            .retain(|verb| !matches!(verb, Verb::UpdateStatus | Verb::ApplyStatus));
        verbs
    }

    /// The names of the client's methods for these verbs.
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

/// A client method beyond the plain verbs: `+genclient:method=Name,verb=…,subresource=…,input=…,result=…`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CustomMethod {
    /// The method's Rust name (`get_scale`).
    pub name: String,
    /// Its effect.
    pub verb: MethodVerb,
    /// The subresource that it addresses; none means the object itself.
    pub subresource: Option<String>,
    /// The type it sends, where that is not the resource itself.
    pub input: Option<TypeRef>,
    /// The type it returns, where that is not the resource itself.
    pub result: Option<TypeRef>,
}

/// The verb of a custom method; client-gen allows these.
pub type MethodVerb = Verb;
