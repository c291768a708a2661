//! The garbage collector and namespace deletion, enabled and disabled.

use embedded_apiserver::{ApiServer, Builder, Controllers};
use http::Method;
use serde_json::{Value, json};

use super::webhooks::definition;
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

#[tokio::test]
async fn with_envtests_controllers_finalizers_are_set_and_stay() {
    let server = with_child(ApiServer::builder().controllers(Controllers::Envtest)).await;
    let owner = format!("{MAPS}/owner");
    for (propagation, finalizer) in [("Foreground", "foregroundDeletion"), ("Orphan", "orphan")] {
        let options = json!({"propagationPolicy": propagation});
        let (code, _) = ask(&server, Method::DELETE, &owner, &options).await;
        assert!(matches!(code, 200 | 202), "{code}");
        let (_, held) = get(&server, &owner).await;
        assert!(held["metadata"]["deletionTimestamp"].is_string());
        assert_eq!(held["metadata"]["finalizers"], json!([finalizer]));
    }
    assert_eq!(get(&server, &format!("{MAPS}/child")).await.0, 200);
    server.objects().put(&namespaced("n", "a")).unwrap();
    let path = "/api/v1/namespaces/n";
    ask(&server, Method::DELETE, path, &Value::Null).await;
    let (_, namespace) = get(&server, path).await;
    assert_eq!(namespace["status"]["phase"], "Terminating");
    assert_eq!(namespace["spec"]["finalizers"], json!(["kubernetes"]));
    assert_eq!(get(&server, &format!("{path}/configmaps/a")).await.0, 200);
    assert!(server.objects().list("", "serviceaccounts", "").is_empty());
}

#[tokio::test]
async fn without_controllers_nothing_is_held() {
    let server = with_child(ApiServer::builder().controllers(Controllers::Off)).await;
    assert!(child_after_delete(&server, "Foreground").await.is_some());
    server.objects().put(&namespaced("n", "a")).unwrap();
    let path = "/api/v1/namespaces/n";
    ask(&server, Method::DELETE, path, &Value::Null).await;
    assert_eq!(get(&server, path).await.0, 404);
    assert_eq!(get(&server, &format!("{path}/configmaps/a")).await.0, 200);
}

fn namespaced(namespace: &str, name: &str) -> Value {
    let mut map = config_map(name);
    map["metadata"]["namespace"] = json!(namespace);
    map
}

/// A dependent of a kind that is not served may be one that nobody owns: that is known when the
/// kind is served.
#[tokio::test]
async fn a_dependent_is_collected_once_the_kind_of_its_owner_is_served() {
    let server = ApiServer::builder().build().unwrap();
    let mut map = config_map("a");
    map["metadata"]["ownerReferences"] =
        json!([{"apiVersion": "example.com/v2", "kind": "Thing", "name": "none", "uid": "none"}]);
    assert_eq!(ask(&server, Method::POST, MAPS, &map).await.0, 201);
    assert_eq!(get(&server, &format!("{MAPS}/a")).await.0, 200);
    let mut crd = definition(["v1", "v2"]);
    crd["spec"]["conversion"] = json!({"strategy": "None"});
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    assert_eq!(ask(&server, Method::POST, path, &crd).await.0, 201);
    assert_eq!(get(&server, &format!("{MAPS}/a")).await.0, 404);
}

#[tokio::test]
async fn roles_are_aggregated_and_definitions_get_api_services() {
    let server = ApiServer::builder()
        .controllers(Controllers::Full)
        .build()
        .unwrap();
    let roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    let allows = |role: &Value, resource: &str| {
        let rules = role["rules"].as_array().unwrap();
        rules.iter().any(|rule| {
            rule["resources"]
                .as_array()
                .unwrap()
                .contains(&json!(resource))
        })
    };
    let admin = get(&server, &format!("{roles}/admin")).await.1;
    for resource in ["rolebindings", "secrets", "configmaps"] {
        assert!(allows(&admin, resource), "{resource}");
    }
    let view = get(&server, &format!("{roles}/view")).await.1;
    assert!(allows(&view, "configmaps") && !allows(&view, "secrets"));
    let more = json!({
        "metadata": {"name": "more", "labels": {"rbac.authorization.k8s.io/aggregate-to-view": "true"}},
        "rules": [{"apiGroups": ["example.com"], "resources": ["things"], "verbs": ["get"]}],
    });
    assert_eq!(ask(&server, Method::POST, roles, &more).await.0, 201);
    for role in ["view", "edit", "admin"] {
        let role = get(&server, &format!("{roles}/{role}")).await.1;
        assert!(allows(&role, "things"), "{role}");
    }
    let services = "/apis/apiregistration.k8s.io/v1/apiservices";
    assert_eq!(get(&server, &format!("{services}/v1.apps")).await.0, 200);
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let mut crd = definition(["v1", "v2"]);
    crd["spec"]["conversion"] = json!({"strategy": "None"});
    ask(&server, Method::POST, path, &crd).await;
    let own = format!("{services}/v2.example.com");
    assert_eq!(get(&server, &own).await.0, 200);
    ask(
        &server,
        Method::DELETE,
        &format!("{path}/things.example.com"),
        &Value::Null,
    )
    .await;
    assert_eq!(get(&server, &own).await.0, 404);
}

#[tokio::test]
async fn what_a_node_would_answer_says_that_there_are_none() {
    let server = ApiServer::builder().build().unwrap();
    let pods = "/api/v1/namespaces/default/pods";
    let pod =
        json!({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    assert_eq!(ask(&server, Method::POST, pods, &pod).await.0, 201);
    for (method, subresource) in [
        (Method::GET, "log"),
        (Method::POST, "exec"),
        (Method::GET, "exec"),
        (Method::GET, "attach"),
        (Method::POST, "portforward"),
    ] {
        let path = format!("{pods}/p/{subresource}");
        let (code, status) = ask(&server, method, &path, &Value::Null).await;
        assert_eq!(code, 400, "{status}");
        let message = status["message"].as_str().unwrap();
        assert!(message.contains("has no nodes"), "{message}");
    }
    assert_eq!(get(&server, &format!("{pods}/none/log")).await.0, 404);
}
