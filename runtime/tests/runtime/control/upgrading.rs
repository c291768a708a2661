//! From `create_or_update` to apply.

use codegen_runtime::apply::{Applier, ApplyError, create_or_update};
use codegen_runtime::retry::is_conflict;
use embedded_apiserver::{ApiServer, Fault, FaultKind};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Api, ResourceExt};
use serde_json::json;

fn rig() -> (ApiServer, Api<ConfigMap>) {
    let server = ApiServer::builder().build().unwrap();
    let api = Api::namespaced(server.client(), "default");
    (server, api)
}

/// Writes the keys `a` and `b` through an update, as releases before the move did; returns the
/// manager of these fields.
async fn written_by_update(api: &Api<ConfigMap>) -> String {
    let mut map = ConfigMap::default();
    map.metadata.name = Some("map".to_owned());
    let (map, _) = create_or_update(api, map, |map| {
        let pairs = ["a", "b"].map(|key| (key.to_owned(), "1".to_owned()));
        map.data = Some(pairs.into());
        Ok(())
    })
    .await
    .unwrap();
    map.managed_fields()[0].manager.clone().unwrap()
}

fn keys(map: &ConfigMap) -> Vec<&String> {
    map.data.iter().flatten().map(|(key, _)| key).collect()
}

fn managers(map: &ConfigMap) -> Vec<(&str, &str)> {
    let entries = map.managed_fields().iter();
    entries
        .map(|it| {
            (
                it.manager.as_deref().unwrap(),
                it.operation.as_deref().unwrap(),
            )
        })
        .collect()
}

#[tokio::test]
async fn after_an_upgrade_an_apply_removes_what_updates_wrote() {
    let wanted = json!({"metadata": {"name": "map"}, "data": {"a": "1"}});
    let applier = Applier::new("map-controller").force();

    let (_server, api) = rig();
    written_by_update(&api).await;
    let map = applier.apply(&api, &wanted).await.unwrap();
    assert_eq!(keys(&map), ["a", "b"], "the fields of updates stay");

    let (_server, api) = rig();
    let old = written_by_update(&api).await;
    let moved = applier
        .upgrade(&api, "map", &[&old])
        .await
        .unwrap()
        .unwrap();
    assert_eq!(managers(&moved), [("map-controller", "Apply")]);
    let map = applier.apply(&api, &wanted).await.unwrap();
    assert_eq!(keys(&map), ["a"]);
}

#[tokio::test]
async fn an_upgrade_after_the_first_apply_joins_the_entries() {
    let (_server, api) = rig();
    let old = written_by_update(&api).await;
    let applier = Applier::new("map-controller").force();
    let wanted = json!({"metadata": {"name": "map"}, "data": {"a": "1"}});
    applier.apply(&api, &wanted).await.unwrap();
    applier.upgrade(&api, "map", &[&old]).await.unwrap();
    let map = applier.apply(&api, &wanted).await.unwrap();
    assert_eq!(
        (keys(&map), managers(&map)),
        (vec![&"a".to_owned()], vec![("map-controller", "Apply")])
    );
}

#[tokio::test]
async fn an_upgrade_writes_once_and_other_managers_keep_their_fields() {
    let (server, api) = rig();
    let old = written_by_update(&api).await;
    let other = json!({"metadata": {"name": "map"}, "data": {"c": "1"}});
    Applier::new("other").apply(&api, &other).await.unwrap();
    let applier = Applier::new("map-controller").force();
    applier
        .upgrade(&api, "map", &[&old, "unknown"])
        .await
        .unwrap();
    server.recorder().clear();
    assert!(
        applier
            .upgrade(&api, "map", &[&old])
            .await
            .unwrap()
            .is_none()
    );
    assert!(
        applier
            .upgrade(&api, "missing", &[&old])
            .await
            .unwrap()
            .is_none()
    );
    let verbs: Vec<_> = server
        .recorder()
        .actions()
        .iter()
        .map(|it| it.verb)
        .collect();
    assert_eq!(verbs, ["get", "get"]);
    let map = applier
        .apply(&api, &json!({"metadata": {"name": "map"}}))
        .await
        .unwrap();
    assert_eq!(keys(&map), ["c"]);
}

#[tokio::test(start_paused = true)]
async fn a_write_in_between_makes_an_upgrade_a_conflict() {
    let (server, api) = rig();
    let old = written_by_update(&api).await;
    let raced = api.clone();
    // Another writer comes between reading and patching.
    let delay = FaultKind::Delay(std::time::Duration::from_millis(100));
    server
        .faults()
        .add(Fault::new(delay).on("patch", "configmaps").once());
    let applier = Applier::new("map-controller");
    let managers = [old.as_str()];
    let upgrade = applier.upgrade(&api, "map", &managers);
    let write = async {
        let mut map = raced.get("map").await.unwrap();
        map.data
            .as_mut()
            .unwrap()
            .insert("a".to_owned(), "2".to_owned());
        raced
            .replace("map", &Default::default(), &map)
            .await
            .unwrap();
    };
    let (upgraded, ()) = tokio::join!(upgrade, write);
    let error = upgraded.unwrap_err();
    assert!(
        matches!(&error, ApplyError::Api(error) if is_conflict(error)),
        "{error}"
    );
}
