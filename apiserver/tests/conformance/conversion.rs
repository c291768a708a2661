//! Custom resources in two versions with a conversion webhook.
//!
//! `v1` has `spec.host` in the form `HOST:PORT`; `v2`, which is stored, has `spec.host` and
//! `spec.port`.

use crate::harness::cases;
use crate::support::*;
use crate::webhook_server::{Answer, Webhooks};

cases![
    an_object_is_read_in_the_version_that_is_asked_for,
    an_object_is_written_in_any_version,
    a_review_names_the_version_and_has_the_objects,
    a_list_is_converted,
    the_type_of_a_converted_object_stands_once_in_a_list,
    nothing_is_converted_that_is_of_the_version_already,
    updates_and_patches_are_of_the_version_of_the_request,
    a_status_is_written_in_another_version,
    watches_show_their_own_version,
    a_watch_starts_with_converted_objects,
    what_is_converted_is_pruned_and_defaulted,
    labels_and_annotations_may_change_and_nothing_else_of_the_metadata,
    objects_are_deleted_in_any_version,
    objects_of_an_earlier_storage_version_are_converted,
    tables_show_the_version_that_is_asked_for,
    field_selectors_see_the_version_that_is_asked_for,
];

/// Converts an object to another version.
pub(crate) fn converted(object: &Value, to: &str) -> Value {
    let mut object = object.clone();
    let from = at(&object, "/apiVersion")
        .as_str()
        .unwrap_or_default()
        .to_owned();
    object["apiVersion"] = json!(to);
    let spec = &mut object["spec"];
    if from.ends_with("/v1") && to.ends_with("/v2") {
        let address = spec["host"].as_str().unwrap_or_default().to_owned();
        let (host, port) = address.split_once(':').unwrap_or((&address, "80"));
        spec["host"] = json!(host);
        spec["port"] = json!(port.parse::<i64>().unwrap_or_default());
    } else if from.ends_with("/v2") && to.ends_with("/v1") {
        let port = spec["port"].as_i64().unwrap_or_default();
        spec["host"] = json!(format!(
            "{}:{port}",
            spec["host"].as_str().unwrap_or_default()
        ));
        if let Some(spec) = spec.as_object_mut() {
            spec.remove("port");
        }
    }
    object
}

/// Answers a review by converting all its objects.
pub(crate) fn convert(request: &Value) -> Answer {
    let to = at(request, "/desiredAPIVersion")
        .as_str()
        .unwrap_or_default();
    let objects = at(request, "/objects").as_array().into_iter().flatten();
    let objects: Vec<Value> = objects.map(|object| converted(object, to)).collect();
    Answer::Response(json!({"convertedObjects": objects, "result": {"status": "Success"}}))
}

/// Things in two versions, with their conversion webhook.
pub(crate) struct Scene {
    pub(crate) crd: Crd,
    pub(crate) old: Collection,
    pub(crate) new: Collection,
    pub(crate) server: Webhooks,
}

impl Scene {
    pub(crate) async fn start(client: &Client) -> Self {
        Self::start_with(client, |_, request| convert(request)).await
    }

    pub(crate) async fn start_with(
        client: &Client,
        handler: impl Fn(&str, &Value) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let server = Webhooks::start(handler).await;
        let text = json!({"type": "string"});
        let old = crd::spec_schema(json!({"host": text, "extra": text}));
        let new = crd::spec_schema(
            json!({"host": text, "port": {"type": "integer"}, "mode": {"type": "string", "default": "plain"}, "extra": text}),
        );
        let mut crd = Crd::new(old).and_version("v2", new);
        let versions = &mut crd.body["spec"]["versions"];
        for (index, stored) in [(0, false), (1, true)] {
            versions[index]["storage"] = json!(stored);
            versions[index]["subresources"] = json!({"status": {}});
            // With the same fields in both versions, kube-apiserver would require one schema for
            // both.
            let fields = [
                json!({"jsonPath": ".spec.host"}),
                json!({"jsonPath": ".spec.extra"}),
            ];
            versions[index]["selectableFields"] = json!(fields[..=index]);
            versions[index]["additionalPrinterColumns"] =
                json!([{"name": "Host", "type": "string", "jsonPath": ".spec.host"}]);
        }
        crd.body["spec"]["conversion"] = json!({"strategy": "Webhook", "webhook": {
            "clientConfig": server.client("/convert"), "conversionReviewVersions": ["v1"]}});
        let old = crd.install(client).await;
        let new = crd.things(client, old.namespace.as_deref().unwrap_or_default(), "v2");
        server.forget();
        Self {
            crd,
            old,
            new,
            server,
        }
    }

    /// Creates the thing `a` in the stored version, with the host `h`.
    pub(crate) async fn given(&self, port: u16) -> Value {
        let spec = json!({"host": "h", "port": port});
        self.new.given("a", json!({"spec": spec})).await
    }
}

