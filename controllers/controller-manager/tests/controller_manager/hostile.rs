//! Objects that no valid API server stores, and templates that it rejects: no panic, and few
//! requests.

use std::time::Duration;

use controller_manager::testing::ControlPlane;
use embedded_apiserver::{ApiError, ApiServer, Reaction};
use serde_json::{Value, json};

use crate::support::create;

fn deployment(name: &str, change: impl Fn(&mut Value)) -> Value {
    let mut value = json!({"apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": name, "namespace": "default", "generation": 1}, "spec": {"replicas": 2,
        "selector": {"matchLabels": {"app": name}}, "template": {"metadata": {"labels": {"app": name}},
            "spec": {"containers": [{"name": "c", "image": "a"}]}}}});
    change(&mut value);
    value
}

/// Returns the loops' requests, except reads, during two minutes with `objects`.
async fn writes(server: &ApiServer, objects: &[Value]) -> Vec<String> {
    for object in objects {
        server.objects().put(object).expect("it is put");
    }
    let loops = ControlPlane::start(server.client()).expect("loops");
    // Time is paused.
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
    // Two status writes each: the first one applies defaults to the object, and with them a new
    // generation.
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

#[tokio::test(start_paused = true)]
async fn a_busy_server_is_asked_for_pods_as_often_as_it_says() {
    let server = ApiServer::builder().build().expect("a server");
    server.prepend_reactor("create", "pods", |_| {
        Reaction::Fail(ApiError::too_many_requests("busy", 20))
    });
    let tries = tries(&server, deployment("web", |_| {}), "create pods").await;
    assert!((2..=7).contains(&tries), "{tries} tries in two minutes");
}

/// Returns the number of writes during two minutes that start with `what`. Requires a paused clock.
async fn tries(server: &ApiServer, object: Value, what: &str) -> usize {
    let writes = writes(server, &[object]).await;
    assert!(writes.len() <= 150, "{}: {writes:?}", writes.len());
    let tries = writes.iter().filter(|write| write.starts_with(what));
    tries.count()
}

#[tokio::test(start_paused = true)]
async fn replica_sets_that_are_refused_are_tried_more_and_more_rarely() {
    let server = ApiServer::builder().build().expect("a server");
    server.prepend_reactor("create", "replicasets", |_| {
        Reaction::Fail(ApiError::internal("no"))
    });
    let web = deployment("web", |it| {
        it["spec"]["progressDeadlineSeconds"] = json!(600)
    });
    let tries = tries(&server, web, "create replicasets").await;
    assert!((5..=30).contains(&tries), "{tries} tries in two minutes");
    let web = server
        .objects()
        .get("apps", "deployments", "default", "web")
        .expect("a deployment");
    let conditions = web["status"]["conditions"].as_array().expect("conditions");
    let is_told =
        |it: &Value| it["type"] == "Progressing" && it["reason"] == "ReplicaSetCreateError";
    assert!(conditions.iter().any(is_told), "{conditions:?}");
    let events = server.objects().list("events.k8s.io", "events", "");
    assert!(
        events
            .iter()
            .any(|it| it["reason"] == "ReplicaSetCreateError")
    );
}

#[tokio::test(start_paused = true)]
async fn statuses_that_always_conflict_are_tried_more_and_more_rarely() {
    for (resource, what) in [
        ("deployments/status", "update deployments"),
        ("replicasets/status", "update replicasets"),
    ] {
        let server = ApiServer::builder().build().expect("a server");
        server.prepend_reactor("update", resource, |_| {
            Reaction::Fail(ApiError::new(409, "Conflict", "somebody else was faster"))
        });
        let tries = tries(&server, deployment("web", |_| {}), what).await;
        // A reconciliation writes a status at most four times.
        assert!((5..=120).contains(&tries), "{what}: {tries}");
    }
}

fn pod(name: &str, spec: Value) -> Value {
    let mut pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default", "uid": name},
        "spec": {"containers": [{"name": "c", "image": "a"}]}});
    for (field, value) in spec.as_object().into_iter().flatten() {
        pod["spec"][field] = value.clone();
    }
    pod
}

#[tokio::test(start_paused = true)]
async fn pods_that_cannot_be_bound_are_tried_more_and_more_rarely() {
    let server = ApiServer::builder().build().expect("a server");
    server.prepend_reactor("create", "pods/binding", |_| {
        Reaction::Fail(ApiError::internal("no"))
    });
    let tries = tries(&server, pod("alone", json!({})), "create pods").await;
    assert!((5..=30).contains(&tries), "{tries} tries in two minutes");
}

