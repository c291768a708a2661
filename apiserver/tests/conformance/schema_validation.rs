//! Validation by a schema, with the server's messages.

use crate::harness::cases;
use crate::support::*;

cases![
    wrong_type_of_a_string,
    wrong_type_of_an_integer,
    wrong_type_of_an_object,
    wrong_type_of_a_list,
    fraction_is_no_integer,
    required_field_is_missing,
    required_fields_are_all_named,
    value_outside_an_enum,
    number_below_the_minimum,
    number_above_the_maximum,
    number_at_an_exclusive_maximum,
    number_that_is_no_multiple,
    string_too_long,
    string_too_short,
    string_that_does_not_match_a_pattern,
    too_few_items,
    too_many_items,
    too_many_properties,
    duplicate_in_a_set,
    duplicate_key_in_a_list_map,
    unique_items_are_refused_in_a_crd,
    format_date_time,
    format_that_is_unknown_is_ignored,
    int_or_string_refuses_a_boolean,
    null_of_a_field_that_is_not_nullable_is_pruned,
    wrong_kind_of_a_custom_resource,
    wrong_api_version_of_a_custom_resource,
];

/// A spec that these properties refuse, with this message after `Thing.<group> "a" is invalid: `.
pub(crate) async fn refuses(client: Client, properties: Value, spec: Value, message: &str) {
    let things = things(&client, properties).await;
    let reply = things
        .create(&things.object("a", json!({"spec": spec})))
        .await;
    let group = things.api_version.trim_end_matches("/v1");
    reply.fails(
        422,
        "Invalid",
        &format!("Thing.{group} \"a\" is invalid: {message}"),
    );
}

async fn wrong_type_of_a_string(client: Client) {
    let message =
        "spec.s: Invalid value: \"integer\": spec.s in body must be of type string: \"integer\"";
    refuses(
        client,
        json!({"s": {"type": "string"}}),
        json!({"s": 1}),
        message,
    )
    .await;
}

async fn wrong_type_of_an_integer(client: Client) {
    let message =
        "spec.n: Invalid value: \"string\": spec.n in body must be of type integer: \"string\"";
    refuses(
        client,
        json!({"n": {"type": "integer"}}),
        json!({"n": "1"}),
        message,
    )
    .await;
}

async fn wrong_type_of_an_object(client: Client) {
    let message =
        "spec.o: Invalid value: \"string\": spec.o in body must be of type object: \"string\"";
    refuses(
        client,
        json!({"o": {"type": "object"}}),
        json!({"o": "x"}),
        message,
    )
    .await;
}

async fn wrong_type_of_a_list(client: Client) {
    let message =
        "spec.l: Invalid value: \"object\": spec.l in body must be of type array: \"object\"";
    refuses(
        client,
        json!({"l": {"type": "array", "items": {"type": "string"}}}),
        json!({"l": {}}),
        message,
    )
    .await;
}

async fn fraction_is_no_integer(client: Client) {
    let message = "[spec.n: Invalid value: \"number\": spec.n in body must be of type integer: \"number\", <nil>: Invalid value: \"\": Checked value must be of type integer (default format) in spec.n]";
    refuses(
        client,
        json!({"n": {"type": "integer"}}),
        json!({"n": 1.5}),
        message,
    )
    .await;
}

fn required() -> Value {
    json!({"o": {"type": "object", "required": ["a", "b"], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}})
}

async fn required_field_is_missing(client: Client) {
    refuses(
        client,
        required(),
        json!({"o": {"a": "x"}}),
        "spec.o.b: Required value",
    )
    .await;
}

async fn required_fields_are_all_named(client: Client) {
    refuses(
        client,
        required(),
        json!({"o": {}}),
        "[spec.o.a: Required value, spec.o.b: Required value]",
    )
    .await;
}

async fn value_outside_an_enum(client: Client) {
    let message = "spec.e: Unsupported value: \"c\": supported values: \"a\", \"b\"";
    refuses(
        client,
        json!({"e": {"type": "string", "enum": ["a", "b"]}}),
        json!({"e": "c"}),
        message,
    )
    .await;
}

async fn number_below_the_minimum(client: Client) {
    let message = "spec.n: Invalid value: 0: spec.n in body should be greater than or equal to 1";
    refuses(
        client,
        json!({"n": {"type": "integer", "minimum": 1}}),
        json!({"n": 0}),
        message,
    )
    .await;
}

async fn number_above_the_maximum(client: Client) {
    let message = "spec.n: Invalid value: 11: spec.n in body should be less than or equal to 10";
    refuses(
        client,
        json!({"n": {"type": "integer", "maximum": 10}}),
        json!({"n": 11}),
        message,
    )
    .await;
}

async fn number_at_an_exclusive_maximum(client: Client) {
    let message = "spec.n: Invalid value: 10: spec.n in body should be less than 10";
    refuses(
        client,
        json!({"n": {"type": "integer", "maximum": 10, "exclusiveMaximum": true}}),
        json!({"n": 10}),
        message,
    )
    .await;
}

