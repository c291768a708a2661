//! Annotated Rust as plain data, without syntax trees: modules, imports, items, their attributes
//! and markers.
//!
//! Plain data with places can leave the thread that parsed it, and lowering deals only with names
//! and types.

use std::{
    collections::BTreeMap,
    ops::Range,
    path::PathBuf,
    sync::{Arc, LazyLock},
};

use super::{
    Modules,
    code::{SchemaCall, SchemaCode, SchemaFunction},
    kube::KubeDerive,
    literal::Literal,
    predicate::Predicate,
    serde::SerdeAttrs,
    written::{Kind, Type},
};
use crate::{
    diag::{Diagnostic, Diagnostics, Place},
    model::{CelRule, CodedSchema, Combinators, TypeRef},
    read::markers::{At, MarkerSet},
    source::RustFeatures,
    sparse::{Absent, Sparse},
};

/// A group-version folder as read.
#[derive(Clone, Debug)]
pub struct Package {
    /// The group's folder.
    pub group: String,
    /// The version's folder.
    pub version: String,
    /// The path of the module in its crate.
    pub module_path: String,
    /// The directory relative to the crate's `src`.
    pub dir: PathBuf,
    /// Documentation of the version's module, without markers.
    pub docs: String,
    /// The markers of the package.
    pub markers: MarkerSet,
    /// The start of the version's `mod.rs`.
    pub place: Place,
    /// The modules; the first is the version's own.
    pub modules: Arc<Modules>,
    /// The types, by file, then in declaration order.
    pub items: Vec<Item>,
    /// The traits implemented by hand.
    pub impls: Vec<Impl>,
    /// The values of constants, and of functions that consist of one expression, by name, each with
    /// the index of its module.
    pub values: Arc<BTreeMap<String, Vec<(usize, Literal)>>>,
    /// The schemas that functions return, by name, each with the index of the module of its types.
    pub codes: Arc<BTreeMap<String, Vec<(usize, SchemaFunction)>>>,
    /// What functions of one value decide, by name, each with the index of its module.
    pub predicates: Arc<BTreeMap<String, Vec<(usize, Predicate)>>>,
    /// Whether there are macro calls among the items, which may declare items that are not visible
    /// here.
    pub has_macros: bool,
    /// Whether a file could not be parsed, so that types may be missing.
    pub is_partial: bool,
    /// The source root of a crate, as shown in diagnostics; empty for a directory.
    pub root: String,
    /// The paths by which generated code names crates, by source root.
    pub paths: Arc<BTreeMap<String, String>>,
    /// The names in the model of types whose names are not unique in their version, by module and
    /// name.
    pub keys: BTreeMap<(usize, String), String>,
    /// How its files are laid out.
    pub layout: Layout,
}

impl Package {
    /// Returns the package with other items.
    pub(crate) fn with_items(&self, items: Vec<Item>) -> Self {
        Self {
            group: self.group.clone(),
            version: self.version.clone(),
            module_path: self.module_path.clone(),
            dir: self.dir.clone(),
            docs: self.docs.clone(),
            markers: self.markers.clone(),
            place: self.place.clone(),
            modules: Arc::clone(&self.modules),
            items,
            impls: self.impls.clone(),
            values: Arc::clone(&self.values),
            codes: Arc::clone(&self.codes),
            predicates: Arc::clone(&self.predicates),
            has_macros: self.has_macros,
            is_partial: self.is_partial,
            root: self.root.clone(),
            paths: Arc::clone(&self.paths),
            keys: self.keys.clone(),
            layout: self.layout,
        }
    }
}

/// How the files of a package are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A directory for one group and version, in which generated code is placed next to the types.
    Version,
    /// A crate: kinds declare their group and version, and generated code names them by paths.
    Crate,
}

/// A crate whose kinds belong to any group and version.
#[derive(Clone, Debug)]
pub struct Crate {
    /// Its modules and items.
    pub package: Package,
    /// The requested files or directories, as named in places.
    pub wanted: Vec<String>,
    /// Whether having no kinds is allowed rather than an error.
    pub is_empty: bool,
    /// The macros that declare kinds, which are not expanded.
    pub macros: Vec<Place>,
    /// What seems to declare kinds and is left out because of features.
    pub off: Vec<LeftOut>,
    /// The files that seem to declare kinds and that no module declares.
    pub undeclared: Vec<Arc<str>>,
    /// The features that decide conditions.
    pub features: Option<RustFeatures>,
    /// The findings about its items, most of which do not belong to the API.
    pub findings: Diagnostics,
    /// The crates that it depends on by path, whose modules and items are among its own.
    pub dependencies: Vec<Dependency>,
}

/// A crate that another one depends on by path.
#[derive(Clone, Debug)]
pub struct Dependency {
    /// The source root, which is the first segment of its modules' paths.
    pub root: String,
    /// Whether a file could not be parsed, so that types may be missing.
    pub is_partial: bool,
    /// The findings about its items.
    pub findings: Diagnostics,
}

