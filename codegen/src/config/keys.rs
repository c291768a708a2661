//! The keys of `codegen.toml`: those that describe inputs and the file itself, and those of
//! options.

mod table;

use self::table::KEYS;
pub(super) use crate::options::define::{OptionDef, Section, Type};
use crate::options::rows;
use Section::{
    Accept, Attributes, Compatibility, Crate, Crd, CrdField, Go, Lint, Manifests, Root, Rust,
    Workspace,
};
use Type::{Bool, Count, Map, String, Strings, Table, Tables};

/// Every key.
pub(super) fn keys() -> impl Iterator<Item = &'static OptionDef> {
    KEYS.iter().chain(rows().map(|row| &row.def))
}

impl Section {
    /// Every section, in the order of the file.
    pub(crate) const ALL: [Self; 12] = [
        Root,
        Workspace,
        Crate,
        Attributes,
        Rust,
        Crd,
        CrdField,
        Go,
        Manifests,
        Compatibility,
        Accept,
        Lint,
    ];

    /// The section's header as written in the file.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Root => "codegen.toml",
            Workspace => "[workspace]",
            Crate => "[[crate]]",
            Rust => "[crate.rust]",
            Crd => "[crate.crd]",
            CrdField => "[[crate.crd.fields]]",
            Manifests => "[crate.manifests]",
            Go => "[[crate.go]]",
            Attributes => "[[crate.attributes]]",
            Compatibility => "[crate.compatibility]",
            Accept => "[[crate.compatibility.accept]]",
            Lint => "[crate.lint]",
        }
    }

    /// The keys of the section.
    pub(crate) fn keys(self) -> impl Iterator<Item = &'static OptionDef> {
        keys().filter(move |key| key.sections.contains(&self))
    }
}

impl Type {
    /// The type's name in prose.
    pub(crate) const fn name(self) -> &'static str {
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
