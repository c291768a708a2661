//! Defaults of structural schemas.

use crate::harness::cases;
use crate::support::*;

cases![
    default_fills_a_missing_field,
    default_does_not_replace_a_value,
    default_inside_a_missing_object_is_not_applied,
    default_object_brings_its_own_fields,
    default_inside_list_items,
    default_inside_map_values,
    null_of_a_field_that_is_not_nullable_is_defaulted,
    null_of_a_nullable_field_is_kept,
    default_is_applied_to_updates,
    removed_field_is_defaulted_again,
    default_of_the_new_schema_is_applied_when_read,
    default_that_is_invalid_is_refused,
    default_of_the_status,
    default_false_and_zero_are_applied,
];

async fn default_fills_a_missing_field(client: Client) {
    let things = things(&client, json!({"size": {"type": "integer", "default": 3}})).await;
    check(
        &things.given("a", json!({"spec": {}})).await,
        "/spec",
        json!({"size": 3}),
    );
}

async fn default_does_not_replace_a_value(client: Client) {
    let things = things(&client, json!({"size": {"type": "integer", "default": 3}})).await;
    check(
        &things.given("a", json!({"spec": {"size": 0}})).await,
        "/spec",
        json!({"size": 0}),
    );
}

async fn default_inside_a_missing_object_is_not_applied(client: Client) {
    let things = things(&client, json!({"size": {"type": "integer", "default": 3}})).await;
    check_absent(&things.given("a", json!({})).await, "/spec");
}

async fn default_object_brings_its_own_fields(client: Client) {
    let inner = json!({"type": "object", "default": {}, "properties": {"size": {"type": "integer", "default": 3}}});
    let things = things(&client, json!({"inner": inner})).await;
    check(
        &things.given("a", json!({"spec": {}})).await,
        "/spec",
        json!({"inner": {"size": 3}}),
    );
}

async fn default_inside_list_items(client: Client) {
    let items = json!({"type": "object", "properties": {"port": {"type": "integer"}, "protocol": {"type": "string", "default": "TCP"}}});
    let things = things(&client, json!({"ports": {"type": "array", "items": items}})).await;
    let created = things
        .given(
            "a",
            json!({"spec": {"ports": [{"port": 1}, {"port": 2, "protocol": "UDP"}]}}),
        )
        .await;
    check(
        &created,
        "/spec/ports",
        json!([{"port": 1, "protocol": "TCP"}, {"port": 2, "protocol": "UDP"}]),
    );
}

async fn default_inside_map_values(client: Client) {
    let value =
        json!({"type": "object", "properties": {"on": {"type": "boolean", "default": true}}});
    let things = things(
        &client,
        json!({"map": {"type": "object", "additionalProperties": value}}),
    )
    .await;
    let created = things.given("a", json!({"spec": {"map": {"k": {}}}})).await;
    check(&created, "/spec/map", json!({"k": {"on": true}}));
}

async fn null_of_a_field_that_is_not_nullable_is_defaulted(client: Client) {
    let things = things(&client, json!({"size": {"type": "integer", "default": 3}})).await;
    check(
        &things.given("a", json!({"spec": {"size": null}})).await,
        "/spec",
        json!({"size": 3}),
    );
}

async fn null_of_a_nullable_field_is_kept(client: Client) {
    let things = things(
        &client,
        json!({"size": {"type": "integer", "nullable": true, "default": 3}}),
    )
    .await;
    check(
        &things.given("a", json!({"spec": {"size": null}})).await,
        "/spec",
        json!({"size": null}),
    );
}

async fn default_is_applied_to_updates(client: Client) {
    let things = things(
        &client,
        json!({"size": {"type": "integer", "default": 3}, "x": {"type": "integer"}}),
    )
    .await;
    things.given("a", json!({})).await;
    check(
        &things.merge("a", json!({"spec": {"x": 1}})).await.is(200),
        "/spec",
        json!({"size": 3, "x": 1}),
    );
}

async fn removed_field_is_defaulted_again(client: Client) {
    let things = things(&client, json!({"size": {"type": "integer", "default": 3}})).await;
    things.given("a", json!({"spec": {"size": 5}})).await;
    let patched = things
        .json_patch("a", json!([{"op": "remove", "path": "/spec/size"}]))
        .await
        .is(200);
    check(&patched, "/spec/size", 3);
}

async fn default_of_the_new_schema_is_applied_when_read(client: Client) {
    let crd = Crd::new(crd::spec_schema(json!({"size": {"type": "integer"}})));
    let things = crd.install(&client).await;
    let created = things.given("a", json!({"spec": {}})).await;
    let mut stored = get(&client, &crd.path()).await.is(200);
    stored["spec"]["versions"][0]["schema"]["openAPIV3Schema"] =
        crd::spec_schema(json!({"size": {"type": "integer", "default": 3}}));
    put(&client, &crd.path(), &stored).await.is(200);
    let read = expect::eventually("the default shows", || async {
        let read = things.get("a").await.json();
        (read["spec"] == json!({"size": 3})).then_some(read)
    })
    .await;
    assert_eq!(resource_version(&read), resource_version(&created));
}

async fn default_that_is_invalid_is_refused(client: Client) {
    let crd = Crd::new(crd::spec_schema(
        json!({"size": {"type": "integer", "default": "three"}}),
    ));
    let reply = post(&client, crd::CRDS, &crd.body).await;
    reply.fails_with(
        422,
        "Invalid",
        "spec.validation.openAPIV3Schema.properties[spec].properties[size].default: Invalid value: \"string\":  in body must be of type integer: \"string\"",
    );
}

async fn default_of_the_status(client: Client) {
    let status =
        json!({"type": "object", "properties": {"phase": {"type": "string", "default": "New"}}});
    let crd = Crd::new(json!({"type": "object", "properties": {"status": status}}))
        .with("subresources", json!({"status": {}}));
    let things = crd.install(&client).await;
    things.given("a", json!({})).await;
    check(
        &things
            .merge("a/status", json!({"status": {}}))
            .await
            .is(200),
        "/status/phase",
        "New",
    );
}

async fn default_false_and_zero_are_applied(client: Client) {
    let things = things(
        &client,
        json!({"on": {"type": "boolean", "default": false}, "n": {"type": "integer", "default": 0}, "s": {"type": "string", "default": ""}}),
    )
    .await;
    check(
        &things.given("a", json!({"spec": {}})).await,
        "/spec",
        json!({"on": false, "n": 0, "s": ""}),
    );
}
