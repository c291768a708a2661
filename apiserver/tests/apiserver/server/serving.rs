//! One server through an in-process client, over HTTP, and through direct access.

use embedded_apiserver::{ApiServer, ResourceDescription};
use futures::TryStreamExt;
use http::Method;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, DynamicObject, PostParams, WatchEvent, WatchParams};
use serde_json::{Value, json};

use crate::support::{ask, config_map, create_map, get};

#[tokio::test]
async fn a_socket_and_a_client_without_one_see_the_same_objects() {
    let server = ApiServer::builder().build().unwrap();
    let serving = server.serve("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", serving.local_addr()).parse().unwrap();
    let remote = kube::Client::try_from(kube::Config::new(url)).unwrap();
    let map: ConfigMap = serde_json::from_value(config_map("a")).unwrap();
    Api::<ConfigMap>::default_namespaced(remote.clone())
        .create(&PostParams::default(), &map)
        .await
        .unwrap();
    let local = Api::<ConfigMap>::default_namespaced(server.client());
    assert_eq!(local.get("a").await.unwrap().metadata.generation, None);
    assert!(
        remote
            .apiserver_version()
            .await
            .unwrap()
            .git_version
            .starts_with("v1.")
    );
    serving.shutdown().await;
}

#[tokio::test]
async fn a_watch_delivers_what_happens_after_it() {
    let server = ApiServer::builder().build().unwrap();
    let maps = Api::<ConfigMap>::default_namespaced(server.client());
    let version = maps
        .list(&Default::default())
        .await
        .unwrap()
        .metadata
        .resource_version
        .unwrap();
    let events = maps.watch(&WatchParams::default(), &version).await.unwrap();
    create_map(&server, "a").await;
    let mut events = std::pin::pin!(events);
    let first = events.try_next().await.unwrap().unwrap();
    assert!(matches!(first, WatchEvent::Added(map) if map.metadata.name.as_deref() == Some("a")));
}

#[tokio::test]
async fn described_resources_are_served_without_a_schema() {
    let mut description = ResourceDescription::new("g.io", "v1", "Widget", "widgets");
    description.status = true;
    let server = ApiServer::builder()
        .resources([description])
        .objects([json!({"apiVersion": "g.io/v1", "kind": "Widget", "metadata": {"name": "w", "namespace": "new"},
            "spec": {"any": ["thing"]}, "status": {"kept": true}})])
        .build()
        .unwrap();
    let (code, widget) = get(&server, "/apis/g.io/v1/namespaces/new/widgets/w").await;
    assert_eq!((code, &widget["status"]), (200, &json!({"kept": true})));
    assert_eq!(
        get(&server, "/api/v1/namespaces/new").await.0,
        200,
        "its namespace is there"
    );
    let resource = kube::discovery::ApiResource::from_gvk(&kube::core::GroupVersionKind::gvk(
        "g.io", "v1", "Widget",
    ));
    let api = Api::<DynamicObject>::all_with(server.client(), &resource);
    assert_eq!(api.list(&Default::default()).await.unwrap().items.len(), 1);
    assert_eq!(server.objects().list("g.io", "widgets", "").len(), 1);
    assert!(server.objects().remove("g.io", "widgets", "new", "w"));
    assert_eq!(server.objects().get("g.io", "widgets", "new", "w"), None);
}

#[tokio::test]
async fn an_object_of_an_unknown_kind_fails_the_build() {
    let result = ApiServer::builder()
        .objects([json!({"apiVersion": "none.io/v1", "kind": "None", "metadata": {"name": "a"}})])
        .build();
    let message = result.unwrap_err().to_string();
    assert_eq!(
        message,
        "cannot store None \"a\": no kind \"None\" is served in version \"none.io/v1\""
    );
}

#[tokio::test]
async fn discovery_names_every_group() {
    let server = ApiServer::builder().build().unwrap();
    let (_, groups) = get(&server, "/apis").await;
    let names: Vec<&str> = groups["groups"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|g| g["name"].as_str())
        .collect();
    for group in [
        "apps",
        "batch",
        "coordination.k8s.io",
        "events.k8s.io",
        "rbac.authorization.k8s.io",
    ] {
        assert!(names.contains(&group), "{group} in {names:?}");
    }
    let (code, _) = ask(&server, Method::POST, "/apis", &Value::Null).await;
    assert_eq!(code, 405);
}
