//! JSON patches and merge patches.

use http::Method;

use crate::harness::cases;
use crate::support::*;

cases![
    merge_patch_sets_and_keeps: merges(
        Of::Map, json!({"data": {"k": "x", "m": "y"}}), "/data", json!({"k": "x", "l": "w", "m": "y"})),
    merge_patch_null_removes: merges(
        Of::Map, json!({"data": {"k": null, "missing": null}}), "/data", json!({"l": "w"})),
    merge_patch_replaces_lists: merges(
        Of::List, json!({"spec": {"list": [4]}}), "/spec", json!({"list": [4], "n": 1})),
    merge_patch_of_nothing_changes_nothing,
    merge_patch_of_a_missing_object_is_not_found,
    merge_patch_that_is_no_object_is_refused: merge_fails(json!([1]), 400, "BadRequest", ""),
    merge_patch_that_drops_the_name_is_refused: merge_fails(
        json!({"metadata": {"name": null}}), 400, "BadRequest",
        "the name of the object (a based on URL) was undeterminable: name must be provided"),
    patches_may_drop_the_namespace,
    merge_patch_of_the_name_is_refused: merge_fails(
        json!({"metadata": {"name": "b"}}), 400, "BadRequest",
        "the name of the object (b) does not match the name on the URL (a)"),
    merge_patch_is_validated,
    merge_patch_counts_a_generation: merges(
        Of::List, json!({"spec": {"n": 2}}), "/metadata/generation", json!(2)),
    json_patch_adds_replaces_and_removes: patches(
        Of::Map,
        json!([{"op": "add", "path": "/data/m", "value": "y"}, {"op": "replace", "path": "/data/k", "value": "x"},
            {"op": "remove", "path": "/data/l"}]),
        "/data", json!({"k": "x", "m": "y"})),
    json_patch_appends_to_a_list: patches(
        Of::List, json!([{"op": "add", "path": "/spec/list/-", "value": 4}]), "/spec/list", json!([1, 2, 3, 4])),
    json_patch_inserts_into_a_list: patches(
        Of::List, json!([{"op": "add", "path": "/spec/list/1", "value": 9}]), "/spec/list", json!([1, 9, 2, 3])),
    json_patch_moves_and_copies: patches(
        Of::Map,
        json!([{"op": "move", "from": "/data/k", "path": "/data/moved"},
            {"op": "copy", "from": "/data/l", "path": "/data/copied"}]),
        "/data", json!({"moved": "v", "copied": "w", "l": "w"})),
    json_patch_test_guards: patches(
        Of::Map,
        json!([{"op": "test", "path": "/data/k", "value": "v"}, {"op": "replace", "path": "/data/k", "value": "x"}]),
        "/data/k", json!("x")),
    json_patch_test_that_fails_is_refused,
    json_patch_removing_what_is_missing_is_refused: patch_fails(
        json!([{"op": "remove", "path": "/data/missing"}]), 422, "Invalid",
        "the server rejected our request due to an error in our request"),
    json_patch_escapes_slashes,
    json_patch_that_is_no_list_is_refused: patch_fails(json!({"op": "remove"}), 400, "BadRequest", ""),
    json_patch_with_an_unknown_operation_is_refused: patch_fails(
        json!([{"op": "swap", "path": "/data/k", "value": 1}]), 422, "Invalid", ""),
    patch_with_an_unknown_media_type_is_refused,
    patch_that_is_no_json_is_refused,
    merge_patch_of_a_custom_resource_is_decoded_before_its_name_is_checked,
    merge_patch_that_drops_a_custom_kind_is_refused,
    strategic_merge_patch_of_a_custom_resource_is_refused,
    strategic_merge_patch_merges_containers_by_name,
    strategic_merge_patch_deletes_by_directive,
];

async fn map(client: &Client) -> Collection {
    let maps = configmaps(client).await;
    maps.given("a", json!({"data": {"k": "v", "l": "w"}})).await;
    maps
}

