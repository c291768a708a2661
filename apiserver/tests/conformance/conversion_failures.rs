//! Conversion webhooks that fail or return invalid conversions.

use crate::conversion::{Scene, convert};
use crate::harness::cases;
use crate::support::expect::eventually;
use crate::support::*;
use crate::webhook_server::Answer;

cases![
    a_failure_says_why,
    an_answer_that_is_no_conversion_is_refused,
    a_status_code_fails_the_request,
    a_list_fails_as_a_whole,
    the_stored_version_is_served_meanwhile,
    a_write_fails_and_stores_nothing,
    a_watch_ends_without_an_error_at_what_fails_to_convert,
    watches_of_the_stored_version_go_on,
];

/// Creates a scene whose webhook always returns the same answer, with an object `a` in the stored
/// version.
///
/// The webhook must never convert: kube-apiserver converts created objects immediately, for the
/// watch cache of the other version, and may then answer a list from that cache without calling the
/// webhook.
async fn failing(
    client: &Client,
    fail: impl Fn(&Value) -> Answer + Send + Sync + 'static,
) -> Scene {
    let scene = Scene::start_with(client, move |_, request| fail(request)).await;
    scene.given(1).await;
    scene
}

/// Returns the error message of a read in the unstored version.
async fn message(scene: &Scene) -> String {
    let status = scene.old.get("a").await.refused(500, "");
    at(&status, "/message")
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

fn failed(scene: &Scene, why: &str) -> String {
    format!(
        "conversion webhook for {}, Kind=Thing failed: {why}",
        scene.new.api_version
    )
}

async fn a_failure_says_why(client: Client) {
    let result = json!({"result": {"status": "Failure", "message": "not today"}});
    let scene = failing(&client, move |_| Answer::Response(result.clone())).await;
    assert_eq!(message(&scene).await, failed(&scene, "not today"));
    let scene = failing(&client, |_| {
        Answer::Response(json!({"result": {"status": "Failure"}}))
    })
    .await;
    assert_eq!(
        message(&scene).await,
        failed(
            &scene,
            "response.result.status was 'Failure', not 'Success'"
        )
    );
}

/// Returns an answer with a modified object.
fn changed(request: &Value, change: impl Fn(&mut Value)) -> Answer {
    let Answer::Response(mut response) = convert(request) else {
        unreachable!("it converts");
    };
    for object in response["convertedObjects"]
        .as_array_mut()
        .into_iter()
        .flatten()
    {
        change(object);
    }
    Answer::Response(response)
}

async fn an_answer_that_is_no_conversion_is_refused(client: Client) {
    type Change = fn(&mut Value);
    #[rustfmt::skip]
    let cases: [(Change, &str); 5] = [
        (|it| it["metadata"]["name"] = json!("b"), "returned invalid object: must have the same name: a != b"),
        (|it| it["metadata"]["uid"] = json!("u"), "returned invalid object: must have the same UID: "),
        (|it| it["kind"] = json!("Other"),
            "returned invalid object at index 0: invalid kind (expected Thing, received Other)"),
        (|it| it["apiVersion"] = json!("other/v3"),
            "returned invalid object at index 0: invalid groupVersion (expected "),
        (|it| it["metadata"]["labels"] = json!({"a": 1}),
            "returned invalid metadata: metadata.labels[a] must be a string"),
    ];
    for (change, part) in cases {
        let scene = failing(&client, move |request| changed(request, change)).await;
        let found = message(&scene).await;
        let start = format!(
            "conversion webhook for {}, Kind=Thing ",
            scene.new.api_version
        );
        assert!(found.starts_with(&format!("{start}{part}")), "{found}");
    }
    let scene = failing(&client, |_| {
        Answer::Response(json!({"convertedObjects": [], "result": {"status": "Success"}}))
    })
    .await;
    let found = message(&scene).await;
    assert!(
        found.ends_with(" returned 0 objects, expected 1"),
        "{found}"
    );
    let scene = failing(&client, |request| {
        let Answer::Response(mut response) = convert(request) else {
            unreachable!("it converts");
        };
        response["uid"] = json!("other");
        Answer::Response(response)
    })
    .await;
    let found = message(&scene).await;
    assert!(
        found.contains(" failed: expected response.uid=\""),
        "{found}"
    );
}

async fn a_status_code_fails_the_request(client: Client) {
    let scene = failing(&client, |_| Answer::Raw(404, "not here".to_owned())).await;
    let why = "the server could not find the requested resource";
    assert_eq!(message(&scene).await, failed(&scene, why));
}

async fn a_list_fails_as_a_whole(client: Client) {
    let result = json!({"result": {"status": "Failure", "message": "not today"}});
    let scene = failing(&client, move |_| Answer::Response(result.clone())).await;
    let refused = scene.old.list("limit=5").await;
    refused.fails_with(500, "", "not today");
}

async fn the_stored_version_is_served_meanwhile(client: Client) {
    let scene = failing(&client, |_| Answer::Raw(500, "broken".to_owned())).await;
    check!(scene.new.get("a").await.is(200), "/spec/port": 1);
    scene.new.merged("a", json!({"spec": {"port": 2}})).await;
    scene.new.delete("a").await.is(200);
}

async fn a_write_fails_and_stores_nothing(client: Client) {
    let result = json!({"result": {"status": "Failure", "message": "not today"}});
    let scene = failing(&client, move |_| Answer::Response(result.clone())).await;
    let object = scene.old.object("b", json!({"spec": {"host": "h:1"}}));
    scene
        .old
        .create(&object)
        .await
        .fails_with(500, "", "not today");
    scene.new.get("b").await.refused(404, "NotFound");
    scene
        .old
        .merge("a", json!({"spec": {"host": "x:1"}}))
        .await
        .fails_with(500, "", "not today");
    check!(scene.new.get("a").await.is(200), "/spec/host": "h");
}

/// Creates a scene whose webhook converts everything except objects with the host `bad`.
async fn choosy(client: &Client) -> Scene {
    Scene::start_with(client, |_, request| {
        let objects = at(request, "/objects").as_array().into_iter().flatten();
        match objects.filter(|it| it["spec"]["host"] == "bad").count() {
            0 => convert(request),
            _ => Answer::Response(json!({"result": {"status": "Failure", "message": "it is bad"}})),
        }
    })
    .await
}

async fn a_watch_ends_without_an_error_at_what_fails_to_convert(client: Client) {
    let scene = choosy(&client).await;
    let list = scene.old.listed("").await;
    let query = format!("resourceVersion={}", resource_version(&list));
    let mut watch = scene.old.watch(&query).await;
    let good = json!({"spec": {"host": "good", "port": 1}});
    scene.new.given("a", good.clone()).await;
    watch.expect("ADDED", "a").await;
    let bad = json!({"spec": {"host": "bad", "port": 1}});
    scene.new.given("b", bad).await;
    scene.new.given("c", good).await;
    assert_eq!(watch.next().await, None);
    let refused = scene.old.list("limit=5").await;
    refused.fails_with(500, "", "it is bad");
    // Once the object is gone or convertible, lists work again.
    scene.new.delete("b").await.is(200);
    eventually("the version is listed again", || async {
        let listed = scene.old.list("limit=5").await;
        (listed.code == 200).then_some(())
    })
    .await;
}

async fn watches_of_the_stored_version_go_on(client: Client) {
    let scene = choosy(&client).await;
    let list = scene.new.listed("").await;
    let query = format!("resourceVersion={}", resource_version(&list));
    let mut watch = scene.new.watch(&query).await;
    for (name, host) in [("a", "bad"), ("b", "good")] {
        let object = json!({"spec": {"host": host, "port": 1}});
        scene.new.given(name, object).await;
        watch.expect("ADDED", name).await;
    }
}
