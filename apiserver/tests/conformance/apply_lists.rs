//! Server-side apply inside lists, maps and atomic values.

use crate::harness::cases;
use crate::support::*;

cases![
    list_map_merges_by_key,
    list_map_item_goes_with_its_last_owner,
    list_map_owns_its_items_by_key,
    list_map_with_two_keys,
    list_map_key_default,
    list_map_order_follows_the_applier,
    set_merges_its_values,
    set_drops_what_nobody_applies,
    atomic_list_is_owned_as_a_whole,
    atomic_list_of_another_manager_conflicts,
    atomic_map_is_owned_as_a_whole,
    granular_map_is_owned_by_key,
    list_without_a_type_is_atomic,
    duplicate_list_map_keys_are_refused,
    list_map_item_without_its_key_is_refused,
    conflict_inside_a_list_map_names_the_key,
    nested_objects_are_owned_by_leaf,
    empty_object_is_owned_itself,
    null_is_applied_as_absence,
];

fn list_map() -> Value {
    let items = json!({"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "v": {"type": "integer"}}});
    json!({"l": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "items": items}})
}

fn string_list(list_type: &str) -> Value {
    json!({"l": {"type": "array", "x-kubernetes-list-type": list_type, "items": {"type": "string"}}})
}

fn list(items: Value) -> Value {
    json!({"spec": {"l": items}})
}

fn fields_of<'v>(object: &'v Value, manager: &str) -> &'v Value {
    let entries = at(object, "/metadata/managedFields").as_array();
    let found =
        entries.and_then(|entries| entries.iter().find(|entry| entry["manager"] == manager));
    found.map_or(&Value::Null, |entry| &entry["fieldsV1"])
}

async fn list_map_merges_by_key(client: Client) {
    let things = things(&client, list_map()).await;
    things
        .apply("a", "me", list(json!([{"name": "x", "v": 1}])))
        .await
        .is(201);
    let both = things
        .apply("a", "you", list(json!([{"name": "y", "v": 2}])))
        .await
        .is(200);
    check(
        &both,
        "/spec/l",
        json!([{"name": "x", "v": 1}, {"name": "y", "v": 2}]),
    );
}

async fn list_map_item_goes_with_its_last_owner(client: Client) {
    let things = things(&client, list_map()).await;
    things
        .apply("a", "me", list(json!([{"name": "x", "v": 1}])))
        .await
        .is(201);
    things
        .apply("a", "you", list(json!([{"name": "y", "v": 2}])))
        .await
        .is(200);
    let one = things.apply("a", "me", list(json!([]))).await.is(200);
    check(&one, "/spec/l", json!([{"name": "y", "v": 2}]));
}

async fn list_map_owns_its_items_by_key(client: Client) {
    let things = things(&client, list_map()).await;
    let created = things
        .apply("a", "me", list(json!([{"name": "x", "v": 1}])))
        .await
        .is(201);
    let fields =
        json!({"f:spec": {"f:l": {"k:{\"name\":\"x\"}": {".": {}, "f:name": {}, "f:v": {}}}}});
    assert_eq!(fields_of(&created, "me"), &fields);
}

