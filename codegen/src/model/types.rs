//! Types: structs, enums, unions and aliases, and references to them.

use serde::Serialize;
use serde_json::Value;

use super::{
    CodedSchema, DeclaredAt, ExternalType, FieldConversion, FieldUnion, GoField, KnownType,
    Marshals, Origin, Validation,
};
use crate::diag::Diagnostic;

/// A named Rust type of a version.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TypeDef {
    /// The Rust name, unique within the version (within [`RustItem::module`] for annotated Rust).
    /// Types of a crate, for which no code is generated, have the end of their path as name if the
    /// name alone is not unique: `gateways::Listener`.
    pub name: String,
    /// Documentation as plain text, not yet safe for rustdoc.
    pub docs: String,
    /// The path of the type in its API: `VirtualMachine.spec.resource`.
    pub path: String,
    /// Whether several kinds of the version share the type, as is possible for types from CRDs.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub shared: bool,
    /// Its kind.
    pub kind: TypeKind,
    /// The schema's rules for the whole type.
    pub validation: Validation,
    /// Further information about handwritten Rust; `None` for other input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<RustItem>,
    /// The interface with which a Go type marshals itself. `kind` is then the Go declaration, which
    /// differs from the wire format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marshals: Option<Marshals>,
    /// Whether apply configurations use the type unchanged: because of a marker, or because its
    /// serde implementation does not follow its fields.
    #[serde(skip)]
    pub whole: bool,
    /// Whether the user converts its values between versions (`+k8s:conversion-gen=false`).
    #[serde(skip)]
    pub converted_by_hand: bool,
    /// Where the type is declared.
    #[serde(skip)]
    pub declared: DeclaredAt,
}

impl TypeDef {
    /// Returns the schema that code returns, if code makes the type's schema.
    pub(crate) fn code(&self) -> Option<&CodedSchema<TypeRef>> {
        self.item.as_ref()?.derived.as_ref()?.code.as_ref()
    }
}

/// Finds a type by name. A version from CRDs may have tens of thousands of types, which are sorted
/// by name.
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

/// What schemars attributes add to a schema besides the type and its rules.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DerivedSchema {
    /// The type that replaces the field's type in the schema (`schemars(with = "T")`).
    pub ty: Option<TypeRef>,
    /// The schema that code returns instead.
    pub code: Option<CodedSchema<TypeRef>>,
    /// Whether null is allowed, as schemars allows it for every Rust `Option`.
    pub nullable: bool,
    /// Attributes that cannot be represented or that differ from the wire format: reported when a
    /// schema is written.
    pub findings: Vec<Diagnostic>,
}

/// A handwritten type.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RustItem {
    /// The modules within the version's module that lead to the item.
    pub module: Vec<String>,
    /// Derives, by last path segment (`Clone`, `Serialize`, `CustomResource`), sorted.
    pub derives: Vec<String>,
    /// Traits implemented by hand for the type, by last path segment, sorted.
    pub impls: Vec<String>,
    /// Whether `Clone` is requested: by deepcopy markers, or for an object without a marker against
    /// it.
    pub deepcopy: bool,
    /// Whether the type is an API object (`interfaces=runtime.Object`, a genclient root or a list
    /// type).
    pub object: bool,
    /// Whether kube-derive generates the root and its traits from this (spec) type, or generated
    /// this root.
    pub kube_derive: bool,
    /// Whether serde writes and reads the type as its only field, even if that is absent
    /// (`serde(transparent)`).
    #[serde(skip)]
    pub transparent: bool,
    /// Generic parameters as written (`<T>`); roots must not have any.
    pub generics: String,
    /// Whether other modules can name it through the version's module.
    #[serde(skip)]
    pub exported: bool,
    /// Where it stands, if a generated module re-exports it.
    #[serde(skip)]
    pub path: Option<RustPath>,
    /// The `cfg` predicates that enable the item, starting with those of its modules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cfg: Vec<String>,
    /// The conditions of the author's `Clone` derive, if `Clone` is also requested without them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clone_if: Vec<String>,
    /// What schemars attributes declare for its schema.
    #[serde(skip)]
    pub derived: Option<Box<DerivedSchema>>,
}

/// The path by which generated code names a type of a crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RustPath {
    /// The path (`crate::crd::VirtualMachine`, `my_api::v1::VirtualMachine`).
    pub path: String,
    /// Whether the type is `pub`.
    pub public: bool,
}

