//! Changes of a schema.

use serde_json::json;

use super::{check, check_crds, check_field, crd};

#[test]
fn a_narrower_bound_refuses_what_was_accepted() {
    check_field(
        json!({"type": "integer", "maximum": 10}),
        json!({"type": "integer", "maximum": 5}),
        &[
            "incompatible bound-changed spec.a: stored objects, writers: accepted ⇒ Widget.example.com \"example\" is invalid: spec.a: Invalid value: 6: spec.a in body should be less than or equal to 5",
        ],
    );
    check_field(
        json!({"type": "integer", "maximum": 5}),
        json!({"type": "integer", "maximum": 10}),
        &["compatible bound-changed spec.a"],
    );
    check_field(
        json!({"type": "integer", "minimum": 0}),
        json!({"type": "integer", "minimum": 0, "exclusiveMinimum": true}),
        &["spec.a: Invalid value: 0: spec.a in body should be greater than 0"],
    );
    check_field(
        json!({"type": "string"}),
        json!({"type": "string", "maxLength": 3}),
        &["spec.a: Too long: may not be more than 3 bytes"],
    );
    check_field(
        json!({"type": "array", "items": {"type": "string"}}),
        json!({"type": "array", "items": {"type": "string"}, "minItems": 1}),
        &["spec.a in body should have at least 1 items"],
    );
    check_field(
        json!({"type": "array", "minItems": 3, "maxItems": 5, "items": {"type": "string"}}),
        json!({"type": "array", "minItems": 3, "maxItems": 4, "items": {"type": "string"}}),
        &["spec.a: Too many: 5: must have at most 4 items"],
    );
    check_field(
        json!({"type": "integer", "multipleOf": 2}),
        json!({"type": "integer", "multipleOf": 4}),
        &["spec.a in body should be a multiple of 4"],
    );
    check_field(
        json!({"type": "integer", "multipleOf": 4}),
        json!({"type": "integer", "multipleOf": 2}),
        &["compatible bound-changed spec.a"],
    );
}

#[test]
fn a_bound_that_another_one_hides_hurts_nobody_who_can_be_shown() {
    check_field(
        json!({"type": "string", "enum": ["a", "b"]}),
        json!({"type": "string", "enum": ["a", "b"], "maxLength": 3}),
        &["risk bound-changed spec.a: stored objects, writers: no witness"],
    );
}

#[test]
fn patterns_are_compared_as_languages() {
    let text = |pattern: &str| json!({"type": "string", "pattern": pattern});
    check_field(
        text("^[a-z]+$"),
        text("^[a-z0-9]+$"),
        &["compatible pattern-changed spec.a"],
    );
    check_field(
        text("^[a-z0-9]+$"),
        text("^[a-z]+$"),
        &["spec.a: Invalid value: \"0\": spec.a in body should match '^[a-z]+$'"],
    );
    check_field(
        json!({"type": "string", "pattern": "^a*b?$", "minLength": 2}),
        json!({"type": "string", "pattern": "^a*$", "minLength": 2}),
        &["spec.a: Invalid value: \"ab\""],
    );
}

#[test]
fn enums_hurt_writers_of_what_is_gone_and_readers_of_what_is_new() {
    let listed = |values: &[&str]| json!({"type": "string", "enum": values});
    check_field(
        listed(&["A", "B"]),
        listed(&["A", "C"]),
        &[
            "incompatible enum-changed spec.a: stored objects, writers: accepted ⇒ Widget.example.com \"example\" is invalid: spec.a: Unsupported value: \"B\": supported values: \"A\", \"C\"",
            "readers: a client of the old schema does not know the value \"C\" of spec.a ⇒ accepted",
        ],
    );
    check_field(
        listed(&["A"]),
        listed(&["A", "B"]),
        &["risk enum-changed spec.a: readers"],
    );
    check_field(
        listed(&["A", "B"]),
        listed(&["B", "A"]),
        &["compatible enum-changed spec.a"],
    );
    check_field(
        json!({"type": "string", "pattern": "^A$", "enum": ["A", "B"]}),
        json!({"type": "string", "pattern": "^A$", "enum": ["A"]}),
        &["compatible enum-changed spec.a"],
    );
}