#[tokio::test(start_paused = true)]
async fn pods_of_real_nodes_are_left_alone() {
    let deleted = |mut pod: Value| {
        pod["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        pod["metadata"]["deletionGracePeriodSeconds"] = json!(30);
        pod
    };
    // On a node without the prefix of simulated nodes, though the cluster has no Node object.
    let server = ApiServer::builder().build().expect("a server");
    let on_worker = || pod("here", json!({"nodeName": "worker-1"}));
    let objects = [
        on_worker(),
        deleted(pod("going", json!({"nodeName": "worker-1"}))),
    ];
    let none = Vec::<String>::new();
    assert_eq!(writes(&server, &objects).await, none);

    // With a Node object, whatever its name.
    let server = ApiServer::builder().build().expect("a server");
    let node = |name: &str| json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}});
    let on_simulated = pod("named", json!({"nodeName": "simulated-node-0"}));
    let objects = [
        node("simulated-node-0"),
        pod("pending", json!({})),
        on_simulated,
        on_worker(),
    ];
    assert_eq!(writes(&server, &objects).await, none);
}

#[tokio::test(start_paused = true)]
async fn a_status_that_did_not_change_is_not_written() {
    let server = ApiServer::builder().build().expect("a server");
    let web = deployment("web", |_| {});
    server.objects().put(&web).expect("it is put");
    let loops = ControlPlane::start(server.client()).expect("loops");
    // Time is paused.
    tokio::time::sleep(Duration::from_secs(60)).await;
    let objects = || {
        let kinds = [
            ("apps", "deployments"),
            ("apps", "replicasets"),
            ("", "pods"),
        ];
        kinds.map(|(group, plural)| server.objects().list(group, plural, "default"))
    };
    let [deployments, sets, pods] = objects();
    assert_eq!([deployments.len(), sets.len(), pods.len()], [1, 1, 2]);
    assert_eq!(deployments[0]["status"]["availableReplicas"], 2);

    server.recorder().clear();
    let before: Vec<Value> = objects().concat();
    for object in &before {
        let mut changed = object.clone();
        changed["metadata"]["resourceVersion"] = Value::Null;
        changed["metadata"]["labels"]["note"] = json!("changed");
        server.objects().put(&changed).expect("it is put");
    }
    tokio::time::sleep(Duration::from_secs(60)).await;
    loops.stop().await.expect("no loop has failed");
    let actions = server.recorder().actions();
    let writes = actions
        .iter()
        .filter(|it| !matches!(it.verb, "get" | "list" | "watch"));
    let writes: Vec<_> = writes
        .map(|it| (it.verb, &it.resource, &it.subresource))
        .collect();
    assert!(writes.is_empty(), "{writes:?}");
}

#[tokio::test(start_paused = true)]
async fn one_status_tells_of_all_pods_that_were_created_at_once() {
    let server = ApiServer::builder().build().expect("a server");
    let set = json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"},
        "spec": {"replicas": 20, "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "a"}]}}}});
    create(server.client(), set, "default").await;
    // No kubelet: pods are only created.
    let selection = "replicaset".parse().unwrap_or_default();
    let loops = ControlPlane::start_with(server.client(), &selection, Default::default());
    let loops = loops.expect("the loop");
    tokio::time::sleep(Duration::from_secs(60)).await;
    loops.stop().await.expect("it has not failed");
    let web = server
        .objects()
        .get("apps", "replicasets", "default", "web");
    assert_eq!(web.expect("a set")["status"]["replicas"], 20);
    let actions = server.recorder().actions();
    let statuses = actions
        .iter()
        .filter(|it| it.matches("update", "replicasets/status"));
    assert_eq!(statuses.count(), 1);
}

#[tokio::test(start_paused = true)]
async fn pods_that_the_server_lost_are_created_again() {
    let server = ApiServer::builder().build().expect("a server");
    let start = tokio::time::Instant::now();
    // Like an etcd restored from a backup: the create succeeds, and then the pod is gone without an
    // event.
    server.prepend_reactor("create", "pods", move |action| {
        if start.elapsed() > Duration::from_secs(60) {
            return Reaction::Pass;
        }
        let mut lost = action.body.clone();
        lost["metadata"]["name"] = json!("lost");
        lost["metadata"]["uid"] = json!("lost");
        lost["metadata"]["resourceVersion"] = json!("1000000");
        Reaction::Respond(lost)
    });
    server
        .objects()
        .put(&deployment("web", |_| {}))
        .expect("it is put");
    let loops = ControlPlane::start(server.client()).expect("loops");
    let pods = || server.objects().list("", "pods", "").len();
    tokio::time::sleep(Duration::from_secs(280)).await;
    assert_eq!(pods(), 0);
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(pods(), 2);
    loops.stop().await.expect("no loop has failed");
}
