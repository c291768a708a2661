//! The event recorder: its events and the counts of series, as seen through both event APIs.

use codegen_runtime::event::{EventBroadcaster, EventRecorder, Reporter};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};
use kube::{Api, Client, ResourceExt};
use serde_json::Value;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::common::Secrets;
use crate::harness::cases;
use crate::support::expect::eventually;
use crate::support::{at, check, get, namespace};

cases![
    an_event_is_read_through_both_apis,
    equal_events_become_one_series,
    an_event_about_a_cluster_scoped_object_is_in_default,
    events_are_found_by_what_they_are_about,
];

struct Case {
    recorder: EventRecorder,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

fn start(client: &Client) -> Case {
    let broadcaster = EventBroadcaster::new(client.clone());
    let recorder = broadcaster.recorder(Reporter::new("example.com/tests", "test-0"));
    let stop = CancellationToken::new();
    let task = tokio::spawn({
        let stop = stop.clone();
        async move { broadcaster.run(&stop).await }
    });
    Case {
        recorder,
        stop,
        task,
    }
}

impl Case {
    async fn stop(self) {
        self.stop.cancel();
        self.task.await.unwrap();
    }
}

/// Returns the only event at `path` about an object of that name, once it exists and is `ready`.
async fn event(client: &Client, path: &str, name: &str, ready: fn(&Value) -> bool) -> Value {
    eventually(&format!("an event about {name}"), || async {
        let list = get(client, path).await.is(200);
        let items = at(&list, "/items").as_array()?;
        let mut about = items.iter().filter(|event| {
            let object = event.get("regarding").or(event.get("involvedObject"));
            object.is_some_and(|object| object["name"] == name)
        });
        let event = about.next().filter(|event| ready(event))?.clone();
        assert_eq!(about.next(), None, "two events");
        Some(event)
    })
    .await
}

async fn an_event_is_read_through_both_apis(client: Client) {
    let namespace = namespace(&client).await;
    let secret = Secrets::new(&client, &namespace).create("a", &[]).await;
    let case = start(&client);
    case.recorder
        .warning(&secret, "Failed", "Create", "no space");
    let path = format!("/apis/events.k8s.io/v1/namespaces/{namespace}/events");
    let new = event(&client, &path, "a", |_| true).await;
    check(&new, "/type", "Warning");
    check(&new, "/reason", "Failed");
    check(&new, "/action", "Create");
    check(&new, "/note", "no space");
    check(&new, "/reportingController", "example.com/tests");
    check(&new, "/reportingInstance", "test-0");
    check(&new, "/regarding/kind", "Secret");
    check(&new, "/regarding/uid", secret.uid().unwrap().as_str());
    let path = format!("/api/v1/namespaces/{namespace}/events");
    let old = event(&client, &path, "a", |_| true).await;
    check(&old, "/message", "no space");
    check(&old, "/reportingComponent", "example.com/tests");
    check(&old, "/involvedObject/name", "a");
    assert_eq!(at(&old, "/metadata/uid"), at(&new, "/metadata/uid"));
    assert_eq!(at(&old, "/eventTime"), at(&new, "/eventTime"));
    case.stop().await;
}

async fn equal_events_become_one_series(client: Client) {
    let namespace = namespace(&client).await;
    let secret = Secrets::new(&client, &namespace).create("a", &[]).await;
    let case = start(&client);
    for _ in 0..5 {
        case.recorder.normal(&secret, "Created", "Act", "same");
    }
    let path = format!("/apis/events.k8s.io/v1/namespaces/{namespace}/events");
    let series = event(&client, &path, "a", |event| event["series"].is_object()).await;
    check(&series, "/series/count", 2);
    // The last count is written when the broadcaster stops.
    case.stop().await;
    let series = event(&client, &path, "a", |event| event["series"]["count"] == 5).await;
    check(&series, "/note", "same");
}

async fn an_event_about_a_cluster_scoped_object_is_in_default(client: Client) {
    let name = namespace(&client).await;
    let object = Api::<Namespace>::all(client.clone()).get(&name).await;
    let case = start(&client);
    case.recorder
        .normal(&object.unwrap(), "Seen", "Look", "it is there");
    let path = "/apis/events.k8s.io/v1/namespaces/default/events";
    let event = event(&client, path, &name, |_| true).await;
    check(&event, "/regarding/kind", "Namespace");
    crate::support::delete(
        &client,
        &format!("{path}/{}", at(&event, "/metadata/name").as_str().unwrap()),
    )
    .await;
    case.stop().await;
}

async fn events_are_found_by_what_they_are_about(client: Client) {
    let namespace = namespace(&client).await;
    let secrets = Secrets::new(&client, &namespace);
    let secret: Secret = secrets.create("a", &[]).await;
    let mut map = ConfigMap::default();
    (map.metadata.name, map.metadata.namespace) = (Some("b".to_owned()), Some(namespace.clone()));
    let case = start(&client);
    case.recorder.normal(&secret, "Seen", "Look", "first");
    case.recorder.normal(&map, "Seen", "Look", "second");
    let path = format!("/api/v1/namespaces/{namespace}/events");
    event(&client, &path, "a", |_| true).await;
    event(&client, &path, "b", |_| true).await;
    for (selector, message) in [
        ("involvedObject.kind=ConfigMap", "second"),
        ("involvedObject.name=a,reason=Seen", "first"),
    ] {
        let list = get(&client, &format!("{path}?fieldSelector={selector}")).await;
        let list = list.is(200);
        check(&list, "/items/0/message", message);
        assert_eq!(at(&list, "/items/1"), &Value::Null, "{selector}");
    }
    case.stop().await;
}