#[test]
fn required_fields_hurt_writers_and_optional_ones_readers() {
    let spec = |required: &[&str], default: bool| {
        let mut a = json!({"type": "string"});
        if default {
            a["default"] = json!("x");
        }
        json!({"type": "object", "required": required, "properties": {"a": a, "b": {"type": "string"}}})
    };
    check(
        spec(&["b"], false),
        spec(&["a", "b"], false),
        &[
            "incompatible required-changed spec: stored objects, writers: accepted ⇒ Widget.example.com \"example\" is invalid: spec.a: Required value",
        ],
    );
    check(
        spec(&["b"], true),
        spec(&["a", "b"], true),
        &["compatible required-changed spec"],
    );
    check(
        spec(&["a", "b"], false),
        spec(&["b"], false),
        &[
            "incompatible required-changed spec: readers: a type of the old schema fails to decode spec: missing field `a` ⇒ accepted",
        ],
    );
}

#[test]
fn a_field_that_is_gone_loses_its_data() {
    let spec = |properties: serde_json::Value| json!({"type": "object", "properties": properties});
    check(
        spec(json!({"a": {"type": "string"}, "b": {"type": "integer"}})),
        spec(json!({"b": {"type": "integer"}})),
        &["incompatible field-removed spec.a: data: `spec.a` is \"a\" ⇒ `spec.a` is dropped"],
    );
    check(
        spec(json!({"b": {"type": "integer"}})),
        spec(json!({"a": {"type": "string", "default": "x"}, "b": {"type": "integer"}})),
        &["compatible field-added spec.a"],
    );
    let mut kept = spec(json!({"b": {"type": "integer"}}));
    kept["x-kubernetes-preserve-unknown-fields"] = json!(true);
    let mut before = spec(json!({"a": {"type": "string"}, "b": {"type": "integer"}}));
    before["x-kubernetes-preserve-unknown-fields"] = json!(true);
    check(
        before.clone(),
        kept.clone(),
        &["compatible field-removed spec.a"],
    );
    check(
        kept,
        before,
        &[
            "incompatible field-added spec.a: stored objects, writers: accepted ⇒ Widget.example.com \"example\" is invalid: spec.a: Invalid value: \"integer\": spec.a in body must be of type string: \"integer\"",
        ],
    );
}

#[test]
fn a_required_field_that_is_gone_hurts_readers_too() {
    check(
        json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}),
        json!({"type": "object"}),
        &[
            "field-removed spec.a: data: ",
            "readers: a type of the old schema fails to decode spec: missing field `a`",
        ],
    );
}

#[test]
fn types_hurt_stored_objects_and_readers() {
    check_field(
        json!({"type": "integer"}),
        json!({"type": "string"}),
        &[
            "incompatible type-changed spec.a: stored objects, writers",
            "type-changed spec.a: readers: a type of the old schema fails to decode spec.a: invalid type: string \"a\", expected i64",
        ],
    );
    check_field(
        json!({"type": "integer"}),
        json!({"type": "number"}),
        &[
            "incompatible type-changed spec.a: readers: a type of the old schema fails to decode spec.a: invalid type: floating point `1.5`, expected i64",
        ],
    );
    check_field(
        json!({"type": "integer"}),
        json!({"x-kubernetes-int-or-string": true}),
        &["incompatible type-changed spec.a: readers"],
    );
}

#[test]
fn defaults_change_the_meaning_of_objects() {
    let field = |default: Option<i64>| match default {
        Some(default) => json!({"type": "integer", "default": default}),
        None => json!({"type": "integer"}),
    };
    check_field(
        field(Some(1)),
        field(Some(2)),
        &["incompatible default-changed spec.a: meaning: `spec.a` is 1 ⇒ `spec.a` is 2"],
    );
    check_field(
        field(Some(1)),
        field(None),
        &["incompatible default-changed spec.a: meaning: `spec.a` is 1 ⇒ `spec.a` is not set"],
    );
    check_field(
        field(None),
        field(Some(2)),
        &["risk default-changed spec.a: meaning: `spec.a` is not set ⇒ `spec.a` is 2"],
    );
}

#[test]
fn rules_are_searched() {
    let spec = |rule: &str| {
        json!({
            "type": "object",
            "properties": {"min": {"type": "integer"}, "max": {"type": "integer"}},
            "x-kubernetes-validations": [{"rule": rule, "message": "no"}],
        })
    };
    check(
        json!({"type": "object", "properties": {"min": {"type": "integer"}, "max": {"type": "integer"}}}),
        spec("!has(self.min) || !has(self.max) || self.min <= self.max"),
        &[
            "incompatible rule-changed spec: stored objects, writers: accepted ⇒ Widget.example.com \"example\" is invalid: spec: Invalid value: no",
        ],
    );
    check(
        spec("true"),
        spec("!has(self.min) || self.min != 77"),
        &["incompatible rule-changed spec"],
    );
    check(
        spec("true"),
        spec("!has(self.min) || self.min >= self.min"),
        &["risk rule-changed spec: stored objects, writers: no witness"],
    );
    check(
        spec("true"),
        spec("!has(oldSelf.min) || has(self.min)"),
        &["incompatible rule-changed spec: writers: accepted as an update of"],
    );
}

