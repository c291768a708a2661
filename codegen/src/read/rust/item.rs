//! A folder of annotated Rust without syntax trees: modules, imports, items, their attributes and markers.
//!
//! It is plain data with places, so that it can leave the thread that parsed it, and so that lowering sees names and types
//! only.

use std::{collections::BTreeMap, ops::Range, path::PathBuf, sync::LazyLock};

use super::{kube::KubeDerive, literal::Literal, serde::SerdeAttrs};
use crate::{
    diag::{Diagnostic, Diagnostics, Place},
    model::{CelRule, Combinators},
    read::markers::{At, MarkerSet},
    sparse::{Absent, Sparse},
};

/// A group-version folder as read.
#[derive(Clone, Debug)]
pub struct Package {
    /// The group's folder.
    pub group: String,
    /// The version's folder.
    pub version: String,
    /// Path of the module in its crate.
    pub module_path: String,
    /// Folder below the crate's `src`.
    pub dir: PathBuf,
    /// Documentation of the version's module, without markers.
    pub docs: String,
    /// The markers of the package.
    pub markers: MarkerSet,
    /// The start of the version's `mod.rs`.
    pub place: Place,
    /// The modules; the first is the version's own.
    pub modules: Vec<Module>,
    /// The types, in order of files and declaration.
    pub items: Vec<Item>,
    /// The traits implemented by hand.
    pub impls: Vec<Impl>,
    /// The values of constants, and of functions that are one expression, by their names, each with the index of its module.
    pub values: BTreeMap<String, Vec<(usize, Literal)>>,
    /// Whether macros are called among the items, which may declare what is not seen here.
    pub has_macros: bool,
    /// Whether a file could not be parsed, so that types may be missing.
    pub is_partial: bool,
    /// How its files are laid out.
    pub layout: Layout,
}

impl Package {
    /// The package with other items.
    pub(crate) fn with_items(&self, items: Vec<Item>) -> Self {
        Self {
            group: self.group.clone(),
            version: self.version.clone(),
            module_path: self.module_path.clone(),
            dir: self.dir.clone(),
            docs: self.docs.clone(),
            markers: self.markers.clone(),
            place: self.place.clone(),
            modules: self.modules.clone(),
            items,
            impls: self.impls.clone(),
            values: self.values.clone(),
            has_macros: self.has_macros,
            is_partial: self.is_partial,
            layout: self.layout,
        }
    }
}

/// How the files of a package are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A folder for the group's version, beside whose types code is generated.
    Version,
    /// A crate: kinds say their group and version, and no code is generated.
    Crate,
}

/// A crate as read, whose kinds are of any group and version.
#[derive(Clone, Debug)]
pub struct Crate {
    /// Its modules and items.
    pub package: Package,
    /// The files or folders whose kinds are asked for, as places name them.
    pub wanted: Vec<String>,
    /// Whether they may have none, which is an error otherwise.
    pub is_empty: bool,
    /// The findings about its items: most of them are not of the API.
    pub findings: Diagnostics,
}

/// A module of the version.
#[derive(Clone, Debug)]
pub struct Module {
    /// Its path below the version's.
    pub path: Vec<String>,
    /// Whether it is a file's own module.
    pub from_file: bool,
    /// Whether a module with a body can be seen outside of its parent; of a file's own, its declaration says.
    pub visible: bool,
    /// The predicates of `cfg` above its body or at the start of its file.
    pub cfg: Vec<String>,
    /// The start of its file, or its name.
    pub place: Place,
    /// Its imports.
    pub uses: Vec<Use>,
    /// The modules that it declares without a body.
    pub declared: Vec<Declared>,
    /// Those that it declares for tests only, whose files do not belong to the API.
    pub tests: Vec<Declared>,
}

