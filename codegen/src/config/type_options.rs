//! Builder methods for the shape of generated types.

use super::Config;
use crate::options::{MapType, Pattern, TypeAttributes, Visibility};

impl Config {
    /// Whether structs from CRDs and Go derive `bon::Builder`, whose `build()` only compiles once all required fields are set.
    /// The crate then needs `bon = { version = "3", default-features = false }`.
    #[must_use]
    pub const fn builders(mut self, builders: bool) -> Self {
        self.options.types.builders = builders;
        self
    }

    /// The visibility of generated items: everywhere (`pub`), or within the crate (`pub(crate)`).
    #[must_use]
    pub const fn visibility(mut self, visibility: Visibility) -> Self {
        self.options.types.visibility = visibility;
        self
    }

    /// The type of map fields from CRDs: `BTreeMap`, or `HashMap`, which is serialized in key order.
    #[must_use]
    pub const fn map_type(mut self, map_type: MapType) -> Self {
        self.options.types.map_type = map_type;
        self
    }

    /// Puts the field at a schema path (`VirtualMachine.spec.template`) in a `Box`.
    #[must_use]
    pub fn boxed(mut self, path: impl Into<String>) -> Self {
        self.options.types.boxed.insert(path.into());
        self
    }

    /// Derives a trait for the structs and enums from CRDs and Go whose names match (`IssuerSpec*`), by the path of the derive
    /// macro (`schemars::JsonSchema`).
    #[must_use]
    pub fn type_derive(self, types: impl Into<String>, derive: impl Into<String>) -> Self {
        self.type_attributes(TypeAttributes {
            types: Pattern::new(types),
            derives: vec![derive.into()],
            ..TypeAttributes::default()
        })
    }

    /// Adds an attribute (`#[non_exhaustive]`) to the structs and enums from CRDs and Go whose names match (`IssuerSpec*`).
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