async fn listed(client: &Client) -> Collection {
    let things = things(client, json!({"list": {"type": "array", "items": {"type": "integer"}}, "n": {"type": "integer", "maximum": 9}})).await;
    things
        .given("a", json!({"spec": {"list": [1, 2, 3], "n": 1}}))
        .await;
    things
}

/// The object `a` that a case patches.
enum Of {
    /// A config map with two entries.
    Map,
    /// A custom resource with a list and a number.
    List,
}

impl Of {
    async fn created(self, client: &Client) -> Collection {
        match self {
            Self::Map => map(client).await,
            Self::List => listed(client).await,
        }
    }
}

/// Expects a merge patch to result in this value at a JSON pointer.
async fn merges(client: Client, of: Of, body: Value, pointer: &str, expected: Value) {
    let patched = of.created(&client).await.merged("a", body).await;
    check(&patched, pointer, expected);
}

/// Expects a merge patch of the config map to be rejected, with this message unless it is empty.
async fn merge_fails(client: Client, body: Value, code: u16, reason: &str, message: &str) {
    fails(
        &map(&client).await.merge("a", body).await,
        code,
        reason,
        message,
    );
}

async fn patches_may_drop_the_namespace(client: Client) {
    for objects in [map(&client).await, Of::List.created(&client).await] {
        let namespace = objects.namespace.clone();
        let change = json!({"metadata": {"namespace": null, "labels": {"l": "v"}}});
        let merged = objects.merged("a", change).await;
        check!(merged, "/metadata/namespace": namespace, "/metadata/labels/l": "v");
        let removal = json!([{"op": "remove", "path": "/metadata/namespace"}]);
        let patched = objects.json_patch("a", removal).await.is(200);
        check!(patched, "/metadata/namespace": namespace);
    }
    let maps = map(&client).await;
    let whole = maps.object("a", json!({"data": {"new": "data"}}));
    let replaced = maps
        .json_patch("a", json!([{"op": "replace", "path": "", "value": whole}]))
        .await
        .is(200);
    check!(replaced, "/data": {"new": "data"});
}

/// Expects a JSON patch to result in this value at a JSON pointer.
async fn patches(client: Client, of: Of, operations: Value, pointer: &str, expected: Value) {
    let objects = of.created(&client).await;
    let patched = objects.json_patch("a", operations).await.is(200);
    check(&patched, pointer, expected);
}

/// Expects a JSON patch to be rejected, like [`merge_fails`].
async fn patch_fails(client: Client, operations: Value, code: u16, reason: &str, message: &str) {
    fails(
        &map(&client).await.json_patch("a", operations).await,
        code,
        reason,
        message,
    );
}

fn fails(reply: &wire::Reply, code: u16, reason: &str, message: &str) {
    match message {
        "" => reply.refused(code, reason),
        message => reply.fails(code, reason, message),
    };
}

async fn merge_patch_of_nothing_changes_nothing(client: Client) {
    let maps = map(&client).await;
    let before = maps.get("a").await.is(200);
    assert_eq!(maps.merged("a", json!({})).await, before);
}

async fn merge_patch_of_a_missing_object_is_not_found(client: Client) {
    map(&client)
        .await
        .merge("b", json!({}))
        .await
        .not_found("configmaps \"b\" not found");
}

async fn merge_patch_is_validated(client: Client) {
    let things = listed(&client).await;
    let reply = things.merge("a", json!({"spec": {"n": 10}})).await;
    reply.invalid_with("spec.n in body should be less than or equal to 9");
}

async fn json_patch_test_that_fails_is_refused(client: Client) {
    let maps = map(&client).await;
    let operations = json!([{"op": "test", "path": "/data/k", "value": "other"}, {"op": "replace", "path": "/data/k", "value": "x"}]);
    maps.json_patch("a", operations)
        .await
        .refused(422, "Invalid");
    check!(maps.get("a").await.is(200), "/data/k": "v");
}

