//! Faults, reactors and the record of requests.

use std::time::Duration;

use embedded_apiserver::{ApiError, ApiServer, Fault, FaultKind, Reaction};
use futures::StreamExt;
use http::Method;
use http_body_util::BodyExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{WatchEvent, WatchParams};
use serde_json::{Value, json};

use crate::support::{MAPS, ask, config_map, create_map, get, send};

fn server() -> ApiServer {
    ApiServer::builder().build().unwrap()
}

async fn code_under(kind: FaultKind) -> u16 {
    let server = server();
    create_map(&server, "a").await;
    server
        .faults()
        .add(Fault::new(kind).on("get", "configmaps").once());
    let path = format!("{MAPS}/a");
    let (code, _) = get(&server, &path).await;
    assert_eq!(get(&server, &path).await.0, 200, "the fault strikes once");
    code
}

#[tokio::test]
async fn a_fault_answers_its_code_once() {
    assert_eq!(
        code_under(FaultKind::TooManyRequests { retry_after: 3 }).await,
        429
    );
    assert_eq!(code_under(FaultKind::InternalError).await, 500);
    assert_eq!(code_under(FaultKind::Conflict).await, 409);
    assert_eq!(code_under(FaultKind::Expired).await, 410);
    let teapot = ApiError::new(418, "Teapot", "short and stout");
    assert_eq!(code_under(FaultKind::Status(teapot)).await, 418);
}

#[tokio::test]
async fn too_many_requests_say_when_to_come_back() {
    let server = server();
    server
        .faults()
        .add(Fault::new(FaultKind::TooManyRequests { retry_after: 3 }));
    let response = send(&server, Method::GET, MAPS, &Value::Null).await;
    assert_eq!(response.headers()["retry-after"], "3");
}

#[tokio::test]
async fn a_dropped_connection_is_an_error_of_the_transport_and_changes_nothing() {
    let server = server();
    server.faults().add(
        Fault::new(FaultKind::DropConnection)
            .on("create", "configmaps")
            .once(),
    );
    let maps = kube::Api::<ConfigMap>::default_namespaced(server.client());
    let map = serde_json::from_value(config_map("a")).unwrap();
    let error = maps.create(&Default::default(), &map).await.unwrap_err();
    assert!(!matches!(error, kube::Error::Api(_)), "{error}");
    assert_eq!(get(&server, &format!("{MAPS}/a")).await.0, 404);
}

/// Creates a config map under a fault that never answers; returns whether it exists a minute later.
async fn exists_after(kind: FaultKind) -> bool {
    let server = server();
    let fault = Fault::new(kind).on("create", "configmaps").once();
    server.faults().add(fault);
    let create = create_map(&server, "a");
    let minute = Duration::from_secs(60);
    assert!(tokio::time::timeout(minute, create).await.is_err());
    get(&server, &format!("{MAPS}/a")).await.0 == 200
}

#[tokio::test(start_paused = true)]
async fn a_request_without_an_answer_is_carried_out_if_only_the_answer_is_lost() {
    assert!(!exists_after(FaultKind::Hang).await);
    assert!(exists_after(FaultKind::LoseAnswer).await);
}

#[tokio::test(start_paused = true)]
async fn a_user_who_is_cut_off_gets_no_answers_and_no_events_until_reconnected() {
    let server = server();
    let minute = Duration::from_secs(60);
    let maps = |user: &str| kube::Api::<ConfigMap>::default_namespaced(server.client_as(user));
    let lists = async |user: &str| {
        let list =
            tokio::time::timeout(minute, async { maps(user).list(&Default::default()).await });
        list.await.is_ok_and(|answer| answer.is_ok())
    };
    let watched = maps("a");
    let mut events = watched
        .watch(&WatchParams::default(), "0")
        .await
        .unwrap()
        .boxed();
    // The end of the initial state.
    assert!(matches!(
        events.next().await,
        Some(Ok(WatchEvent::Bookmark(_)))
    ));
    create_map(&server, "seen").await;
    assert!(matches!(
        events.next().await,
        Some(Ok(WatchEvent::Added(_)))
    ));
    server.recorder().clear();
    server.faults().cut_off("a");
    create_map(&server, "unseen").await;
    assert!(tokio::time::timeout(minute, events.next()).await.is_err());
    assert!(!lists("a").await && lists("b").await);
    let users: Vec<_> = server
        .recorder()
        .actions()
        .into_iter()
        .map(|it| it.user)
        .collect();
    assert_eq!(
        users,
        ["", "b"],
        "a request that does not arrive is not recorded"
    );
    server.faults().reconnect();
    assert!(lists("a").await);
    assert!(tokio::time::timeout(minute, events.next()).await.is_err());
}

