//! Messages of value validation, by schema and value.

use serde_json::{Value, json};

use crate::Structural;

fn structural(spec: &Value) -> Structural {
    let schema = json!({"type": "object", "properties": {"spec": spec}});
    Structural::compile(&schema).unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// Checks the messages for `spec: <value>` under `spec`'s schema.
fn check(spec: Value, value: Value, expected: &[&str]) {
    let schema = structural(&spec);
    let errors = schema.validate(&json!({"spec": value}));
    let shown: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(shown, expected, "schema {spec}, value {value}");
}

#[test]
fn a_value_of_another_type_is_named_by_its_type() {
    rows![check:
        (json!({"type": "integer"}), json!(1), &[]),
        (json!({"type": "integer"}), json!(1.0), &[]),
        (json!({"type": "number"}), json!(1), &[]),
        (json!({"type": "integer"}), json!("a"),
            &[r#"spec: Invalid value: "string": spec in body must be of type integer: "string""#]),
        (json!({"type": "string"}), json!(1),
            &[r#"spec: Invalid value: "integer": spec in body must be of type string: "integer""#]),
        (json!({"type": "integer"}), json!(1.5),
            &[r#"spec: Invalid value: "number": spec in body must be of type integer: "number""#, r#"<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec"#]),
        (json!({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}}}}),
            json!({"a": {"b": 1}}),
            &[r#"spec.a: Invalid value: "object": spec.a in body must be of type array: "object""#]),
        (json!({"type": "string"}), Value::Null,
            &[r#"spec: Invalid value: "null": spec in body must be of type string: "null""#]),
        (json!({"type": "string", "nullable": true}), Value::Null, &[]),
        (json!({"x-kubernetes-int-or-string": true}), json!(true),
            &[r#"spec: Invalid value: "boolean": spec in body must be of type integer,string: "boolean""#]),
        (json!({"type": "boolean"}), json!({"a": 1}),
            &[r#"spec: Invalid value: "object": spec in body must be of type boolean: "object""#]),
    ];
}

#[test]
fn required_fields_are_named_where_they_belong() {
    let item = json!({"type": "object", "required": ["name", "port"], "properties":
        {"name": {"type": "string"}, "port": {"type": "integer"}}});
    check(
        json!({"type": "array", "items": item}),
        json!([{"name": "a"}, {}]),
        &[
            "spec[0].port: Required value",
            "spec[1].name: Required value",
            "spec[1].port: Required value",
        ],
    );
    let schema =
        json!({"type": "object", "required": ["spec"], "properties": {"spec": {"type": "string"}}});
    let errors = Structural::compile(&schema).unwrap().validate(&json!({}));
    assert_eq!(
        errors.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["spec: Required value"]
    );
}

#[test]
fn enumerations_list_what_they_support() {
    rows![check:
        (json!({"type": "string", "enum": ["a", "b"]}), json!("c"),
            &[r#"spec: Unsupported value: "c": supported values: "a", "b""#]),
        (json!({"type": "integer", "enum": [1, 2]}), json!(3),
            &[r#"spec: Unsupported value: 3: supported values: "1", "2""#]),
        (json!({"type": "integer", "enum": [1, 2]}), json!(2.0), &[]),
        (json!({"type": "string", "nullable": true, "enum": ["a"]}), Value::Null,
            &[r#"spec: Unsupported value: null: supported values: "a""#]),
    ];
}

#[test]
fn numbers_keep_to_their_bounds() {
    rows![check:
        (json!({"type": "integer", "minimum": 1}), json!(0),
            &["spec: Invalid value: 0: spec in body should be greater than or equal to 1"]),
        (json!({"type": "integer", "maximum": 5, "exclusiveMaximum": true}), json!(5),
            &["spec: Invalid value: 5: spec in body should be less than 5"]),
        (json!({"type": "number", "minimum": 0.5, "exclusiveMinimum": true}), json!(0.5),
            &["spec: Invalid value: 0.5: spec in body should be greater than 0.5"]),
        (json!({"type": "number", "maximum": 2_000_000}), json!(3e6),
            &["spec: Invalid value: 3e+06: spec in body should be less than or equal to 2e+06"]),
        (json!({"type": "integer", "multipleOf": 3}), json!(4),
            &["spec: Invalid value: 4: spec in body should be a multiple of 3"]),
        (json!({"type": "number", "multipleOf": 0.1}), json!(0.3), &[]),
        (json!({"type": "integer", "format": "int32"}), json!(4_294_967_296_i64),
            &[r#"<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec"#]),
    ];
}

#[test]
fn texts_are_measured_in_characters_and_matched() {
    rows![check:
        (json!({"type": "string", "maxLength": 3}), json!("漢字é"), &[]),
        (json!({"type": "string", "maxLength": 3}), json!("abcd"),
            &["spec: Too long: may not be more than 3 bytes"]),
        (json!({"type": "string", "minLength": 2, "pattern": "^b"}), json!("a"),
            &[r#"spec: Invalid value: "a": spec in body should be at least 2 chars long"#]),
        (json!({"type": "string", "pattern": "^[a-z]+$"}), json!("A\"b"),
            &[r#"spec: Invalid value: "A\"b": spec in body should match '^[a-z]+$'"#]),
        (json!({"type": "string", "format": "date-time"}), json!("soon"),
            &[r#"spec: Invalid value: "soon": spec in body must be of type date-time: "soon""#]),
        (json!({"type": "string", "format": "unheard-of"}), json!("x"), &[]),
    ];
}

#[test]
fn lists_and_maps_keep_to_their_sizes() {
    let strings = |bounds: Value| {
        let mut schema = json!({"type": "array", "items": {"type": "string"}});
        schema
            .as_object_mut()
            .unwrap()
            .extend(bounds.as_object().unwrap().clone());
        schema
    };
    check(
        strings(json!({"minItems": 1})),
        json!([]),
        &["spec: Invalid value: 0: spec in body should have at least 1 items"],
    );
    check(
        strings(json!({"maxItems": 1})),
        json!(["a", "b"]),
        &["spec: Too many: 2: must have at most 1 item"],
    );
    let map = json!({"type": "object", "additionalProperties": {"type": "string"}, "minProperties": 1, "maxProperties": 2});
    rows![check:
        (map.clone(), json!({}), &["spec: Invalid value: 0: spec in body should have at least 1 properties"]),
        (map.clone(), json!({"a": "", "b": "", "c": ""}), &["spec: Too many: 3: must have at most 2 items"]),
        (map, json!({"a.b": 1}),
            &[r#"spec.a.b: Invalid value: "integer": spec.a.b in body must be of type string: "integer""#]),
    ];
}

#[test]
fn sets_and_map_lists_hold_nothing_twice() {
    let set =
        json!({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}});
    check(
        set,
        json!(["a", "b", "a", "a"]),
        &[r#"spec[2]: Duplicate value: "a""#],
    );
    let map = json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port", "protocol"],
        "items": {"type": "object", "required": ["port"], "properties":
            {"port": {"type": "integer"}, "protocol": {"type": "string", "default": "TCP"}}}});
    check(
        map,
        json!([{"port": 1, "protocol": "TCP"}, {"port": 1, "protocol": "UDP"}, {"port": 1, "protocol": "TCP"}]),
        &[r#"spec[2]: Duplicate value: {"port":1,"protocol":"TCP"}"#],
    );
}

#[test]
fn combinations_report_the_branch_that_comes_closest() {
    let object = |key: &str, branches: Value| json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, (key): branches});
    let either = json!([{"required": ["a"]}, {"required": ["b"]}]);
    rows![check:
        (object("oneOf", either.clone()), json!({}),
            &[r#"<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found none valid"#, "spec.a: Required value"]),
        (object("oneOf", either.clone()), json!({"a": "", "b": ""}),
            &[r#"<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found 2 valid alternatives"#]),
        (object("anyOf", either.clone()), json!({}),
            &[r#"<nil>: Invalid value: "": "spec" must validate at least one schema (anyOf)"#, "spec.a: Required value"]),
        (object("allOf", either), json!({"a": ""}),
            &["spec.b: Required value", r#"<nil>: Invalid value: "": "spec" must validate all the schemas (allOf)"#]),
        (object("not", json!({"required": ["a"]})), json!({"a": ""}),
            &[r#"<nil>: Invalid value: "": "spec" must not validate the schema (not)"#]),
    ];
}

#[test]
fn embedded_resources_need_type_and_sound_metadata() {
    let template = json!({"type": "object", "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true});
    rows![check:
        (template.clone(), json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}), &[]),
        (template.clone(), json!({}), &["spec.apiVersion: Required value", "spec.kind: Required value"]),
        (template, json!({"apiVersion": "a/b/c", "kind": "", "metadata": {"name": "a/b"}}),
            &[r#"spec.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c"#, r#"spec.kind: Invalid value: "": must not be empty"#, r#"spec.metadata.name: Invalid value: "a/b": may not contain '/'"#]),
    ];
}

#[test]
fn an_update_forgives_what_it_leaves_unchanged() {
    let schema = structural(&json!({"type": "object", "properties": {
        "a": {"type": "string", "maxLength": 1},
        "b": {"type": "integer", "minimum": 5},
        "list": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], "items":
            {"type": "object", "required": ["k"], "properties": {"k": {"type": "string"}, "v": {"type": "integer"}}}},
        "atomic": {"type": "array", "items": {"type": "integer"}},
    }}));
    let check = |old: Value, new: Value, expected: &[&str]| {
        let errors = schema.validate_update(&json!({"spec": old}), &json!({"spec": new}));
        let fields: Vec<String> = errors.iter().map(|error| error.field.clone()).collect();
        assert_eq!(fields, expected, "{old} to {new}");
    };
    rows![check:
        (json!({"a": "long"}), json!({"a": "long", "b": 5}), &[]),
        (json!({"a": "long"}), json!({"a": "longer"}), &["spec.a"]),
        (json!({"a": "long"}), json!({"a": "long", "b": 1}), &["spec.b"]),
        (json!({"list": [{"k": "x", "v": "bad"}]}), json!({"list": [{"k": "y"}, {"k": "x", "v": "bad"}]}),
            &[]),
        (json!({"list": [{"k": "x", "v": "bad"}]}), json!({"list": [{"k": "y", "v": "bad"}]}),
            &["spec.list[0].v"]),
        (json!({"atomic": ["bad"]}), json!({"atomic": ["bad", 1]}), &["spec.atomic[0]"]),
        (json!({"list": [{"k": "x"}, {"k": "x"}]}), json!({"list": [{"k": "x"}, {"k": "x"}], "b": 6}), &[]),
    ];
}