/// `mod name;`
#[derive(Clone, Debug)]
pub struct Declared {
    /// The name.
    pub name: String,
    /// Whether it is `pub`.
    pub public: bool,
    /// Whether it can be seen outside of its parent.
    pub visible: bool,
    /// The predicates of `cfg` above it.
    pub cfg: Vec<String>,
    /// Where its file is, if a `path` attribute says so.
    pub path: Option<String>,
    /// The name's place.
    pub place: Place,
}

/// One name that a `use` item brings.
#[derive(Clone, Debug)]
pub struct Use {
    /// The name it brings; none for a glob.
    pub name: Option<String>,
    /// The path it stands for; of a glob, the module.
    pub path: Vec<String>,
    /// Whether the path starts with `::`.
    pub global: bool,
    /// Whether it is `pub`.
    pub public: bool,
}

/// `impl Trait for Type`.
#[derive(Clone, Debug)]
pub struct Impl {
    /// The trait's last path segment.
    pub trait_name: String,
    /// The type's last path segment.
    pub type_name: String,
    /// Index of the module.
    pub module: usize,
}

/// A type.
#[derive(Clone, Debug)]
pub struct Item {
    /// The name, without `r#`.
    pub name: String,
    /// The name's place.
    pub place: Place,
    /// The bytes of the file that are about it: from the end of the item before to its own.
    pub extent: Range<usize>,
    /// Index of the module.
    pub module: usize,
    /// Documentation without markers.
    pub docs: String,
    /// Its markers.
    pub markers: MarkerSet,
    /// Whether it can be seen outside of its module.
    pub visible: bool,
    /// The predicates of `cfg` above it.
    pub cfg: Vec<String>,
    /// Derives by their last path segment, those of `cfg_attr` with them.
    pub derives: Vec<String>,
    /// Where each derive stands.
    pub derive_places: BTreeMap<String, Place>,
    /// Whether an attribute above it may be a macro that adds derives or implementations.
    pub has_attribute_macros: bool,
    /// The conditions of `cfg_attr` under which it derives `Clone`, which is then none of the derives.
    pub clone_if: Vec<String>,
    /// Its serde attributes.
    pub serde: SerdeAttrs,
    /// Its attributes about its schema.
    pub schema: Sparse<SchemaAttrs>,
    /// The rules of the root that kube-derive generates.
    pub kube_rules: Sparse<SchemaAttrs>,
    /// Its `#[kube(…)]`, where it derives `CustomResource`.
    pub kube: Option<Box<KubeDerive>>,
    /// Its generic parameters.
    pub generics: Generics,
    /// Its kind.
    pub body: Body,
}

/// Generic parameters.
#[derive(Clone, Debug, Default)]
pub struct Generics {
    /// The names of type and const parameters.
    pub names: Vec<String>,
    /// The parameters as written (`<T>`); empty without any.
    pub text: String,
    /// Their place.
    pub place: Option<Place>,
    /// The traits that bound type parameters where those are declared.
    pub bounds: Vec<Bound>,
    /// The first lifetime.
    pub lifetime: Option<Place>,
    /// The `where` clause.
    pub where_clause: Option<Place>,
}

/// A trait that bounds a type parameter.
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
    /// The name's place, or the type's in a tuple.
    pub place: Place,
    /// Documentation without markers.
    pub docs: String,
    /// Its markers.
    pub markers: MarkerSet,
    /// Whether it can be seen outside of its module; a variant's says nothing.
    pub visible: bool,
    /// Whether a `cfg` stands above it.
    pub conditional: bool,
    /// Its serde attributes.
    pub serde: SerdeAttrs,
    /// Its attributes about its schema.
    pub schema: Sparse<SchemaAttrs>,
    /// Its type.
    pub ty: Type,
}

/// A variant.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The name without `r#`.
    pub name: String,
    /// The name's place.
    pub place: Place,
    /// Documentation without markers.
    pub docs: String,
    /// Whether a `cfg` stands above it.
    pub conditional: bool,
    /// Its serde attributes.
    pub serde: SerdeAttrs,
    /// Its attributes about its schema.
    pub schema: Sparse<SchemaAttrs>,
    /// Whether it is `#[default]`.
    pub default: bool,
    /// Its fields.
    pub fields: Fields,
}

