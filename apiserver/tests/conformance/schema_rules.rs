//! Combined validation rules: logical operators, CEL, and errors in several fields.

use crate::harness::cases;
use crate::schema_validation::refuses;
use crate::support::*;

cases![
    any_of_needs_one,
    one_of_refuses_two,
    not_refuses_a_match: refuses(
        json!({"s": {"type": "string", "not": {"pattern": "^a"}}}), json!({"s": "ab"}),
        "<nil>: Invalid value: \"\": \"spec.s\" must not validate the schema (not)"),
    path_through_lists_and_maps: refuses(
        json!({"l": {"type": "array", "items": {"type": "object", "additionalProperties": {"type": "integer"}}}}),
        json!({"l": [{}, {"k": "x"}]}),
        "spec.l[1].k: Invalid value: \"string\": spec.l[1].k in body must be of type integer: \"string\""),
    many_errors_in_one_answer,
    cel_rule_is_checked,
    cel_transition_rule_is_checked,
];

async fn any_of_needs_one(client: Client) {
    let properties =
        json!({"s": {"type": "string", "anyOf": [{"pattern": "^a"}, {"pattern": "^b"}]}});
    let things = things(&client, properties).await;
    things.given("ok", json!({"spec": {"s": "a"}})).await;
    let reply = things.creation("a", json!({"spec": {"s": "c"}})).await;
    reply.invalid_with("\"spec.s\" must validate at least one schema (anyOf)");
}

async fn one_of_refuses_two(client: Client) {
    let properties =
        json!({"s": {"type": "string", "oneOf": [{"pattern": "^a"}, {"pattern": "b$"}]}});
    let things = things(&client, properties).await;
    things.given("ok", json!({"spec": {"s": "a"}})).await;
    let reply = things.creation("a", json!({"spec": {"s": "ab"}})).await;
    reply.invalid_with(
        "\"spec.s\" must validate one and only one schema (oneOf). Found 2 valid alternatives",
    );
}

async fn many_errors_in_one_answer(client: Client) {
    let things = things(
        &client,
        json!({"a": {"type": "integer"}, "b": {"type": "string"}}),
    )
    .await;
    let reply = things
        .creation("a", json!({"spec": {"a": "x", "b": 1}}))
        .await;
    let status = reply.refused(422, "Invalid");
    let causes = at(&status, "/details/causes")
        .as_array()
        .cloned()
        .unwrap_or_default();
    let mut fields: Vec<_> = causes
        .iter()
        .map(|cause| cause["field"].as_str().unwrap_or_default())
        .collect();
    fields.sort_unstable();
    assert_eq!(fields, ["spec.a", "spec.b"]);
    assert!(
        causes
            .iter()
            .all(|cause| cause["reason"] == "FieldValueTypeInvalid"),
        "{causes:?}"
    );
}

async fn cel_rule_is_checked(client: Client) {
    let rule = json!([{"rule": "self.min <= self.max", "message": "min must not exceed max"}]);
    let range = json!({"type": "object", "x-kubernetes-validations": rule, "required": ["min", "max"], "properties": {"min": {"type": "integer"}, "max": {"type": "integer"}}});
    let things = things(&client, json!({"range": range})).await;
    things
        .given("ok", json!({"spec": {"range": {"min": 1, "max": 2}}}))
        .await;
    let reply = things
        .creation("a", json!({"spec": {"range": {"min": 3, "max": 2}}}))
        .await;
    reply.invalid_with("spec.range: Invalid value: min must not exceed max");
}

async fn cel_transition_rule_is_checked(client: Client) {
    let rule = json!([{"rule": "self == oldSelf", "message": "may not change"}]);
    let things = things(
        &client,
        json!({"fixed": {"type": "string", "x-kubernetes-validations": rule}}),
    )
    .await;
    things.given("a", json!({"spec": {"fixed": "v"}})).await;
    things
        .merge("a", json!({"spec": {"fixed": "w"}}))
        .await
        .invalid_with("spec.fixed: Invalid value: \"w\": may not change");
}
