//! Server-side apply inside lists, maps and atomic values.

use crate::harness::cases;
use crate::support::crd::spec_schema;
use crate::support::*;

cases![
    duplicate_keys_in_a_status_are_refused_at_the_main_endpoint,
    list_map_merges_by_key: applies(
        list_map(), &[("me", list(json!([{"name": "x", "v": 1}]))), ("you", list(json!([{"name": "y", "v": 2}])))],
        "/spec/l", json!([{"name": "x", "v": 1}, {"name": "y", "v": 2}])),
    list_map_item_goes_with_its_last_owner: applies(
        list_map(),
        &[("me", list(json!([{"name": "x", "v": 1}]))), ("you", list(json!([{"name": "y", "v": 2}]))),
            ("me", list(json!([])))],
        "/spec/l", json!([{"name": "y", "v": 2}])),
    list_map_owns_its_items_by_key: owns(
        list_map(), &[("me", list(json!([{"name": "x", "v": 1}])))],
        json!({"f:spec": {"f:l": {"k:{\"name\":\"x\"}": {".": {}, "f:name": {}, "f:v": {}}}}})),
    list_map_with_two_keys,
    list_map_key_default: applies(
        keyed(&["port"], json!({"port": {"type": "integer"}, "protocol": {"type": "string", "default": "TCP"},
            "v": {"type": "integer"}})),
        &[("me", list(json!([{"port": 1, "v": 1}]))), ("me", list(json!([{"port": 1, "protocol": "TCP", "v": 2}])))],
        "/spec/l", json!([{"port": 1, "protocol": "TCP", "v": 2}])),
    list_map_order_follows_the_applier: applies(
        list_map(),
        &[("me", list(json!([{"name": "x"}, {"name": "y"}]))), ("me", list(json!([{"name": "y"}, {"name": "x"}])))],
        "/spec/l", json!([{"name": "y"}, {"name": "x"}])),
    set_merges_its_values: merges(
        string_list("set"), &[("me", list(json!(["x"]))), ("you", list(json!(["y"])))],
        "/spec/l", json!(["x", "y"]), json!({"f:spec": {"f:l": {"v:\"y\"": {}}}})),
    set_drops_what_nobody_applies: applies(
        string_list("set"), &[("me", list(json!(["x", "y"]))), ("you", list(json!(["y"]))), ("me", list(json!([])))],
        "/spec/l", json!(["y"])),
    atomic_list_is_owned_as_a_whole: owns(
        string_list("atomic"), &[("me", list(json!(["x"])))], json!({"f:spec": {"f:l": {}}})),
    atomic_list_is_replaced_as_a_whole: applies(
        string_list("atomic"), &[("me", list(json!(["x"]))), ("me", list(json!(["y"])))], "/spec/l", json!(["y"])),
    atomic_list_of_another_manager_conflicts: conflicts(
        string_list("atomic"), list(json!(["x"])), list(json!(["x", "y"])), ".spec.l"),
    atomic_map_is_owned_as_a_whole,
    granular_map_is_owned_by_key: merges(
        json!({"m": {"type": "object", "additionalProperties": {"type": "string"}}}),
        &[("me", json!({"spec": {"m": {"k": "v"}}})), ("you", json!({"spec": {"m": {"l": "w"}}}))],
        "/spec/m", json!({"k": "v", "l": "w"}), json!({"f:spec": {"f:m": {"f:l": {}}}})),
    list_without_a_type_is_atomic: owns(
        json!({"l": {"type": "array", "items": {"type": "string"}}}), &[("me", list(json!(["x"])))],
        json!({"f:spec": {"f:l": {}}})),
    duplicate_list_map_keys_are_refused: refused(
        json!([{"name": "x", "v": 1}, {"name": "x", "v": 2}]), "duplicate entries for key [name=\\\"x\\\"]"),
    list_map_item_without_its_key_is_refused: refused(json!([{"v": 1}]), "name"),
    conflict_inside_a_list_map_names_the_key: conflicts(
        list_map(), list(json!([{"name": "x", "v": 1}])), list(json!([{"name": "x", "v": 2}])),
            ".spec.l[name=\"x\"].v"),
    nested_objects_are_owned_by_leaf: merges(
        json!({"inner": {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}}}}),
        &[("me", json!({"spec": {"inner": {"x": 1}}})), ("you", json!({"spec": {"inner": {"y": 2}}}))],
        "/spec/inner", json!({"x": 1, "y": 2}), json!({"f:spec": {"f:inner": {"f:y": {}}}})),
    empty_object_is_owned_itself: merges(
        json!({"inner": {"type": "object", "properties": {"x": {"type": "integer"}}}}),
        &[("me", json!({"spec": {"inner": {}}}))],
        "/spec", json!({"inner": {}}), json!({"f:spec": {"f:inner": {}}})),
    null_is_applied_as_absence: merges(
        json!({"n": {"type": "integer", "nullable": true}}), &[("me", json!({"spec": {"n": null}}))],
        "/spec/n", Value::Null, json!({"f:spec": {"f:n": {}}})),
];

