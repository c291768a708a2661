//! The order of an object's fields in JSON.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

/// A document of a Go type: type and metadata come first. Go writes custom resources, which have no
/// such type, in alphabetical order.
pub(crate) struct Ordered<'a>(pub(crate) &'a Value);

/// The first fields of a document.
const FIRST: [&str; 3] = ["kind", "apiVersion", "metadata"];

impl Serialize for Ordered<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Value::Object(fields) = self.0 else {
            return self.0.serialize(serializer);
        };
        let mut map = serializer.serialize_map(Some(fields.len()))?;
        for name in FIRST {
            if let Some(value) = fields.get(name) {
                map.serialize_entry(name, value)?;
            }
        }
        for (name, value) in fields {
            if !FIRST.contains(&name.as_str()) {
                map.serialize_entry(name, value)?;
            }
        }
        map.end()
    }
}
