//! Rejections and failures of admission webhooks, with the messages for the client.

use crate::harness::cases;
use crate::support::*;
use crate::webhook_server::{Answer, Scene, Stage, allow, deny, patch};

cases![
    a_refusal_has_the_webhooks_status,
    a_refusal_without_a_status_is_a_bad_request,
    a_webhook_that_takes_too_long_fails_the_request,
    failures_are_ignored_on_request,
    nonsense_is_no_answer,
    a_status_code_is_no_answer,
    an_unknown_authority_fails_the_request,
    nobody_at_the_address_fails_the_request,
];

async fn a_refusal_has_the_webhooks_status(client: Client) {
    let scene = Scene::start(&client, |_, _| {
        deny(json!({"code": 422, "reason": "Invalid", "message": "not today",
            "details": {"name": "n", "causes": [{"reason": "FieldValueInvalid", "message": "m", "field": "data.k"}]}}))
    })
    .await;
    scene.install_one(Stage::Validating).await;
    let object = scene.maps.object("a", json!({}));
    let status = scene
        .maps
        .create(&object)
        .await
        .invalid("admission webhook \"a.conformance.test\" denied the request: not today");
    check!(status, "/details/causes/0/field": "data.k");
    scene.maps.get("a").await.refused(404, "NotFound");
}

async fn a_refusal_without_a_status_is_a_bad_request(client: Client) {
    let scene = Scene::start(&client, |path, _| match path {
        "/silent" => Answer::Response(json!({"allowed": false})),
        _ => deny(json!({"reason": "Busy", "code": 200})),
    })
    .await;
    let mut silent = scene.server.webhook("silent", json!({}));
    silent["objectSelector"] = json!({"matchLabels": {"who": "silent"}});
    let mut busy = scene.server.webhook("busy", json!({}));
    busy["objectSelector"] = json!({"matchLabels": {"who": "busy"}});
    scene.install(Stage::Mutating, &[silent, busy]).await;
    for (who, message) in [
        (
            "silent",
            "admission webhook \"silent.conformance.test\" denied the request without explanation",
        ),
        (
            "busy",
            "admission webhook \"busy.conformance.test\" denied the request: Busy",
        ),
    ] {
        let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "labels": {"who": who}}});
        let status = scene.maps.create(&object).await.is(400);
        check!(status, "/message": message);
    }
}

async fn a_webhook_that_takes_too_long_fails_the_request(client: Client) {
    let scene = Scene::start(&client, |path, _| {
        if path == "/a" {
            Answer::Nothing
        } else {
            allow()
        }
    })
    .await;
    let mut webhook = scene.server.webhook("a", json!({"timeoutSeconds": 1}));
    webhook["objectSelector"] = json!({"matchLabels": {"slow": "yes"}});
    scene.install(Stage::Validating, &[webhook]).await;
    let mut object = scene.maps.object("a", json!({}));
    object["metadata"]["labels"] = json!({"slow": "yes"});
    let message = format!(
        "Internal error occurred: failed calling webhook \"a.conformance.test\": failed to call webhook: Post \"{}?timeout=1s\": context deadline exceeded",
        scene.server.url("/a")
    );
    // Other requests do not wait meanwhile.
    let fast = async {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        let started = std::time::Instant::now();
        scene.maps.given("fast", json!({})).await;
        started.elapsed()
    };
    let (slow, fast) = tokio::join!(scene.maps.create(&object), fast);
    slow.fails(500, "InternalError", &message);
    assert!(fast < std::time::Duration::from_millis(700), "{fast:?}");
}

async fn failures_are_ignored_on_request(client: Client) {
    let scene = Scene::start(&client, |path, _| match path {
        "/slow" => Answer::Nothing,
        "/broken" => Answer::Raw(500, "broken".to_owned()),
        "/refuses" => deny(json!({"message": "no"})),
        _ => allow(),
    })
    .await;
    let webhook = |name: &str| {
        scene.server.webhook(
            name,
            json!({"failurePolicy": "Ignore", "timeoutSeconds": 1}),
        )
    };
    // For a single object only, since every probe would wait for it otherwise.
    let mut slow = webhook("slow");
    slow["objectSelector"] = json!({"matchLabels": {"slow": "yes"}});
    scene.install(Stage::Mutating, &[slow]).await;
    scene.install(Stage::Validating, &[webhook("broken")]).await;
    let mut object = scene.maps.object("a", json!({}));
    object["metadata"]["labels"] = json!({"slow": "yes"});
    let started = std::time::Instant::now();
    scene.maps.create(&object).await.is(201);
    assert!(started.elapsed() >= std::time::Duration::from_secs(1));
    // A rejection is not a failure.
    scene
        .install(Stage::Validating, &[webhook("refuses")])
        .await;
    let object = scene.maps.object("b", json!({}));
    scene
        .maps
        .create(&object)
        .await
        .fails_with(400, "", "denied the request: no");
}