#[test]
fn combinations_are_searched() {
    let spec = |key: &str, value: serde_json::Value| {
        json!({
            "type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, key: value,
        })
    };
    let one = json!([{"required": ["a"]}, {"required": ["b"]}]);
    check(
        spec("anyOf", one.clone()),
        spec("oneOf", one.clone()),
        &[
            "compatible combination-changed spec",
            "incompatible combination-changed spec",
        ],
    );
    check(
        spec("title", json!("")),
        spec("not", json!({"required": ["a", "b"]})),
        &["incompatible combination-changed spec: stored objects, writers"],
    );
    check(
        spec("not", json!({"required": ["a"]})),
        spec("title", json!("")),
        &["compatible combination-changed spec"],
    );
}

#[test]
fn formats_are_compared_by_what_the_server_checks() {
    let field = |format: &str| json!({"type": "string", "format": format});
    check_field(
        field(""),
        field("my-own"),
        &["compatible format-changed spec.a"],
    );
    check_field(
        field(""),
        field("ipv4"),
        &["incompatible format-changed spec.a: stored objects, writers"],
    );
    check_field(
        json!({"type": "integer"}),
        json!({"type": "integer", "format": "int32"}),
        &["incompatible format-changed spec.a: stored objects, writers"],
    );
    check_field(
        json!({"type": "integer", "format": "int32"}),
        json!({"type": "integer", "format": "int64"}),
        &["incompatible format-changed spec.a: readers"],
    );
}

#[test]
fn nulls_unknown_fields_and_lists_are_compared() {
    check_field(
        json!({"type": "string", "nullable": true}),
        json!({"type": "string"}),
        &["risk nullable-changed spec.a: data: `spec.a` is null ⇒ `spec.a` is dropped"],
    );
    check_field(
        json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
        json!({"type": "object"}),
        &[
            "incompatible unknown-fields-changed spec.a: data: `spec.a.unlisted` is \"value\" ⇒ `spec.a.unlisted` is dropped",
        ],
    );
    check_field(
        json!({"type": "object", "additionalProperties": {"type": "string"}}),
        json!({"type": "object", "additionalProperties": {"type": "string", "maxLength": 2}}),
        &["incompatible bound-changed spec.a[*]: stored objects, writers"],
    );
    let list = |kind: &str| json!({"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": kind});
    check_field(
        list("atomic"),
        list("set"),
        &[
            "list-type-changed spec.a: meaning",
            "list-type-changed spec.a: stored objects, writers",
        ],
    );
    check_field(
        json!({"type": "object", "additionalProperties": {"type": "string"}}),
        json!({"type": "object", "additionalProperties": {"type": "string"}, "x-kubernetes-map-type": "atomic"}),
        &["risk map-type-changed spec.a: meaning"],
    );
}

#[test]
fn each_finding_has_a_place_in_both() {
    let schema = |max: i64| {
        json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
        "list": {"type": "array", "items": {"type": "integer", "maximum": max}}}}}})
    };
    let found = crate::compare(
        &crd(&schema(2)),
        &crd(&schema(1)),
        &crate::Options::default(),
    );
    let place =
        "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/list/items/maximum";
    let text = |place: &Option<crate::Pointer>| crate::pointer_text(place.as_ref().unwrap());
    assert_eq!(
        (text(&found[0].old), text(&found[0].new)),
        (place.into(), place.into())
    );
    assert_eq!(found[0].path, "spec.list[]");
}

#[test]
fn a_change_below_another_one_that_refuses_all_objects_is_still_shown() {
    let spec = |required: &[&str], max: i64| {
        json!({"type": "object", "properties": {"spec": {
            "type": "object", "required": required,
            "properties": {"a": {"type": "string"}, "n": {"type": "integer", "maximum": max}},
        }}})
    };
    check_crds(
        &crd(&spec(&[], 9)),
        &crd(&spec(&["a"], 8)),
        &[
            "incompatible required-changed spec: stored objects, writers",
            "incompatible bound-changed spec.n: stored objects, writers",
        ],
    );
}
