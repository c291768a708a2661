//! A Go package without syntax trees: its types, constants and marshallers.
//!
//! Names are resolved as far as the package's own files allow: a type of another package is named by its import path.

use std::sync::Arc;

use crate::{diag::Place, read::markers::MarkerSet};

/// A Go package as read.
#[derive(Clone, Debug)]
pub struct Package {
    /// The import path (`k8s.io/api/core/v1`).
    pub path: String,
    /// The name in the package clause (`v1`).
    pub name: String,
    /// The module that it belongs to (`k8s.io/api`); `std` for the standard library.
    pub module: String,
    /// The module's version (`v0.36.3`); none for the main module, a replaced folder or the standard library.
    pub version: Option<String>,
    /// The folder, as diagnostics show it.
    pub dir: String,
    /// Whether the user asked for it; other packages were read because types of it are used.
    pub requested: bool,
    /// The package comment, without markers.
    pub docs: String,
    /// The markers of the package, from any of its files.
    pub markers: MarkerSet,
    /// The first package clause.
    pub place: Place,
    /// The packages that its files import, sorted by path, each once.
    pub imports: Vec<Import>,
    /// The types at package level, sorted by file name and then in order of declaration.
    pub types: Vec<TypeDecl>,
    /// The constants at package level, in the same order.
    pub consts: Vec<Const>,
    /// The `MarshalJSON` and `MarshalText` methods.
    pub marshalers: Vec<Marshaler>,
}

/// An import that a package's types use.
#[derive(Clone, Debug)]
pub struct Import {
    /// The import path.
    pub path: String,
    /// The path's place in the first file that has it.
    pub place: Place,
}

/// A type declaration.
#[derive(Clone, Debug)]
pub struct TypeDecl {
    /// The name.
    pub name: String,
    /// The name's place.
    pub place: Place,
    /// The doc comment's text as Go's `CommentGroup.Text` gives it, without marker lines.
    pub docs: String,
    /// The markers of the doc comment and of the comment group above it.
    pub markers: MarkerSet,
    /// `type A = B`.
    pub alias: bool,
    /// The place of its type parameters, if it has any.
    pub generics: Option<Place>,
    /// The type it is declared as.
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
    /// `[N]T`; the length where it is a literal.
    Array(Option<u64>, Box<Type>),
    /// `map[K]V`.
    Map(Box<Type>, Box<Type>),
    /// `struct { … }`.
    Struct(Vec<Field>),
    /// An interface other than `any`.
    Interface(Place),
    /// A function, a channel, a generic instance: no JSON.
    Other(Place),
}

/// A field of a struct; `A, B string` gives two.
#[derive(Clone, Debug)]
pub struct Field {
    /// The Go name; of an embedded field, the name of its type.
    pub name: String,
    /// The name's place.
    pub place: Place,
    /// Whether it is embedded.
    pub embedded: bool,
    /// The doc comment's text, without marker lines.
    pub docs: String,
    /// The markers of the doc comment and of the comment group above it.
    pub markers: MarkerSet,
    /// The struct tag, if there is one.
    pub tag: Option<Tag>,
    /// Its type.
    pub ty: Type,
}

/// A struct tag.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tag {
    /// The value of the key `json`, if it is there (`name,omitempty`).
    pub json: Option<String>,
    /// The value of `patchStrategy`.
    pub patch_strategy: Option<String>,
    /// The value of `patchMergeKey`.
    pub patch_merge_key: Option<String>,
    /// The field's number in `protobuf`.
    pub protobuf: Option<u64>,
    /// The first thing wrong with it, in a package of the main module: Go ignores the tag from there on.
    pub fault: Option<TagFault>,
}

/// What is wrong with a struct tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagFault {
    /// What is wrong.
    pub problem: String,
    /// The tag's place.
    pub place: Place,
}

/// A constant at package level.
#[derive(Clone, Debug)]
pub struct Const {
    /// The name.
    pub name: String,
    /// The name's place.
    pub place: Place,
    /// The doc comment's text, or else the comment behind it.
    pub docs: String,
    /// Its declared type, also where the value repeats that of the line before, or where the value is a conversion.
    pub ty: Option<Type>,
    /// Its value.
    pub value: ConstValue,
}

/// A constant's value, as far as API types need it.
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
    /// A string, unquoted.
    String(String),
    /// An integer, as written.
    Integer(String),
}

/// A method that decides what JSON a type is.
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
