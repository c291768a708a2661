//! Tests of compiling, pruning and defaulting, by schema.

use serde_json::{Value, json};

use super::Structural;

/// Checks the errors of a CRD schema, without the prefix of their path.
fn check_compile(schema: Value, expected: &[&str]) {
    let errors = Structural::compile_at("s", &schema)
        .err()
        .unwrap_or_default();
    let shown: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(shown, expected, "{schema}");
}

fn with_spec(spec: Value) -> Value {
    json!({"type": "object", "properties": {"spec": spec}})
}

#[test]
fn a_schema_must_be_structural() {
    rows![check_compile:
        (json!({}), &["s.type: Required value: must not be empty at the root"]),
        (json!({"type": "array"}),
            &["s.items: Required value: must be specified", r#"s.type: Invalid value: "array": must be object at the root"#]),
        (with_spec(json!({"properties": {"a": {"type": "string"}}})),
            &["s.properties[spec].type: Required value: must not be empty for specified object fields"]),
        (with_spec(json!({"type": "array", "items": {}})),
            &["s.properties[spec].items.type: Required value: must not be empty for specified array items"]),
        (json!({"type": "object", "oneOf": [{"properties": {"a": {"type": "string"}}}]}),
            &["s.oneOf[0].properties[a].type: Forbidden: must be empty to be structural", "s.properties[a]: Required value: because it is defined in s.oneOf[0].properties[a]"]),
        (with_spec(json!({"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]})),
            &[]),
        (with_spec(json!({"type": "string", "pattern": "^(?!a)"})),
            &[r#"s.properties[spec].pattern: Invalid value: "^(?!a)": must be a valid regular expression, but isn't: error parsing regexp: invalid or unsupported Perl syntax: `(?!`"#]),
        (json!({"type": "object", "properties": {"metadata": {"type": "object", "properties": {"labels": {"type": "object"}}}}}),
            &["s.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified"]),
        (json!({"type": "object", "properties": {"metadata": {"type": "object", "properties": {"name": {"type": "string", "maxLength": 10}}}}}),
            &[]),
    ];
}

#[test]
fn a_schema_says_only_what_crds_may_say() {
    rows![check_compile:
        (with_spec(json!({"type": "object", "additionalProperties": false, "properties": {"a": {"type": "string"}}})),
            &["s.properties[spec].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"]),
        (with_spec(json!({"type": "array", "items": {"type": "string"}, "uniqueItems": true})),
            &["s.properties[spec].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic"]),
        (with_spec(json!({"type": "text"})),
            &[r#"s.properties[spec].type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string""#]),
        (with_spec(json!({"type": "array", "items": {"type": "object", "properties": {"k": {"type": "string"}}}, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k", "l"]})),
            &[r#"s.properties[spec].x-kubernetes-list-map-keys: Invalid value: ["k","l"]: entries must all be names of item properties"#, "s.properties[spec].items.properties[k].default: Required value: this property is in \
             x-kubernetes-list-map-keys, so it must have a default or be a required property"]),
        (with_spec(json!({"type": "object", "$ref": "#/a"})),
            &["s.properties[spec].$ref: Forbidden: $ref is not supported"]),
        (with_spec(json!({"type": "string", "default": 5})),
            &[r#"s.properties[spec].default: Invalid value: "integer":  in body must be of type string: "integer""#]),
        (with_spec(json!({"type": "object", "default": {"x": 1}, "properties": {"a": {"type": "string"}}})),
            &[r#"s.properties[spec].default: Invalid value: {"x":1}: must not have unknown fields"#]),
        (with_spec(json!({"type": 5})), &["s.properties[spec].type: Invalid value: 5: must be a string"]),
    ];
}

#[test]
fn pruning_drops_what_is_not_specified_and_names_it() {
    let schema = Structural::compile_with("s", &with_spec(json!({"type": "object", "properties": {
        "a": {"type": "string"},
        "list": {"type": "array", "items": {"type": "object", "properties": {"b": {"type": "string"}}}},
        "map": {"type": "object", "additionalProperties": {"type": "object", "properties": {"c": {"type": "string"}}}},
        "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties":
            {"known": {"type": "object", "properties": {"d": {"type": "string"}}}}},
        "template": {"type": "object", "x-kubernetes-embedded-resource": true, "properties": {"spec": {"type": "object"}}},
    }})), names_only)
    .unwrap();
    let mut object = json!({
        "apiVersion": "a/v1", "kind": "A", "metadata": {"name": "n", "bogus": 1}, "extra": 1,
        "spec": {
            "a": "x", "z": 1,
            "list": [{"b": ""}, {"q": 1}],
            "map": {"k": {"c": "", "q": 1}},
            "any": {"free": {"deep": 1}, "known": {"d": "", "q": 1}},
            "template": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "t", "q": 1}, "spec": {"q": 1}},
        }
    });
    let dropped = schema.prune(&mut object);
    assert_eq!(
        dropped,
        [
            "extra",
            "metadata.bogus",
            "spec.any.known.q",
            "spec.list[1].q",
            "spec.map.k.q",
            "spec.template.metadata.q",
            "spec.template.spec.q",
            "spec.z",
        ]
    );
    assert_eq!(object["spec"]["any"]["free"]["deep"], 1);
    assert_eq!(object["spec"]["template"]["metadata"], json!({"name": "t"}));
    assert_eq!(object["metadata"], json!({"name": "n"}));
}

#[test]
fn defaults_fill_absent_fields_and_nulls_that_cannot_stay() {
    let schema = Structural::compile(&with_spec(json!({"type": "object", "default": {}, "properties": {
        "a": {"type": "integer", "default": 3},
        "n": {"type": "string", "nullable": true, "default": "x"},
        "o": {"type": "string"},
        "list": {"type": "array", "items": {"type": "object", "properties": {"p": {"type": "string", "default": "TCP"}}}},
        "map": {"type": "object", "additionalProperties": {"type": "integer", "default": 1}},
    }})))
    .unwrap();
    let check = |mut object: Value, expected: Value| {
        schema.apply_defaults(&mut object);
        assert_eq!(object, expected);
    };
    check(json!({}), json!({"spec": {"a": 3, "n": "x"}}));
    check(
        json!({"spec": {"a": null, "n": null, "o": null, "list": [{}, {"p": "UDP"}], "map": {"k": null}}}),
        json!({"spec": {"a": 3, "n": null, "list": [{"p": "TCP"}, {"p": "UDP"}], "map": {"k": 1}}}),
    );
    check(json!({"spec": null}), json!({"spec": {"a": 3, "n": "x"}}));
}

/// A decoder of metadata that accepts only names.
fn names_only(metadata: &mut Value, prefix: &str) -> Result<Vec<String>, String> {
    let map = metadata.as_object_mut().ok_or("no object")?;
    let unknown = |name: &String| name != "name";
    let found = map.keys().filter(|name| unknown(name));
    let dropped = found.map(|name| format!("{prefix}.{name}")).collect();
    map.retain(|name, _| !unknown(name));
    Ok(dropped)
}
