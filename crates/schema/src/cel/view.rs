//! What rules need to know about a schema, whatever its representation: the server's as it was
//! sent, or the generator's while it is built; and what they need to know while they run.

use std::fmt::Debug;

use serde_json::Value;

use crate::types::{ListType, Types};

/// A schema that rules apply to. `'s` is its lifetime.
pub trait SchemaView<'s>: Copy {
    /// Returns a string keyword; empty if it is absent.
    fn text(self, word: &str) -> &'s str;

    /// Whether a boolean keyword is true.
    fn flag(self, word: &str) -> bool;

    /// Whether a keyword has a value other than null.
    fn has(self, word: &str) -> bool;

    /// Returns a size limit; negative ones count as 0.
    fn bound(self, word: &str) -> Option<u64>;

    /// Returns the bytes of the longest string of `enum`; `None` without one.
    fn longest_of_enum(self) -> Option<u64>;

    /// Whether a property is required.
    fn requires(self, property: &str) -> bool;

    /// Returns the rules (`x-kubernetes-validations`).
    fn rules(self) -> &'s [Value];

    /// Returns the properties with their schemas.
    fn properties(self) -> impl Iterator<Item = (&'s str, Self)>;

    /// Returns the schema of a property.
    fn property(self, name: &str) -> Option<Self>;

    /// Returns the schema of a list's items.
    fn items(self) -> Option<Self>;

    /// Returns the schema of a map's values.
    fn additional(self) -> Option<Self>;
}

/// The schema of a value that a rule reads.
pub(crate) trait ValueSchema: Debug {
    /// Returns the types of the value.
    fn types(&self) -> Types;

    /// Returns the format of a string.
    fn format(&self) -> Option<&str>;

    /// Whether the value is a resource of its own, with `apiVersion`, `kind` and `metadata`.
    fn is_resource(&self) -> bool;

    /// Whether the schema declares fields.
    fn is_struct(&self) -> bool;

    /// Returns the schema of a field, or of a map's value.
    fn field(&self, name: &str) -> Option<&dyn ValueSchema>;

    /// Returns the schema of a list's items.
    fn items(&self) -> Option<&dyn ValueSchema>;

    /// Returns the topology of a list.
    fn list_type(&self) -> &ListType;
}