async fn number_that_is_no_multiple(client: Client) {
    let message = "spec.n: Invalid value: 7: spec.n in body should be a multiple of 5";
    refuses(
        client,
        json!({"n": {"type": "integer", "multipleOf": 5}}),
        json!({"n": 7}),
        message,
    )
    .await;
}

async fn string_too_long(client: Client) {
    let message = "spec.s: Too long: may not be more than 3 bytes";
    refuses(
        client,
        json!({"s": {"type": "string", "maxLength": 3}}),
        json!({"s": "four"}),
        message,
    )
    .await;
}

async fn string_too_short(client: Client) {
    let message = "spec.s: Invalid value: \"x\": spec.s in body should be at least 2 chars long";
    refuses(
        client,
        json!({"s": {"type": "string", "minLength": 2}}),
        json!({"s": "x"}),
        message,
    )
    .await;
}

async fn string_that_does_not_match_a_pattern(client: Client) {
    let message = "spec.s: Invalid value: \"B\": spec.s in body should match '^[a-z]+$'";
    refuses(
        client,
        json!({"s": {"type": "string", "pattern": "^[a-z]+$"}}),
        json!({"s": "B"}),
        message,
    )
    .await;
}

async fn too_few_items(client: Client) {
    let message = "spec.l: Invalid value: 1: spec.l in body should have at least 2 items";
    let properties = json!({"l": {"type": "array", "minItems": 2, "items": {"type": "integer"}}});
    refuses(client, properties, json!({"l": [1]}), message).await;
}

async fn too_many_items(client: Client) {
    let message = "spec.l: Too many: 3: must have at most 2 items";
    let properties = json!({"l": {"type": "array", "maxItems": 2, "items": {"type": "integer"}}});
    refuses(client, properties, json!({"l": [1, 2, 3]}), message).await;
}

async fn too_many_properties(client: Client) {
    let message = "spec.m: Too many: 2: must have at most 1 item";
    let properties = json!({"m": {"type": "object", "maxProperties": 1, "additionalProperties": {"type": "integer"}}});
    refuses(client, properties, json!({"m": {"a": 1, "b": 2}}), message).await;
}

async fn duplicate_in_a_set(client: Client) {
    let properties = json!({"l": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}}});
    refuses(
        client,
        properties,
        json!({"l": ["a", "b", "a"]}),
        "spec.l[2]: Duplicate value: \"a\"",
    )
    .await;
}

async fn duplicate_key_in_a_list_map(client: Client) {
    let items = json!({"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "v": {"type": "integer"}}});
    let list = json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "items": items});
    let spec = json!({"l": [{"name": "a", "v": 1}, {"name": "a", "v": 2}]});
    refuses(
        client,
        json!({"l": list}),
        spec,
        "spec.l[1]: Duplicate value: {\"name\":\"a\"}",
    )
    .await;
}

async fn unique_items_are_refused_in_a_crd(client: Client) {
    let list = json!({"type": "array", "uniqueItems": true, "items": {"type": "string"}});
    let crd = Crd::new(crd::spec_schema(json!({"l": list})));
    post(&client, crd::CRDS, &crd.body).await.fails_with(
        422,
        "Invalid",
        "uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
    );
}

async fn format_date_time(client: Client) {
    let message = "spec.t: Invalid value: \"yesterday\": spec.t in body must be of type date-time: \"yesterday\"";
    refuses(
        client,
        json!({"t": {"type": "string", "format": "date-time"}}),
        json!({"t": "yesterday"}),
        message,
    )
    .await;
}

async fn format_that_is_unknown_is_ignored(client: Client) {
    let things = things(&client, json!({"s": {"type": "string", "format": "haiku"}})).await;
    things.given("a", json!({"spec": {"s": "anything"}})).await;
}

async fn int_or_string_refuses_a_boolean(client: Client) {
    let message = "spec.p: Invalid value: \"boolean\": spec.p in body must be of type integer,string: \"boolean\"";
    refuses(
        client,
        json!({"p": {"x-kubernetes-int-or-string": true}}),
        json!({"p": true}),
        message,
    )
    .await;
}

async fn null_of_a_field_that_is_not_nullable_is_pruned(client: Client) {
    let things = things(&client, json!({"s": {"type": "string"}})).await;
    let created = things.given("a", json!({"spec": {"s": null}})).await;
    check(&created, "/spec", json!({}));
}

async fn wrong_kind_of_a_custom_resource(client: Client) {
    let things = things(&client, json!({})).await;
    let mut object = things.object("a", json!({}));
    object["kind"] = json!("Thong");
    things.create(&object).await.fails_with(
        422,
        "Invalid",
        "kind: Invalid value: \"Thong\": must be Thing",
    );
}

async fn wrong_api_version_of_a_custom_resource(client: Client) {
    let things = things(&client, json!({})).await;
    let object =
        json!({"apiVersion": "example.com/v9", "kind": "Thing", "metadata": {"name": "a"}});
    things.create(&object).await.refused(400, "BadRequest");
}
