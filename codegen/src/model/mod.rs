//! The typed model of a Kubernetes API, which every reader fills and every emitter reads.
//!
//! Emitters need not know where their input came from: annotated Rust, Go and CRD YAML arrive here
//! in the same form, complete enough to be written as types or as a CRD. Start reading at
//! [`ApiSet`], then [`Resource`] and [`TypeDef`].
//!
//! Every collection is a `Vec` in a defined order or a `BTreeMap`, so that output does not depend
//! on the order of input files.

mod accessors;
mod admission;
mod coded;
mod constraint;
mod conversion;
mod external;
mod missing;
mod rbac;
mod resource;
mod source;
mod types;
mod union;
mod validation;
mod wire;

pub mod names;
pub mod schema;

pub(crate) use accessors::kind_method;
pub use admission::{Webhook, WebhookEndpoint};
pub use coded::{Coded, CodedSchema};
pub use conversion::FieldConversion;
pub(crate) use external::type_parameters;
pub use external::{ExternalType, KnownType};
pub use kube_builtin_types::{Marshals, Omission};
pub use missing::Versioned;
pub(crate) use missing::fields;
pub use rbac::PolicyRule;
pub use resource::{
    Conversion, ConversionWebhook, CrdRest, CustomMethod, LeftOut, MethodVerb, PrinterColumn,
    Resource, ScaleSubresource, Scope, SelectableField, Verb, VerbSet,
};
pub use source::{DeclaredAt, GoField, GoValue};
pub(crate) use types::find_type;
pub use types::{
    Aliasing, DerivedSchema, EnumDef, EnumValues, Field, RustItem, RustPath, StructDef, TypeDef,
    TypeKind, TypeRef, UnionDef, UnionVariant, UnknownFields, Variant,
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
    /// Go packages outside of any API whose types are used by APIs. Each is generated once. Sorted
    /// by import path.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub packages: Vec<TypePackage>,
    /// Definitions, from the Go sources of this API, of types that are not generated because
    /// another crate provides them (k8s-openapi, or one mapped with `--type-path`). Keyed by the
    /// path in a [`TypeRef`] (`k8s_openapi::api::core::v1::PodSpec`). Definitions contain no
    /// [`TypeRef::Local`]. Empty for other input: see `builtin::definition` for Kubernetes' own
    /// types.
    #[serde(skip)]
    pub definitions: BTreeMap<String, TypeDef>,
}

impl ApiSet {
    /// All versions with their group, in order.
    pub fn versions(&self) -> impl Iterator<Item = (&Group, &Version)> {
        self.groups
            .iter()
            .flat_map(|group| group.versions.iter().map(move |version| (group, version)))
    }

    /// Returns the definition of a type from another module: another version, a package, or another
    /// crate as defined in the Go sources.
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
    /// The module that holds the group (`cloudnative`): a legal identifier in snake case, unique
    /// within the set.
    pub module: String,
    /// The prefix for type names that mention the group (`Cloudnative`), from `+groupGoName` or the
    /// first label of the name.
    pub type_prefix: String,
    /// The versions, sorted by name in Kubernetes' order of maturity, most stable first.
    pub versions: Vec<Version>,
}

/// One version of a group, such as `v1alpha1`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Version {
    /// The version as in `apiVersion`.
    pub name: String,
    /// The module that holds the version, within the group's module.
    pub module: String,
    /// The path of the module that holds the types (`crate::apis::cloudnative::v1alpha1`).
    pub path: String,
    /// The directory of that module relative to the crate's `src`, separated by `/`
    /// (`apis/cloudnative/v1alpha1`).
    pub dir: String,
    /// Documentation of the version's module, as plain text.
    pub docs: String,
    /// Where the Rust types of this version come from.
    pub origin: Origin,
    /// Whether the module is generated and re-exports types that stand anywhere in crates.
    #[serde(skip)]
    pub reexported: bool,
    /// The resources, sorted by kind.
    pub resources: Vec<Resource>,
    /// Every type of the version, including roots; sorted by name for CRDs, in declaration order
    /// for Rust.
    pub types: Vec<TypeDef>,
}

impl Version {
    /// Returns the type with the Rust name.
    #[must_use]
    pub fn type_def(&self, name: &str) -> Option<&TypeDef> {
        find_type(&self.types, self.origin, name)
    }

    /// Whether the kind's type belongs to another crate, which alone may implement traits for it.
    #[must_use]
    pub fn is_elsewhere(&self, resource: &Resource) -> bool {
        let def = self.type_def(&resource.root);
        let path = def.and_then(|def| def.item.as_ref()?.path.as_ref());
        path.is_some_and(|path| !path.is_of_crate())
    }
}

/// Where the types of a version come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Origin {
    /// Annotated Rust: the types exist already, and only companion code is emitted.
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

/// A Go package whose types are used by APIs, generated as its own module.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TypePackage {
    /// The import path (`github.com/cert-manager/cert-manager/pkg/apis/meta/v1`).
    pub import_path: String,
    /// The name of the module (`cert_manager_meta_v1`), below `apis`.
    pub module: String,
    /// The path of the module (`crate::apis::cert_manager_meta_v1`).
    pub path: String,
    /// The directory of the module relative to the crate's `src`.
    pub dir: String,
    /// Documentation of the package.
    pub docs: String,
    /// The types in use, in declaration order.
    pub types: Vec<TypeDef>,
}
