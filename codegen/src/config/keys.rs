//! The keys of `codegen.toml`: one table that reading, the reference, the schema and suggestions follow.

mod table;

pub(super) use self::table::KEYS;
use Section::{Attributes, Crate, Crd, Go, Manifests, Root, Rust, Workspace};
use Type::{Bool, Count, Map, String, Strings, Table, Tables};

/// A table of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    /// The file itself.
    Root,
    /// `[workspace]`
    Workspace,
    /// `[[crate]]`
    Crate,
    /// `[crate.rust]`
    Rust,
    /// `[crate.crd]`
    Crd,
    /// `[crate.manifests]`
    Manifests,
    /// `[[crate.go]]`
    Go,
    /// `[[crate.attributes]]`
    Attributes,
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// A string.
    String,
    /// A list of strings.
    Strings,
    /// `true` or `false`.
    Bool,
    /// A whole number, at least 0.
    Count,
    /// A table from string to string.
    Map,
    /// A table with keys of its own.
    Table(Section),
    /// An array of such tables.
    Tables(Section),
}

/// A key: where it stands, what it takes, what it means.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    pub(super) section: Section,
    pub(super) name: &'static str,
    pub(super) ty: Type,
    /// In words or as TOML; empty where absence means nothing in particular.
    pub(super) default: &'static str,
    /// A value, as TOML.
    pub(super) example: &'static str,
    /// Its meaning, as sentences.
    pub(super) docs: &'static str,
}

const fn key(
    section: Section,
    name: &'static str,
    ty: Type,
    default: &'static str,
    example: &'static str,
    docs: &'static str,
) -> Key {
    Key {
        section,
        name,
        ty,
        default,
        example,
        docs,
    }
}

impl Section {
    /// Every section, in the order of the file.
    pub(super) const ALL: [Self; 8] =
        [Root, Workspace, Crate, Attributes, Rust, Crd, Go, Manifests];

    /// As it is written.
    pub(super) const fn title(self) -> &'static str {
        match self {
            Root => "codegen.toml",
            Workspace => "[workspace]",
            Crate => "[[crate]]",
            Rust => "[crate.rust]",
            Crd => "[crate.crd]",
            Manifests => "[crate.manifests]",
            Go => "[[crate.go]]",
            Attributes => "[[crate.attributes]]",
        }
    }

    /// Its keys.
    pub(super) fn keys(self) -> impl Iterator<Item = &'static Key> {
        KEYS.iter().filter(move |key| key.section == self)
    }
}

impl Type {
    /// In words.
    pub(super) const fn name(self) -> &'static str {
        match self {
            String => "string",
            Strings => "list of strings",
            Bool => "true or false",
            Count => "whole number",
            Map => "table of strings",
            Table(_) => "table",
            Tables(_) => "array of tables",
        }
    }
}
