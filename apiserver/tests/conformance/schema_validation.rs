//! Validation by schemas, with the server's messages.

use crate::harness::cases;
use crate::support::*;

cases![
    wrong_type_of_a_string: refuses(
        json!({"s": {"type": "string"}}), json!({"s": 1}),
        "spec.s: Invalid value: \"integer\": spec.s in body must be of type string: \"integer\""),
    wrong_type_of_an_integer: refuses(
        json!({"n": {"type": "integer"}}), json!({"n": "1"}),
        "spec.n: Invalid value: \"string\": spec.n in body must be of type integer: \"string\""),
    wrong_type_of_an_object: refuses(
        json!({"o": {"type": "object"}}), json!({"o": "x"}),
        "spec.o: Invalid value: \"string\": spec.o in body must be of type object: \"string\""),
    wrong_type_of_a_list: refuses(
        json!({"l": {"type": "array", "items": {"type": "string"}}}), json!({"l": {}}),
        "spec.l: Invalid value: \"object\": spec.l in body must be of type array: \"object\""),
    fraction_is_no_integer: refuses(
        json!({"n": {"type": "integer"}}), json!({"n": 1.5}),
        "[spec.n: Invalid value: \"number\": spec.n in body must be of type integer: \"number\", <nil>: Invalid value: \"\": Checked value must be of type integer (default format) in spec.n]"),
    required_field_is_missing: refuses(required(), json!({"o": {"a": "x"}}), "spec.o.b: Required value"),
    required_fields_are_all_named: refuses(
        required(), json!({"o": {}}), "[spec.o.a: Required value, spec.o.b: Required value]"),
    value_outside_an_enum: refuses(
        json!({"e": {"type": "string", "enum": ["a", "b"]}}), json!({"e": "c"}),
        "spec.e: Unsupported value: \"c\": supported values: \"a\", \"b\""),
    number_below_the_minimum: refuses(
        json!({"n": {"type": "integer", "minimum": 1}}), json!({"n": 0}),
        "spec.n: Invalid value: 0: spec.n in body should be greater than or equal to 1"),
    number_above_the_maximum: refuses(
        json!({"n": {"type": "integer", "maximum": 10}}), json!({"n": 11}),
        "spec.n: Invalid value: 11: spec.n in body should be less than or equal to 10"),
    number_at_an_exclusive_maximum: refuses(
        json!({"n": {"type": "integer", "maximum": 10, "exclusiveMaximum": true}}), json!({"n": 10}),
        "spec.n: Invalid value: 10: spec.n in body should be less than 10"),
    number_that_is_no_multiple: refuses(
        json!({"n": {"type": "integer", "multipleOf": 5}}), json!({"n": 7}),
        "spec.n: Invalid value: 7: spec.n in body should be a multiple of 5"),
    string_too_long: refuses(
        json!({"s": {"type": "string", "maxLength": 3}}), json!({"s": "four"}),
        "spec.s: Too long: may not be more than 3 bytes"),
    string_too_short: refuses(
        json!({"s": {"type": "string", "minLength": 2}}), json!({"s": "x"}),
        "spec.s: Invalid value: \"x\": spec.s in body should be at least 2 chars long"),
    string_that_does_not_match_a_pattern: refuses(
        json!({"s": {"type": "string", "pattern": "^[a-z]+$"}}), json!({"s": "B"}),
        "spec.s: Invalid value: \"B\": spec.s in body should match '^[a-z]+$'"),
    too_few_items: refuses(
        json!({"l": {"type": "array", "minItems": 2, "items": {"type": "integer"}}}), json!({"l": [1]}),
        "spec.l: Invalid value: 1: spec.l in body should have at least 2 items"),
    too_many_items: refuses(
        json!({"l": {"type": "array", "maxItems": 2, "items": {"type": "integer"}}}), json!({"l": [1, 2, 3]}),
        "spec.l: Too many: 3: must have at most 2 items"),
    too_many_properties: refuses(
        json!({"m": {"type": "object", "maxProperties": 1, "additionalProperties": {"type": "integer"}}}),
        json!({"m": {"a": 1, "b": 2}}), "spec.m: Too many: 2: must have at most 1 item"),
    duplicate_in_a_set: refuses(
        json!({"l": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}}}),
        json!({"l": ["a", "b", "a"]}), "spec.l[2]: Duplicate value: \"a\""),
    duplicate_key_in_a_list_map: refuses(
        json!({"l": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
            "items": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"},
            "v": {"type": "integer"}}}}}),
        json!({"l": [{"name": "a", "v": 1}, {"name": "a", "v": 2}]}),
        "spec.l[1]: Duplicate value: {\"name\":\"a\"}"),
    unique_items_are_refused_in_a_crd,
    format_date_time: refuses(
        json!({"t": {"type": "string", "format": "date-time"}}), json!({"t": "yesterday"}),
        "spec.t: Invalid value: \"yesterday\": spec.t in body must be of type date-time: \"yesterday\""),
    format_that_is_unknown_is_ignored,
    int_or_string_refuses_a_boolean: refuses(
        json!({"p": {"x-kubernetes-int-or-string": true}}), json!({"p": true}),
        "spec.p: Invalid value: \"boolean\": spec.p in body must be of type integer,string: \"boolean\""),
    null_of_a_field_that_is_not_nullable_is_pruned,
    wrong_kind_of_a_custom_resource,
    wrong_api_version_of_a_custom_resource,
];

/// Expects a spec to violate these properties, with this message after
/// `Thing.<group> "a" is invalid: `.
pub(crate) async fn refuses(client: Client, properties: Value, spec: Value, message: &str) {
    let things = things(&client, properties).await;
    let reply = things.creation("a", json!({"spec": spec})).await;
    let group = things.api_version.trim_end_matches("/v1");
    reply.invalid(&format!("Thing.{group} \"a\" is invalid: {message}"));
}

fn required() -> Value {
    json!({"o": {"type": "object", "required": ["a", "b"], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}})
}

async fn unique_items_are_refused_in_a_crd(client: Client) {
    let list = json!({"type": "array", "uniqueItems": true, "items": {"type": "string"}});
    let crd = Crd::new(crd::spec_schema(json!({"l": list})));
    post(&client, crd::CRDS, &crd.body).await.invalid_with("uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
}

async fn format_that_is_unknown_is_ignored(client: Client) {
    let things = things(&client, json!({"s": {"type": "string", "format": "haiku"}})).await;
    things.given("a", json!({"spec": {"s": "anything"}})).await;
}

async fn null_of_a_field_that_is_not_nullable_is_pruned(client: Client) {
    let things = things(&client, json!({"s": {"type": "string"}})).await;
    let created = things.given("a", json!({"spec": {"s": null}})).await;
    check!(created, "/spec": {});
}

async fn wrong_kind_of_a_custom_resource(client: Client) {
    let things = things(&client, json!({})).await;
    let mut object = things.object("a", json!({}));
    object["kind"] = json!("Thong");
    things
        .create(&object)
        .await
        .invalid_with("kind: Invalid value: \"Thong\": must be Thing");
}

async fn wrong_api_version_of_a_custom_resource(client: Client) {
    let things = things(&client, json!({})).await;
    let object =
        json!({"apiVersion": "example.com/v9", "kind": "Thing", "metadata": {"name": "a"}});
    things.create(&object).await.refused(400, "BadRequest");
}
