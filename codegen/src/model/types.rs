//! Types: structs, enums, unions and aliases, and references to them.

use serde::Serialize;
use serde_json::Value;

use super::{
    DeclaredAt, ExternalType, FieldUnion, GoField, KnownType, Marshals, Origin, Validation,
};
use crate::diag::Diagnostic;

/// A named Rust type of a version.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TypeDef {
    /// The Rust name, unique within the version (within [`RustItem::module`] for annotated Rust).
    pub name: String,
    /// Documentation as plain text, not yet safe for rustdoc.
    pub docs: String,
    /// Where the type stands in its API: `VirtualMachine.spec.resource`.
    pub path: String,
    /// Whether several kinds of the version share it, as types from CRDs may.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub shared: bool,
    /// Its kind.
    pub kind: TypeKind,
    /// The schema's rules for the type as a whole.
    pub validation: Validation,
    /// The other items that the author of annotated Rust wrote; none for a CRD's type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<RustItem>,
    /// The method by which a Go type writes itself; its kind is what Go declares, which is not what is on the wire.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marshals: Option<Marshals>,
    /// Whether apply configurations have it as it is: markers ask for that, or its serde is not its fields'.
    #[serde(skip)]
    pub whole: bool,
    /// Where it is declared.
    #[serde(skip)]
    pub declared: DeclaredAt,
}

/// The type of a name. CRDs may have ten thousands, which are sorted by it.
pub(crate) fn find_type<'a>(
    types: &'a [TypeDef],
    origin: Origin,
    name: &str,
) -> Option<&'a TypeDef> {
    if origin != Origin::Crd {
        return types.iter().find(|def| def.name == name);
    }
    let index = types.binary_search_by(|def| def.name.as_str().cmp(name));
    index.ok().and_then(|index| types.get(index))
}

/// What derives of schemars say of a schema beyond the type and its rules.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DerivedSchema {
    /// The type whose schema it is, in place of its own (`schemars(with = "T")`).
    pub ty: Option<TypeRef>,
    /// Whether null is permitted, as schemars permits it wherever the Rust type is an `Option`.
    pub nullable: bool,
    /// What is not known of it, or not as on the wire: reported where a schema is written.
    pub findings: Vec<Diagnostic>,
}

/// A type written by hand.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RustItem {
    /// Modules below the version's by which the item is named.
    pub module: Vec<String>,
    /// Derives by their last path segment (`Clone`, `Serialize`, `CustomResource`), sorted.
    pub derives: Vec<String>,
    /// Traits that the source implements by hand for the type, by their last path segment, sorted.
    pub impls: Vec<String>,
    /// Whether `Clone` is asked for: by deepcopy markers, or by an object that has none against it.
    pub deepcopy: bool,
    /// Whether the type is an API object of its own (`interfaces=runtime.Object` or a genclient root or a list type).
    pub object: bool,
    /// Whether kube-derive generates the root and its traits from this (spec) type, or generated this root.
    pub kube_derive: bool,
    /// Generic parameters as written (`<T>`); only types other than roots may have them.
    pub generics: String,
    /// Whether other modules see it by its name in the version's module.
    #[serde(skip)]
    pub exported: bool,
    /// The predicates of `cfg` under which it is there, those of its modules first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cfg: Vec<String>,
    /// The conditions under which the author derives `Clone`, where it is asked for without them too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clone_if: Vec<String>,
    /// What a derive of schemars says of its schema.
    #[serde(skip)]
    pub derived: Option<Box<DerivedSchema>>,
}

impl RustItem {
    /// Whether the author derives or implements the trait.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        let mut traits = self.derives.iter().chain(&self.impls);
        traits.any(|known| known == name)
    }

    /// Whether `Clone` is generated: asked for, and not there.
    #[must_use]
    pub fn clone_is_generated(&self) -> bool {
        self.deepcopy && !self.kube_derive && !self.has("Clone")
    }
}

/// The kind of a named type.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum TypeKind {
    /// An object with known properties.
    Struct(StructDef),
    /// A string or an integer with known values; open, since a newer server may send others.
    Enum(EnumDef),
    /// A Rust enum with data, from annotated Rust only.
    Union(UnionDef),
    /// Another name for a type.
    Alias(Aliasing),
}

