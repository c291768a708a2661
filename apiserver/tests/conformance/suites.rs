//! What the suites and operators of other projects rely on.

use crate::harness::cases;
use crate::support::expect::eventually;
use crate::support::*;
use crate::webhook_server::{Answer, Scene, Stage, allow, patch};

cases![
    a_redirect_of_a_webhook_is_followed_with_the_review,
    a_webhook_is_called_at_a_clean_path,
    a_webhook_that_redirects_forever_fails_the_request,
    stored_versions_shrink_by_a_write_of_the_status,
    an_update_without_changes_moves_an_object_to_a_new_storage_version,
    an_apply_beside_fields_of_a_removed_version_fails,
    a_token_is_bound_to_an_object_that_exists,
    an_object_starts_with_its_type,
];

async fn a_redirect_of_a_webhook_is_followed_with_the_review(client: Client) {
    let scene = Scene::start(&client, |path, _| match path {
        "/a" => Answer::Redirect(307, "/b?again=1".to_owned()),
        "/b" => Answer::Redirect(308, "c".to_owned()),
        "/c" => patch(json!([{"op": "add", "path": "/data", "value": {"by": "the last"}}])),
        _ => allow(),
    })
    .await;
    let fields = json!({"clientConfig": scene.server.client("/a")});
    let webhook = scene.server.webhook("a", fields);
    scene.install(Stage::Mutating, &[webhook]).await;
    let created = scene.maps.given("m", json!({})).await;
    check!(created, "/data/by": "the last");
    let calls = scene.server.calls("/c");
    check!(calls[0], "/name": "m");
}

async fn a_webhook_is_called_at_a_clean_path(client: Client) {
    let scene = Scene::start(&client, |_, _| allow()).await;
    let fields = json!({"clientConfig": scene.server.client("//a//b/./c/")});
    let webhook = scene.server.webhook("a", fields);
    scene.install(Stage::Mutating, &[webhook]).await;
    scene.maps.given("m", json!({})).await;
    let calls = scene.server.calls("/a/b/c");
    check!(calls[0], "/name": "m");
}

async fn a_webhook_that_redirects_forever_fails_the_request(client: Client) {
    let scene = Scene::start(&client, |path, _| match path {
        "/a" => Answer::Redirect(307, "/a".to_owned()),
        _ => allow(),
    })
    .await;
    let mut webhook = scene.server.webhook("a", json!({}));
    webhook["objectSelector"] = json!({"matchLabels": {"round": "yes"}});
    scene.install(Stage::Validating, &[webhook]).await;
    let mut object = scene.maps.object("m", json!({}));
    object["metadata"]["labels"] = json!({"round": "yes"});
    let reply = scene.maps.create(&object).await;
    reply.fails_with(500, "InternalError", "/a\": stopped after 10 redirects");
    assert_eq!(scene.server.calls("/a").len(), 10);
}

fn free() -> Value {
    json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})
}

/// Installs a CRD with two versions and makes the second one the storage version.
async fn moved(client: &Client) -> (Crd, Collection, Value) {
    let crd = Crd::new(free()).and_version("v2", free());
    let things = crd.install(client).await;
    let old = things.given("a", json!({"spec": {"k": "v"}})).await;
    let swap = json!([
        {"op": "replace", "path": "/spec/versions/0/storage", "value": false},
        {"op": "replace", "path": "/spec/versions/1/storage", "value": true},
    ]);
    wire::patch(client, &crd.path(), wire::patch_type::JSON, &swap)
        .await
        .is(200);
    (crd, things, old)
}

async fn stored_versions_shrink_by_a_write_of_the_status(client: Client) {
    let (crd, _, _) = moved(&client).await;
    let status = format!("{}/status", crd.path());
    let stored = get(&client, &crd.path()).await.is(200);
    check!(stored, "/status/storedVersions": ["v1", "v2"]);
    let merge = wire::patch_type::MERGE;
    let without = |list: Value| json!({"status": {"storedVersions": list}});
    // A write of the status may leave out even the storage version.
    let changed = wire::patch(&client, &status, merge, &without(json!(["v1"]))).await;
    check!(changed.is(200), "/status/storedVersions": ["v1"]);
    let changed = wire::patch(&client, &status, merge, &without(json!(["v2"]))).await;
    check!(changed.is(200), "/status/storedVersions": ["v2"]);
    // Now the first version can go.
    let remove = json!([{"op": "remove", "path": "/spec/versions/0"}]);
    let removed = wire::patch(&client, &crd.path(), wire::patch_type::JSON, &remove).await;
    check!(removed.is(200), "/status/storedVersions": ["v2"]);
}

