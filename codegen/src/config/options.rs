//! Builder methods for options.

use super::Config;
use crate::options::{Pattern, TypeAttributes, setters};

impl Config {
    setters!();

    /// Derives a trait for the structs and enums from CRDs and Go whose names match
    /// (`IssuerSpec*`), by the path of the derive macro (`schemars::JsonSchema`).
    #[must_use]
    pub fn type_derive(self, types: impl Into<String>, derive: impl Into<String>) -> Self {
        self.type_attributes(TypeAttributes {
            types: Pattern::new(types),
            derives: vec![derive.into()],
            ..TypeAttributes::default()
        })
    }

    /// Adds an attribute (`#[non_exhaustive]`) to the structs and enums from CRDs and Go whose
    /// names match (`IssuerSpec*`).
    #[must_use]
    pub fn type_attribute(self, types: impl Into<String>, attribute: impl Into<String>) -> Self {
        self.type_attributes(TypeAttributes {
            types: Pattern::new(types),
            attributes: vec![attribute.into()],
            ..TypeAttributes::default()
        })
    }

    /// Adds derives and attributes for the structs and enums from CRDs and Go whose names match.
    #[must_use]
    pub fn type_attributes(mut self, attributes: TypeAttributes) -> Self {
        self.options.types.attributes.push(attributes);
        self
    }
}