async fn an_object_is_read_in_the_version_that_is_asked_for(client: Client) {
    let scene = Scene::start(&client).await;
    let created = scene.given(8080).await;
    let read = scene.old.get("a").await.is(200);
    check!(read, "/apiVersion": scene.old.api_version, "/spec": {"host": "h:8080"});
    assert_eq!(resource_version(&read), resource_version(&created));
    check!(read, "/metadata/uid": at(&created, "/metadata/uid"));
    check!(scene.new.get("a").await.is(200), "/spec/port": 8080);
}

async fn an_object_is_written_in_any_version(client: Client) {
    let scene = Scene::start(&client).await;
    let created = scene
        .old
        .given("a", json!({"spec": {"host": "h:8080"}}))
        .await;
    check!(created, "/apiVersion": scene.old.api_version, "/spec": {"host": "h:8080"});
    let read = scene.new.get("a").await.is(200);
    check!(read, "/spec": {"host": "h", "port": 8080, "mode": "plain"});
    check!(scene.old.get("a").await.is(200), "/spec/host": "h:8080");
}

async fn a_review_names_the_version_and_has_the_objects(client: Client) {
    let scene = Scene::start(&client).await;
    scene.given(1).await;
    scene.server.forget();
    scene.old.get("a").await.is(200);
    let request = scene.server.calls("/convert").remove(0);
    check!(request,
        "/desiredAPIVersion": scene.old.api_version,
        "/objects/0/apiVersion": scene.new.api_version,
        "/objects/0/kind": "Thing",
        "/objects/0/metadata/name": "a",
        "/objects/0/spec/port": 1);
    assert!(at(&request, "/uid").is_string());
}

async fn a_list_is_converted(client: Client) {
    let scene = Scene::start(&client).await;
    for name in ["a", "b", "c"] {
        scene
            .new
            .given(name, json!({"spec": {"host": name, "port": 1}}))
            .await;
    }
    scene.server.forget();
    let list = scene.old.listed("limit=10").await;
    assert_eq!(names(&list), ["a", "b", "c"]);
    check!(list,
        "/apiVersion": scene.old.api_version,
        "/items/1/spec/host": "b:1",
        "/items/1/apiVersion": scene.old.api_version);
}

async fn the_type_of_a_converted_object_stands_once_in_a_list(client: Client) {
    let scene = Scene::start(&client).await;
    scene.given(8080).await;
    let list = scene.old.list("").await;
    list.is(200);
    let named = |key: &str| list.text.matches(key).count();
    // Once for the list, and once for the object.
    let api_version = format!("\"apiVersion\":{}", json!(scene.old.api_version));
    assert_eq!(named(&api_version), 2, "{}", list.text);
    assert_eq!(named("\"kind\":"), 2, "{}", list.text);
}

async fn nothing_is_converted_that_is_of_the_version_already(client: Client) {
    let scene = Scene::start(&client).await;
    scene.given(1).await;
    scene.new.merged("a", json!({"spec": {"port": 2}})).await;
    scene.new.get("a").await.is(200);
    scene.new.listed("").await;
    // A cluster's caches of the other version also call the webhook, but not for the objects of
    // this case.
    let to_new = scene.server.calls("/convert");
    let to_new = to_new
        .iter()
        .filter(|it| it["desiredAPIVersion"] == json!(scene.new.api_version));
    assert_eq!(to_new.count(), 0);
}

async fn updates_and_patches_are_of_the_version_of_the_request(client: Client) {
    let scene = Scene::start(&client).await;
    scene
        .new
        .given(
            "a",
            json!({"spec": {"host": "h", "port": 1, "mode": "plain"}}),
        )
        .await;
    let mut read = scene.old.get("a").await.is(200);
    read["spec"]["host"] = json!("h:2");
    let updated = scene.old.replaced("a", &read).await;
    check!(updated, "/spec/host": "h:2", "/metadata/generation": 2);
    check!(scene.new.get("a").await.is(200), "/spec/port": 2);
    let patched = scene
        .old
        .merged("a", json!({"spec": {"host": "i:3"}}))
        .await;
    check!(patched, "/spec/host": "i:3");
    let read = scene.new.get("a").await.is(200);
    check!(read, "/spec/host": "i", "/spec/port": 3);
}

async fn a_status_is_written_in_another_version(client: Client) {
    let scene = Scene::start(&client).await;
    scene.given(1).await;
    let patched = scene
        .old
        .merged("a/status", json!({"status": {"ok": true}}))
        .await;
    check!(patched, "/apiVersion": scene.old.api_version, "/status/ok": true);
    let read = scene.new.get("a").await.is(200);
    check!(read, "/status/ok": true, "/spec/port": 1);
}

async fn watches_show_their_own_version(client: Client) {
    let scene = Scene::start(&client).await;
    let list = scene.old.listed("").await;
    let query = format!("resourceVersion={}", resource_version(&list));
    let (mut old_watch, mut new_watch) =
        (scene.old.watch(&query).await, scene.new.watch(&query).await);
    scene.given(1).await;
    scene
        .old
        .merged("a", json!({"spec": {"host": "h:2"}}))
        .await;
    scene.old.delete("a").await.is(200);
    for (kind, port) in [("ADDED", 1), ("MODIFIED", 2), ("DELETED", 2)] {
        let old = old_watch.next().await.expect("an event");
        let new = new_watch.next().await.expect("an event");
        check!(old,
            "/type": kind,
            "/object/apiVersion": scene.old.api_version,
            "/object/spec/host": format!("h:{port}").as_str());
        check!(new,
            "/type": kind,
            "/object/spec/port": port,
            "/object/metadata/resourceVersion": at(&old, "/object/metadata/resourceVersion"));
    }
}

