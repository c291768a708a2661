//! The garbage collector and namespace deletion, enabled and disabled.

use embedded_apiserver::{ApiServer, Builder};
use http::Method;
use serde_json::{Value, json};

use crate::support::{MAPS, ask, config_map, create_map, get};

async fn with_child(builder: Builder) -> ApiServer {
    let server = builder.build().unwrap();
    let owner = create_map(&server, "owner").await;
    let mut child = config_map("child");
    child["metadata"]["ownerReferences"] = json!([{"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"]}]);
    let (code, _) = ask(&server, Method::POST, MAPS, &child).await;
    assert_eq!(code, 201);
    server
}

async fn child_after_delete(server: &ApiServer, propagation: &str) -> Option<Value> {
    let options = json!({"propagationPolicy": propagation});
    let (code, _) = ask(server, Method::DELETE, &format!("{MAPS}/owner"), &options).await;
    assert_eq!(code, 200);
    assert_eq!(get(server, &format!("{MAPS}/owner")).await.0, 404);
    let (code, child) = get(server, &format!("{MAPS}/child")).await;
    (code == 200).then_some(child)
}

#[tokio::test]
async fn dependents_follow_their_owner() {
    for propagation in ["Background", "Foreground"] {
        let server = with_child(ApiServer::builder()).await;
        assert_eq!(
            child_after_delete(&server, propagation).await,
            None,
            "{propagation}"
        );
    }
}

#[tokio::test]
async fn orphans_lose_their_owner_reference() {
    let server = with_child(ApiServer::builder()).await;
    let child = child_after_delete(&server, "Orphan").await.unwrap();
    assert_eq!(child["metadata"].get("ownerReferences"), None);
}

#[tokio::test]
async fn without_the_garbage_collector_dependents_stay() {
    let server = with_child(ApiServer::builder().garbage_collector(false)).await;
    assert!(child_after_delete(&server, "Background").await.is_some());
}

#[tokio::test]
async fn a_dependent_of_nobody_is_collected_after_its_creation() {
    let server = ApiServer::builder().build().unwrap();
    let mut orphan = config_map("a");
    orphan["metadata"]["ownerReferences"] =
        json!([{"apiVersion": "v1", "kind": "ConfigMap", "name": "none", "uid": "none"}]);
    assert_eq!(ask(&server, Method::POST, MAPS, &orphan).await.0, 201);
    assert_eq!(get(&server, &format!("{MAPS}/a")).await.0, 404);
}

#[tokio::test]
async fn a_deep_chain_of_owners_is_collected() {
    let server = ApiServer::builder().build().unwrap();
    let mut owner = create_map(&server, "m0").await;
    for index in 1..1000 {
        let mut map = config_map(&format!("m{index}"));
        map["metadata"]["ownerReferences"] = json!([{"apiVersion": "v1", "kind": "ConfigMap",
            "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"]}]);
        owner = ask(&server, Method::POST, MAPS, &map).await.1;
    }
    assert_eq!(
        ask(&server, Method::DELETE, &format!("{MAPS}/m0"), &Value::Null)
            .await
            .0,
        200
    );
    assert!(server.objects().list("", "configmaps", "").is_empty());
}

#[tokio::test]
async fn a_namespace_ends_once_its_content_is_gone() {
    let server = ApiServer::builder().build().unwrap();
    let mut map = config_map("a");
    map["metadata"]["namespace"] = json!("n");
    map["metadata"]["finalizers"] = json!(["example.com/wait"]);
    server.objects().put(&map).unwrap();
    let (code, namespace) = ask(
        &server,
        Method::DELETE,
        "/api/v1/namespaces/n",
        &Value::Null,
    )
    .await;
    assert_eq!(
        (code, &namespace["status"]["phase"]),
        (200, &json!("Terminating"))
    );
    let (_, held) = get(&server, "/api/v1/namespaces/n/configmaps/a").await;
    assert!(held["metadata"]["deletionTimestamp"].is_string());
    let (code, refused) = ask(
        &server,
        Method::POST,
        "/api/v1/namespaces/n/configmaps",
        &config_map("b"),
    )
    .await;
    assert_eq!(code, 403, "{refused}");
    let mut freed = held;
    freed["metadata"]["finalizers"] = json!([]);
    let (code, _) = ask(
        &server,
        Method::PUT,
        "/api/v1/namespaces/n/configmaps/a",
        &freed,
    )
    .await;
    assert_eq!(code, 200);
    assert_eq!(get(&server, "/api/v1/namespaces/n").await.0, 404);
}

#[tokio::test]
async fn namespaces_are_filled_on_request() {
    let names = |server: &ApiServer, plural: &str, namespace: &str| -> Vec<String> {
        let objects = server.objects().list("", plural, namespace);
        let name = |o: &Value| o["metadata"]["name"].as_str().unwrap().to_owned();
        objects.iter().map(name).collect()
    };
    let filled = ApiServer::builder()
        .namespace_objects(true)
        .build()
        .unwrap();
    let namespace = json!({"metadata": {"name": "a"}});
    let (code, _) = ask(&filled, Method::POST, "/api/v1/namespaces", &namespace).await;
    assert_eq!(code, 201);
    for namespace in ["default", "kube-system", "a"] {
        assert_eq!(names(&filled, "serviceaccounts", namespace), ["default"]);
        assert_eq!(
            names(&filled, "configmaps", namespace),
            ["kube-root-ca.crt"]
        );
    }
    let plain = ApiServer::builder().build().unwrap();
    assert!(names(&plain, "serviceaccounts", "default").is_empty());
    assert!(names(&plain, "configmaps", "default").is_empty());
    assert_eq!(names(&plain, "services", "default"), ["kubernetes"]);
}
