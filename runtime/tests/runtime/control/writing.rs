//! `create_or_update` and the remembering applier.

use codegen_runtime::apply::{
    Applier, CreateOrUpdateError, RememberingApplier, Written, create_or_update,
};
use embedded_apiserver::ApiServer;
use k8s_openapi::api::core::v1::{ConfigMap, ResourceQuota};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use kube::api::PostParams;
use kube::{Api, ResourceExt};
use serde_json::json;

fn rig() -> (ApiServer, Api<ConfigMap>) {
    let server = ApiServer::builder().build().unwrap();
    let api = Api::namespaced(server.client(), "default");
    (server, api)
}

/// Returns the verbs of the requests since the last call.
fn verbs(server: &ApiServer) -> Vec<&'static str> {
    let actions = server.recorder().actions();
    server.recorder().clear();
    actions.into_iter().map(|action| action.verb).collect()
}

fn named(name: &str) -> ConfigMap {
    let mut map = ConfigMap::default();
    map.metadata.name = Some(name.to_owned());
    map
}

fn set(map: &mut ConfigMap, value: &str) {
    let data = map.data.get_or_insert_default();
    data.insert("key".to_owned(), value.to_owned());
}

#[tokio::test]
async fn an_object_is_created_updated_or_left_alone() {
    let (server, api) = rig();
    let steps = [
        ("a", Written::Created, vec!["get", "create"]),
        ("a", Written::Unchanged, vec!["get"]),
        ("b", Written::Updated, vec!["get", "update"]),
        ("b", Written::Unchanged, vec!["get"]),
    ];
    for (value, expected, requests) in steps {
        let (map, written) = create_or_update(&api, named("map"), |map| {
            set(map, value);
            Ok(())
        })
        .await
        .unwrap();
        assert_eq!((written, verbs(&server)), (expected, requests));
        assert_eq!(map.data.unwrap()["key"], value);
    }
}

#[tokio::test]
async fn a_change_keeps_what_others_wrote_and_empty_is_absent() {
    let (server, api) = rig();
    let mut map = named("map");
    map.labels_mut()
        .insert("others".to_owned(), "yes".to_owned());
    api.create(&PostParams::default(), &map).await.unwrap();
    verbs(&server);
    let (_, written) = create_or_update(&api, named("map"), |map| {
        map.annotations_mut();
        map.finalizers_mut();
        Ok(())
    })
    .await
    .unwrap();
    assert_eq!(written, Written::Unchanged);
    assert_eq!(verbs(&server), ["get"]);
    let (map, _) = create_or_update(&api, named("map"), |map| {
        set(map, "a");
        Ok(())
    })
    .await
    .unwrap();
    assert_eq!(map.labels()["others"], "yes");
}

#[tokio::test]
async fn an_equal_amount_is_no_change() {
    let server = ApiServer::builder().build().unwrap();
    let api = Api::<ResourceQuota>::namespaced(server.client(), "default");
    // The server stores `1` and `1Gi`, as kube-apiserver does for its own kinds.
    for (cpu, memory, expected) in [
        ("1000m", "1024Mi", Written::Created),
        ("1000m", "1024Mi", Written::Unchanged),
        ("1.0", "1073741824", Written::Unchanged),
        ("1001m", "1Gi", Written::Updated),
    ] {
        let mut quota = ResourceQuota::default();
        quota.metadata.name = Some("quota".to_owned());
        let (_, written) = create_or_update(&api, quota, |quota| {
            let hard = quota
                .spec
                .get_or_insert_default()
                .hard
                .get_or_insert_default();
            for (name, amount) in [("cpu", cpu), ("memory", memory)] {
                hard.insert(name.to_owned(), Quantity(amount.to_owned()));
            }
            Ok(())
        })
        .await
        .unwrap();
        assert_eq!(written, expected, "{cpu} {memory}");
    }
    let stored = api.get("quota").await.unwrap().spec.unwrap().hard.unwrap();
    assert_eq!((&*stored["cpu"].0, &*stored["memory"].0), ("1001m", "1Gi"));
}