/// Another name for a type.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Aliasing {
    /// The type it stands for.
    pub target: TypeRef,
    /// A tuple struct of one field in annotated Rust (a newtype) rather than a `type` item.
    pub newtype: bool,
}

/// An object with known properties.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StructDef {
    /// The fields: by JSON name for a CRD's, in order of declaration for Rust.
    pub fields: Vec<Field>,
    /// The treatment of properties that the schema does not name.
    pub unknown_fields: UnknownFields,
    /// A tuple or unit struct of annotated Rust, whose fields have no names in Rust.
    pub tuple: bool,
    /// The fields of which only so many may be set.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unions: Vec<FieldUnion>,
}

/// The treatment of properties that a schema does not name.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum UnknownFields {
    /// The server drops them.
    #[default]
    Pruned,
    /// The server keeps them; so does the type, in a map of the given value type.
    Kept(TypeRef),
}

/// A property of an object.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Field {
    /// The name on the wire.
    pub json_name: String,
    /// The Rust field, legal and unique within the struct, without `r#`.
    pub rust_name: String,
    /// Documentation as plain text.
    pub docs: String,
    /// The type without the `Option` of an optional field.
    pub ty: TypeRef,
    /// Whether the Rust field is an `Option`, which markers do not decide; for a CRD's, whether it will be one.
    pub option: bool,
    /// Whether the property must be present.
    pub required: bool,
    /// Whether the property may be present as null.
    pub nullable: bool,
    /// Whether texts that k8s-openapi always writes are left out when empty, within values of a Kubernetes type.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub sparse: bool,
    /// The value that the server fills in.
    pub default: Option<Value>,
    /// Whether serde merges the fields of the type into the parent (`serde(flatten)`).
    pub flatten: bool,
    /// Whether serde leaves the field out (`serde(skip)`), so that it is not part of the API.
    pub skip: bool,
    /// Whether the schema does not name it, as fields that Go embeds with `+kubebuilder:validation:Schemaless`.
    #[serde(skip)]
    pub undeclared: bool,
    /// Whether the map that the field is has its keys in no order.
    #[serde(skip)]
    pub hashed: bool,
    /// Whether its serde attributes, and not its type, say how it is written (`serde(with)`).
    #[serde(skip)]
    pub with: bool,
    /// What a derive of schemars says of its schema.
    #[serde(skip)]
    pub derived: Option<Box<DerivedSchema>>,
    /// The schema's rules for the value.
    pub validation: Validation,
    /// Its Go tag, for Go input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub go: Option<GoField>,
    /// Where it is declared.
    #[serde(skip)]
    pub declared: DeclaredAt,
}

impl Field {
    /// An optional field without docs, default or rules, with one name on the wire and in Rust.
    #[must_use]
    pub fn optional(name: &str, ty: TypeRef) -> Self {
        Self {
            option: true,
            required: false,
            ..Self::required(name, ty)
        }
    }

    /// A required field without docs, default or rules, with one name on the wire and in Rust.
    #[must_use]
    pub fn required(name: &str, ty: TypeRef) -> Self {
        Self {
            json_name: name.to_owned(),
            rust_name: name.to_owned(),
            docs: String::new(),
            ty,
            option: false,
            required: true,
            nullable: false,
            sparse: false,
            default: None,
            flatten: false,
            skip: false,
            undeclared: false,
            hashed: false,
            with: false,
            derived: None,
            validation: Validation::default(),
            go: None,
            declared: DeclaredAt::default(),
        }
    }
}

/// A string or an integer with known values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EnumDef {
    /// The values' type on the wire.
    #[serde(skip_serializing_if = "EnumValues::are_texts")]
    pub values: EnumValues,
    /// The values, in the order of the schema; of a Go type its constants, which a schema lists only where
    /// [`Constraints::enum_`](super::Constraints::enum_) of the type does.
    pub variants: Vec<Variant>,
    /// The name of the variant that holds any other value; none where the author closed the enum (annotated Rust).
    pub open: Option<String>,
    /// Index of the variant that is the default.
    pub default: Option<usize>,
    /// Whether the empty text is the default where no variant is, as it is of Go's types; else the first variant is.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub zero_is_empty: bool,
}