fn list_map() -> Value {
    let items = json!({"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "v": {"type": "integer"}}});
    json!({"l": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "items": items}})
}

/// Returns the schema of a list map with these item properties; the keys are port and protocol.
fn keyed(required: &[&str], properties: Value) -> Value {
    let items = json!({"type": "object", "required": required, "properties": properties});
    json!({"l": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port", "protocol"], "items": items}})
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

/// Creates things whose `spec` has these properties, and one that managers have applied in turn.
async fn applied(
    client: &Client,
    properties: Value,
    applies: &[(&str, Value)],
) -> (Collection, Value) {
    let things = things(client, properties).await;
    let mut object = Value::Null;
    for (index, (manager, fields)) in applies.iter().enumerate() {
        let code = if index == 0 { 201 } else { 200 };
        object = things.apply("a", manager, fields.clone()).await.is(code);
    }
    (things, object)
}

/// Expects the applies to result in this value at a JSON pointer.
async fn applies(
    client: Client,
    properties: Value,
    applies: &[(&str, Value)],
    pointer: &str,
    expected: Value,
) {
    let (_, object) = applied(&client, properties, applies).await;
    check(&object, pointer, expected);
}

/// Expects the last applier to own these fields.
async fn owns(client: Client, properties: Value, applies: &[(&str, Value)], fields: Value) {
    let (_, object) = applied(&client, properties, applies).await;
    let (manager, _) = applies.last().expect("somebody who applies");
    assert_eq!(fields_of(&object, manager), &fields);
}

/// Expects both the result of [`applies`] and that of [`owns`].
async fn merges(
    client: Client,
    properties: Value,
    applies: &[(&str, Value)],
    pointer: &str,
    expected: Value,
    fields: Value,
) {
    let (_, object) = applied(&client, properties, applies).await;
    let (manager, _) = applies.last().expect("somebody who applies");
    check(&object, pointer, expected);
    assert_eq!(fields_of(&object, manager), &fields);
}

/// Expects the apply of another manager to conflict with the first at a path.
async fn conflicts(client: Client, properties: Value, first: Value, second: Value, path: &str) {
    let (things, _) = applied(&client, properties, &[("me", first)]).await;
    let message = format!("Apply failed with 1 conflict: conflict with \"me\": {path}");
    let reply = things.apply("a", "you", second).await;
    reply.conflicts(&message);
}

/// Expects items of a list map to be rejected, with this part of the message.
async fn refused(client: Client, items: Value, part: &str) {
    let things = things(&client, list_map()).await;
    let reply = things.apply("a", "me", list(items)).await;
    assert!(reply.code >= 400, "{}", reply.text);
    assert!(reply.text.contains(part), "{}", reply.text);
}

async fn list_map_with_two_keys(client: Client) {
    let properties = json!({"port": {"type": "integer"}, "protocol": {"type": "string"}, "v": {"type": "integer"}});
    let first = list(json!([{"port": 1, "protocol": "TCP", "v": 1}]));
    let second = list(json!([{"port": 1, "protocol": "UDP", "v": 2}]));
    let keyed = keyed(&["port", "protocol"], properties);
    let (_, both) = applied(&client, keyed, &[("me", first), ("you", second)]).await;
    assert_eq!(at(&both, "/spec/l").as_array().map(Vec::len), Some(2));
    let fields = json!({"f:spec": {"f:l": {"k:{\"port\":1,\"protocol\":\"UDP\"}": {".": {}, "f:port": {}, "f:protocol": {}, "f:v": {}}}}});
    assert_eq!(fields_of(&both, "you"), &fields);
}

async fn atomic_map_is_owned_as_a_whole(client: Client) {
    let map = json!({"type": "object", "x-kubernetes-map-type": "atomic", "additionalProperties": {"type": "string"}});
    let things = things(&client, json!({"m": map})).await;
    let created = things
        .given_by("a", "me", json!({"spec": {"m": {"k": "v"}}}))
        .await;
    assert_eq!(fields_of(&created, "me"), &json!({"f:spec": {"f:m": {}}}));
    things
        .apply("a", "you", json!({"spec": {"m": {"l": "w"}}}))
        .await
        .refused(409, "Conflict");
}

async fn duplicate_keys_in_a_status_are_refused_at_the_main_endpoint(client: Client) {
    let condition = json!({"type": "object", "required": ["type"],
        "properties": {"type": {"type": "string"}}});
    let conditions = json!({"type": "array", "items": condition,
        "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"]});
    let mut schema = spec_schema(json!({}));
    schema["properties"]["status"] =
        json!({"type": "object", "properties": {"conditions": conditions}});
    let crd = Crd::new(schema).with("subresources", json!({"status": {}}));
    let things = crd.install(&client).await;
    let twice = json!({"status": {"conditions": [{"type": "A"}, {"type": "A"}]}});
    things.apply("a", "m", twice).await.fails_with(
        500,
        "",
        ".status.conditions: duplicate entries for key [type=\"A\"]",
    );
}
