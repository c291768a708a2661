//! The requests that admission webhooks match: rules, selectors, conditions, versions.

use crate::harness::cases;
use crate::support::*;
use crate::webhook_server::{Scene, Stage, allow, deny, patch, rule};

cases![
    rules_name_subresources,
    selectors_choose_objects_and_namespaces,
    conditions_choose_requests,
    a_condition_that_fails_refuses_the_request,
    a_version_that_is_not_named_is_converted_for_the_webhook,
    exact_webhooks_see_the_named_version_alone,
    configurations_are_seen_by_no_webhook,
    status_updates_are_seen_as_a_subresource,
    a_scale_is_seen_as_a_scale,
];

async fn rules_name_subresources(client: Client) {
    let scene = Scene::start(&client, |_, _| allow()).await;
    let things = things_with(
        &client,
        json!({"n": {"type": "integer"}}),
        json!({"status": {}}),
    )
    .await;
    let group = things.group();
    let webhook = |name: &str, resource: &str| {
        let mut webhook = scene.server.webhook(name, json!({"namespaceSelector": {}}));
        webhook["rules"] = json!([rule(&["*"], group, "v1", &[resource])]);
        webhook
    };
    let webhooks = [
        webhook("main", "things"),
        webhook("sub", "things/status"),
        webhook("subs", "things/*"),
        webhook("wild", "*"),
        webhook("all", "*/*"),
    ];
    scene.install(Stage::Mutating, &webhooks).await;
    things.given("a", json!({"spec": {"n": 1}})).await;
    // `things/*` includes the things themselves.
    assert_eq!(scene.server.paths(), ["/main", "/subs", "/wild", "/all"]);
    scene.server.forget();
    things
        .merged("a/status", json!({"status": {"ok": true}}))
        .await;
    assert_eq!(scene.server.paths(), ["/sub", "/subs", "/all"]);
}

async fn selectors_choose_objects_and_namespaces(client: Client) {
    let scene = Scene::start(&client, |_, _| allow()).await;
    let labelled = |selector: Value| json!({"objectSelector": selector});
    let webhooks = [
        scene.server.webhook("red", labelled(json!({"matchLabels": {"color": "red"}}))),
        scene.server.webhook("set", labelled(json!({"matchExpressions": [{"key": "color", "operator": "Exists"}]}))),
        scene.server.webhook("not", labelled(json!({"matchExpressions": [{"key": "color", "operator": "NotIn", "values": ["red"]}]}))),
        scene.server.webhook("elsewhere", json!({"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "elsewhere"}}})),
    ];
    scene.install(Stage::Mutating, &webhooks).await;
    let colored = |color: &str| json!({"metadata": {"labels": {"color": color}}});
    scene.maps.given("a", colored("red")).await;
    assert_eq!(scene.server.paths(), ["/red", "/set"]);
    scene.server.forget();
    // The old state is matched, too.
    scene
        .maps
        .merged("a", json!({"metadata": {"labels": {"color": null}}}))
        .await;
    assert_eq!(scene.server.paths(), ["/red", "/set", "/not"]);
    scene.server.forget();
    scene.maps.given("b", json!({})).await;
    assert_eq!(scene.server.paths(), ["/not"]);
}

async fn conditions_choose_requests(client: Client) {
    let scene = Scene::start(&client, |_, _| allow()).await;
    let with = |name: &str, expression: &str| {
        let conditions = json!({"matchConditions": [{"name": "c", "expression": expression}]});
        scene.server.webhook(name, conditions)
    };
    let webhooks = [
        with("a", "has(object.data) && object.data.k == 'v'"),
        with(
            "b",
            "request.operation == 'UPDATE' && oldObject.data.k == 'v'",
        ),
        with("c", "oldObject == null && request.kind.kind == 'ConfigMap'"),
        with("d", "request.name.startsWith('x')"),
    ];
    scene.install(Stage::Mutating, &webhooks).await;
    scene.maps.given("a", json!({"data": {"k": "v"}})).await;
    assert_eq!(scene.server.paths(), ["/a", "/c"]);
    scene.server.forget();
    scene.maps.merged("a", json!({"data": {"k": "w"}})).await;
    assert_eq!(scene.server.paths(), ["/b"]);
}

async fn a_condition_that_fails_refuses_the_request(client: Client) {
    let scene = Scene::start(&client, |_, _| allow()).await;
    let with = |name: &str, expression: &str, policy: &str| {
        let mut webhook = scene.server.webhook(name, json!({"failurePolicy": policy}));
        webhook["matchConditions"] = json!([{"name": "c", "expression": expression}]);
        webhook["objectSelector"] = json!({"matchLabels": {"who": name}});
        webhook
    };
    let webhooks = [
        with("fails", "object.data.none == 'v'", "Fail"),
        with("ignores", "object.data.none == 'v'", "Ignore"),
    ];
    scene.install(Stage::Validating, &webhooks).await;
    let named = |who: &str| json!({"metadata": {"labels": {"who": who}}, "data": {"k": "v"}});
    scene.maps.given("a", named("ignores")).await;
    assert!(scene.server.paths().is_empty());
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "b", "labels": {"who": "fails"}}, "data": {"k": "v"}});
    let refused = scene.maps.create(&object).await;
    refused.fails_with(403, "Forbidden", "configmaps \"b\" is forbidden: ");
    refused.fails_with(403, "Forbidden", "no such key: none");
}

