//! The typed model of a Kubernetes API: what both readers fill and every emitter reads.
//!
//! It exists so that an emitter never asks where its input came from: annotated Rust and CRD YAML arrive here in the same
//! form, complete enough to be written back as either. Start reading at [`ApiSet`], then [`Resource`] and [`TypeDef`].
//!
//! Every collection is a `Vec` in a defined order or a `BTreeMap`, so that output never depends on the order of input files.

mod admission;
mod foreign;
mod rbac;
mod resource;
mod source;
mod types;
mod union;
mod validation;
mod wire;

pub mod names;
pub mod schema;

pub use admission::{Webhook, WebhookEndpoint};
pub(crate) use foreign::type_parameters;
pub use foreign::{ExternalType, KnownType};
pub use kube_builtin_types::{Marshals, Omission};
pub use rbac::PolicyRule;
pub use resource::{
    Conversion, ConversionWebhook, CrdRest, CustomMethod, LeftOut, MethodVerb, PrinterColumn,
    Resource, ScaleSubresource, Scope, SelectableField, Verb, VerbSet,
};
pub use source::{DeclaredAt, GoField};
pub(crate) use types::find_type;
pub use types::{
    Aliasing, DerivedSchema, EnumDef, EnumValues, Field, RustItem, StructDef, TypeDef, TypeKind,
    TypeRef, UnionDef, UnionVariant, UnknownFields, Variant,
};
pub use union::{FieldUnion, UnionBound, UnionMember, UnionView};
pub use validation::{
    CelRule, Combinators, Constraints, ExternalDocs, ListType, MapType, QUANTITY_PATTERN,
    Validation,
};
pub use wire::WireType;

use std::collections::BTreeMap;

use serde::Serialize;

/// All groups of one generation, sorted by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ApiSet {
    /// The groups, sorted by [`Group::name`].
    pub groups: Vec<Group>,
    /// Rules that the crate's controllers need, from annotated Rust.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<PolicyRule>,
    /// The crate's admission webhooks, from annotated Rust.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub webhooks: Vec<Webhook>,
    /// Go packages outside of any API whose types APIs use: each is generated once. Sorted by import path.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub packages: Vec<TypePackage>,
    /// The types for which nothing is generated, since another crate has them (k8s-openapi, or one that `--type-path` names), as
    /// the Go sources of this very API define them; by the path in a [`TypeRef`] (`k8s_openapi::api::core::v1::PodSpec`). Within a
    /// definition no type is [`TypeRef::Local`]. Empty for other input: see `builtin::definition` for Kubernetes' own types.
    #[serde(skip)]
    pub definitions: BTreeMap<String, TypeDef>,
}

impl ApiSet {
    /// Every version with the group it belongs to, in order.
    pub fn versions(&self) -> impl Iterator<Item = (&Group, &Version)> {
        self.groups
            .iter()
            .flat_map(|group| group.versions.iter().map(move |version| (group, version)))
    }

    /// The definition of a type that another module has: another version, a package, or another crate as Go's sources define it.
    #[must_use]
    pub fn foreign_def(&self, ty: &TypeRef) -> Option<&TypeDef> {
        let path = ty.path()?;
        if let Some(def) = self.definitions.get(&path) {
            return Some(def);
        }
        let (module, name) = path.rsplit_once("::")?;
        let versions = self
            .versions()
            .map(|(_, version)| (&version.path, &version.types));
        let packages = self
            .packages
            .iter()
            .map(|package| (&package.path, &package.types));
        let mut modules = versions.chain(packages);
        let (_, types) = modules.find(|(path, _)| path.as_str() == module)?;
        types.iter().find(|def| def.name == name)
    }
}

/// An API group, such as `cloudnative.czs`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    /// The DNS name of the group, as in `apiVersion`.
    pub name: String,
    /// The module that holds the group (`cloudnative`): legal, unique within the set, snake case.
    pub module: String,
    /// The prefix of type names that speak of the group (`Cloudnative`), from `+groupGoName` or the first label of the name.
    pub type_prefix: String,
    /// The versions, sorted by name in Kubernetes' order of maturity, most stable first.
    pub versions: Vec<Version>,
}

/// One version of a group, such as `v1alpha1`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Version {
    /// The version as in `apiVersion`.
    pub name: String,
    /// The module that holds the version, below its group's.
    pub module: String,
    /// Path of the module that holds the types (`crate::apis::cloudnative::v1alpha1`).
    pub path: String,
    /// Folder of that module below the crate's `src`, with `/` between the parts (`apis/cloudnative/v1alpha1`).
    pub dir: String,
    /// Documentation of the version's module, as plain text.
    pub docs: String,
    /// Where the Rust types of this version come from.
    pub origin: Origin,
    /// The resources, sorted by kind.
    pub resources: Vec<Resource>,
    /// Every type of the version, roots included; sorted by name for CRDs, in order of declaration for Rust.
    pub types: Vec<TypeDef>,
}

impl Version {
    /// The type of the given Rust name.
    #[must_use]
    pub fn type_def(&self, name: &str) -> Option<&TypeDef> {
        find_type(&self.types, self.origin, name)
    }
}

/// Who wrote the types of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Origin {
    /// A person did, in annotated Rust: types are never emitted, only what goes with them.
    Rust,
    /// A `CustomResourceDefinition`: types are emitted.
    Crd,
    /// A Go package: types are emitted.
    Go,
}

impl Origin {
    /// Whether types are emitted.
    #[must_use]
    pub const fn emits_types(self) -> bool {
        !matches!(self, Self::Rust)
    }
}

/// A Go package whose types APIs use, as a module of its own.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TypePackage {
    /// The import path (`github.com/cert-manager/cert-manager/pkg/apis/meta/v1`).
    pub import_path: String,
    /// The name of the module (`cert_manager_meta_v1`), below `apis`.
    pub module: String,
    /// Path of the module (`crate::apis::cert_manager_meta_v1`).
    pub path: String,
    /// Folder of the module below the crate's `src`.
    pub dir: String,
    /// Documentation of the package.
    pub docs: String,
    /// The types that are used, in order of declaration.
    pub types: Vec<TypeDef>,
}
