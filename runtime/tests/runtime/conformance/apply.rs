//! Server-side apply under one manager.

use std::collections::BTreeMap;

use codegen_runtime::apply::{Applier, ApplyError};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Api, Client, ResourceExt};
use serde_json::{Value, json};

use crate::harness::cases;
use crate::support::namespace;

cases![
    applying_creates_and_changes,
    what_is_no_longer_applied_is_removed,
    a_field_of_another_manager_is_a_conflict,
    force_takes_a_field_over,
    two_managers_share_an_object,
    applying_the_same_changes_nothing,
    a_resource_version_makes_an_apply_conditional,
    the_status_is_applied_apart,
];

async fn config_maps(client: &Client) -> Api<ConfigMap> {
    Api::namespaced(client.clone(), &namespace(client).await)
}

fn map(data: Value) -> Value {
    json!({"metadata": {"name": "a"}, "data": data})
}

fn data(map: &ConfigMap) -> BTreeMap<&str, &str> {
    let data = map.data.iter().flatten();
    data.map(|(key, value)| (key.as_str(), value.as_str()))
        .collect()
}

async fn applying_creates_and_changes(client: Client) {
    let maps = config_maps(&client).await;
    let applier = Applier::new("one");
    let made = applier.apply(&maps, &map(json!({"x": "1"}))).await;
    assert_eq!(data(&made.unwrap()), [("x", "1")].into());
    let changed = applier.apply(&maps, &map(json!({"x": "2"}))).await.unwrap();
    assert_eq!(data(&changed), [("x", "2")].into());
    let entry = &changed.managed_fields()[0];
    assert_eq!(entry.manager.as_deref(), Some("one"));
    assert_eq!(entry.operation.as_deref(), Some("Apply"));
}

async fn what_is_no_longer_applied_is_removed(client: Client) {
    let maps = config_maps(&client).await;
    let applier = Applier::new("one");
    let both = map(json!({"x": "1", "y": "1"}));
    applier.apply(&maps, &both).await.unwrap();
    let one = applier.apply(&maps, &map(json!({"y": "1"}))).await.unwrap();
    assert_eq!(data(&one), [("y", "1")].into());
}

async fn a_field_of_another_manager_is_a_conflict(client: Client) {
    let maps = config_maps(&client).await;
    let (one, two) = (Applier::new("one"), Applier::new("two"));
    one.apply(&maps, &map(json!({"x": "1", "y": "1"})))
        .await
        .unwrap();
    match two.apply(&maps, &map(json!({"x": "2", "y": "1"}))).await {
        Err(ApplyError::Conflict(conflicts)) => {
            assert_eq!(conflicts.len(), 1, "an equal value is none: {conflicts:?}");
            assert_eq!(conflicts[0].field, ".data.x");
            assert_eq!(conflicts[0].message, "conflict with \"one\"");
        }
        other => panic!("{other:?}"),
    }
    let kept = maps.get("a").await.unwrap();
    assert_eq!(data(&kept)["x"], "1");
}

async fn force_takes_a_field_over(client: Client) {
    let maps = config_maps(&client).await;
    let (one, two) = (Applier::new("one"), Applier::new("two").force());
    one.apply(&maps, &map(json!({"x": "1"}))).await.unwrap();
    let taken = two.apply(&maps, &map(json!({"x": "2"}))).await.unwrap();
    assert_eq!(data(&taken)["x"], "2");
    assert!(matches!(
        one.apply(&maps, &map(json!({"x": "1"}))).await,
        Err(ApplyError::Conflict(_))
    ));
    // A manager that stops applying a field which was taken from it does not change the field.
    let left = one.apply(&maps, &map(json!({}))).await.unwrap();
    assert_eq!(data(&left)["x"], "2");
}

async fn two_managers_share_an_object(client: Client) {
    let maps = config_maps(&client).await;
    let (one, two) = (Applier::new("one"), Applier::new("two"));
    one.apply(&maps, &map(json!({"x": "1", "both": "1"})))
        .await
        .unwrap();
    let shared = two.apply(&maps, &map(json!({"y": "1", "both": "1"}))).await;
    assert_eq!(
        data(&shared.unwrap()),
        [("both", "1"), ("x", "1"), ("y", "1")].into()
    );
    let left = one.apply(&maps, &map(json!({}))).await.unwrap();
    assert_eq!(data(&left), [("both", "1"), ("y", "1")].into());
    let left = two.apply(&maps, &map(json!({}))).await.unwrap();
    assert!(data(&left).is_empty());
}

async fn applying_the_same_changes_nothing(client: Client) {
    let maps = config_maps(&client).await;
    let applier = Applier::new("one");
    let first = applier.apply(&maps, &map(json!({"x": "1"}))).await.unwrap();
    let again = applier.apply(&maps, &map(json!({"x": "1"}))).await.unwrap();
    assert_eq!(first.resource_version(), again.resource_version());
}

async fn a_resource_version_makes_an_apply_conditional(client: Client) {
    let maps = config_maps(&client).await;
    let applier = Applier::new("one");
    let first = applier.apply(&maps, &map(json!({"x": "1"}))).await.unwrap();
    applier.apply(&maps, &map(json!({"x": "2"}))).await.unwrap();
    let mut stale = map(json!({"x": "3"}));
    stale["metadata"]["resourceVersion"] = json!(first.resource_version());
    match applier.apply(&maps, &stale).await {
        Err(ApplyError::Api(kube::Error::Api(status))) => {
            assert!(status.is_conflict(), "{status:?}");
        }
        other => panic!("{other:?}"),
    }
}

async fn the_status_is_applied_apart(client: Client) {
    let deployments: Api<Deployment> = Api::namespaced(client.clone(), &namespace(&client).await);
    let spec = json!({
        // No controller acts on it.
        "paused": true, "replicas": 0,
        "selector": {"matchLabels": {"a": "b"}},
        "template": {
            "metadata": {"labels": {"a": "b"}},
            "spec": {"containers": [{"name": "c", "image": "i"}]},
        },
    });
    let applier = Applier::new("one");
    let object = json!({"metadata": {"name": "a"}, "spec": spec, "status": {"replicas": 7}});
    let made = applier.apply(&deployments, &object).await.unwrap();
    assert_ne!(made.status.and_then(|status| status.replicas), Some(7));
    let condition = json!({"type": "Tested", "status": "True"});
    let status = json!({"metadata": {"name": "a"}, "status": {"conditions": [condition]}});
    let changed = applier.apply_status(&deployments, &status).await.unwrap();
    let conditions = changed.status.and_then(|status| status.conditions);
    let types: Vec<Option<String>> = conditions
        .unwrap_or_default()
        .into_iter()
        .map(|condition| condition.type_)
        .collect();
    assert!(types.contains(&Some("Tested".to_owned())), "{types:?}");
    assert_eq!(changed.spec.replicas, Some(0));
}
