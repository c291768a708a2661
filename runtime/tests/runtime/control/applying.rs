use std::sync::{Arc, Mutex};

use codegen_runtime::apply::{Applier, ApplyError};
use embedded_apiserver::ApiServer;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use serde_json::{Value, json};

use crate::control::server::{Action, Server, query, refusal};

fn record(server: &Server) -> Arc<Mutex<Vec<Action>>> {
    let calls = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&calls);
    server.on_call(move |call| {
        seen.lock().unwrap().push(call.clone());
        None
    });
    calls
}

fn spec() -> Value {
    let template = json!({
        "metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "web", "image": "web:1"}]},
    });
    json!({"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template})
}

fn deployment() -> Value {
    json!({
        "metadata": {
            "name": "web", "namespace": "default", "uid": "u", "generation": 3, "labels": {"app": "web"},
            "creationTimestamp": "2026-01-01T00:00:00Z",
            "managedFields": [{
                "manager": "x", "operation": "Update", "apiVersion": "apps/v1", "fieldsType": "FieldsV1", "fieldsV1": {},
            }],
        },
        "spec": spec(),
        "status": {"replicas": 1},
    })
}

#[tokio::test]
async fn apply_sends_its_fields_under_its_manager_and_nothing_that_the_server_sets() {
    let server = Server::new();
    let calls = record(&server);
    let api = Api::<Deployment>::namespaced(server.client(), "default");
    Applier::new("tests")
        .apply(&api, &deployment())
        .await
        .unwrap();
    Applier::new("tests")
        .force()
        .apply(&api, &deployment())
        .await
        .unwrap();
    let calls = calls.lock().unwrap();
    assert_eq!(query(&calls[0], "fieldManager").as_deref(), Some("tests"));
    let force = |call: &Action| query(call, "force").unwrap_or("false".to_owned());
    assert_eq!([force(&calls[0]), force(&calls[1])], ["false", "true"]);
    let expected = json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "default", "labels": {"app": "web"}},
        "spec": spec(),
    });
    assert_eq!(calls[0].body, expected);
}

#[tokio::test]
async fn apply_status_sends_the_status_alone_to_the_subresource() {
    let server = Server::new();
    server.put("deployments/default/web", deployment());
    let calls = record(&server);
    let api = Api::<Deployment>::namespaced(server.client(), "default");
    Applier::new("tests")
        .apply_status(&api, &deployment())
        .await
        .unwrap();
    let calls = calls.lock().unwrap();
    assert_eq!(calls[0].subresource, "status");
    let expected = json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "default"}, "status": {"replicas": 1},
    });
    assert_eq!(calls[0].body, expected);
}

#[tokio::test]
async fn what_has_no_name_is_not_sent() {
    let server = Server::new();
    let api = Api::<Deployment>::namespaced(server.client(), "default");
    let applier = Applier::new("tests");
    assert!(matches!(
        applier.apply(&api, &json!({"metadata": {}})).await,
        Err(ApplyError::NoName)
    ));
    assert!(matches!(
        applier.apply(&api, &json!({})).await,
        Err(ApplyError::NoName)
    ));
    assert!(matches!(
        applier.apply(&api, &json!([])).await,
        Err(ApplyError::NotAnObject)
    ));
    assert!(server.take_log().is_empty());
}

#[tokio::test]
async fn a_refusal_without_field_conflicts_is_the_servers_own() {
    let server = Server::new();
    server.on_call(|_| Some(refusal(409, "Conflict")));
    let api = Api::<Deployment>::namespaced(server.client(), "default");
    let result = Applier::new("tests").apply(&api, &deployment()).await;
    assert!(matches!(result, Err(ApplyError::Api(_))), "{result:?}");
}

#[tokio::test]
async fn a_field_of_another_manager_is_a_conflict_that_names_it_and_force_takes_it() {
    let client = ApiServer::builder().build().unwrap().client();
    let api = Api::<ConfigMap>::namespaced(client, "default");
    let map = |value: &str| json!({"metadata": {"name": "map"}, "data": {"key": value}});
    Applier::new("one").apply(&api, &map("a")).await.unwrap();
    let error = Applier::new("two")
        .apply(&api, &map("b"))
        .await
        .unwrap_err();
    assert!(error.to_string().contains("\"one\""), "{error}");
    let ApplyError::Conflict(fields) = error else {
        panic!("{error:?}")
    };
    assert_eq!(fields[0].field, ".data.key");
    let forced = Applier::new("two")
        .force()
        .apply(&api, &map("b"))
        .await
        .unwrap();
    assert_eq!(forced.data.unwrap_or_default()["key"], "b");
}
