//! The classes of changes that crdify checks, each with its verdict and ours. crdify reports every
//! one as an error by default; a verdict of ours that differs says why.

use serde_json::{Value, json};

use crate::{Options, Severity, compare};

use super::{crd, crd_of};

use Severity::{Compatible, Incompatible, Risk};

/// A class: the name of crdify's check, a change of a field, our verdict, and why it differs.
type Class = (&'static str, Value, Value, Severity, &'static str);

#[rustfmt::skip]
fn of_a_property() -> Vec<Class> {
    let number = |key: &str, value: i64| json!({"type": "integer", key: value});
    let text = |key: &str, value: Value| json!({"type": "string", key: value});
    let list = |key: &str, value: Value| json!({"type": "array", "items": {"type": "string"}, key: value});
    let map = |key: &str, value: Value| json!({"type": "object", "additionalProperties": {"type": "string"}, key: value});
    let (integer, string) = (json!({"type": "integer"}), json!({"type": "string"}));
    let no = || json!("");
    vec![
        ("default changed", text("default", json!("a")), text("default", json!("b")), Incompatible, ""),
        ("default removed", text("default", json!("a")), string.clone(), Incompatible, ""),
        ("default added", string.clone(), text("default", json!("a")), Risk, "only objects without the field mean something else, and what the default is may be what its absence meant"),
        ("enum value removed", text("enum", json!(["a", "b"])), text("enum", json!(["a"])), Incompatible, ""),
        ("enum value added", text("enum", json!(["a"])), text("enum", json!(["a", "b"])), Risk, "only readers that do not know the value are hurt"),
        ("enum constraint added", string.clone(), text("enum", json!(["a"])), Incompatible, ""),
        ("enum constraint removed", text("enum", json!(["a"])), string.clone(), Risk, "only readers that do not know the value are hurt"),
        ("maximum decreased", number("maximum", 9), number("maximum", 8), Incompatible, ""),
        ("maximum increased", number("maximum", 8), number("maximum", 9), Compatible, "nothing is refused"),
        ("maximum added", integer.clone(), number("maximum", 8), Incompatible, ""),
        ("minimum increased", number("minimum", 1), number("minimum", 2), Incompatible, ""),
        ("minimum added", integer.clone(), number("minimum", 2), Incompatible, ""),
        ("maxItems decreased", list("maxItems", json!(3)), list("maxItems", json!(2)), Incompatible, ""),
        ("maxItems added", list("title", no()), list("maxItems", json!(2)), Incompatible, ""),
        ("minItems increased", list("minItems", json!(1)), list("minItems", json!(2)), Incompatible, ""),
        ("minItems added", list("title", no()), list("minItems", json!(1)), Incompatible, ""),
        ("minItems of 0 added", list("title", no()), list("minItems", json!(0)), Compatible, "it refuses nothing"),
        ("maxLength decreased", text("maxLength", json!(3)), text("maxLength", json!(2)), Incompatible, ""),
        ("maxLength added", string.clone(), text("maxLength", json!(2)), Incompatible, ""),
        ("minLength increased", text("minLength", json!(1)), text("minLength", json!(2)), Incompatible, ""),
        ("minLength added", string.clone(), text("minLength", json!(2)), Incompatible, ""),
        ("maxProperties decreased", map("maxProperties", json!(3)), map("maxProperties", json!(2)), Incompatible, ""),
        ("maxProperties added", map("title", no()), map("maxProperties", json!(2)), Incompatible, ""),
        ("minProperties increased", map("minProperties", json!(1)), map("minProperties", json!(2)), Incompatible, ""),
        ("minProperties added", map("title", no()), map("minProperties", json!(2)), Incompatible, ""),
        ("nullable removed", text("nullable", json!(true)), string.clone(), Risk, "to most clients a dropped null says the same; a required field is refused"),
        ("nullable added", string.clone(), text("nullable", json!(true)), Compatible, "an optional field of a type takes null for absence"),
        ("pattern added", string.clone(), text("pattern", json!("^a$")), Incompatible, ""),
        ("pattern removed", text("pattern", json!("^a$")), string.clone(), Compatible, "nothing is refused"),
        ("pattern narrowed", text("pattern", json!("^[ab]$")), text("pattern", json!("^a$")), Incompatible, ""),
        ("pattern widened", text("pattern", json!("^a$")), text("pattern", json!("^[ab]$")), Compatible, "the new pattern includes the old one, by their automata"),
        ("type changed", integer, string.clone(), Incompatible, ""),
        ("description changed", text("description", json!("a")), text("description", json!("b")), Compatible, "only people read it"),
    ]
}

#[test]
fn each_class_of_a_property_has_its_verdict() {
    for (class, old, new, expected, why) in of_a_property() {
        let spec = |schema: Value| crd_of(&json!({"type": "object", "properties": {"a": schema}}));
        check(class, &spec(old), &spec(new), expected, why);
    }
}

#[test]
fn each_class_of_a_definition_has_its_verdict() {
    let spec = |required: &[&str]| {
        let properties = json!({"a": {"type": "string"}});
        crd_of(&json!({"type": "object", "required": required, "properties": properties}))
    };
    check(
        "required field added",
        &spec(&[]),
        &spec(&["a"]),
        Incompatible,
        "",
    );
    let why = "readers fail on an object without the field, which crdify does not look at";
    check(
        "required field removed",
        &spec(&["a"]),
        &spec(&[]),
        Incompatible,
        why,
    );
    let without = crd_of(&json!({"type": "object"}));
    check(
        "existing field removed",
        &spec(&[]),
        &without,
        Incompatible,
        "",
    );
    let mut cluster = without.clone();
    cluster["spec"]["scope"] = json!("Cluster");
    check("scope changed", &without, &cluster, Incompatible, "");
    let mut two = crd(&json!({"type": "object"}));
    let mut stored = two["spec"]["versions"][0].clone();
    two["spec"]["versions"][0]["storage"] = json!(false);
    stored["name"] = json!("v2");
    two["spec"]["versions"].as_array_mut().unwrap().push(stored);
    let mut one = two.clone();
    one["spec"]["versions"].as_array_mut().unwrap().pop();
    one["spec"]["versions"][0]["storage"] = json!(true);
    check("stored version removed", &two, &one, Incompatible, "");
}

#[track_caller]
fn check(class: &str, old: &Value, new: &Value, expected: Severity, why: &str) {
    let found = compare(old, new, &Options::default());
    let worst = found.iter().map(crate::Finding::severity).max();
    assert_eq!(worst, Some(expected), "{class}: {found:#?}");
    // A milder verdict has a reason; an incompatible change has a witness, or says why none is
    // needed.
    assert!(expected == Incompatible || !why.is_empty(), "{class}");
    for harm in found.iter().flat_map(|it| &it.harms) {
        let is_shown = harm.witness.is_some() || !harm.note.is_empty();
        assert!(is_shown, "{class}: {harm:#?}");
    }
}
