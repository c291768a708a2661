//! Unknown and duplicate fields: ignored, warned about or rejected, as the request specifies.

use http::Method;

use crate::harness::cases;
use crate::support::wire::{Reply, patch_type};
use crate::support::*;

cases![
    unknown_field_is_a_warning_by_default,
    unknown_field_is_ignored_on_request,
    unknown_field_is_refused_when_strict,
    unknown_field_of_a_custom_resource_is_a_warning_by_default,
    unknown_field_of_a_custom_resource_is_refused_when_strict,
    unknown_metadata_of_a_custom_resource_is_refused_when_strict,
    unknown_fields_are_all_named,
    duplicate_field_is_a_warning_by_default,
    duplicate_field_is_refused_when_strict,
    duplicate_field_of_yaml_is_a_warning_by_default,
    duplicate_field_of_yaml_is_refused_when_strict,
    unknown_field_in_an_update_is_refused_when_strict,
    unknown_field_in_a_merge_patch_is_refused_when_strict,
    unknown_field_in_a_json_patch_is_refused_when_strict,
    unknown_field_in_an_apply_is_refused,
    unknown_field_in_a_custom_apply_is_refused,
    preserved_unknown_field_is_no_warning,
    unknown_validation_directive_is_refused,
    field_names_are_case_sensitive,
];

async fn unknown_field_is_a_warning_by_default(client: Client) {
    let maps = configmaps(&client).await;
    let reply = maps.creation("a", json!({"dataa": {"k": "v"}})).await;
    check_absent(&reply.is(201), "/dataa");
    assert_eq!(reply.warnings(), ["unknown field \"dataa\""]);
}

async fn unknown_field_is_ignored_on_request(client: Client) {
    let maps = configmaps(&client).await;
    let reply = maps
        .creation_with("fieldValidation=Ignore", "a", json!({"dataa": {"k": "v"}}))
        .await;
    reply.is(201);
    assert_eq!(reply.warnings(), Vec::<String>::new());
}

async fn unknown_field_is_refused_when_strict(client: Client) {
    let maps = configmaps(&client).await;
    let reply = maps
        .creation_with("fieldValidation=Strict", "a", json!({"dataa": {"k": "v"}}))
        .await;
    reply.bad_request("ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: unknown field \"dataa\"");
}

async fn unknown_field_of_a_custom_resource_is_a_warning_by_default(client: Client) {
    let things = things(&client, json!({"size": {"type": "integer"}})).await;
    let reply = things
        .creation("a", json!({"spec": {"size": 1, "sise": 2}}))
        .await;
    check!(reply.is(201), "/spec": {"size": 1});
    assert_eq!(reply.warnings(), ["unknown field \"spec.sise\""]);
}

async fn unknown_field_of_a_custom_resource_is_refused_when_strict(client: Client) {
    let things = things(&client, json!({"size": {"type": "integer"}})).await;
    let reply = things
        .creation_with("fieldValidation=Strict", "a", json!({"spec": {"sise": 2}}))
        .await;
    reply.bad_request_with("strict decoding error: unknown field \"spec.sise\"");
}

async fn unknown_metadata_of_a_custom_resource_is_refused_when_strict(client: Client) {
    let things = things(&client, json!({})).await;
    let reply = things
        .creation_with(
            "fieldValidation=Strict",
            "a",
            json!({"metadata": {"lables": {}}}),
        )
        .await;
    reply.bad_request_with("strict decoding error: unknown field \"metadata.lables\"");
}

async fn unknown_fields_are_all_named(client: Client) {
    let things = things(&client, json!({"list": {"type": "array", "items": {"type": "object", "properties": {"k": {"type": "string"}}}}})).await;
    let object = things.object(
        "a",
        json!({"spec": {"list": [{"k": "v"}, {"l": 1}], "x": 1}}),
    );
    let reply = things.create(&object).await;
    reply.is(201);
    assert_eq!(
        reply.warnings(),
        [
            "unknown field \"spec.list[1].l\"",
            "unknown field \"spec.x\""
        ]
    );
}

async fn send_text(objects: &Collection, query: &str, text: String) -> Reply {
    let path = format!("{}?{query}", objects.path);
    send(
        &objects.client,
        Method::POST,
        &path,
        &[("content-type", "application/json")],
        text.into_bytes(),
    )
    .await
}

const TWICE: &str = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"v"},"data":{"k":"w"}}"#;

async fn duplicate_field_is_a_warning_by_default(client: Client) {
    let maps = configmaps(&client).await;
    let reply = send_text(&maps, "", TWICE.to_owned()).await;
    check!(reply.is(201), "/data/k": "w");
    assert_eq!(reply.warnings(), ["duplicate field \"data\""]);
}

