//! What the rules of a schema need to know of it, whoever keeps it: the server as it was sent, the generator as it builds it.

/// A schema that rules are about. `'s` is how long it lives.
pub trait SchemaView<'s>: Copy {
    /// A keyword that is a text; empty if it is absent.
    fn text(self, word: &str) -> &'s str;

    /// Whether a keyword is true.
    fn flag(self, word: &str) -> bool;

    /// Whether a keyword has a value other than null.
    fn has(self, word: &str) -> bool;

    /// A bound of a size; negative ones count as 0.
    fn bound(self, word: &str) -> Option<u64>;

    /// The bytes of the longest text of `enum`; none without one.
    fn longest_of_enum(self) -> Option<u64>;

    /// Whether a property is required.
    fn requires(self, property: &str) -> bool;

    /// The properties with their schemas.
    fn properties(self) -> impl Iterator<Item = (&'s str, Self)>;

    /// The schema of a property.
    fn property(self, name: &str) -> Option<Self>;

    /// The schema of a list's items.
    fn items(self) -> Option<Self>;

    /// The schema of a map's values.
    fn additional(self) -> Option<Self>;
}