async fn list_map_with_two_keys(client: Client) {
    let properties = json!({"port": {"type": "integer"}, "protocol": {"type": "string"}, "v": {"type": "integer"}});
    let items =
        json!({"type": "object", "required": ["port", "protocol"], "properties": properties});
    let keyed = json!({"l": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port", "protocol"], "items": items}});
    let things = things(&client, keyed).await;
    things
        .apply(
            "a",
            "me",
            list(json!([{"port": 1, "protocol": "TCP", "v": 1}])),
        )
        .await
        .is(201);
    let both = things
        .apply(
            "a",
            "you",
            list(json!([{"port": 1, "protocol": "UDP", "v": 2}])),
        )
        .await
        .is(200);
    assert_eq!(at(&both, "/spec/l").as_array().map(Vec::len), Some(2));
    let fields = json!({"f:spec": {"f:l": {"k:{\"port\":1,\"protocol\":\"UDP\"}": {".": {}, "f:port": {}, "f:protocol": {}, "f:v": {}}}}});
    assert_eq!(fields_of(&both, "you"), &fields);
}

async fn list_map_key_default(client: Client) {
    let properties = json!({"port": {"type": "integer"}, "protocol": {"type": "string", "default": "TCP"}, "v": {"type": "integer"}});
    let items = json!({"type": "object", "required": ["port"], "properties": properties});
    let keyed = json!({"l": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port", "protocol"], "items": items}});
    let things = things(&client, keyed).await;
    things
        .apply("a", "me", list(json!([{"port": 1, "v": 1}])))
        .await
        .is(201);
    let one = things
        .apply(
            "a",
            "me",
            list(json!([{"port": 1, "protocol": "TCP", "v": 2}])),
        )
        .await
        .is(200);
    check(
        &one,
        "/spec/l",
        json!([{"port": 1, "protocol": "TCP", "v": 2}]),
    );
}

async fn list_map_order_follows_the_applier(client: Client) {
    let things = things(&client, list_map()).await;
    things
        .apply("a", "me", list(json!([{"name": "x"}, {"name": "y"}])))
        .await
        .is(201);
    let turned = things
        .apply("a", "me", list(json!([{"name": "y"}, {"name": "x"}])))
        .await
        .is(200);
    check(&turned, "/spec/l", json!([{"name": "y"}, {"name": "x"}]));
}

async fn set_merges_its_values(client: Client) {
    let things = things(&client, string_list("set")).await;
    things.apply("a", "me", list(json!(["x"]))).await.is(201);
    let both = things.apply("a", "you", list(json!(["y"]))).await.is(200);
    check(&both, "/spec/l", json!(["x", "y"]));
    assert_eq!(
        fields_of(&both, "you"),
        &json!({"f:spec": {"f:l": {"v:\"y\"": {}}}})
    );
}

async fn set_drops_what_nobody_applies(client: Client) {
    let things = things(&client, string_list("set")).await;
    things
        .apply("a", "me", list(json!(["x", "y"])))
        .await
        .is(201);
    things.apply("a", "you", list(json!(["y"]))).await.is(200);
    let left = things.apply("a", "me", list(json!([]))).await.is(200);
    check(&left, "/spec/l", json!(["y"]));
}

async fn atomic_list_is_owned_as_a_whole(client: Client) {
    let things = things(&client, string_list("atomic")).await;
    let created = things.apply("a", "me", list(json!(["x"]))).await.is(201);
    assert_eq!(fields_of(&created, "me"), &json!({"f:spec": {"f:l": {}}}));
    check(
        &things.apply("a", "me", list(json!(["y"]))).await.is(200),
        "/spec/l",
        json!(["y"]),
    );
}

async fn atomic_list_of_another_manager_conflicts(client: Client) {
    let things = things(&client, string_list("atomic")).await;
    things.apply("a", "me", list(json!(["x"]))).await.is(201);
    things
        .apply("a", "you", list(json!(["x", "y"])))
        .await
        .fails(
            409,
            "Conflict",
            "Apply failed with 1 conflict: conflict with \"me\": .spec.l",
        );
}

async fn atomic_map_is_owned_as_a_whole(client: Client) {
    let map = json!({"type": "object", "x-kubernetes-map-type": "atomic", "additionalProperties": {"type": "string"}});
    let things = things(&client, json!({"m": map})).await;
    let created = things
        .apply("a", "me", json!({"spec": {"m": {"k": "v"}}}))
        .await
        .is(201);
    assert_eq!(fields_of(&created, "me"), &json!({"f:spec": {"f:m": {}}}));
    things
        .apply("a", "you", json!({"spec": {"m": {"l": "w"}}}))
        .await
        .refused(409, "Conflict");
}

async fn granular_map_is_owned_by_key(client: Client) {
    let map = json!({"type": "object", "additionalProperties": {"type": "string"}});
    let things = things(&client, json!({"m": map})).await;
    things
        .apply("a", "me", json!({"spec": {"m": {"k": "v"}}}))
        .await
        .is(201);
    let both = things
        .apply("a", "you", json!({"spec": {"m": {"l": "w"}}}))
        .await
        .is(200);
    check(&both, "/spec/m", json!({"k": "v", "l": "w"}));
    assert_eq!(
        fields_of(&both, "you"),
        &json!({"f:spec": {"f:m": {"f:l": {}}}})
    );
}

async fn list_without_a_type_is_atomic(client: Client) {
    let things = things(
        &client,
        json!({"l": {"type": "array", "items": {"type": "string"}}}),
    )
    .await;
    let created = things.apply("a", "me", list(json!(["x"]))).await.is(201);
    assert_eq!(fields_of(&created, "me"), &json!({"f:spec": {"f:l": {}}}));
}

async fn duplicate_list_map_keys_are_refused(client: Client) {
    let things = things(&client, list_map()).await;
    let reply = things
        .apply(
            "a",
            "me",
            list(json!([{"name": "x", "v": 1}, {"name": "x", "v": 2}])),
        )
        .await;
    assert!(reply.code >= 400, "{}", reply.text);
    assert!(
        reply
            .text
            .contains("duplicate entries for key [name=\\\"x\\\"]"),
        "{}",
        reply.text
    );
}

async fn list_map_item_without_its_key_is_refused(client: Client) {
    let things = things(&client, list_map()).await;
    let reply = things.apply("a", "me", list(json!([{"v": 1}]))).await;
    assert!(reply.code >= 400, "{}", reply.text);
    assert!(reply.text.contains("name"), "{}", reply.text);
}

async fn conflict_inside_a_list_map_names_the_key(client: Client) {
    let things = things(&client, list_map()).await;
    things
        .apply("a", "me", list(json!([{"name": "x", "v": 1}])))
        .await
        .is(201);
    things
        .apply("a", "you", list(json!([{"name": "x", "v": 2}])))
        .await
        .fails(
            409,
            "Conflict",
            "Apply failed with 1 conflict: conflict with \"me\": .spec.l[name=\"x\"].v",
        );
}

async fn nested_objects_are_owned_by_leaf(client: Client) {
    let inner = json!({"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}}});
    let things = things(&client, json!({"inner": inner})).await;
    things
        .apply("a", "me", json!({"spec": {"inner": {"x": 1}}}))
        .await
        .is(201);
    let both = things
        .apply("a", "you", json!({"spec": {"inner": {"y": 2}}}))
        .await
        .is(200);
    check(&both, "/spec/inner", json!({"x": 1, "y": 2}));
    assert_eq!(
        fields_of(&both, "you"),
        &json!({"f:spec": {"f:inner": {"f:y": {}}}})
    );
}

async fn empty_object_is_owned_itself(client: Client) {
    let inner = json!({"type": "object", "properties": {"x": {"type": "integer"}}});
    let things = things(&client, json!({"inner": inner})).await;
    let created = things
        .apply("a", "me", json!({"spec": {"inner": {}}}))
        .await
        .is(201);
    assert_eq!(
        fields_of(&created, "me"),
        &json!({"f:spec": {"f:inner": {}}})
    );
    check(&created, "/spec", json!({"inner": {}}));
}

async fn null_is_applied_as_absence(client: Client) {
    let things = things(&client, json!({"n": {"type": "integer", "nullable": true}})).await;
    let created = things
        .apply("a", "me", json!({"spec": {"n": null}}))
        .await
        .is(201);
    check(&created, "/spec/n", Value::Null);
    assert_eq!(fields_of(&created, "me"), &json!({"f:spec": {"f:n": {}}}));
}