async fn duplicate_field_is_refused_when_strict(client: Client) {
    let maps = configmaps(&client).await;
    let reply = send_text(&maps, "fieldValidation=Strict", TWICE.to_owned()).await;
    reply.bad_request_with("strict decoding error: duplicate field \"data\"");
}

/// POSTs YAML that has a field twice.
async fn send_yaml_twice(maps: &Collection, query: &str) -> wire::Reply {
    let body = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  k: v\n  k: w\n";
    let path = format!("{}?{query}", maps.path);
    let headers = [("content-type", "application/yaml")];
    send(&maps.client, Method::POST, &path, &headers, body.into()).await
}

async fn duplicate_field_of_yaml_is_a_warning_by_default(client: Client) {
    let maps = configmaps(&client).await;
    let reply = send_yaml_twice(&maps, "").await;
    check!(reply.is(201), "/data/k": "w");
    assert_eq!(reply.warnings().len(), 1);
}

async fn duplicate_field_of_yaml_is_refused_when_strict(client: Client) {
    let maps = configmaps(&client).await;
    let reply = send_yaml_twice(&maps, "fieldValidation=Strict").await;
    reply.bad_request_with(
        "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: ",
    );
}

async fn unknown_field_in_an_update_is_refused_when_strict(client: Client) {
    let maps = configmaps(&client).await;
    maps.given("a", json!({})).await;
    let reply = maps
        .put(
            "a?fieldValidation=Strict",
            &maps.object("a", json!({"dataa": {}})),
        )
        .await;
    reply.bad_request_with("strict decoding error: unknown field \"dataa\"");
}

async fn unknown_field_in_a_merge_patch_is_refused_when_strict(client: Client) {
    let things = things(&client, json!({"size": {"type": "integer"}})).await;
    things.given("a", json!({"spec": {"size": 1}})).await;
    let reply = things
        .merge("a?fieldValidation=Strict", json!({"spec": {"sise": 1}}))
        .await;
    reply.invalid_with("strict decoding error: unknown field \"spec.sise\"");
}

async fn unknown_field_in_a_json_patch_is_refused_when_strict(client: Client) {
    let things = things(&client, json!({"size": {"type": "integer"}})).await;
    things.given("a", json!({"spec": {"size": 1}})).await;
    let reply = things
        .json_patch(
            "a?fieldValidation=Strict",
            json!([{"op": "add", "path": "/spec/sise", "value": 1}]),
        )
        .await;
    reply.invalid_with("strict decoding error: unknown field \"spec.sise\"");
}

async fn unknown_field_in_an_apply_is_refused(client: Client) {
    let maps = configmaps(&client).await;
    let reply = maps.apply("a", "me", json!({"dataa": {"k": "v"}})).await;
    reply.fails_with(500, "", ".dataa: field not declared in schema");
}

async fn unknown_field_in_a_custom_apply_is_refused(client: Client) {
    let things = things(&client, json!({"size": {"type": "integer"}})).await;
    let reply = things.apply("a", "me", json!({"spec": {"sise": 1}})).await;
    reply.fails_with(500, "", ".spec.sise: field not declared in schema");
}

async fn preserved_unknown_field_is_no_warning(client: Client) {
    let things = things(
        &client,
        json!({"any": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}),
    )
    .await;
    let reply = things
        .creation_with(
            "fieldValidation=Strict",
            "a",
            json!({"spec": {"any": {"x": 1}}}),
        )
        .await;
    check!(reply.is(201), "/spec/any/x": 1);
}

async fn unknown_validation_directive_is_refused(client: Client) {
    let maps = configmaps(&client).await;
    let reply = maps
        .creation_with("fieldValidation=Loose", "a", json!({}))
        .await;
    reply.invalid_with("fieldValidation: Unsupported value: \"Loose\": supported values: \"\", \"Ignore\", \"Strict\", \"Warn\"");
}

async fn field_names_are_case_sensitive(client: Client) {
    let maps = configmaps(&client).await;
    let path = maps.path.clone();
    let object = maps.object("a", json!({"Data": {"k": "v"}}));
    let reply = post(&client, &path, &object).await;
    check_absent(&reply.is(201), "/data");
    assert_eq!(reply.warnings(), ["unknown field \"Data\""]);
    patch(
        &client,
        &maps.at("a"),
        patch_type::MERGE,
        &json!({"data": {"k": "v"}}),
    )
    .await
    .is(200);
}
