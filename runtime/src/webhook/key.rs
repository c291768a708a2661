//! What tells the items of a list apart.

use serde_json::Value;

/// A field that is part of a key, and the value that it has if it is missing.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct KeyField {
    pub(super) name: String,
    default: Option<Value>,
}

/// The fields that together tell items apart.
pub(super) type Key = Vec<KeyField>;

impl KeyField {
    /// A field with the value that it has if it is missing.
    pub(super) fn new(name: &str, default: Option<Value>) -> Self {
        let name = name.to_owned();
        Self { name, default }
    }

    /// The field's value in an item.
    pub(super) fn of<'v>(&'v self, item: &'v Value) -> Option<&'v Value> {
        let own = item.get(&self.name).filter(|value| !value.is_null());
        own.or(self.default.as_ref())
    }
}
