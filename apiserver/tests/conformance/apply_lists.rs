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
    containers_of_a_deployment_merge_by_name,
    environment_of_a_container_merges_by_name,
    ports_of_a_service_merge_by_port_and_protocol,
    finalizers_are_a_set,
    owner_references_merge_by_uid,
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

fn pod_template(containers: Value) -> Value {
    let template =
        json!({"metadata": {"labels": {"app": "a"}}, "spec": {"containers": containers}});
    json!({"spec": {"replicas": 0, "selector": {"matchLabels": {"app": "a"}}, "template": template}})
}

async fn containers_of_a_deployment_merge_by_name(client: Client) {
    let deployments = namespaced(&client, "/apis/apps/v1", "deployments", "Deployment").await;
    deployments
        .apply(
            "a",
            "me",
            pod_template(json!([{"name": "one", "image": "i:1"}])),
        )
        .await
        .is(201);
    let sidecar =
        json!({"spec": {"template": {"spec": {"containers": [{"name": "two", "image": "i:2"}]}}}});
    let both = deployments.apply("a", "you", sidecar).await.is(200);
    check(&both, "/spec/template/spec/containers/0/image", "i:1");
    check(&both, "/spec/template/spec/containers/1/image", "i:2");
}

async fn environment_of_a_container_merges_by_name(client: Client) {
    let deployments = namespaced(&client, "/apis/apps/v1", "deployments", "Deployment").await;
    let env = |name: &str| json!([{"name": "one", "image": "i:1", "env": [{"name": name, "value": "1"}]}]);
    deployments
        .apply("a", "me", pod_template(env("A")))
        .await
        .is(201);
    let both = deployments
        .apply("a", "you", pod_template(env("B")))
        .await
        .is(200);
    let expected = json!([{"name": "A", "value": "1"}, {"name": "B", "value": "1"}]);
    check(&both, "/spec/template/spec/containers/0/env", expected);
}

async fn ports_of_a_service_merge_by_port_and_protocol(client: Client) {
    let services = namespaced(&client, "/api/v1", "services", "Service").await;
    let spec = |ports: Value| json!({"spec": {"selector": {"app": "a"}, "ports": ports}});
    services
        .apply("a", "me", spec(json!([{"name": "http", "port": 80}])))
        .await
        .is(201);
    let both = services
        .apply(
            "a",
            "you",
            spec(json!([{"name": "dns", "port": 53, "protocol": "UDP"}])),
        )
        .await
        .is(200);
    assert_eq!(at(&both, "/spec/ports").as_array().map(Vec::len), Some(2));
    check(&both, "/spec/ports/0/protocol", "TCP");
}

async fn finalizers_are_a_set(client: Client) {
    let maps = configmaps(&client).await;
    maps.apply(
        "a",
        "me",
        json!({"metadata": {"finalizers": ["example.com/a"]}}),
    )
    .await
    .is(201);
    let both = maps
        .apply(
            "a",
            "you",
            json!({"metadata": {"finalizers": ["example.com/b"]}}),
        )
        .await
        .is(200);
    check(
        &both,
        "/metadata/finalizers",
        json!(["example.com/a", "example.com/b"]),
    );
    let one = maps.apply("a", "me", json!({})).await.is(200);
    check(&one, "/metadata/finalizers", json!(["example.com/b"]));
    maps.apply("a", "you", json!({})).await.is(200);
}

async fn owner_references_merge_by_uid(client: Client) {
    let maps = configmaps(&client).await;
    let (first, second) = (
        maps.given("first", json!({})).await,
        maps.given("second", json!({})).await,
    );
    let owned_by = |owner: &Value| {
        let reference = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"]});
        json!({"metadata": {"ownerReferences": [reference]}})
    };
    maps.apply("a", "me", owned_by(&first)).await.is(201);
    let both = maps.apply("a", "you", owned_by(&second)).await.is(200);
    assert_eq!(
        at(&both, "/metadata/ownerReferences")
            .as_array()
            .map(Vec::len),
        Some(2)
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