async fn json_patch_escapes_slashes(client: Client) {
    let maps = configmaps(&client).await;
    maps.given(
        "a",
        json!({"metadata": {"annotations": {"example.com/a": "v"}}}),
    )
    .await;
    let operations = json!([
        {"op": "add", "path": "/metadata/annotations/example.com~1b", "value": "w"},
        {"op": "remove", "path": "/metadata/annotations/example.com~1a"},
    ]);
    let patched = maps.json_patch("a", operations).await.is(200);
    check!(patched, "/metadata/annotations": {"example.com/b": "w"});
}

async fn patch_with_an_unknown_media_type_is_refused(client: Client) {
    let maps = map(&client).await;
    let reply = patch(&client, &maps.at("a"), "application/json", &json!({})).await;
    reply.fails(415, "UnsupportedMediaType", "415: Unsupported Media Type");
}

async fn patch_that_is_no_json_is_refused(client: Client) {
    let maps = map(&client).await;
    let headers = [("content-type", wire::patch_type::MERGE)];
    let reply = send(
        &client,
        Method::PATCH,
        &maps.at("a"),
        &headers,
        b"{".to_vec(),
    )
    .await;
    reply.refused(400, "BadRequest");
}

const STRATEGIC: &str = "application/strategic-merge-patch+json";

async fn merge_patch_of_a_custom_resource_is_decoded_before_its_name_is_checked(client: Client) {
    let things = listed(&client).await;
    let reply = things.merge("a", json!({"metadata": "text"})).await;
    reply.invalid_with("json: cannot unmarshal string into Go value of type v1.ObjectMeta");
}

async fn merge_patch_that_drops_a_custom_kind_is_refused(client: Client) {
    let things = listed(&client).await;
    let reply = things.merge("a", json!({"kind": null})).await;
    reply.invalid_with("Object 'Kind' is missing in");
}

async fn strategic_merge_patch_of_a_custom_resource_is_refused(client: Client) {
    let things = listed(&client).await;
    patch(&client, &things.at("a"), STRATEGIC, &json!({}))
        .await
        .refused(415, "UnsupportedMediaType");
}

async fn deployment(client: &Client) -> Collection {
    let deployments = DEPLOYMENTS.fresh(client).await;
    let containers = json!([{"name": "one", "image": "i:1"}, {"name": "two", "image": "i:2"}]);
    let template =
        json!({"metadata": {"labels": {"app": "a"}}, "spec": {"containers": containers}});
    deployments.given("a", json!({"spec": {"replicas": 0, "selector": {"matchLabels": {"app": "a"}}, "template": template}})).await;
    deployments
}

fn images(deployment: &Value) -> Vec<(&str, &str)> {
    let containers = at(deployment, "/spec/template/spec/containers")
        .as_array()
        .into_iter()
        .flatten();
    containers
        .map(|c| {
            (
                c["name"].as_str().unwrap_or_default(),
                c["image"].as_str().unwrap_or_default(),
            )
        })
        .collect()
}

async fn strategic_merge_patch_merges_containers_by_name(client: Client) {
    let deployments = deployment(&client).await;
    let body =
        json!({"spec": {"template": {"spec": {"containers": [{"name": "two", "image": "i:3"}]}}}});
    let patched = patch(&client, &deployments.at("a"), STRATEGIC, &body)
        .await
        .is(200);
    let mut found = images(&patched);
    found.sort_unstable();
    assert_eq!(found, [("one", "i:1"), ("two", "i:3")]);
}

async fn strategic_merge_patch_deletes_by_directive(client: Client) {
    let deployments = deployment(&client).await;
    let body = json!({"spec": {"template": {"spec": {"containers": [{"name": "two", "$patch": "delete"}]}}}});
    let patched = patch(&client, &deployments.at("a"), STRATEGIC, &body)
        .await
        .is(200);
    assert_eq!(images(&patched), [("one", "i:1")]);
}
