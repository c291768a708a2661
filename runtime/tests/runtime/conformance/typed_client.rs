//! Typed clients of built-in kinds: every verb, subresources, and the server's errors as received
//! by a caller.

use codegen_runtime::client::{Either, TypedClient};
use futures::StreamExt;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Pod};
use k8s_openapi::api::policy::v1::Eviction;
use kube::api::{
    DeleteParams, ListParams, Patch, PatchParams, PostParams, Preconditions, WatchEvent,
    WatchParams,
};
use kube::core::Status;
use kube::{Client, Error, ResourceExt};
use serde_json::{Value, json};

use crate::harness::cases;
use crate::support::expect::PATIENCE;
use crate::support::namespace;

cases![
    every_verb_of_a_namespaced_kind,
    lists_are_paged_and_selected,
    a_watch_gives_events,
    delete_collection_takes_what_is_selected,
    patches_of_every_kind,
    status_is_written_apart,
    scale_is_read_and_written,
    a_pod_is_evicted,
    a_cluster_scoped_kind,
    errors_are_told_apart,
    preconditions_are_checked,
];

fn post() -> PostParams {
    PostParams::default()
}

async fn maps(client: &Client) -> TypedClient<ConfigMap> {
    TypedClient::namespaced(client.clone(), &namespace(client).await)
}

fn map(name: &str, key: &str) -> ConfigMap {
    let mut map = ConfigMap::default();
    map.metadata.name = Some(name.to_owned());
    map.metadata.labels = Some([("test".to_owned(), key.to_owned())].into());
    map.data = Some([(key.to_owned(), "1".to_owned())].into());
    map
}

fn labelled(selector: &str) -> ListParams {
    ListParams::default().labels(selector)
}

fn status_of<T: std::fmt::Debug>(result: Result<T, Error>) -> Status {
    match result {
        Err(Error::Api(status)) => *status,
        other => panic!("{other:?}"),
    }
}

async fn every_verb_of_a_namespaced_kind(client: Client) {
    let maps = maps(&client).await;
    let mut made = maps.create(&map("a", "x"), &post()).await.unwrap();
    made.data
        .get_or_insert_default()
        .insert("y".to_owned(), "2".to_owned());
    let updated = maps.update(&made, &post()).await.unwrap();
    assert_ne!(made.resource_version(), updated.resource_version());
    assert_eq!(maps.get("a").await.unwrap(), updated);
    assert_eq!(maps.get_opt("b").await.unwrap(), None);
    let items = maps.list(&labelled("test=x")).await.unwrap().items;
    assert_eq!(items[0].uid(), updated.uid());
    let deleted = maps.delete("a", &DeleteParams::default()).await.unwrap();
    assert!(matches!(deleted, Either::Right(_)), "a status");
    assert_eq!(maps.get_opt("a").await.unwrap(), None);
}

async fn lists_are_paged_and_selected(client: Client) {
    let maps = maps(&client).await;
    for n in 0..5 {
        maps.create(&map(&format!("m{n}"), "x"), &post())
            .await
            .unwrap();
    }
    maps.create(&map("z", "y"), &post()).await.unwrap();
    let mut names = Vec::new();
    let mut params = labelled("test=x").limit(2);
    loop {
        let page = maps.list(&params).await.unwrap();
        assert!(page.items.len() <= 2);
        names.extend(page.items.iter().map(ResourceExt::name_any));
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => params.continue_token = Some(token),
            None => break,
        }
    }
    assert_eq!(names, ["m0", "m1", "m2", "m3", "m4"]);
    let one = ListParams::default().fields("metadata.name=z");
    assert_eq!(maps.list(&one).await.unwrap().items.len(), 1);
    let everywhere = TypedClient::<ConfigMap>::all_namespaces(client);
    let here = ListParams::default().fields(&format!("metadata.namespace={}", maps.namespace()));
    let all = everywhere.list(&here.labels("test")).await.unwrap();
    assert_eq!(all.items.len(), 6);
}

