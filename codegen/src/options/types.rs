//! Additional derives and attributes of generated types.

use std::fmt;

use serde::{Deserialize, Serialize};
use syn::parse::Parser as _;

use crate::model::DeclaredAt;

/// Derives and attributes for the structs and enums whose names match a pattern.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TypeAttributes {
    /// The pattern for type names.
    pub types: Pattern,
    /// Paths of derive macros (`Eq`, `schemars::JsonSchema`); duplicates of a type's own derives
    /// are skipped.
    pub derives: Vec<String>,
    /// Outer attributes (`#[non_exhaustive]`).
    pub attributes: Vec<String>,
    /// Where the pattern is declared.
    pub declared: DeclaredAt,
}

/// A name pattern, in which `*` matches any characters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pattern(String);

impl Pattern {
    /// Creates a pattern.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The pattern as written.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the name matches.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        let mut parts = self.0.split('*');
        let Some(mut rest) = parts.next().and_then(|start| name.strip_prefix(start)) else {
            return false;
        };
        let mut parts = parts.peekable();
        if parts.peek().is_none() {
            return rest.is_empty();
        }
        while let Some(part) = parts.next() {
            if parts.peek().is_none() {
                return rest.ends_with(part);
            }
            let Some(at) = rest.find(part) else {
                return false;
            };
            rest = rest.get(at + part.len()..).unwrap_or_default();
        }
        true
    }

    /// The pattern without `*`.
    #[must_use]
    pub fn stem(&self) -> String {
        self.0.replace('*', "")
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TypeAttributes {
    /// Parses derives for types, written `PATTERN=DERIVE,…`.
    ///
    /// # Errors
    ///
    /// A message that says what is valid.
    pub fn parse_derives(text: &str) -> Result<Self, String> {
        let (types, derives) = halves(text, "IssuerSpec*=Eq,schemars::JsonSchema")?;
        let derives = derives
            .split(',')
            .map(|path| derive_path(path.trim()))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            types,
            derives,
            ..Self::default()
        })
    }

    /// Parses an attribute for types, written `PATTERN=ATTRIBUTE`.
    ///
    /// # Errors
    ///
    /// A message that says what is valid.
    pub fn parse_attribute(text: &str) -> Result<Self, String> {
        let (types, attribute) = halves(text, "IssuerSpec*=#[non_exhaustive]")?;
        Ok(Self {
            types,
            attributes: vec![type_attribute(attribute)?],
            ..Self::default()
        })
    }
}

/// Splits a pattern from the value for its types.
fn halves<'a>(text: &'a str, example: &str) -> Result<(Pattern, &'a str), String> {
    text.split_once('=')
        .filter(|(types, what)| !types.trim().is_empty() && !what.trim().is_empty())
        .map(|(types, what)| (Pattern::new(types.trim()), what.trim()))
        .ok_or_else(|| {
            format!("expected a pattern of type names, `=` and a value, such as '{example}'")
        })
}

/// Validates the path of a derive macro, and returns it unchanged.
///
/// # Errors
///
/// A message that says which paths are valid.
pub fn derive_path(text: &str) -> Result<String, String> {
    match syn::parse_str::<syn::Path>(text) {
        Ok(path) if path.segments.iter().all(|it| it.arguments.is_none()) => Ok(text.to_owned()),
        _ => Err(format!(
            "expected the path of a derive macro, such as `Eq` or `schemars::JsonSchema`, found `{text}`"
        )),
    }
}

/// Validates the outer attributes of a type, and returns them unchanged.
///
/// # Errors
///
/// A message that says which attributes are valid.
pub fn type_attribute(text: &str) -> Result<String, String> {
    let expected = |why: &str| {
        format!("expected an attribute such as `#[non_exhaustive]`, found `{text}`{why}")
    };
    match syn::Attribute::parse_outer.parse_str(text) {
        Ok(attributes) if attributes.is_empty() => Err(expected("")),
        Ok(_) => Ok(text.to_owned()),
        Err(error) => Err(expected(&format!(": {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, matching: &[&str], others: &[&str]) {
        let pattern = Pattern::new(pattern);
        for name in matching {
            assert!(pattern.matches(name), "{pattern} and {name}");
        }
        for name in others {
            assert!(!pattern.matches(name), "{pattern} and {name}");
        }
    }

    #[test]
    fn a_star_stands_for_any_characters() {
        check("Issuer", &["Issuer"], &["IssuerSpec", "Issue", ""]);
        check("Issuer*", &["Issuer", "IssuerSpec"], &["AIssuer"]);
        check("*Ref", &["Ref", "SecretRef"], &["Refs"]);
        check("*A*B*", &["AB", "xAyBz"], &["BA", "A"]);
        check("A*A", &["AA", "ABA"], &["A"]);
        check("*", &["", "Any"], &[]);
        check("ä*", &["äö"], &["a"]);
    }

    #[test]
    fn derives_are_paths_and_attributes_are_outer() {
        for path in ["Eq", "::schemars::JsonSchema", "a::B"] {
            assert!(derive_path(path).is_ok(), "{path}");
        }
        for path in ["", "Eq, Hash", "a b", "Vec<A>", "#[x]"] {
            assert!(derive_path(path).is_err(), "{path}");
        }
        for text in [
            "#[non_exhaustive]",
            "#[cfg_attr(test, derive(Eq))] #[must_use]",
        ] {
            assert!(type_attribute(text).is_ok(), "{text}");
        }
        for text in ["", "non_exhaustive", "#[a", "#![a]", "struct A;"] {
            assert!(type_attribute(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_pattern_ends_at_the_first_equals_sign() {
        let parsed = TypeAttributes::parse_attribute("A* = #[doc = \"x\"]").unwrap();
        assert_eq!(parsed.types, Pattern::new("A*"));
        assert_eq!(parsed.attributes, ["#[doc = \"x\"]"]);
        let parsed = TypeAttributes::parse_derives("*=Eq, Hash").unwrap();
        assert_eq!(parsed.derives, ["Eq", "Hash"]);
        for text in ["A", "=Eq", "A=", "A=#[x]"] {
            assert!(TypeAttributes::parse_derives(text).is_err(), "{text}");
        }
    }
}
