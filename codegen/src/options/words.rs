//! Options whose values are words.

use serde::{Deserialize, Serialize};
use toml::Value;

use super::define::{Given, Hold, OptionType, OptionValue, Type, Word, words};
use crate::kubernetes::{KubernetesTypes, VersionFrom};

/// How to treat mistakes in markers that controller-gen accepts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Compat {
    /// Mistakes are errors.
    #[default]
    Strict,
    /// The output equals controller-gen's for every input that controller-gen accepts.
    ControllerGen,
}

impl Compat {
    /// Whether mistakes are errors.
    #[must_use]
    pub fn is_strict(self) -> bool {
        self == Self::Strict
    }
}

/// The visibility of generated items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Visibility {
    /// `pub`: visible wherever their modules are.
    #[default]
    Public,
    /// `pub(crate)`.
    Crate,
}

/// The type of map fields in types from CRDs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MapType {
    /// `BTreeMap`, ordered by key.
    #[default]
    Btree,
    /// `HashMap`, which is nevertheless serialized in key order.
    Hash,
}

impl MapType {
    /// The type's name in `std::collections`.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Btree => "BTreeMap",
            Self::Hash => "HashMap",
        }
    }
}

/// The format of an API reference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DocsFormat {
    /// One page per version.
    #[default]
    Markdown,
    /// One page per group with all versions, and an index.
    Html,
}

impl DocsFormat {
    /// The extension of the pages.
    pub(crate) const fn extension(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Html => "html",
        }
    }
}

words! {
    DocsFormat { Markdown = "markdown", Html = "html" }
    Compat { Strict = "strict", ControllerGen = "controller-gen" }
    Visibility { Public = "public", Crate = "crate" }
    MapType { Btree = "btree", Hash = "hash" }
    KubernetesTypes { All = "all", Exact = "exact", None = "none" }
}

impl<const EARLIEST: u8> Word for VersionFrom<EARLIEST> {
    fn read(word: &str) -> Result<Self, String> {
        Self::parse(word)
    }

    fn spelled(self) -> String {
        self.to_string()
    }
}

/// What to do with CRDs that have errors; an option that is `true` or `false`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Faulty {
    /// Fail: nothing is generated.
    #[default]
    Refused,
    /// Skip them and generate for the others.
    Skipped,
}

impl OptionType for Faulty {
    const TYPE: Type = Type::Bool;
}

impl Hold<bool> for Faulty {
    fn hold(&mut self, is_skipped: bool) {
        *self = match is_skipped {
            true => Self::Skipped,
            false => Self::Refused,
        };
    }
}

impl OptionValue for Faulty {
    fn give(&mut self, given: Given<'_>) -> Result<(), String> {
        if let Given::Flag(is_skipped) = given {
            self.hold(is_skipped);
        }
        Ok(())
    }

    fn toml(&self) -> Option<Value> {
        Some(Value::Boolean(*self == Self::Skipped))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn map_types_are_words() {
        assert_eq!(MapType::parse("btree"), Ok(MapType::default()));
        assert_eq!(MapType::parse("hash"), Ok(MapType::Hash));
        assert!(MapType::parse("HashMap").is_err());
    }

    #[test]
    fn an_unknown_word_is_told_the_known_ones() {
        let message = KubernetesTypes::parse("any").unwrap_err();
        assert_eq!(message, "expected `all`, `exact` or `none`, found `any`");
    }
}