async fn a_watch_gives_events(client: Client) {
    let maps = maps(&client).await;
    let from = maps.list(&labelled("test")).await.unwrap().metadata;
    let params = WatchParams::default().labels("test").timeout(290);
    let version = from.resource_version.unwrap();
    let mut events = maps.watch(&params, &version).await.unwrap();
    let mut made = maps.create(&map("a", "x"), &post()).await.unwrap();
    made.data = None;
    maps.update(&made, &post()).await.unwrap();
    maps.delete("a", &DeleteParams::default()).await.unwrap();
    let mut seen = Vec::new();
    while seen.len() < 3 {
        let event = tokio::time::timeout(PATIENCE, events.next());
        match event.await.unwrap().unwrap().unwrap() {
            WatchEvent::Added(map) => seen.push(("added", map.data.is_some())),
            WatchEvent::Modified(map) => seen.push(("modified", map.data.is_some())),
            WatchEvent::Deleted(map) => seen.push(("deleted", map.data.is_some())),
            WatchEvent::Bookmark(_) => {}
            WatchEvent::Error(error) => panic!("{error:?}"),
        }
    }
    assert_eq!(
        seen,
        [("added", true), ("modified", false), ("deleted", false)]
    );
}

async fn delete_collection_takes_what_is_selected(client: Client) {
    let maps = maps(&client).await;
    for (name, key) in [("a", "x"), ("b", "x"), ("c", "y")] {
        maps.create(&map(name, key), &post()).await.unwrap();
    }
    maps.delete_collection(&DeleteParams::default(), &labelled("test=x"))
        .await
        .unwrap();
    let left = maps.list(&labelled("test")).await.unwrap();
    assert_eq!(left.items.len(), 1);
    assert_eq!(left.items[0].name_any(), "c");
}

async fn patches_of_every_kind(client: Client) {
    let maps = maps(&client).await;
    maps.create(&map("a", "x"), &post()).await.unwrap();
    let params = PatchParams::default();
    let merge = Patch::Merge(json!({"data": {"merge": "1"}}));
    maps.patch("a", &params, &merge).await.unwrap();
    let strategic = Patch::Strategic(json!({"data": {"strategic": "1", "x": null}}));
    maps.patch("a", &params, &strategic).await.unwrap();
    let json = json!([{"op": "add", "path": "/data/json", "value": "1"}]);
    let json: Patch<()> = Patch::Json(serde_json::from_value(json).unwrap());
    maps.patch("a", &params, &json).await.unwrap();
    let apply = Patch::Apply(json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"apply": "1"},
    }));
    let applied = maps.patch("a", &PatchParams::apply("test"), &apply).await;
    let keys: Vec<String> = applied.unwrap().data.unwrap().into_keys().collect();
    assert_eq!(keys, ["apply", "json", "merge", "strategic"]);
}

/// Creates a deployment that no controller acts on.
fn deployment(name: &str) -> Deployment {
    let object = json!({
        "metadata": {"name": name},
        "spec": {
            "paused": true, "replicas": 0,
            "selector": {"matchLabels": {"a": "b"}},
            "template": {
                "metadata": {"labels": {"a": "b"}},
                "spec": {"containers": [{"name": "c", "image": "i"}]},
            },
        },
    });
    serde_json::from_value(object).unwrap()
}

async fn status_is_written_apart(client: Client) {
    let namespace = namespace(&client).await;
    let deployments = TypedClient::<Deployment>::namespaced(client, &namespace);
    deployments.create(&deployment("a"), &post()).await.unwrap();
    let condition = json!({"type": "Tested", "status": "True"});
    let patch = Patch::Merge(json!({
        "spec": {"replicas": 9}, "status": {"conditions": [condition]},
    }));
    let patched = deployments
        .patch_status("a", &PatchParams::default(), &patch)
        .await
        .unwrap();
    assert_eq!(patched.spec.replicas, Some(0));
    let generation = patched.metadata.generation;
    // A controller may write the status at the same time.
    let updated = codegen_runtime::retry::on_conflict(Default::default(), || async {
        let mut object = deployments.get("a").await?;
        object.status.get_or_insert_default().collision_count = Some(3);
        object.spec.replicas = Some(9);
        deployments.update_status(&object, &post()).await
    })
    .await
    .unwrap();
    assert_eq!(updated.status.unwrap().collision_count, Some(3));
    assert_eq!(updated.spec.replicas, Some(0));
    assert_eq!(updated.metadata.generation, generation);
}

