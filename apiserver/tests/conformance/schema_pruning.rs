//! Pruning by structural schemas.

use crate::harness::cases;
use crate::support::*;

cases![
    unknown_fields_are_pruned: stores(
        json!({"known": {"type": "string"}}), json!({"spec": {"known": "v", "unknown": {"deep": 1}}}),
        "/spec", json!({"known": "v"})),
    unknown_fields_at_the_root_are_pruned: drops(json!({}), json!({"extra": 1}), "/extra"),
    preserved_fields_are_kept,
    pruning_goes_on_below_a_known_field_of_a_preserved_object: stores(
        json!({"any": {"type": "object", "x-kubernetes-preserve-unknown-fields": true,
            "properties": {"known": {"type": "object", "properties": {"k": {"type": "string"}}}}}}),
        json!({"spec": {"any": {"free": 1, "known": {"k": "v", "free": 1}}}}), "/spec/any",
        json!({"free": 1, "known": {"k": "v"}})),
    additional_properties_keep_any_key: stores(
        json!({"map": {"type": "object", "additionalProperties": {"type": "object",
            "properties": {"k": {"type": "string"}}}}}),
        json!({"spec": {"map": {"one": {"k": "v", "x": 1}, "two": {}}}}), "/spec/map",
        json!({"one": {"k": "v"}, "two": {}})),
    unknown_fields_in_lists_are_pruned: stores(
        json!({"list": {"type": "array", "items": {"type": "object", "properties": {"k": {"type": "string"}}}}}),
        json!({"spec": {"list": [{"k": "v", "x": 1}, {"x": 2}]}}), "/spec/list", json!([{"k": "v"}, {}])),
    unknown_metadata_is_pruned: drops(
        json!({}), json!({"metadata": {"unknown": "x"}}), "/metadata/unknown"),
    embedded_resource_keeps_its_metadata,
    embedded_resource_is_pruned_below: stores(
        embedded(),
        json!({"spec": {"template": {"apiVersion": "v1", "kind": "Pod", "metadata": {"unknown": 1, "name": "p"},
            "spec": {"x": 1}, "extra": 1}}}),
        "/spec/template", json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {}})),
    embedded_resource_needs_a_kind,
    preserve_unknown_fields_at_the_root,
    update_prunes_too,
    objects_of_an_older_schema_are_pruned_when_read,
    int_or_string_keeps_both,
];

async fn preserved_fields_are_kept(client: Client) {
    let things = things(
        &client,
        json!({"any": {"x-kubernetes-preserve-unknown-fields": true}}),
    )
    .await;
    let any = json!({"deep": [1, {"x": null}], "text": "t"});
    let created = things.given("a", json!({"spec": {"any": any}})).await;
    check!(created, "/spec/any": any);
}

fn embedded() -> Value {
    json!({"template": {
        "type": "object",
        "x-kubernetes-embedded-resource": true,
        "properties": {"spec": {"type": "object", "properties": {"k": {"type": "string"}}}},
    }})
}

async fn embedded_resource_keeps_its_metadata(client: Client) {
    let things = things(&client, embedded()).await;
    let template = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "labels": {"l": "1"}}, "spec": {"k": "v"}});
    let created = things
        .given("a", json!({"spec": {"template": template}}))
        .await;
    check!(created, "/spec/template": template);
}

async fn embedded_resource_needs_a_kind(client: Client) {
    let things = things(&client, embedded()).await;
    let reply = things
        .creation("a", json!({"spec": {"template": {"spec": {}}}}))
        .await;
    let status = reply.invalid_with("spec.template.apiVersion: Required value");
    assert!(
        at(&status, "/message")
            .as_str()
            .is_some_and(|m| m.contains("spec.template.kind: Required value"))
    );
}

async fn preserve_unknown_fields_at_the_root(client: Client) {
    let crd = Crd::new(json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}));
    let things = crd.install(&client).await;
    let created = things.given("a", json!({"extra": {"x": [1, "two"]}})).await;
    check!(created, "/extra": {"x": [1, "two"]});
}

async fn update_prunes_too(client: Client) {
    let things = things(&client, json!({"known": {"type": "string"}})).await;
    things.given("a", json!({"spec": {"known": "v"}})).await;
    let updated = things
        .merged("a", json!({"spec": {"known": "w", "unknown": 1}}))
        .await;
    check!(updated, "/spec": {"known": "w"});
}

async fn objects_of_an_older_schema_are_pruned_when_read(client: Client) {
    let crd = Crd::new(crd::spec_schema(
        json!({"old": {"type": "string"}, "kept": {"type": "string"}}),
    ));
    let things = crd.install(&client).await;
    things
        .given("a", json!({"spec": {"old": "v", "kept": "v"}}))
        .await;
    let mut stored = get(&client, &crd.path()).await.is(200);
    stored["spec"]["versions"][0]["schema"]["openAPIV3Schema"] =
        crd::spec_schema(json!({"kept": {"type": "string"}}));
    put(&client, &crd.path(), &stored).await.is(200);
    expect::eventually("the old field is gone", || async {
        let spec = things.get("a").await.json()["spec"].take();
        (spec == json!({"kept": "v"})).then_some(())
    })
    .await;
}

async fn int_or_string_keeps_both(client: Client) {
    let port = json!({"x-kubernetes-int-or-string": true});
    let things = things(&client, json!({"first": port, "second": port})).await;
    let created = things
        .given("a", json!({"spec": {"first": 80, "second": "http"}}))
        .await;
    check!(created, "/spec": {"first": 80, "second": "http"});
}