async fn nonsense_is_no_answer(client: Client) {
    let review = |response: Value| {
        let review = json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response});
        Answer::Raw(200, review.to_string())
    };
    let scene = Scene::start(&client, move |path, request| {
        let uid = &request["uid"];
        match path {
            "/uid" => review(json!({"uid": "other", "allowed": true})),
            "/empty" => Answer::Raw(
                200,
                json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}).to_string(),
            ),
            "/type" => review(json!({"uid": uid, "allowed": true, "patch": "W10="})),
            "/patch" => review(
                json!({"uid": uid, "allowed": true, "patch": "e30=", "patchType": "JSONPatch"}),
            ),
            "/path" => patch(json!([{"op": "remove", "path": "/data/none"}])),
            _ => allow(),
        }
    })
    .await;
    let webhooks: Vec<Value> = ["uid", "empty", "type", "patch", "path"]
        .iter()
        .map(|name| {
            let selector = json!({"objectSelector": {"matchLabels": {"who": name}}});
            scene.server.webhook(name, selector)
        })
        .collect();
    scene.install(Stage::Mutating, &webhooks).await;
    for (who, part) in [
        (
            "uid",
            "received invalid webhook response: expected response.uid=\"",
        ),
        (
            "empty",
            "received invalid webhook response: webhook response was absent",
        ),
        (
            "type",
            "received invalid webhook response: webhook returned response.patch but not response.patchType",
        ),
        ("patch", "received undecodable patch in webhook response: "),
        ("path", "Internal error occurred: "),
    ] {
        let mut object = scene.maps.object("a", json!({"data": {}}));
        object["metadata"]["labels"] = json!({"who": who});
        object["data"]["k"] = json!("v");
        let refused = scene.maps.create(&object).await;
        refused.fails_with(500, "InternalError", part);
    }
}

async fn a_status_code_is_no_answer(client: Client) {
    let scene = Scene::start(&client, |path, _| match path {
        "/broken" => Answer::Raw(500, "oh no".to_owned()),
        "/lost" => Answer::Raw(404, "not here".to_owned()),
        "/busy" => Answer::Raw(503, String::new()),
        "/text" => Answer::Raw(200, "fine".to_owned()),
        _ => allow(),
    })
    .await;
    let webhooks: Vec<Value> = ["broken", "lost", "busy", "text"]
        .iter()
        .map(|name| {
            let selector = json!({"objectSelector": {"matchLabels": {"who": name}}});
            scene.server.webhook(name, selector)
        })
        .collect();
    scene.install(Stage::Validating, &webhooks).await;
    for (who, part) in [
        (
            "broken",
            "failed to call webhook: an error on the server (\"oh no\") has prevented the request from succeeding",
        ),
        (
            "lost",
            "failed to call webhook: the server could not find the requested resource",
        ),
        (
            "busy",
            "failed to call webhook: the server is currently unable to handle the request",
        ),
        ("text", "failed to call webhook: "),
    ] {
        let mut object = scene.maps.object("a", json!({"data": {}}));
        object["metadata"]["labels"] = json!({"who": who});
        object["data"]["k"] = json!("v");
        let refused = scene.maps.create(&object).await;
        refused.fails_with(500, "InternalError", part);
    }
}

async fn an_unknown_authority_fails_the_request(client: Client) {
    let scene = Scene::start(&client, |_, _| allow()).await;
    let other = Scene::start(&client, |_, _| allow()).await;
    let mut webhook = scene.server.webhook("a", json!({}));
    webhook["clientConfig"]["caBundle"] = other.server.client("/")["caBundle"].clone();
    webhook["objectSelector"] = json!({"matchLabels": {"who": "a"}});
    scene.install(Stage::Validating, &[webhook]).await;
    let mut object = scene.maps.object("a", json!({}));
    object["metadata"]["labels"] = json!({"who": "a"});
    let refused = scene.maps.create(&object).await;
    refused.fails_with(
        500,
        "InternalError",
        "x509: certificate signed by unknown authority",
    );
}

async fn nobody_at_the_address_fails_the_request(client: Client) {
    let scene = Scene::start(&client, |_, _| allow()).await;
    // A port that was free a moment ago.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let mut webhook = scene.server.webhook("a", json!({}));
    webhook["clientConfig"]["url"] = json!(format!("https://{address}/a"));
    webhook["objectSelector"] = json!({"matchLabels": {"who": "a"}});
    scene.install(Stage::Validating, &[webhook]).await;
    let mut object = scene.maps.object("a", json!({}));
    object["metadata"]["labels"] = json!({"who": "a"});
    let message = format!(
        "Internal error occurred: failed calling webhook \"a.conformance.test\": failed to call webhook: Post \"https://{address}/a?timeout=10s\": dial tcp {address}: connect: connection refused"
    );
    scene
        .maps
        .create(&object)
        .await
        .fails(500, "InternalError", &message);
}