/// The type of an enum's values on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum EnumValues {
    /// Strings.
    #[default]
    Texts,
    /// Integers of 64 bits.
    Integers,
}

impl EnumValues {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
    fn are_texts(&self) -> bool {
        *self == Self::Texts
    }

    /// The type in a schema.
    #[must_use]
    pub const fn schema_type(self) -> &'static str {
        match self {
            Self::Texts => "string",
            Self::Integers => "integer",
        }
    }
}

/// A value of an enum.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Variant {
    /// The Rust variant.
    pub name: String,
    /// The string on the wire, or the integer as text.
    pub value: String,
    /// Documentation as plain text.
    pub docs: String,
}

/// A Rust enum with data.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UnionDef {
    /// The variants, in order of declaration.
    pub variants: Vec<UnionVariant>,
    /// The name of the tag property (`serde(tag = "…")`).
    pub tag: Option<String>,
    /// The name of the content property (`serde(content = "…")`).
    pub content: Option<String>,
    /// `serde(untagged)`.
    pub untagged: bool,
}

/// A variant of a Rust enum with data.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UnionVariant {
    /// The Rust variant.
    pub name: String,
    /// The name on the wire.
    pub json_name: String,
    /// Documentation as plain text.
    pub docs: String,
    /// Its fields; a tuple variant's are named by position.
    pub fields: Vec<Field>,
    /// Whether the fields have names in Rust.
    pub named: bool,
}

/// A reference to a type.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum TypeRef {
    /// `bool`.
    Bool,
    /// `i32`.
    Int32,
    /// `i64`.
    Int64,
    /// Any other integer of annotated Rust (`u8`, `u16`, `usize`, …), by its Rust name.
    Integer(String),
    /// `f64`.
    Float,
    /// `f32` of annotated Rust.
    Float32,
    /// `String`.
    String,
    /// Any JSON value (`serde_json::Value`).
    Any,
    /// A type that Kubernetes itself defines.
    Known(KnownType),
    /// A type of the same version, by its Rust name.
    Local(String),
    /// A Rust type from elsewhere.
    External(ExternalType),
    /// Any other Rust type (`[u8; 4]`, `(A, B)`), by its tokens in the source.
    Verbatim(String),
    /// A list.
    List(Box<TypeRef>),
    /// A map from string.
    Map(Box<TypeRef>),
    /// A value that may be null.
    Optional(Box<TypeRef>),
    /// A boxed value, for types that contain themselves.
    Boxed(Box<TypeRef>),
}

impl TypeRef {
    /// Whether a field of the type says how it is read and written, since serde of the type itself would round or refuse
    /// values: times, bytes, int-or-strings, and lists and maps of them.
    #[must_use]
    pub fn is_encoded(&self) -> bool {
        let known = [
            KnownType::Time,
            KnownType::IntOrString,
            KnownType::ByteString,
        ];
        matches!(self.element(), Self::Known(one) if known.contains(one))
    }

    /// The type without the lists, maps, options and boxes around it.
    #[must_use]
    pub fn element(&self) -> &Self {
        match self {
            Self::List(inner) | Self::Map(inner) | Self::Optional(inner) | Self::Boxed(inner) => {
                inner.element()
            }
            ty => ty,
        }
    }

    /// The path of a type from elsewhere, without generic arguments; Kubernetes' own start with `k8s_openapi`.
    #[must_use]
    pub fn path(&self) -> Option<String> {
        match self {
            Self::Known(known) => Some(format!("{}::{}", known.module(), known.name())),
            Self::External(external) => Some(external.segments.join("::")),
            _ => None,
        }
    }

    /// The name of the type of the same version that this is, or is a list or map of.
    #[must_use]
    pub fn local(&self) -> Option<&str> {
        match self.element() {
            Self::Local(name) => Some(name),
            _ => None,
        }
    }
}
