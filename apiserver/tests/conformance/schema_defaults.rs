//! Defaults of structural schemas.

use crate::harness::cases;
use crate::support::*;

cases![
    default_fills_a_missing_field: stores(
        json!({"size": {"type": "integer", "default": 3}}), json!({"spec": {}}), "/spec", json!({"size": 3})),
    default_does_not_replace_a_value: stores(
        json!({"size": {"type": "integer", "default": 3}}), json!({"spec": {"size": 0}}), "/spec",
        json!({"size": 0})),
    default_inside_a_missing_object_is_not_applied: drops(
        json!({"size": {"type": "integer", "default": 3}}), json!({}), "/spec"),
    default_object_brings_its_own_fields: stores(
        json!({"inner": {"type": "object", "default": {}, "properties": {"size": {"type": "integer", "default": 3}}}}),
        json!({"spec": {}}), "/spec", json!({"inner": {"size": 3}})),
    default_inside_list_items: stores(
        json!({"ports": {"type": "array", "items": {"type": "object",
            "properties": {"port": {"type": "integer"}, "protocol": {"type": "string", "default": "TCP"}}}}}),
        json!({"spec": {"ports": [{"port": 1}, {"port": 2, "protocol": "UDP"}]}}), "/spec/ports",
        json!([{"port": 1, "protocol": "TCP"}, {"port": 2, "protocol": "UDP"}])),
    default_inside_map_values: stores(
        json!({"map": {"type": "object", "additionalProperties": {"type": "object",
            "properties": {"on": {"type": "boolean", "default": true}}}}}),
        json!({"spec": {"map": {"k": {}}}}), "/spec/map", json!({"k": {"on": true}})),
    null_of_a_field_that_is_not_nullable_is_defaulted: stores(
        json!({"size": {"type": "integer", "default": 3}}), json!({"spec": {"size": null}}), "/spec",
        json!({"size": 3})),
    null_of_a_nullable_field_is_kept: stores(
        json!({"size": {"type": "integer", "nullable": true, "default": 3}}), json!({"spec": {"size": null}}),
        "/spec", json!({"size": null})),
    default_is_applied_to_updates,
    removed_field_is_defaulted_again,
    default_of_the_new_schema_is_applied_when_read,
    default_that_is_invalid_is_refused,
    default_of_the_status,
    default_false_and_zero_are_applied: stores(
        json!({"on": {"type": "boolean", "default": false}, "n": {"type": "integer", "default": 0},
            "s": {"type": "string", "default": ""}}),
        json!({"spec": {}}), "/spec", json!({"on": false, "n": 0, "s": ""})),
];

async fn default_is_applied_to_updates(client: Client) {
    let things = things(
        &client,
        json!({"size": {"type": "integer", "default": 3}, "x": {"type": "integer"}}),
    )
    .await;
    things.given("a", json!({})).await;
    check!(things.merged("a", json!({"spec": {"x": 1}})).await, "/spec": {"size": 3, "x": 1});
}

async fn removed_field_is_defaulted_again(client: Client) {
    let things = things(&client, json!({"size": {"type": "integer", "default": 3}})).await;
    things.given("a", json!({"spec": {"size": 5}})).await;
    let patched = things
        .json_patch("a", json!([{"op": "remove", "path": "/spec/size"}]))
        .await
        .is(200);
    check!(patched, "/spec/size": 3);
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
    reply.invalid_with("spec.validation.openAPIV3Schema.properties[spec].properties[size].default: Invalid value: \"string\":  in body must be of type integer: \"string\"");
}

async fn default_of_the_status(client: Client) {
    let status =
        json!({"type": "object", "properties": {"phase": {"type": "string", "default": "New"}}});
    let crd = Crd::new(json!({"type": "object", "properties": {"status": status}}))
        .with("subresources", json!({"status": {}}));
    let things = crd.install(&client).await;
    things.given("a", json!({})).await;
    check!(things.merged("a/status", json!({"status": {}})).await, "/status/phase": "New");
}
