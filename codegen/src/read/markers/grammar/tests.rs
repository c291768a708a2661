use proptest::prelude::*;
use serde_json::json;

use super::*;

fn read(kind: ValueKind, text: &str) -> Result<Value, String> {
    let mut cursor = Cursor::new(text, 0);
    let value = cursor.value(kind).map_err(|error| error.message)?;
    if cursor.is_empty() {
        Ok(value)
    } else {
        Err(format!("left: {}", &text[cursor.at()..]))
    }
}

#[track_caller]
fn check(kind: ValueKind, text: &str, expected: Value) {
    assert_eq!(read(kind, text), Ok(expected), "{text}");
}

#[track_caller]
fn fails(kind: ValueKind, text: &str, expected: &str) {
    let message = read(kind, text).expect_err(text);
    assert!(message.contains(expected), "{text}: {message}");
}

#[test]
fn texts_are_bare_quoted_or_raw() {
    check(ValueKind::String, "date-time", json!("date-time"));
    check(ValueKind::String, r#""a, \"b\"""#, json!("a, \"b\""));
    check(ValueKind::String, r"`^[a-z],\d+$`", json!(r"^[a-z],\d+$"));
    check(ValueKind::String, r#""\u00e9""#, json!("é"));
    fails(ValueKind::String, r#""open"#, "closing quote");
    fails(ValueKind::String, r#""\d""#, "escape");
    fails(ValueKind::String, "a,b", "left: ,b");
}

#[test]
fn a_lone_backtick_is_text() {
    check(ValueKind::String, "`half", json!("`half"));
}

#[test]
fn numbers_keep_their_kind() {
    check(ValueKind::Int, "-3", json!(-3));
    check(ValueKind::Number, "1.5", json!(1.5));
    check(ValueKind::Number, "100", json!(100));
    fails(ValueKind::Int, "1.5", "expected an integer");
    fails(ValueKind::Number, "ten", "expected a number");
    fails(ValueKind::Bool, "yes", "true or false");
}

#[test]
fn lists_have_two_forms() {
    check(ValueKind::Strings, "a;b", json!(["a", "b"]));
    check(ValueKind::Strings, "{a, b}", json!(["a", "b"]));
    check(ValueKind::Strings, r#""""#, json!([""]));
    check(ValueKind::Values, "1;2;x", json!([1, 2, "x"]));
    check(ValueKind::Words, "create, get", json!(["create", "get"]));
    check(ValueKind::Strings, "a;", json!(["a"]));
    check(ValueKind::Strings, r#""";a"#, json!(["", "a"]));
    fails(ValueKind::Strings, "{a, b", "`,` or `}`");
    for text in ["a;;b", ";a", "{a,,b}", "{,a}"] {
        fails(ValueKind::Strings, text, "empty item");
    }
    fails(ValueKind::Any, "a;;b", "empty item");
    fails(ValueKind::Words, "create,", "missing");
}

#[test]
fn any_guesses_from_the_text() {
    rows![check:
        (ValueKind::Any, "true", json!(true)),
        (ValueKind::Any, "3", json!(3)),
        (ValueKind::Any, "Cluster", json!("Cluster")),
        (ValueKind::Any, "100Mi", json!("100Mi")),
        (ValueKind::Any, "2024-01-15", json!("2024-01-15")),
        (ValueKind::Any, "{1,2}", json!([1, 2])),
        (ValueKind::Any, "{}", json!({})),
        (ValueKind::Any, r#"{cpu: "100m", sizes: {1,2}, on: true}"#,
            json!({"cpu": "100m", "sizes": [1, 2], "on": true})),
        (ValueKind::Any, "{{a: 1},{a: 2}}", json!([{"a": 1}, {"a": 2}])),
        (ValueKind::Any, "a;b", json!(["a", "b"])),
    ];
    fails(ValueKind::Any, "[1,2]", "braces");
    fails(ValueKind::Any, "{a: 1, a: 2}", "twice");
    fails(ValueKind::Any, &"{".repeat(100_000), "deep");
}

#[test]
fn json_is_json() {
    check(ValueKind::Json, r#"{"a": [1]}"#, json!({"a": [1]}));
    fails(ValueKind::Json, "Cluster", "not JSON");
}

#[test]
fn a_choice_suggests() {
    let words = ValueKind::Choice(&["atomic", "set", "map"]);
    check(words, "set", json!("set"));
    fails(words, "atomc", "expected `atomic`, `set`, `map`");
}

proptest! {
    #[test]
    fn no_text_makes_the_grammar_panic(text in r#"[a-z0-9,;:{}"`\\ =.é-]{0,40}"#) {
        for kind in [
            ValueKind::Bool, ValueKind::Int, ValueKind::Number, ValueKind::String,
            ValueKind::Strings, ValueKind::Values, ValueKind::Any, ValueKind::Json, ValueKind::Words,
        ] {
            let mut cursor = Cursor::new(&text, 0);
            if let Err(error) = cursor.value(kind) {
                prop_assert!(error.range.end <= text.len() && text.get(error.range.clone()).is_some());
            }
            prop_assert!(text.get(cursor.at()..).is_some());
        }
    }
}
