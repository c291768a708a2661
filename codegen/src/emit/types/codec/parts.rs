//! The submodules of the codec and their dependencies.

/// A submodule of the codec.
pub(super) struct Part {
    pub(super) name: &'static str,
    pub(super) source: &'static str,
    /// The submodules that it refers to.
    pub(super) needs: &'static [&'static str],
}

/// A submodule with its source file in the runtime.
macro_rules! part {
    ($name:literal, $needs:expr) => {
        Part {
            name: $name,
            source: include_str!(concat!("../../../../../runtime/src/codec/", $name, ".rs")),
            needs: $needs,
        }
    };
}

pub(super) const PARTS: [Part; 21] = [
    part!("base64", &[]),
    part!("condition", &["time"]),
    part!("derived", &[]),
    part!("exact_reader", &["exact_writer", "optional_text"]),
    part!(
        "exact_writer",
        &["int_or_string", "optional_text", "quantity"]
    ),
    part!("hashed", &[]),
    part!("int_or_string", &["number"]),
    part!("integers", &[]),
    part!("kinds", &["object"]),
    part!("kubernetes", &["exact_reader", "exact_writer"]),
    part!("number", &[]),
    part!("object", &["object_writer", "property"]),
    part!("object_writer", &["property"]),
    part!("omittable", &["object", "object_writer"]),
    part!("optional_text", &[]),
    part!("property", &[]),
    part!("quantity", &["number"]),
    part!(
        "sparse",
        &["exact_reader", "exact_writer", "object", "object_writer"]
    ),
    part!("texts", &[]),
    part!("time", &[]),
    part!("union", &[]),
];
