//! Schemas of Rust's integer types.

use serde_json::json;

use super::Schema;

pub(super) fn integer(format: &str) -> Schema {
    Schema::of_type("integer").with("format", format)
}

/// An integer type, by its Rust name. controller-gen adds no bounds, and treats `uint32` as a signed 32-bit integer.
pub(super) fn whole_number(name: &str, exact: bool) -> Schema {
    let schema = match name {
        "u32" if exact => return integer("int32"),
        "u32" | "u64" => integer("int64"),
        _ => Schema::of_type("integer"),
    };
    // Without bounds, one stored object whose number overflows the type would break every client that reads it.
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

/// `NonZeroU32` and the like, by the part of the name after `NonZero`.
pub(super) fn non_zero(name: &str) -> Option<Schema> {
    let name = name.to_ascii_lowercase();
    let primitive = ["8", "16", "32", "64", "128", "size"];
    let width = name.strip_prefix(['i', 'u'])?;
    let schema = match name.as_str() {
        "i32" => integer("int32"),
        "i64" => integer("int64"),
        name => whole_number(name, false),
    };
    primitive
        .contains(&width)
        .then(|| match name.starts_with('u') {
            true => schema.with("minimum", 1),
            false => schema.with("not", json!({"enum": [0]})),
        })
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

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

    #[test]
    fn numbers_other_than_zero_are_as_narrow_as_their_primitives() {
        let check = |name: &str, expected: Option<Value>| {
            assert_eq!(non_zero(name).as_ref().map(Value::from), expected, "{name}");
        };
        check(
            "U8",
            Some(json!({"type": "integer", "minimum": 1, "maximum": 255})),
        );
        check(
            "I64",
            Some(json!({"type": "integer", "format": "int64", "not": {"enum": [0]}})),
        );
        check("Usize", Some(json!({"type": "integer", "minimum": 1})));
        check("", None);
        check("Bool", None);
    }
}
