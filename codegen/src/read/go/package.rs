//! The result of reading a Go package: its types, constants and marshalers.
//!
//! Names are resolved as far as the package's own files allow: a type of another package is
//! identified by its import path.

use std::sync::Arc;

use crate::{diag::Place, read::markers::MarkerSet};

/// A Go package as read.
#[derive(Clone, Debug)]
pub struct Package {
    /// The import path (`k8s.io/api/core/v1`).
    pub path: String,
    /// The name in the package clause (`v1`).
    pub name: String,
    /// The module it belongs to (`k8s.io/api`); `std` for the standard library.
    pub module: String,
    /// The module's version (`v0.36.3`); `None` for the main module, a replacement by a directory,
    /// or the standard library.
    pub version: Option<String>,
    /// The directory as shown in diagnostics.
    pub dir: String,
    /// Whether the user requested it; other packages are read because their types are used.
    pub requested: bool,
    /// The package comment, without markers.
    pub docs: String,
    /// The markers of the package, from all of its files.
    pub markers: MarkerSet,
    /// The first package clause.
    pub place: Place,
    /// The imported packages, sorted by path without duplicates.
    pub imports: Vec<Import>,
    /// The types at package level, sorted by file name, then by declaration order.
    pub types: Vec<TypeDecl>,
    /// The constants at package level, in the same order.
    pub consts: Vec<Const>,
    /// The `MarshalJSON` and `MarshalText` methods.
    pub marshalers: Vec<Marshaler>,
}

/// An import used by a package's types.
#[derive(Clone, Debug)]
pub struct Import {
    /// The import path.
    pub path: String,
    /// The place of the path in the first file that imports it.
    pub place: Place,
}

/// A type declaration.
#[derive(Clone, Debug)]
pub struct TypeDecl {
    /// The name.
    pub name: String,
    /// The place of the name.
    pub place: Place,
    /// The doc comment as returned by Go's `CommentGroup.Text`, without marker lines.
    pub docs: String,
    /// The markers of the doc comment and of the comment group above it.
    pub markers: MarkerSet,
    /// `type A = B`.
    pub alias: bool,
    /// The place of its type parameters, if any.
    pub generics: Option<Place>,
    /// The declared type.
    pub ty: Type,
}

/// A type expression.
#[derive(Clone, Debug)]
pub enum Type {
    /// A predeclared type (`string`, `int32`, `any`, `error`), unless the package shadows it.
    Basic(&'static str),
    /// A type of the same package.
    Local(String, Place),
    /// A type of another package: import path, name.
    Imported(Arc<str>, String, Place),
    /// `*T`.
    Pointer(Box<Type>),
    /// `[]T`.
    Slice(Box<Type>),
    /// `[N]T`; with the length if it is a literal.
    Array(Option<u64>, Box<Type>),
    /// `map[K]V`.
    Map(Box<Type>, Box<Type>),
    /// `struct { … }`.
    Struct(Vec<Field>),
    /// An interface other than `any`.
    Interface(Place),
    /// A function, a channel, or a generic instance, which have no JSON form.
    Other(Place),
}

/// A struct field; `A, B string` declares two.
#[derive(Clone, Debug)]
pub struct Field {
    /// The Go name; for an embedded field, the name of its type.
    pub name: String,
    /// The place of the name.
    pub place: Place,
    /// Whether it is embedded.
    pub embedded: bool,
    /// The doc comment, without marker lines.
    pub docs: String,
    /// The markers of the doc comment and of the comment group above it.
    pub markers: MarkerSet,
    /// The struct tag, if any.
    pub tag: Option<Tag>,
    /// Its type.
    pub ty: Type,
}

/// A struct tag.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tag {
    /// The value of the key `json`, if present (`name,omitempty`).
    pub json: Option<String>,
    /// The value of `patchStrategy`.
    pub patch_strategy: Option<String>,
    /// The value of `patchMergeKey`.
    pub patch_merge_key: Option<String>,
    /// The field number in `protobuf`.
    pub protobuf: Option<u64>,
    /// The first error in a tag in the main module: Go ignores the rest of the tag.
    pub fault: Option<TagFault>,
}

/// An error in a struct tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagFault {
    /// What is wrong.
    pub problem: String,
    /// The place of the tag.
    pub place: Place,
}

/// A constant at package level.
#[derive(Clone, Debug)]
pub struct Const {
    /// The name.
    pub name: String,
    /// The place of the name.
    pub place: Place,
    /// The doc comment, or else the trailing comment.
    pub docs: String,
    /// The declared type, including one repeated from the previous line or implied by a conversion.
    pub ty: Option<Type>,
    /// Its value.
    pub value: ConstValue,
}

/// The value of a constant, as far as API types need it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConstValue {
    /// A literal, or a concatenation of literals and constants of the package.
    Literal(EnumLiteral),
    /// Anything else.
    Other,
}

/// A literal value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnumLiteral {
    /// A string, without quotes and escapes.
    String(String),
    /// An integer, as written.
    Integer(String),
}

/// A method that determines the JSON form of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarshalKind {
    /// `MarshalJSON`.
    Json,
    /// `MarshalText`.
    Text,
}

/// `func (x T) MarshalJSON()`.
#[derive(Clone, Debug)]
pub struct Marshaler {
    /// The receiver's type.
    pub type_name: String,
    /// Whether the receiver is a pointer.
    pub pointer: bool,
    /// The method.
    pub kind: MarshalKind,
}