/// Writes the object of [`moved`] without a change, in the second version, until it is stored in
/// it; returns what it then is.
async fn written_anew(second: &Collection, old: &Value) -> Value {
    // The new storage version takes effect a moment after the definition has changed.
    eventually("the object is written anew", || async {
        let read = second.get("a").await.is(200);
        let written = second.put("a", &read).await.is(200);
        (resource_version(&written) != resource_version(old)).then_some(written)
    })
    .await
}

async fn an_update_without_changes_moves_an_object_to_a_new_storage_version(client: Client) {
    let (crd, things, old) = moved(&client).await;
    let namespace = things.namespace.clone().unwrap_or_default();
    let second = crd.things(&client, &namespace, "v2");
    let written = written_anew(&second, &old).await;
    // And only once.
    let again = second.put("a", &written).await.is(200);
    assert_eq!(resource_version(&again), resource_version(&written));
}

async fn an_apply_beside_fields_of_a_removed_version_fails(client: Client) {
    let (crd, things, old) = moved(&client).await;
    let namespace = things.namespace.clone().unwrap_or_default();
    let second = crd.things(&client, &namespace, "v2");
    written_anew(&second, &old).await;
    let status = format!("{}/status", crd.path());
    let stored = json!({"status": {"storedVersions": ["v2"]}});
    let merge = wire::patch_type::MERGE;
    wire::patch(&client, &status, merge, &stored).await.is(200);
    let remove = json!([{"op": "remove", "path": "/spec/versions/0"}]);
    wire::patch(&client, &crd.path(), wire::patch_type::JSON, &remove)
        .await
        .is(200);
    let reply = eventually("the first version is gone", || async {
        let reply = second.apply("a", "me", json!({"spec": {"n": 1}})).await;
        (reply.code == 500).then_some(reply)
    })
    .await;
    let version = &things.api_version;
    let why = format!("request to convert CR to an invalid group/version: {version}");
    reply.fails_with(500, "", &why);
}

async fn a_token_is_bound_to_an_object_that_exists(client: Client) {
    let accounts = SERVICE_ACCOUNTS.fresh(&client).await;
    accounts.given("a", json!({})).await;
    let namespace = accounts.namespace.clone().unwrap_or_default();
    let ask = |reference: Value| {
        let request = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
            "spec": {"boundObjectRef": reference}});
        let (client, path) = (client.clone(), accounts.at("a/token"));
        async move { wire::post(&client, &path, &request).await }
    };
    let pod = |name: &str| json!({"apiVersion": "v1", "kind": "Pod", "name": name});
    ask(pod("nope")).await.not_found("pods \"nope\" not found");
    let secrets = SECRETS.within(&client, &namespace);
    let secret = secrets.given("s", json!({})).await;
    let reference =
        |uid: &str| json!({"apiVersion": "v1", "kind": "Secret", "name": "s", "uid": uid});
    ask(reference("other")).await.conflicts(
        "Operation cannot be fulfilled on Secret \"s\": the UID in the bound object reference (other) does not match the UID in record. The object might have been deleted and then recreated",
    );
    let uid = at(&secret, "/metadata/uid").as_str().unwrap_or_default();
    ask(reference(uid)).await.is(201);
    ask(json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "m"}))
        .await
        .bad_request("cannot bind token to object of type /v1, Kind=ConfigMap");
    let pods = PODS.within(&client, &namespace);
    let spec = json!({"spec": {"containers": [{"name": "c", "image": "i"}]}});
    pods.given("p", spec).await;
    ask(pod("p")).await.bad_request(
        "cannot bind token for serviceaccount \"a\" to pod running with different serviceaccount name.",
    );
}

async fn an_object_starts_with_its_type(client: Client) {
    let maps = configmaps(&client).await;
    let created = maps.creation("a", json!({"data": {"k": "v"}})).await;
    let start = "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{";
    assert!(created.text.starts_with(start), "{}", created.text);
    let read = maps.get("a").await;
    assert!(read.text.starts_with(start), "{}", read.text);
    let missing = maps.get("none").await;
    let start = "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{}";
    assert!(missing.text.starts_with(start), "{}", missing.text);
    // Go writes an object without a type of its own in alphabetical order.
    let things = Crd::new(free()).install(&client).await;
    let created = things.creation("a", json!({"spec": {}})).await;
    let start = format!(
        "{{\"apiVersion\":\"{}\",\"kind\":\"Thing\",\"metadata\":{{",
        things.api_version
    );
    assert!(created.text.starts_with(&start), "{}", created.text);
    let read = things.get("a").await;
    assert!(read.text.starts_with(&start), "{}", read.text);
}