async fn scale_is_read_and_written(client: Client) {
    let namespace = namespace(&client).await;
    let deployments = TypedClient::<Deployment>::namespaced(client, &namespace);
    deployments.create(&deployment("a"), &post()).await.unwrap();
    let mut scale = deployments.get_scale("a").await.unwrap();
    assert_eq!(scale.spec.as_ref().and_then(|spec| spec.replicas), None);
    assert_eq!(
        scale.status.as_ref().and_then(|it| it.selector.as_deref()),
        Some("a=b")
    );
    // The zero is omitted from the answer, so the whole spec may be missing.
    scale.spec.get_or_insert_default().replicas = Some(2);
    scale.metadata.resource_version = None;
    let written = deployments
        .update_scale("a", &scale, &post())
        .await
        .unwrap();
    assert_eq!(written.spec.and_then(|spec| spec.replicas), Some(2));
    let patch = Patch::Merge(json!({"spec": {"replicas": 1}}));
    let params = PatchParams::default();
    let patched = deployments.patch_scale("a", &params, &patch).await.unwrap();
    assert_eq!(patched.spec.and_then(|spec| spec.replicas), Some(1));
    let replicas = deployments.get("a").await.unwrap().spec.replicas;
    assert_eq!(replicas, Some(1));
}

async fn a_pod_is_evicted(client: Client) {
    let namespace = namespace(&client).await;
    let pods = TypedClient::<Pod>::namespaced(client, &namespace);
    let pod = json!({
        "metadata": {"name": "a"},
        "spec": {"containers": [{"name": "c", "image": "i"}]},
    });
    let pod: Pod = serde_json::from_value(pod).unwrap();
    pods.create(&pod, &post()).await.unwrap();
    let mut eviction = Eviction::default();
    eviction.metadata.name = Some("a".to_owned());
    let answer: Value = pods
        .create_subresource("a", "eviction", &eviction, &post())
        .await
        .unwrap();
    assert_eq!(answer["status"], "Success", "{answer}");
    // No node runs the pod, so there is nothing to wait for.
    assert_eq!(pods.get_opt("a").await.unwrap(), None);
}

async fn a_cluster_scoped_kind(client: Client) {
    let namespaces = TypedClient::<Namespace>::cluster(client.clone());
    let name = namespace(&client).await;
    let patch = Patch::Merge(json!({"metadata": {"labels": {"x": "y"}}}));
    let params = PatchParams::default();
    namespaces.patch(&name, &params, &patch).await.unwrap();
    let object = namespaces.get(&name).await.unwrap();
    assert_eq!(object.labels()["x"], "y");
    assert_eq!(object.status.unwrap().phase.as_deref(), Some("Active"));
}

async fn errors_are_told_apart(client: Client) {
    let maps = maps(&client).await;
    let made = maps.create(&map("a", "x"), &post()).await.unwrap();
    let missing = status_of(maps.get("b").await);
    assert!(missing.is_not_found());
    assert_eq!(missing.message, "configmaps \"b\" not found");
    let taken = status_of(maps.create(&map("a", "x"), &post()).await);
    assert!(taken.is_already_exists());
    assert_eq!(taken.message, "configmaps \"a\" already exists");
    maps.update(&map("a", "y"), &post()).await.unwrap();
    let stale = status_of(maps.update(&made, &post()).await);
    assert!(stale.is_conflict());
    let invalid = status_of(maps.create(&map("Not a name", "x"), &post()).await);
    assert_eq!((invalid.code, invalid.reason.as_str()), (422, "Invalid"));
    assert_eq!(invalid.details.unwrap().causes[0].field, "metadata.name");
    let selector = status_of(maps.list(&labelled("a in b")).await);
    assert_eq!(selector.code, 400);
    let nowhere = TypedClient::<ConfigMap>::namespaced(client, "no-such-namespace");
    let homeless = status_of(nowhere.create(&map("a", "x"), &post()).await);
    assert_eq!(
        homeless.message,
        "namespaces \"no-such-namespace\" not found"
    );
}

async fn preconditions_are_checked(client: Client) {
    let maps = maps(&client).await;
    let made = maps.create(&map("a", "x"), &post()).await.unwrap();
    let params = |uid: Option<String>, resource_version: Option<String>| DeleteParams {
        preconditions: Some(Preconditions {
            uid,
            resource_version,
        }),
        ..DeleteParams::default()
    };
    let other = Some("00000000-0000-0000-0000-000000000000".to_owned());
    let wrong = params(other, None);
    assert!(status_of(maps.delete("a", &wrong).await).is_conflict());
    let old = params(None, Some("1".to_owned()));
    assert!(status_of(maps.delete("a", &old).await).is_conflict());
    let right = params(made.uid(), made.resource_version());
    maps.delete("a", &right).await.unwrap();
    let dry = PostParams {
        dry_run: true,
        ..post()
    };
    maps.create(&map("dry", "x"), &dry).await.unwrap();
    assert_eq!(maps.get_opt("dry").await.unwrap(), None);
}
