//! The schemas of Rust's whole numbers.

use super::Schema;

pub(super) fn integer(format: &str) -> Schema {
    Schema::of_type("integer").with("format", format)
}

/// A whole number by its Rust name. controller-gen knows no bounds, and holds `uint32` for 32 bits with a sign.
pub(super) fn whole_number(name: &str, exact: bool) -> Schema {
    let schema = match name {
        "u32" if exact => return integer("int32"),
        "u32" | "u64" => integer("int64"),
        _ => Schema::of_type("integer"),
    };
    // An object with a number that the type cannot hold would keep clients from reading any.
    let (least, most): (Option<i64>, Option<i64>) = match name {
        _ if exact => (None, None),
        "i8" => (Some(i8::MIN.into()), Some(i8::MAX.into())),
        "i16" => (Some(i16::MIN.into()), Some(i16::MAX.into())),
        "u8" => (Some(0), Some(u8::MAX.into())),
        "u16" => (Some(0), Some(u16::MAX.into())),
        "u32" => (Some(0), Some(u32::MAX.into())),
        name if name.starts_with('u') => (Some(0), None),
        _ => (None, None),
    };
    let bounds = [("minimum", least), ("maximum", most)];
    let bounds = bounds
        .into_iter()
        .filter_map(|(word, bound)| Some((word, bound?)));
    bounds.fold(schema, |schema, (word, bound)| schema.with(word, bound))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn narrow_numbers_are_bounded_unless_go_has_the_say() {
        let check = |name: &str, exact: bool, expected: Value| {
            assert_eq!(Value::from(&whole_number(name, exact)), expected, "{name}");
        };
        check(
            "u8",
            false,
            json!({"type": "integer", "minimum": 0, "maximum": 255}),
        );
        check(
            "i16",
            false,
            json!({"type": "integer", "minimum": -32768, "maximum": 32767}),
        );
        check("usize", false, json!({"type": "integer", "minimum": 0}));
        check("isize", false, json!({"type": "integer"}));
        let most = u32::MAX;
        check(
            "u32",
            false,
            json!({"type": "integer", "format": "int64", "minimum": 0, "maximum": most}),
        );
        check("u32", true, json!({"type": "integer", "format": "int32"}));
        check("u8", true, json!({"type": "integer"}));
    }
}