async fn a_watch_starts_with_converted_objects(client: Client) {
    let scene = Scene::start(&client).await;
    scene.given(1).await;
    let mut watch = scene.old.watch("").await;
    let event = watch.next().await.expect("an event");
    check!(event, "/type": "ADDED", "/object/spec/host": "h:1");
}

async fn what_is_converted_is_pruned_and_defaulted(client: Client) {
    let scene = Scene::start_with(&client, |_, request| {
        let Answer::Response(mut response) = convert(request) else {
            unreachable!("it converts");
        };
        for object in response["convertedObjects"]
            .as_array_mut()
            .into_iter()
            .flatten()
        {
            object["spec"]["unknown"] = json!(1);
        }
        Answer::Response(response)
    })
    .await;
    scene.old.given("a", json!({"spec": {"host": "h:1"}})).await;
    check!(scene.new.get("a").await.is(200), "/spec": {"host": "h", "port": 1, "mode": "plain"});
    check_absent(&scene.old.get("a").await.is(200), "/spec/unknown");
}

async fn labels_and_annotations_may_change_and_nothing_else_of_the_metadata(client: Client) {
    let scene = Scene::start_with(&client, |_, request| {
        let Answer::Response(mut response) = convert(request) else {
            unreachable!("it converts");
        };
        for object in response["convertedObjects"]
            .as_array_mut()
            .into_iter()
            .flatten()
        {
            object["metadata"]["labels"] = json!({"converted": "yes"});
            object["metadata"]["finalizers"] = json!(["conformance.test/never"]);
            object["metadata"]["generation"] = json!(77);
        }
        Answer::Response(response)
    })
    .await;
    scene
        .new
        .given(
            "a",
            json!({"metadata": {"labels": {"own": "1"}}, "spec": {"host": "h", "port": 1}}),
        )
        .await;
    let read = scene.old.get("a").await.is(200);
    check!(read, "/metadata/labels": {"converted": "yes"}, "/metadata/generation": 1);
    check_absent(&read, "/metadata/finalizers");
}

async fn objects_are_deleted_in_any_version(client: Client) {
    let scene = Scene::start(&client).await;
    scene.given(1).await;
    let held = json!({"metadata": {"finalizers": ["conformance.test/held"]}, "spec": {"host": "h", "port": 2}});
    scene.new.given("b", held).await;
    scene.old.delete("a").await.is(200);
    scene.new.get("a").await.refused(404, "NotFound");
    let marked = scene.old.delete("b").await.is(200);
    check!(marked, "/spec/host": "h:2");
    let free = scene
        .old
        .merge("b", json!({"metadata": {"finalizers": null}}))
        .await;
    free.is(200);
    scene.new.get("b").await.refused(404, "NotFound");
}

async fn objects_of_an_earlier_storage_version_are_converted(client: Client) {
    let scene = Scene::start(&client).await;
    scene.given(1).await;
    let path = scene.crd.path();
    let switch = json!([
        {"op": "replace", "path": "/spec/versions/0/storage", "value": true},
        {"op": "replace", "path": "/spec/versions/1/storage", "value": false},
    ]);
    patch(&client, &path, wire::patch_type::JSON, &switch)
        .await
        .is(200);
    scene.crd.wait_until_served(&client).await;
    // Stored objects are not converted until the next write.
    check!(scene.new.get("a").await.is(200), "/spec/port": 1);
    check!(scene.old.get("a").await.is(200), "/spec/host": "h:1");
    scene
        .old
        .merged("a", json!({"spec": {"host": "h:5"}}))
        .await;
    check!(scene.new.get("a").await.is(200), "/spec/port": 5);
    check!(scene.old.get("a").await.is(200), "/spec/host": "h:5");
}

async fn tables_show_the_version_that_is_asked_for(client: Client) {
    let scene = Scene::start(&client).await;
    scene.given(1).await;
    let accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    let table = get_accepting(&client, &scene.old.path, accept)
        .await
        .is(200);
    check!(table, "/rows/0/cells": ["a", "h:1"]);
}

async fn field_selectors_see_the_version_that_is_asked_for(client: Client) {
    let scene = Scene::start(&client).await;
    for name in ["a", "b"] {
        scene
            .new
            .given(name, json!({"spec": {"host": name, "port": 1}}))
            .await;
    }
    let list = scene.old.listed("fieldSelector=spec.host%3Da:1").await;
    assert_eq!(names(&list), ["a"]);
    let list = scene.new.listed("fieldSelector=spec.host%3Db").await;
    assert_eq!(names(&list), ["b"]);
}
