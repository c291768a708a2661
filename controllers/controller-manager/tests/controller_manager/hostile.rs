//! Objects that no valid API server stores, and templates that it refuses: no panic, and few requests.

use std::time::Duration;

use controller_manager::testing::ControlPlane;
use embedded_apiserver::{ApiError, ApiServer, Reaction};
use serde_json::{Value, json};

fn deployment(name: &str, change: impl Fn(&mut Value)) -> Value {
    let mut value = json!({"apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": name, "namespace": "default", "generation": 1}, "spec": {"replicas": 2,
        "selector": {"matchLabels": {"app": name}}, "template": {"metadata": {"labels": {"app": name}},
            "spec": {"containers": [{"name": "c", "image": "a"}]}}}});
    change(&mut value);
    value
}

/// The requests that the loops send in two minutes with `objects` there, but for reads.
async fn writes(server: &ApiServer, objects: &[Value]) -> Vec<String> {
    for object in objects {
        server.objects().put(object).expect("it is put");
    }
    let loops = ControlPlane::start(server.client()).expect("loops");
    tokio::time::sleep(Duration::from_secs(120)).await;
    loops.stop().await.expect("no loop has failed");
    let actions = server.recorder().actions();
    let writes = actions
        .iter()
        .filter(|action| !matches!(action.verb, "get" | "list" | "watch"));
    writes
        .map(|action| format!("{} {} {}", action.verb, action.resource, action.name))
        .collect()
}

#[tokio::test(start_paused = true)]
async fn selectors_that_select_everything_or_nothing_known_are_refused_with_an_event() {
    let server = ApiServer::builder().build().expect("a server");
    let objects = [
        deployment("all", |it| it["spec"]["selector"] = json!({})),
        deployment("odd", |it| {
            it["spec"]["selector"] = json!({"matchExpressions": [{"key": "app", "operator": "Sounds", "values": ["like"]}]});
        }),
    ];
    let writes = writes(&server, &objects).await;
    assert!(server.objects().list("apps", "replicasets", "").is_empty());
    // Two statuses each: the first write gives the object its defaults, and with them a new generation.
    assert!(writes.len() <= 8, "{writes:?}");
    let events = server.objects().list("events.k8s.io", "events", "");
    assert_eq!(
        events
            .iter()
            .filter(|event| event["reason"] == "SelectingAll")
            .count(),
        2,
        "{events:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn odd_numbers_are_no_reason_to_panic() {
    let server = ApiServer::builder().build().expect("a server");
    let objects = [
        deployment("negative", |it| it["spec"]["replicas"] = json!(-5)),
        deployment("limits", |it| {
            it["spec"]["strategy"] = json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "many", "maxUnavailable": "-1%"}});
        }),
        deployment("times", |it| {
            it["spec"]["minReadySeconds"] = json!(-1);
            it["spec"]["progressDeadlineSeconds"] = json!(-1);
            it["spec"]["revisionHistoryLimit"] = json!(-1);
        }),
        deployment("bare", |it| {
            drop(
                it["spec"]["template"]
                    .as_object_mut()
                    .map(|template| template.remove("spec")),
            )
        }),
    ];
    let writes = writes(&server, &objects).await;
    assert!(writes.len() <= 200, "{}: {writes:?}", writes.len());
}

#[tokio::test(start_paused = true)]
async fn pods_that_are_refused_are_tried_more_and_more_rarely() {
    let server = ApiServer::builder().build().expect("a server");
    server.prepend_reactor("create", "pods", |_| {
        Reaction::Fail(ApiError::internal("no"))
    });
    let writes = writes(&server, &[deployment("web", |_| {})]).await;
    let tries = writes
        .iter()
        .filter(|write| write.starts_with("create pods"))
        .count();
    assert!(
        (5..=30).contains(&tries),
        "{tries} tries in two minutes: {writes:?}"
    );
    assert!(writes.len() <= 80, "{}: {writes:?}", writes.len());
}