impl RustPath {
    /// Whether the type is of the crate that contains the generated code.
    #[must_use]
    pub fn is_of_crate(&self) -> bool {
        self.path.starts_with("crate::")
    }
}

impl RustItem {
    /// Whether the author derives or implements the trait.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        let mut traits = self.derives.iter().chain(&self.impls);
        traits.any(|known| known == name)
    }

    /// Whether to generate `Clone`: it is requested and not yet implemented.
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
    /// A string or an integer with known values; open, since a newer server may send other values.
    Enum(EnumDef),
    /// A Rust enum with data, from annotated Rust only.
    Union(UnionDef),
    /// An alias of another type.
    Alias(Aliasing),
}

/// An alias of another type.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Aliasing {
    /// The aliased type.
    pub target: TypeRef,
    /// Whether it is a tuple struct with one field in annotated Rust (a newtype) rather than a
    /// `type` item.
    pub newtype: bool,
}

/// An object with known properties.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StructDef {
    /// The fields: by JSON name for a CRD, in declaration order for Rust.
    pub fields: Vec<Field>,
    /// How properties that the schema does not list are handled.
    pub unknown_fields: UnknownFields,
    /// Whether it is a tuple or unit struct of annotated Rust, whose fields have no names.
    pub tuple: bool,
    /// The rules of embedded Go structs and the struct's own, in the order in which controller-gen
    /// merges them; empty unless there are some to merge.
    #[serde(skip)]
    pub embedded_rules: Vec<Validation>,
    /// Groups of fields of which only a limited number may be set.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unions: Vec<FieldUnion>,
}

/// How properties that a schema does not list are handled.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum UnknownFields {
    /// The server drops them.
    #[default]
    Pruned,
    /// The server keeps them, and the type keeps them in a map with this value type.
    Kept(TypeRef),
}

/// A property of an object.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Field {
    /// The JSON name.
    pub json_name: String,
    /// The Rust name: a legal identifier, unique within the struct, without `r#`.
    pub rust_name: String,
    /// Documentation as plain text.
    pub docs: String,
    /// The type without the `Option` of an optional field.
    pub ty: TypeRef,
    /// Whether the Rust field is an `Option`, regardless of markers; for a CRD, whether it will be
    /// one.
    pub option: bool,
    /// Whether the property must be present.
    pub required: bool,
    /// Whether markers of annotated Rust require the property, even if serde reads its type from an
    /// absent one.
    #[serde(skip)]
    pub demanded: bool,
    /// Whether the property may be present as null.
    pub nullable: bool,
    /// Whether to omit empty strings that k8s-openapi always writes, within values of a Kubernetes
    /// type.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub sparse: bool,
    /// The default that the server fills in.
    pub default: Option<Value>,
    /// Whether serde flattens the fields of the type into the parent (`serde(flatten)`).
    pub flatten: bool,
    /// Whether serde skips the field (`serde(skip)`), so that it is not part of the API.
    pub skip: bool,
    /// Whether the schema omits the field, as for fields embedded in Go with
    /// `+kubebuilder:validation:Schemaless`.
    #[serde(skip)]
    pub undeclared: bool,
    /// The Go fields with this JSON name whose schemas controller-gen merges, in its order and with
    /// this field; empty if there is no other one.
    #[serde(skip)]
    pub merged: Vec<Self>,
    /// The paths of the embedded Go structs that the field comes from, outermost first.
    #[serde(skip)]
    pub embedded_in: Vec<String>,
    /// Whether the field is a map with unordered keys.
    #[serde(skip)]
    pub hashed: bool,
    /// Whether its serde attributes rather than its type define the wire format (`serde(with)`).
    #[serde(skip)]
    pub with: bool,
    /// What schemars attributes declare for its schema.
    #[serde(skip)]
    pub derived: Option<Box<DerivedSchema>>,
    /// The schema's rules for the value.
    pub validation: Validation,
    /// What markers say for the conversion between versions.
    #[serde(skip)]
    pub conversion: Option<Box<FieldConversion>>,
    /// The Go tag, for Go input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub go: Option<GoField>,
    /// Where the field is declared.
    #[serde(skip)]
    pub declared: DeclaredAt,
}

