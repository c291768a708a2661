//! The keys of `codegen.toml`: one table that drives parsing, the reference, the JSON schema and suggestions.

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
    /// An integer, at least 0.
    Count,
    /// A table from string to string.
    Map,
    /// A table with keys of its own.
    Table(Section),
    /// An array of tables with keys of their own.
    Tables(Section),
}

/// A key: its section, type and meaning.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    pub(super) section: Section,
    pub(super) name: &'static str,
    pub(super) ty: Type,
    /// The default, in prose or as TOML; empty if an absent key needs no explanation.
    pub(super) default: &'static str,
    /// An example value, as TOML.
    pub(super) example: &'static str,
    /// The documentation, in sentences.
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

    /// The section's header as written in the file.
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

    /// The keys of the section.
    pub(super) fn keys(self) -> impl Iterator<Item = &'static Key> {
        KEYS.iter().filter(move |key| key.section == self)
    }
}

impl Type {
    /// The type's name in prose.
    pub(super) const fn name(self) -> &'static str {
        match self {
            String => "string",
            Strings => "list of strings",
            Bool => "true or false",
            Count => "integer",
            Map => "table of strings",
            Table(_) => "table",
            Tables(_) => "array of tables",
        }
    }
}
