//! Objects that a webhook fails to convert, and the requests they affect.

use std::convert::Infallible;
use std::sync::Arc;

use embedded_apiserver::ApiServer;
use futures::StreamExt;
use kube::api::{Api, ApiResource, DynamicObject, PostParams, WatchEvent, WatchParams};
use kube::core::GroupVersionKind;
use serde_json::{Value, json};
use tower::service_fn;

use super::webhooks::{Review, converted, definition, request};

/// A server that cannot convert things with the label `bad`, with clients for the unstored and the
/// stored version.
fn server() -> (ApiServer, [Api<DynamicObject>; 2]) {
    let hook = service_fn(async |review: Review| {
        let request = request(review).await;
        let bad = |object: &Value| object["metadata"]["labels"]["bad"] == "yes";
        Ok::<_, Infallible>(
            match request["objects"].as_array().unwrap().iter().any(bad) {
                true => http::Response::builder()
                    .status(500)
                    .body("no".to_owned().into())
                    .unwrap(),
                false => converted(request),
            },
        )
    });
    let server = ApiServer::builder()
        .crd_values([definition(["v1", "v2"])])
        .webhooks("hooks", "hook", hook)
        .build()
        .unwrap();
    let things = |version: &str| {
        let kind = GroupVersionKind::gvk("example.com", version, "Thing");
        Api::all_with(server.client(), &ApiResource::from_gvk(&kind))
    };
    let both = [things("v1"), things("v2")];
    (server, both)
}

async fn create(things: &Api<DynamicObject>, name: &str, bad: &str) -> String {
    let object = json!({"apiVersion": "example.com/v2", "kind": "Thing",
        "metadata": {"name": name, "labels": {"bad": bad}}});
    let object: DynamicObject = serde_json::from_value(object).unwrap();
    let created = things.create(&PostParams::default(), &object).await;
    created.unwrap().metadata.resource_version.unwrap()
}

/// Returns the names of the objects that a watch adds until it ends, or the error it ends with.
async fn added(
    things: &Api<DynamicObject>,
    params: WatchParams,
    from: &str,
    most: usize,
) -> (Vec<String>, Option<u16>) {
    let events = things.watch(&params, from).await.unwrap().take(most);
    let (mut names, mut error) = (Vec::new(), None);
    for event in events.collect::<Vec<_>>().await {
        match event.unwrap() {
            WatchEvent::Added(object) => names.push(object.metadata.name.unwrap()),
            WatchEvent::Error(status) => error = Some(status.code),
            other => panic!("{other:?}"),
        }
    }
    (names, error)
}

#[tokio::test]
async fn watches_that_do_not_see_an_object_do_not_end_with_it() {
    let (_server, [old, new]) = server();
    let start = create(&new, "before", "no").await;
    let one = WatchParams::default().fields("metadata.name=after");
    let good = WatchParams::default().labels("bad=no");
    let all = WatchParams::default();
    let (old, from) = (Arc::new(old), start.as_str());
    let watches = async {
        tokio::join!(
            added(&old, one, from, 1),
            added(&old, good, from, 1),
            added(&old, all, from, 2)
        )
    };
    let writes = async {
        // Give the watches time to start, so that they get each change separately.
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        create(&new, "bad", "yes").await;
        create(&new, "after", "no").await;
    };
    let ((one, good, all), ()) = tokio::join!(watches, writes);
    assert_eq!(one, (vec!["after".to_owned()], None));
    assert_eq!(good, (vec!["after".to_owned()], None));
    assert_eq!(all, (Vec::new(), None));
    // Nor do lists of other objects.
    let named = kube::api::ListParams::default().fields("metadata.name=after");
    assert_eq!(old.list(&named).await.unwrap().items.len(), 1);
}

/// A client that resumes where its watch ended must list, or it would loop forever.
#[tokio::test]
async fn a_watch_from_before_what_cannot_be_converted_has_expired() {
    let (_server, [old, new]) = server();
    let start = create(&new, "before", "no").await;
    create(&new, "good", "no").await;
    create(&new, "bad", "yes").await;
    new.delete("bad", &Default::default()).await.unwrap();
    let found = added(&old, WatchParams::default(), &start, 5).await;
    assert_eq!(found, (vec!["good".to_owned()], Some(410)));
    let list = old.list(&Default::default()).await.unwrap();
    let from = list.metadata.resource_version.unwrap();
    create(&new, "next", "no").await;
    let found = added(&old, WatchParams::default(), &from, 1).await;
    assert_eq!(found, (vec!["next".to_owned()], None));
}
