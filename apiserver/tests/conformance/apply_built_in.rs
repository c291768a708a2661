//! Server-side apply inside lists of built-in kinds, with the merge keys of the API.

use crate::harness::cases;
use crate::support::*;

cases![
    containers_of_a_deployment_merge_by_name,
    environment_of_a_container_merges_by_name,
    ports_of_a_service_merge_by_port_and_protocol,
    finalizers_are_a_set,
    owner_references_merge_by_uid,
];

fn pod_template(containers: Value) -> Value {
    let template =
        json!({"metadata": {"labels": {"app": "a"}}, "spec": {"containers": containers}});
    json!({"spec": {"replicas": 0, "selector": {"matchLabels": {"app": "a"}}, "template": template}})
}

async fn containers_of_a_deployment_merge_by_name(client: Client) {
    let deployments = DEPLOYMENTS.fresh(&client).await;
    deployments
        .given_by(
            "a",
            "me",
            pod_template(json!([{"name": "one", "image": "i:1"}])),
        )
        .await;
    let sidecar =
        json!({"spec": {"template": {"spec": {"containers": [{"name": "two", "image": "i:2"}]}}}});
    let both = deployments.applied("a", "you", sidecar).await;
    check!(both,
        "/spec/template/spec/containers/0/image": "i:1",
        "/spec/template/spec/containers/1/image": "i:2");
}

async fn environment_of_a_container_merges_by_name(client: Client) {
    let deployments = DEPLOYMENTS.fresh(&client).await;
    let env = |name: &str| json!([{"name": "one", "image": "i:1", "env": [{"name": name, "value": "1"}]}]);
    deployments
        .given_by("a", "me", pod_template(env("A")))
        .await;
    let both = deployments
        .applied("a", "you", pod_template(env("B")))
        .await;
    let expected = json!([{"name": "A", "value": "1"}, {"name": "B", "value": "1"}]);
    check!(both, "/spec/template/spec/containers/0/env": expected);
}

async fn ports_of_a_service_merge_by_port_and_protocol(client: Client) {
    let services = SERVICES.fresh(&client).await;
    let spec = |ports: Value| json!({"spec": {"selector": {"app": "a"}, "ports": ports}});
    services
        .given_by("a", "me", spec(json!([{"name": "http", "port": 80}])))
        .await;
    let both = services
        .applied(
            "a",
            "you",
            spec(json!([{"name": "dns", "port": 53, "protocol": "UDP"}])),
        )
        .await;
    assert_eq!(at(&both, "/spec/ports").as_array().map(Vec::len), Some(2));
    check!(both, "/spec/ports/0/protocol": "TCP");
}

async fn finalizers_are_a_set(client: Client) {
    let maps = configmaps(&client).await;
    maps.given_by(
        "a",
        "me",
        json!({"metadata": {"finalizers": ["example.com/a"]}}),
    )
    .await;
    let both = maps
        .applied(
            "a",
            "you",
            json!({"metadata": {"finalizers": ["example.com/b"]}}),
        )
        .await;
    check!(both, "/metadata/finalizers": ["example.com/a", "example.com/b"]);
    let one = maps.applied("a", "me", json!({})).await;
    check!(one, "/metadata/finalizers": ["example.com/b"]);
    maps.applied("a", "you", json!({})).await;
}

async fn owner_references_merge_by_uid(client: Client) {
    let maps = configmaps(&client).await;
    let (first, second) = (
        maps.given("first", json!({})).await,
        maps.given("second", json!({})).await,
    );
    let owned_by = |owner: &Value| {
        let reference = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"]});
        json!({"metadata": {"ownerReferences": [reference]}})
    };
    maps.given_by("a", "me", owned_by(&first)).await;
    let both = maps.applied("a", "you", owned_by(&second)).await;
    assert_eq!(
        at(&both, "/metadata/ownerReferences")
            .as_array()
            .map(Vec::len),
        Some(2)
    );
}