impl Field {
    /// Creates an optional field without docs, default or rules, with the same name in JSON and
    /// Rust.
    #[must_use]
    pub fn optional(name: &str, ty: TypeRef) -> Self {
        Self {
            option: true,
            required: false,
            ..Self::required(name, ty)
        }
    }

    /// Creates a required field without docs, default or rules, with the same name in JSON and
    /// Rust.
    #[must_use]
    pub fn required(name: &str, ty: TypeRef) -> Self {
        Self {
            json_name: name.to_owned(),
            rust_name: name.to_owned(),
            docs: String::new(),
            ty,
            option: false,
            required: true,
            demanded: false,
            nullable: false,
            sparse: false,
            default: None,
            flatten: false,
            skip: false,
            undeclared: false,
            merged: Vec::new(),
            embedded_in: Vec::new(),
            hashed: false,
            with: false,
            derived: None,
            validation: Validation::default(),
            conversion: None,
            go: None,
            declared: DeclaredAt::default(),
        }
    }
}

/// A string or an integer with known values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EnumDef {
    /// The type of the values on the wire.
    #[serde(skip_serializing_if = "EnumValues::are_texts")]
    pub values: EnumValues,
    /// The values, in schema order. For a Go type these are its constants, which a schema lists
    /// only if [`Constraints::enum_`](super::Constraints::enum_) of the type does.
    pub variants: Vec<Variant>,
    /// The name of the variant for any other value; `None` if the author closed the enum (annotated
    /// Rust).
    pub open: Option<String>,
    /// The index of the default variant.
    pub default: Option<usize>,
    /// Whether the default is the empty string if no variant is, as for Go types; otherwise it is
    /// the first variant.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub zero_is_empty: bool,
}

/// The type of enum values on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum EnumValues {
    /// Strings.
    #[default]
    Texts,
    /// 64-bit integers.
    Integers,
}

impl EnumValues {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
    fn are_texts(&self) -> bool {
        *self == Self::Texts
    }

    /// The type as written in a schema.
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
    /// The string on the wire, or the integer in decimal.
    pub value: String,
    /// Documentation as plain text.
    pub docs: String,
}

/// A Rust enum with data.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UnionDef {
    /// The variants, in declaration order.
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
    /// The fields; those of a tuple variant are named by position.
    pub fields: Vec<Field>,
    /// Whether the fields are named in Rust.
    pub named: bool,
    /// `serde(untagged)`: serde writes only the data.
    pub untagged: bool,
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
    /// A Rust type defined elsewhere.
    External(ExternalType),
    /// Any other Rust type (`[u8; 4]`, `(A, B)`), by its source tokens.
    Verbatim(String),
    /// A list.
    List(Box<TypeRef>),
    /// A map with string keys.
    Map(Box<TypeRef>),
    /// A value that may be null.
    Optional(Box<TypeRef>),
    /// A boxed value, for types that contain themselves.
    Boxed(Box<TypeRef>),
}

impl TypeRef {
    /// Whether fields of the type need explicit encoding, because the type's serde implementation
    /// would round or reject values: times, bytes, int-or-strings, and lists and maps of them.
    #[must_use]
    pub fn is_encoded(&self) -> bool {
        let known = [
            KnownType::Time,
            KnownType::IntOrString,
            KnownType::ByteString,
        ];
        matches!(self.element(), Self::Known(one) if known.contains(one))
    }

    /// Strips the surrounding lists, maps, options and boxes.
    #[must_use]
    pub fn element(&self) -> &Self {
        match self {
            Self::List(inner) | Self::Map(inner) | Self::Optional(inner) | Self::Boxed(inner) => {
                inner.element()
            }
            ty => ty,
        }
    }

    /// The path of a type defined elsewhere, without generic arguments; the path of a Kubernetes
    /// type starts with `k8s_openapi`.
    #[must_use]
    pub fn path(&self) -> Option<String> {
        match self {
            Self::Known(known) => Some(format!("{}::{}", known.module(), known.name())),
            Self::External(external) => Some(external.segments.join("::")),
            _ => None,
        }
    }

    /// The name of the type of the same version that this refers to, directly or as an element of
    /// lists and maps.
    #[must_use]
    pub fn local(&self) -> Option<&str> {
        match self.element() {
            Self::Local(name) => Some(name),
            _ => None,
        }
    }
}