/// An item or file that is left out because of features.
#[derive(Clone, Debug)]
pub struct LeftOut {
    /// The item, or the declaration of the file's module.
    pub place: Place,
    /// The file that is left out, or the item's.
    pub file: Arc<str>,
}

/// `impl Trait for Type`.
#[derive(Clone, Debug)]
pub struct Impl {
    /// The trait's last path segment.
    pub trait_name: String,
    /// The type's path, without generic arguments.
    pub path: Vec<String>,
    /// The index of the module.
    pub module: usize,
    /// The schema that an implementation of `JsonSchema` returns, with the index of the module of
    /// its types.
    pub schema: Option<(usize, SchemaCode)>,
}

/// A type.
#[derive(Clone, Debug)]
pub struct Item {
    /// The name, without `r#`.
    pub name: String,
    /// The place of the name.
    pub place: Place,
    /// The byte range that concerns it: from the end of the preceding item to its own end.
    pub extent: Range<usize>,
    /// The index of the module.
    pub module: usize,
    /// Documentation without markers.
    pub docs: String,
    /// Its markers.
    pub markers: MarkerSet,
    /// Whether it is visible outside of its module.
    pub visible: bool,
    /// Whether it is `pub`.
    pub public: bool,
    /// The `cfg` predicates on it.
    pub cfg: Vec<String>,
    /// Derives, by last path segment, including those in `cfg_attr`.
    pub derives: Vec<String>,
    /// The place of each derive.
    pub derive_places: BTreeMap<String, Place>,
    /// Whether one of its attributes may be a macro that adds derives or implementations.
    pub has_attribute_macros: bool,
    /// The `cfg_attr` conditions under which it derives `Clone`, which `derives` then does not
    /// contain.
    pub clone_if: Vec<String>,
    /// Its serde attributes.
    pub serde: SerdeAttrs,
    /// Its schema attributes.
    pub schema: Sparse<SchemaAttrs>,
    /// The rules for the root that kube-derive generates.
    pub kube_rules: Sparse<SchemaAttrs>,
    /// Its `#[kube(…)]` attribute, if it derives `CustomResource`.
    pub kube: Option<Box<KubeDerive>>,
    /// Whether it is the root that kube derives from another item, as a part of other types.
    pub is_kube_root: bool,
    /// Its generic parameters.
    pub generics: Generics,
    /// Its kind.
    pub body: Body,
}

impl Item {
    /// Returns the index of the field whose schema the type has: of a newtype, or of a transparent
    /// struct.
    fn only_field(&self) -> Option<usize> {
        let Body::Struct(Fields { fields, style }) = &self.body else {
            return None;
        };
        if *style == Style::Tuple && fields.len() == 1 {
            return Some(0);
        }
        let is_present = |field: &Field| !field.serde.skip && !field.is_phantom();
        let mut present =
            (0..fields.len()).filter(|&index| fields.get(index).is_some_and(is_present));
        let first = present.next().filter(|_| self.serde.transparent)?;
        present.next().is_none().then_some(first)
    }

    /// Returns the field whose schema the type has.
    pub(crate) fn transparent_field(&self) -> Option<&Field> {
        match &self.body {
            Body::Struct(fields) => fields.fields.get(self.only_field()?),
            _ => None,
        }
    }

    /// Returns the field whose schema the type has, for changing it.
    pub(crate) fn only_field_mut(&mut self) -> Option<&mut Field> {
        let index = self.only_field()?;
        match &mut self.body {
            Body::Struct(fields) => fields.fields.get_mut(index),
            _ => None,
        }
    }
}

impl Field {
    /// Whether its type is `PhantomData`, which serde leaves out of transparent structs.
    fn is_phantom(&self) -> bool {
        matches!(&self.ty.kind, Kind::Path(path) if path.segments.last().is_some_and(|it| it == "PhantomData"))
    }
}

/// Generic parameters.
#[derive(Clone, Debug, Default)]
pub struct Generics {
    /// The names of type and const parameters.
    pub names: Vec<String>,
    /// The default of each type parameter, in order.
    pub defaults: Vec<Option<Type>>,
    /// The parameters as written (`<T>`); empty if there are none.
    pub text: String,
    /// Their place.
    pub place: Option<Place>,
    /// The trait bounds on type parameters at their declaration.
    pub bounds: Vec<Bound>,
    /// The first lifetime.
    pub lifetime: Option<Place>,
    /// The `where` clause.
    pub where_clause: Option<Place>,
}

/// A trait bound on a type parameter.
#[derive(Clone, Debug)]
pub struct Bound {
    /// Its place.
    pub place: Place,
    /// Whether its path starts with `::`.
    pub global: bool,
    /// The segments of its path, without `r#`.
    pub segments: Vec<String>,
}

/// The kind of a type.
#[derive(Clone, Debug)]
pub enum Body {
    /// A struct.
    Struct(Fields),
    /// An enum.
    Enum(Vec<Variant>),
    /// A `type` item.
    Alias(Type),
}

