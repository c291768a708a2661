//! The submodules of the codec, each with those that it names.

/// A submodule of the codec.
pub(super) struct Part {
    pub(super) name: &'static str,
    pub(super) source: &'static str,
    /// The submodules that it names.
    pub(super) needs: &'static [&'static str],
}

pub(super) const PARTS: [Part; 21] = [
    Part {
        name: "base64",
        source: include_str!("../../../../../runtime/src/codec/base64.rs"),
        needs: &[],
    },
    Part {
        name: "condition",
        source: include_str!("../../../../../runtime/src/codec/condition.rs"),
        needs: &["time"],
    },
    Part {
        name: "derived",
        source: include_str!("../../../../../runtime/src/codec/derived.rs"),
        needs: &[],
    },
    Part {
        name: "exact_reader",
        source: include_str!("../../../../../runtime/src/codec/exact_reader.rs"),
        needs: &["exact_writer", "optional_text"],
    },
    Part {
        name: "exact_writer",
        source: include_str!("../../../../../runtime/src/codec/exact_writer.rs"),
        needs: &["int_or_string", "optional_text", "quantity"],
    },
    Part {
        name: "hashed",
        source: include_str!("../../../../../runtime/src/codec/hashed.rs"),
        needs: &[],
    },
    Part {
        name: "int_or_string",
        source: include_str!("../../../../../runtime/src/codec/int_or_string.rs"),
        needs: &["number"],
    },
    Part {
        name: "integers",
        source: include_str!("../../../../../runtime/src/codec/integers.rs"),
        needs: &[],
    },
    Part {
        name: "kinds",
        source: include_str!("../../../../../runtime/src/codec/kinds.rs"),
        needs: &["object"],
    },
    Part {
        name: "kubernetes",
        source: include_str!("../../../../../runtime/src/codec/kubernetes.rs"),
        needs: &["exact_reader", "exact_writer"],
    },
    Part {
        name: "number",
        source: include_str!("../../../../../runtime/src/codec/number.rs"),
        needs: &[],
    },
    Part {
        name: "object",
        source: include_str!("../../../../../runtime/src/codec/object.rs"),
        needs: &["object_writer", "property"],
    },
    Part {
        name: "object_writer",
        source: include_str!("../../../../../runtime/src/codec/object_writer.rs"),
        needs: &["property"],
    },
    Part {
        name: "omittable",
        source: include_str!("../../../../../runtime/src/codec/omittable.rs"),
        needs: &["object", "object_writer"],
    },
    Part {
        name: "optional_text",
        source: include_str!("../../../../../runtime/src/codec/optional_text.rs"),
        needs: &[],
    },
    Part {
        name: "property",
        source: include_str!("../../../../../runtime/src/codec/property.rs"),
        needs: &[],
    },
    Part {
        name: "quantity",
        source: include_str!("../../../../../runtime/src/codec/quantity.rs"),
        needs: &["number"],
    },
    Part {
        name: "sparse",
        source: include_str!("../../../../../runtime/src/codec/sparse.rs"),
        needs: &["exact_reader", "exact_writer", "object", "object_writer"],
    },
    Part {
        name: "texts",
        source: include_str!("../../../../../runtime/src/codec/texts.rs"),
        needs: &[],
    },
    Part {
        name: "time",
        source: include_str!("../../../../../runtime/src/codec/time.rs"),
        needs: &[],
    },
    Part {
        name: "union",
        source: include_str!("../../../../../runtime/src/codec/union.rs"),
        needs: &[],
    },
];