/// Creates things in two versions, with a webhook whose rules name the first.
async fn in_two_versions(client: &Client, scene: &Scene, policy: &str) -> Collection {
    let schema = crd::spec_schema(json!({"n": {"type": "integer"}, "added": {"type": "string"}}));
    let crd = Crd::new(schema.clone()).and_version("v2", schema);
    let things = crd.install(client).await;
    let mut webhook = scene
        .server
        .webhook("a", json!({"namespaceSelector": {}, "matchPolicy": policy}));
    webhook["rules"] = json!([rule(&["*"], &crd.group, "v1", &["things"])]);
    scene.install(Stage::Mutating, &[webhook]).await;
    crd.things(
        client,
        things.namespace.as_deref().unwrap_or_default(),
        "v2",
    )
}

async fn a_version_that_is_not_named_is_converted_for_the_webhook(client: Client) {
    let add = json!([{"op": "add", "path": "/spec/added", "value": "yes"}]);
    let scene = Scene::start(&client, move |_, _| patch(add.clone())).await;
    let things = in_two_versions(&client, &scene, "Equivalent").await;
    let created = things.given("a", json!({"spec": {"n": 1}})).await;
    check!(created, "/apiVersion": things.api_version, "/spec": {"n": 1, "added": "yes"});
    let request = scene.server.calls("/a").remove(0);
    check!(request,
        "/kind/version": "v1",
        "/resource/version": "v1",
        "/requestKind/version": "v2",
        "/requestResource/version": "v2",
        "/object/apiVersion": things.api_version.replace("/v2", "/v1").as_str());
}

async fn exact_webhooks_see_the_named_version_alone(client: Client) {
    let scene = Scene::start(&client, |_, _| allow()).await;
    let things = in_two_versions(&client, &scene, "Exact").await;
    things.given("a", json!({"spec": {"n": 1}})).await;
    assert!(scene.server.paths().is_empty());
}

async fn configurations_are_seen_by_no_webhook(client: Client) {
    let scene = Scene::start(&client, |path, _| {
        if path.starts_with("/ready") {
            allow()
        } else {
            deny(json!({"message": "no"}))
        }
    })
    .await;
    let mut webhook = scene.server.webhook("a", json!({"namespaceSelector": {}}));
    webhook["rules"] = json!([rule(&["*"], "admissionregistration.k8s.io", "*", &["*"])]);
    let path = scene.install(Stage::Validating, &[webhook]).await;
    delete(&client, &path).await.is(200);
    assert!(scene.server.calls("/a").is_empty());
}

async fn status_updates_are_seen_as_a_subresource(client: Client) {
    let scene = Scene::start(&client, |_, request| {
        match at(request, "/subResource").as_str() {
            Some("status") => patch(json!([{"op": "add", "path": "/status/seen", "value": true}])),
            _ => allow(),
        }
    })
    .await;
    let things = things_with(
        &client,
        json!({"n": {"type": "integer"}}),
        json!({"status": {}}),
    )
    .await;
    let group = things.group();
    let mut webhook = scene.server.webhook("a", json!({"namespaceSelector": {}}));
    webhook["rules"] = json!([rule(&["UPDATE"], group, "v1", &["things/status"])]);
    scene.install(Stage::Mutating, &[webhook]).await;
    things.given("a", json!({"spec": {"n": 1}})).await;
    let updated = things
        .merged("a/status", json!({"status": {"ok": true}}))
        .await;
    check!(updated, "/status": {"ok": true, "seen": true});
    let request = scene.server.calls("/a").remove(0);
    check!(request,
        "/subResource": "status",
        "/requestSubResource": "status",
        "/kind/kind": "Thing");
}

async fn a_scale_is_seen_as_a_scale(client: Client) {
    let scene = Scene::start(&client, |_, request| {
        match at(request, "/object/spec/replicas").as_i64() {
            Some(5) => patch(json!([{"op": "replace", "path": "/spec/replicas", "value": 4}])),
            _ => allow(),
        }
    })
    .await;
    let scale =
        json!({"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"});
    let things = things_with(
        &client,
        json!({"replicas": {"type": "integer"}}),
        json!({"scale": scale}),
    )
    .await;
    let group = things.group();
    let mut webhook = scene.server.webhook("a", json!({"namespaceSelector": {}}));
    webhook["rules"] = json!([rule(&["UPDATE"], group, "v1", &["things/scale"])]);
    scene.install(Stage::Mutating, &[webhook]).await;
    things.given("a", json!({"spec": {"replicas": 1}})).await;
    let scaled = things
        .merged("a/scale", json!({"spec": {"replicas": 5}}))
        .await;
    check!(scaled, "/spec/replicas": 4);
    let request = scene.server.calls("/a").remove(0);
    check!(request,
        "/kind": {"group": "autoscaling", "version": "v1", "kind": "Scale"},
        "/resource/resource": "things",
        "/oldObject/spec/replicas": 1);
    check!(things.get("a").await.is(200), "/spec/replicas": 4);
}