/// The fields of a struct or variant.
#[derive(Clone, Debug)]
pub struct Fields {
    /// The fields.
    pub fields: Vec<Field>,
    /// How they are written.
    pub style: Style,
}

/// How fields are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `{ a: A }`
    Named,
    /// `(A)`
    Tuple,
    /// Nothing.
    Unit,
}

/// A field.
#[derive(Clone, Debug)]
pub struct Field {
    /// The name without `r#`; the position in a tuple.
    pub name: String,
    /// The place of the name, or of the type in a tuple.
    pub place: Place,
    /// Documentation without markers.
    pub docs: String,
    /// Its markers.
    pub markers: MarkerSet,
    /// Whether it is visible outside of its module; meaningless for a variant's field.
    pub visible: bool,
    /// Whether it has a `cfg` attribute.
    pub conditional: bool,
    /// Its serde attributes.
    pub serde: SerdeAttrs,
    /// Its schema attributes.
    pub schema: Sparse<SchemaAttrs>,
    /// Its type.
    pub ty: Type,
}

/// A variant.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The name without `r#`.
    pub name: String,
    /// The place of the name.
    pub place: Place,
    /// Documentation without markers.
    pub docs: String,
    /// Whether it has a `cfg` attribute.
    pub conditional: bool,
    /// Its serde attributes.
    pub serde: SerdeAttrs,
    /// Its schema attributes.
    pub schema: Sparse<SchemaAttrs>,
    /// Whether it has `#[default]`.
    pub default: bool,
    /// Its fields.
    pub fields: Fields,
}

/// The schema attributes of a type, field or variant.
#[derive(Clone, Debug, Default)]
pub struct SchemaAttrs {
    /// `rename`, `rename_all`, `rename_all_fields`, `tag` and `content`, by attribute name.
    pub names: Vec<(&'static str, At<String>)>,
    /// `untagged`, `flatten`, `skip` and other flags, by attribute name.
    pub flags: Vec<(&'static str, Place)>,
    /// The serde attributes that are unset (`!default`).
    pub unset: Vec<At<String>>,
    /// `default`, with its function.
    pub default: Option<At<Option<String>>>,
    /// `required`
    pub required: Option<Said>,
    /// `title`
    pub title: Option<(Literal, Said)>,
    /// `description`
    pub description: Option<(Literal, Said)>,
    /// The first `example`, which is the one that a CRD has.
    pub example: Option<(Literal, Said)>,
    /// `with`: the type whose schema is used.
    pub with: Option<Type>,
    /// `schema_with`: the function whose schema is used.
    pub schema_with: Option<(SchemaCall, Said)>,
    /// The schema that code returns, which lowering fills in if it can evaluate the code.
    pub code: Option<CodedSchema<TypeRef>>,
    /// Functions that create or change the schema in ways that are not read.
    pub computed: Vec<Said>,
    /// Constraints on values.
    pub demands: Vec<Demand>,
    /// `allOf` and other combinators, which lowering fills in from `extend`.
    pub combinators: Combinators,
    /// Parts of the schema that lowering cannot determine, reported if a schema is written.
    pub findings: Vec<Diagnostic>,
}

/// An attribute as shown in messages, with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    /// The attribute, such as `#[schemars(length)]`.
    pub shown: String,
    /// Its place.
    pub place: Place,
}

/// A constraint that an attribute puts on a value.
#[derive(Clone, Debug)]
pub struct Demand {
    /// The constrained part of the schema.
    pub word: Word,
    /// The value of the constraint.
    pub value: Literal,
    /// How many lists the value is nested in: `inner(…)` applies to the items.
    pub depth: usize,
    /// The attribute.
    pub said: Said,
}

/// A part of a schema that attributes set.
#[derive(Clone, Debug, PartialEq)]
pub enum Word {
    /// The minimum length of a string or list.
    MinLength,
    /// The maximum length of a string or list.
    MaxLength,
    /// The minimum value.
    Minimum,
    /// The maximum value.
    Maximum,
    /// The regular expression that a string must match.
    Pattern,
    /// The substring that a string must contain.
    Contains,
    /// A schema keyword (`extend`).
    Keyword(String),
    /// A CEL rule; `None` if code builds it.
    Rule(Option<Box<CelRule>>),
}

impl Absent for SchemaAttrs {
    fn absent() -> &'static Self {
        static ABSENT: LazyLock<SchemaAttrs> = LazyLock::new(SchemaAttrs::default);
        &ABSENT
    }
}

impl SchemaAttrs {
    /// Returns the name that an attribute specifies.
    #[must_use]
    pub fn name(&self, word: &str) -> Option<&At<String>> {
        let found = self.names.iter().find(|(known, _)| *known == word);
        found.map(|(_, name)| name)
    }

    /// Returns the place of a flag.
    #[must_use]
    pub fn flag(&self, word: &str) -> Option<&Place> {
        let found = self.flags.iter().find(|(known, _)| *known == word);
        found.map(|(_, place)| place)
    }
}
