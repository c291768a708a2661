//! Deletion of collections.

use crate::harness::cases;
use crate::support::*;

cases![
    deletecollection_deletes_everything,
    deletecollection_returns_what_it_deleted,
    deletecollection_returns_objects_as_they_were,
    deletecollection_follows_a_label_selector,
    deletecollection_follows_a_field_selector,
    deletecollection_of_nothing_succeeds,
    deletecollection_leaves_other_namespaces,
    deletecollection_marks_objects_with_finalizers,
    deletecollection_of_custom_resources,
    deletecollection_sends_watch_events,
    deletecollection_as_a_dry_run_deletes_nothing,
    deletecollection_of_namespaces_is_not_allowed,
];

async fn three(client: &Client) -> Collection {
    let secrets = secrets(client).await;
    for (name, color) in [("a", "red"), ("b", "blue"), ("c", "red")] {
        secrets
            .given(name, json!({"metadata": {"labels": {"color": color}}}))
            .await;
    }
    secrets
}

async fn deletecollection_deletes_everything(client: Client) {
    let secrets = three(&client).await;
    secrets.delete_all("").await.is(200);
    assert_eq!(names(&secrets.listed("").await), Vec::<&str>::new());
}

async fn deletecollection_returns_what_it_deleted(client: Client) {
    let secrets = three(&client).await;
    let answer = secrets.delete_all("").await.is(200);
    check!(answer, "/kind": "SecretList", "/apiVersion": "v1");
    assert_eq!(names(&answer), ["a", "b", "c"]);
}

async fn deletecollection_returns_objects_as_they_were(client: Client) {
    let deployments = DEPLOYMENTS.fresh(&client).await;
    let spec = json!({"selector": {"matchLabels": {"app": "a"}}, "template":
        {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}});
    let fields = json!({"metadata": {"finalizers": ["example.com/a"]}, "spec": spec});
    deployments.given("a", fields).await;
    let answer = deployments.delete_all("").await.is(200);
    check!(answer, "/items/0/metadata/generation": 1);
    check_absent(&answer, "/items/0/metadata/deletionTimestamp");
    check_absent(&answer, "/items/0/kind");
    check!(deployments.get("a").await.is(200), "/metadata/generation": 2);
    deployments.release("a").await;
}

async fn deletecollection_follows_a_label_selector(client: Client) {
    let secrets = three(&client).await;
    secrets
        .delete_all("labelSelector=color%3Dred")
        .await
        .is(200);
    assert_eq!(names(&secrets.listed("").await), ["b"]);
}

async fn deletecollection_follows_a_field_selector(client: Client) {
    let secrets = three(&client).await;
    secrets
        .delete_all("fieldSelector=metadata.name%3Db")
        .await
        .is(200);
    assert_eq!(names(&secrets.listed("").await), ["a", "c"]);
}

async fn deletecollection_of_nothing_succeeds(client: Client) {
    let secrets = secrets(&client).await;
    let answer = secrets.delete_all("").await.is(200);
    check!(answer, "/items": []);
}

async fn deletecollection_leaves_other_namespaces(client: Client) {
    let here = three(&client).await;
    let there = three(&client).await;
    here.delete_all("").await.is(200);
    assert_eq!(names(&there.listed("").await).len(), 3);
}

async fn deletecollection_marks_objects_with_finalizers(client: Client) {
    let secrets = three(&client).await;
    secrets
        .merged("a", json!({"metadata": {"finalizers": ["example.com/a"]}}))
        .await;
    secrets.delete_all("").await.is(200);
    let left = secrets.listed("").await;
    assert_eq!(names(&left), ["a"]);
    assert!(at(&left, "/items/0/metadata/deletionTimestamp").is_string());
    secrets.release("a").await;
}

async fn deletecollection_of_custom_resources(client: Client) {
    let things = things(&client, json!({})).await;
    things.given("a", json!({})).await;
    things.given("b", json!({})).await;
    check!(things.delete_all("").await.is(200), "/kind": "ThingList");
    assert_eq!(names(&things.listed("").await), Vec::<&str>::new());
}

async fn deletecollection_sends_watch_events(client: Client) {
    let secrets = three(&client).await;
    let mut watch = secrets.watch_from_now("").await;
    secrets
        .delete_all("labelSelector=color%3Dred")
        .await
        .is(200);
    let mut deleted = Vec::new();
    for _ in 0..2 {
        let event = watch.next().await.expect("a DELETED event");
        check!(event, "/type": "DELETED");
        deleted.push(
            at(&event, "/object/metadata/name")
                .as_str()
                .unwrap_or_default()
                .to_owned(),
        );
    }
    deleted.sort();
    assert_eq!(deleted, ["a", "c"]);
}

async fn deletecollection_as_a_dry_run_deletes_nothing(client: Client) {
    let secrets = three(&client).await;
    secrets.delete_all("dryRun=All").await.is(200);
    assert_eq!(names(&secrets.listed("").await).len(), 3);
}

async fn deletecollection_of_namespaces_is_not_allowed(client: Client) {
    let reply = delete(&client, "/api/v1/namespaces?labelSelector=none%3Dsuch").await;
    reply.fails(
        405,
        "MethodNotAllowed",
        "the server does not allow this method on the requested resource",
    );
}
