//! Namespaces and their deletion.

use crate::harness::cases;
use crate::support::crd::spec_schema;
use crate::support::expect::eventually;
use crate::support::*;
use crate::webhook_server::{Scene, Stage, refuse_two_deletions, rule};

cases![
    controllers:
    deleting_a_namespace_deletes_what_is_in_it,
    deleting_a_namespace_deletes_custom_resources,
    namespace_waits_for_finalizers_inside,
    create_in_a_terminating_namespace_is_refused,
    terminating_namespace_shows_its_phase,
    namespace_finalizer_of_metadata_holds_it,
    namespace_can_be_made_again,
    namespace_with_many_objects_ends,
    a_deletion_that_a_webhook_refuses_is_tried_again,
    a_deletion_with_a_definition_that_a_webhook_refuses_is_tried_again,
];

fn namespaces(client: &Client) -> Collection {
    Resource("/api/v1", "namespaces", "Namespace").everywhere(client)
}

async fn gone(client: &Client, name: &str) {
    let namespaces = namespaces(client);
    eventually(&format!("namespace {name} is gone"), || async {
        (namespaces.get(name).await.code == 404).then_some(())
    })
    .await;
}

/// Creates a config map whose finalizer keeps its namespace.
async fn held(client: &Client) -> (Collection, String) {
    let maps = configmaps(client).await;
    maps.given(
        "held",
        json!({"metadata": {"finalizers": ["example.com/a"]}}),
    )
    .await;
    let name = maps.namespace.clone().unwrap_or_default();
    (maps, name)
}

async fn release(maps: &Collection) {
    maps.release("held").await;
}

async fn deleting_a_namespace_deletes_what_is_in_it(client: Client) {
    let maps = configmaps(&client).await;
    maps.given("a", json!({})).await;
    let name = maps.namespace.clone().unwrap_or_default();
    let answer = namespaces(&client).delete(&name).await.is(200);
    check!(answer, "/kind": "Namespace");
    gone(&client, &name).await;
    assert_eq!(names(&maps.listed("").await), Vec::<&str>::new());
}

async fn deleting_a_namespace_deletes_custom_resources(client: Client) {
    let things = things(&client, json!({})).await;
    things.given("a", json!({})).await;
    let name = things.namespace.clone().unwrap_or_default();
    namespaces(&client).delete(&name).await.is(200);
    gone(&client, &name).await;
    things.get("a").await.refused(404, "NotFound");
}

async fn namespace_waits_for_finalizers_inside(client: Client) {
    let (maps, name) = held(&client).await;
    namespaces(&client).delete(&name).await.is(200);
    eventually("the held map is being deleted", || async {
        maps.get("held")
            .await
            .json()
            .pointer("/metadata/deletionTimestamp")
            .map(|_| ())
    })
    .await;
    namespaces(&client).get(&name).await.is(200);
    release(&maps).await;
    gone(&client, &name).await;
}

async fn create_in_a_terminating_namespace_is_refused(client: Client) {
    let (maps, name) = held(&client).await;
    namespaces(&client).delete(&name).await.is(200);
    let reply = maps.creation("late", json!({})).await;
    let status = reply.fails(
        403,
        "Forbidden",
        &format!("configmaps \"late\" is forbidden: unable to create new content in namespace {name} because it is being terminated"),
    );
    check!(status,
        "/details/causes/0/reason": "NamespaceTerminating",
        "/details/causes/0/message": format!("namespace {name} is being terminated"),
        "/details/causes/0/field": "metadata.namespace");
    release(&maps).await;
}

async fn terminating_namespace_shows_its_phase(client: Client) {
    let (maps, name) = held(&client).await;
    let answer = namespaces(&client).delete(&name).await.is(200);
    check!(answer, "/status/phase": "Terminating", "/spec/finalizers": ["kubernetes"]);
    assert!(at(&answer, "/metadata/deletionTimestamp").is_string());
    release(&maps).await;
    gone(&client, &name).await;
}

async fn namespace_finalizer_of_metadata_holds_it(client: Client) {
    let name = namespace(&client).await;
    let namespaces = namespaces(&client);
    namespaces
        .merged(
            &name,
            json!({"metadata": {"finalizers": ["example.com/a"]}}),
        )
        .await;
    namespaces.delete(&name).await.is(200);
    eventually(
        "the namespace has no finalizer of its spec any more",
        || async {
            let found = namespaces.get(&name).await.is(200);
            found.pointer("/spec/finalizers").is_none().then_some(())
        },
    )
    .await;
    namespaces.release(&name).await;
    gone(&client, &name).await;
}

async fn namespace_can_be_made_again(client: Client) {
    let name = namespace(&client).await;
    namespaces(&client).delete(&name).await.is(200);
    gone(&client, &name).await;
    let again = namespaces(&client).given(&name, json!({})).await;
    check!(again,
        "/status/phase": "Active",
        "/spec/finalizers": ["kubernetes"],
        "/metadata/labels": {"kubernetes.io/metadata.name": name});
}

async fn namespace_with_many_objects_ends(client: Client) {
    let maps = configmaps(&client).await;
    for chunk in 0..20 {
        let created = (0..50).map(|n| {
            let maps = &maps;
            async move { maps.given(&format!("m{chunk}-{n}"), json!({})).await }
        });
        futures::future::join_all(created).await;
    }
    let name = maps.namespace.clone().unwrap_or_default();
    namespaces(&client).delete(&name).await.is(200);
    gone(&client, &name).await;
    check!(maps.listed("").await, "/items": []);
}

async fn a_deletion_that_a_webhook_refuses_is_tried_again(client: Client) {
    let scene = Scene::start(&client, refuse_two_deletions()).await;
    scene.maps.given("a", json!({})).await;
    let rules = json!([rule(&["DELETE"], "", "v1", &["configmaps"])]);
    let webhook = scene.server.webhook("a", json!({"rules": rules}));
    scene.install(Stage::Validating, &[webhook]).await;
    let name = scene.maps.namespace.clone().unwrap_or_default();
    namespaces(&client).delete(&name).await.is(200);
    gone(&client, &name).await;
}

async fn a_deletion_with_a_definition_that_a_webhook_refuses_is_tried_again(client: Client) {
    let crd = Crd::new(spec_schema(json!({})));
    let things = crd.install(&client).await;
    things.given("a", json!({})).await;
    let scene = Scene::start(&client, refuse_two_deletions()).await;
    let rules = json!([rule(&["DELETE"], &crd.group, "v1", &["things"])]);
    let fields = json!({"rules": rules, "namespaceSelector": {"matchLabels":
        {"kubernetes.io/metadata.name": things.namespace}}});
    let webhook = scene.server.webhook("a", fields);
    scene.install(Stage::Validating, &[webhook]).await;
    delete(&client, &crd.path()).await.is(200);
    eventually("the definition is gone", || async {
        (get(&client, &crd.path()).await.code == 404).then_some(())
    })
    .await;
}