#[tokio::test]
async fn a_change_that_fails_or_renames_writes_nothing() {
    let (server, api) = rig();
    let failed = create_or_update(&api, named("map"), |_| Err("no owner".into())).await;
    let error = failed.unwrap_err();
    assert!(matches!(error, CreateOrUpdateError::Change(_)));
    assert_eq!(error.to_string(), "the change failed: no owner");
    let renamed = create_or_update(&api, named("map"), |map| {
        map.metadata.name = Some("other".to_owned());
        Ok(())
    });
    assert!(matches!(renamed.await, Err(CreateOrUpdateError::Renamed)));
    assert_eq!(verbs(&server), ["get", "get"]);
    let nameless = create_or_update(&api, ConfigMap::default(), |_| Ok(())).await;
    assert!(matches!(nameless, Err(CreateOrUpdateError::NoName)));
    assert_eq!(verbs(&server), [""; 0]);
}

#[tokio::test]
async fn a_write_in_between_is_a_conflict() {
    let (server, api) = rig();
    api.create(&PostParams::default(), &named("map"))
        .await
        .unwrap();
    let objects = server.objects();
    let result = create_or_update(&api, named("map"), |map| {
        let other = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "map", "namespace": "default"}, "data": {"other": "1"}});
        objects.put(&other).unwrap();
        set(map, "a");
        Ok(())
    })
    .await;
    let Err(CreateOrUpdateError::Api(kube::Error::Api(status))) = result else {
        panic!("{result:?}")
    };
    assert!(status.is_conflict(), "{status:?}");
}

#[tokio::test]
async fn what_was_applied_and_not_touched_since_is_not_applied_again() {
    let (server, api) = rig();
    let applier = RememberingApplier::new(Applier::new("tests").force());
    let wanted = |value: &str| json!({"metadata": {"name": "map"}, "data": {"key": value}});
    let (_, written) = applier.apply(&api, None, &wanted("a")).await.unwrap();
    assert_eq!((written, verbs(&server).len()), (Written::Created, 1));
    // Without a cache the request is sent, and the server tells what happened.
    for (value, expected) in [("a", Written::Unchanged), ("c", Written::Updated)] {
        let (_, written) = applier.apply(&api, None, &wanted(value)).await.unwrap();
        assert_eq!((written, verbs(&server).len()), (expected, 1));
    }
    let (map, _) = applier.apply(&api, None, &wanted("a")).await.unwrap();
    let other = RememberingApplier::new(Applier::new("tests").force());
    let (_, written) = other.apply(&api, None, &wanted("a")).await.unwrap();
    assert_eq!((written, verbs(&server).len()), (Written::Updated, 2));
    let (_, written) = applier.apply(&api, Some(&map), &wanted("a")).await.unwrap();
    assert_eq!((written, verbs(&server).len()), (Written::Unchanged, 0));
    // Different fields.
    let (map, written) = applier.apply(&api, Some(&map), &wanted("b")).await.unwrap();
    assert_eq!((written, verbs(&server).len()), (Written::Updated, 1));
    // Another client wrote: one request finds no difference, and the next is skipped.
    let mut touched = map.clone();
    touched
        .labels_mut()
        .insert("others".to_owned(), "yes".to_owned());
    let touched = api
        .replace("map", &PostParams::default(), &touched)
        .await
        .unwrap();
    verbs(&server);
    let (same, written) = applier
        .apply(&api, Some(&touched), &wanted("b"))
        .await
        .unwrap();
    assert_eq!((written, verbs(&server).len()), (Written::Unchanged, 1));
    let (_, written) = applier
        .apply(&api, Some(&same), &wanted("b"))
        .await
        .unwrap();
    assert_eq!((written, verbs(&server).len()), (Written::Unchanged, 0));
    // A new object with the same name.
    api.delete("map", &kube::api::DeleteParams::default())
        .await
        .unwrap();
    api.create(&PostParams::default(), &named("map"))
        .await
        .unwrap();
    let new = api.get("map").await.unwrap();
    verbs(&server);
    let (map, written) = applier.apply(&api, Some(&new), &wanted("b")).await.unwrap();
    assert_eq!((written, verbs(&server).len()), (Written::Updated, 1));
    assert_eq!(map.data.unwrap()["key"], "b");
}