#[tokio::test]
async fn a_cut_watch_ends_after_its_events() {
    let server = server();
    for name in ["a", "b", "c"] {
        create_map(&server, name).await;
    }
    server
        .faults()
        .add(Fault::new(FaultKind::CutWatch { after_events: 2 }).once());
    let response = send(
        &server,
        Method::GET,
        &format!("{MAPS}?watch=1"),
        &Value::Null,
    )
    .await;
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    assert_eq!(text.lines().count(), 2, "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_delay_holds_the_answer_back() {
    let server = server();
    server
        .faults()
        .add(Fault::new(FaultKind::Delay(Duration::from_secs(7))).once());
    let start = tokio::time::Instant::now();
    get(&server, MAPS).await;
    assert_eq!(start.elapsed(), Duration::from_secs(7));
}

#[tokio::test]
async fn a_stale_list_shows_the_past() {
    let server = server();
    create_map(&server, "a").await;
    create_map(&server, "b").await;
    server.faults().add(
        Fault::new(FaultKind::StaleList { revisions: 1 })
            .on("list", "configmaps")
            .once(),
    );
    let (_, stale) = get(&server, MAPS).await;
    assert_eq!(stale["items"].as_array().unwrap().len(), 1);
    let (_, fresh) = get(&server, MAPS).await;
    assert_eq!(fresh["items"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_reactor_may_choose_the_fault_of_a_request() {
    let server = server();
    server.prepend_reactor(
        "create",
        "configmaps",
        |action| match action.body["metadata"]["name"].as_str() {
            Some("busy") => Reaction::Fault(FaultKind::TooManyRequests { retry_after: 3 }),
            _ => Reaction::Pass,
        },
    );
    let (code, _) = ask(&server, Method::POST, MAPS, &config_map("busy")).await;
    assert_eq!(code, 429);
    let (code, _) = ask(&server, Method::POST, MAPS, &config_map("other")).await;
    assert_eq!(code, 201);
}

#[tokio::test]
async fn the_newest_reactor_answers_first_and_may_pass() {
    let server = server();
    server.prepend_reactor("get", "configmaps", |_| {
        Reaction::Fail(ApiError::internal("older"))
    });
    server.prepend_reactor("*", "configmaps", |action| match action.name.as_str() {
        "made-up" => Reaction::Respond(json!({"made": "up"})),
        _ => Reaction::Pass,
    });
    assert_eq!(
        get(&server, &format!("{MAPS}/made-up")).await,
        (200, json!({"made": "up"}))
    );
    assert_eq!(get(&server, &format!("{MAPS}/other")).await.0, 500);
    assert_eq!(get(&server, "/api/v1/namespaces/default").await.0, 200);
}

#[tokio::test]
async fn every_request_for_objects_is_recorded() {
    let server = server();
    create_map(&server, "a").await;
    get(&server, "/version").await;
    ask(
        &server,
        Method::DELETE,
        &format!("{MAPS}/a"),
        &json!({"gracePeriodSeconds": 0}),
    )
    .await;
    let actions = server.recorder().actions();
    let seen: Vec<_> = actions
        .iter()
        .map(|a| (a.verb, a.resource.as_str(), a.name.as_str()))
        .collect();
    assert_eq!(
        seen,
        [("create", "configmaps", ""), ("delete", "configmaps", "a")]
    );
    assert_eq!(actions[0].body["metadata"]["name"], "a");
    assert_eq!(actions[1].body, json!({"gracePeriodSeconds": 0}));
    server.recorder().clear();
    assert!(server.recorder().actions().is_empty());
}