/// A type as written.
#[derive(Clone, Debug)]
pub struct Type {
    /// Its place.
    pub place: Place,
    /// Its kind.
    pub kind: Kind,
}

/// The meaning of a type as written.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A path, with the arguments of its last segment.
    Path(PathType),
    /// `[T; N]` or `[T]`: its items, and how many there are where a number says so.
    List(Box<Type>, Option<u64>),
    /// Anything whose data the type owns but that has no name, such as a tuple; as written.
    Other(String),
    /// Anything that cannot be read from the wire into an owned value, such as a reference; what it is.
    Unsupported(&'static str),
}

/// A path type.
#[derive(Clone, Debug)]
pub struct PathType {
    /// Whether the path starts with `::`.
    pub global: bool,
    /// The segments, without `r#`.
    pub segments: Vec<String>,
    /// The type arguments of the last segment.
    pub arguments: Vec<Type>,
    /// The arguments as written (`<T, 4>`); empty without any.
    pub arguments_text: String,
}

/// The attributes of a type, field or variant about its schema.
#[derive(Clone, Debug, Default)]
pub struct SchemaAttrs {
    /// `rename`, `rename_all`, `rename_all_fields`, `tag` and `content`, by their words.
    pub names: Vec<(&'static str, At<String>)>,
    /// `untagged`, `flatten`, `skip` and the like, by their words.
    pub flags: Vec<(&'static str, Place)>,
    /// What is taken back of serde's attributes (`!default`).
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
    /// `with`: the type whose schema it is.
    pub with: Option<Type>,
    /// `schema_with` and `transform`: functions that make or change the schema.
    pub computed: Vec<Said>,
    /// What values have to be.
    pub demands: Vec<Demand>,
    /// `allOf` and the like: what lowering makes of `extend`.
    pub combinators: Combinators,
    /// What lowering does not know of the schema; it matters where one is written.
    pub findings: Vec<Diagnostic>,
}

/// An attribute as it is named in messages, and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    /// Such as `#[schemars(length)]`.
    pub shown: String,
    /// Its place.
    pub place: Place,
}

/// What an attribute demands of a value.
#[derive(Clone, Debug)]
pub struct Demand {
    /// The part of a schema.
    pub word: Word,
    /// What it is set to.
    pub value: Literal,
    /// How many lists the value is in: `inner(…)` is about the items.
    pub depth: usize,
    /// The attribute.
    pub said: Said,
}

/// A part of a schema that attributes set.
#[derive(Clone, Debug, PartialEq)]
pub enum Word {
    /// The least length of a text or list.
    MinLength,
    /// The greatest length of a text or list.
    MaxLength,
    /// The least number.
    Minimum,
    /// The greatest number.
    Maximum,
    /// The regular expression that a text matches.
    Pattern,
    /// The text that a text contains.
    Contains,
    /// A keyword of schemas (`extend`).
    Keyword(String),
    /// A rule in CEL; none where it is built by code.
    Rule(Option<Box<CelRule>>),
}

impl Absent for SchemaAttrs {
    fn absent() -> &'static Self {
        static ABSENT: LazyLock<SchemaAttrs> = LazyLock::new(SchemaAttrs::default);
        &ABSENT
    }
}

impl SchemaAttrs {
    /// The name that an attribute gives.
    #[must_use]
    pub fn name(&self, word: &str) -> Option<&At<String>> {
        let found = self.names.iter().find(|(known, _)| *known == word);
        found.map(|(_, name)| name)
    }

    /// The place of a word without a value.
    #[must_use]
    pub fn flag(&self, word: &str) -> Option<&Place> {
        let found = self.flags.iter().find(|(known, _)| *known == word);
        found.map(|(_, place)| place)
    }
}
