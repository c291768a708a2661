//! Markers of conversion between the versions of a kind.

use super::{At, Length, define::markers};

markers! { MARKERS;
    /// The field has this name in versions that do not have its own name; for the generator
    /// `conversion`.
    RenamedFrom = "codegen:renamed-from", on [Field] { default: "the same name", repeats: true } (
        /// the other name, as on the wire
        name: At<String> = "" as "name",
    );

    /// The field is at this path in versions that do not have it at its own; for the generator
    /// `conversion`. Neither path leads through a list or map.
    MovedFrom = "codegen:moved-from", on [Field] { default: "the same path", repeats: true } (
        /// the path from the object, as `spec.size`
        path: At<String> = "" as "path",
    );

    /// A value of the field that other versions spell differently; for the generator `conversion`.
    ValueFrom = "codegen:value-from", on [Field] { default: "the same value", repeats: true } (
        /// the value here
        value: String = "value" as "value",
        /// the value in versions that do not have it
        old: String = "old" as "value",
    );

    /// The number is this many times that of versions with the field's old name or path, as for
    /// seconds that were minutes (60); for the generator `conversion`. What division leaves over is
    /// kept in an annotation.
    ScaledFrom = "codegen:scaled-from", on [Field] { default: "the same number" } (
        /// the factor
        factor: Length = "" as "number",
    );

    /// Versions without the field lose its value, which no annotation keeps; for the generator
    /// `conversion`.
    Lossy = "codegen:lossy", on [Field] { default: "an annotation keeps it" } (
        /// why that hurts nobody
        reason: String = "" as "reason",
    );
}
