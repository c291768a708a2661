//! Changes during a webhook call, and calls that cannot be made.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use base64::Engine;
use embedded_apiserver::ApiServer;
use http::Response;
use http_body_util::Full;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};
use kube::api::{Api, DeleteParams, DynamicObject, Patch, PatchParams, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};
use tower::service_fn;

use super::map;
use super::webhooks::{
    Review, answer, configuration, converted, create, definition, dependent, gated, request,
};

const MUTATING: &str = "MutatingWebhookConfiguration";
const VALIDATING: &str = "ValidatingWebhookConfiguration";

fn patched(request: &Value, operations: &Value) -> Response<Full<bytes::Bytes>> {
    let patch = base64::engine::general_purpose::STANDARD.encode(operations.to_string());
    answer(
        request,
        json!({"allowed": true, "patchType": "JSONPatch", "patch": patch}),
    )
}

async fn delete<K>(api: &Api<K>, name: &str)
where
    K: Clone + std::fmt::Debug + serde::de::DeserializeOwned,
{
    api.delete(name, &DeleteParams::default()).await.unwrap();
}

async fn called(calls: &AtomicUsize) {
    while calls.load(Ordering::SeqCst) == 0 {
        sleep(Duration::from_millis(2)).await;
    }
}

fn namespace(name: &str) -> Namespace {
    serde_json::from_value(json!({"metadata": {"name": name}})).unwrap()
}

#[tokio::test]
async fn a_webhook_cannot_rename_or_move_an_object_or_make_it_another_kind() {
    let operations = Arc::new(Mutex::new(json!([])));
    let given = operations.clone();
    let hook = service_fn(move |review: Review| {
        let given = given.clone();
        async move {
            let request = request(review).await;
            let operations = given.lock().clone();
            Ok::<_, Infallible>(patched(&request, &operations))
        }
    });
    let server = ApiServer::builder()
        .objects([configuration(MUTATING, "*")])
        .webhooks("hooks", "hook", hook)
        .build()
        .unwrap();
    let maps = Api::<ConfigMap>::default_namespaced(server.client());
    create(&maps, &map("a")).await;
    let update = async || {
        let patch = Patch::Merge(json!({"data": {"k": "v"}}));
        let answer = maps.patch("a", &PatchParams::default(), &patch).await;
        answer.unwrap_err().to_string()
    };
    let create = async || {
        let answer = maps.create(&PostParams::default(), &map("b")).await;
        answer.unwrap_err().to_string()
    };
    let check = |found: String, expected: &str| assert!(found.contains(expected), "{found}");
    let replace =
        |path: &str, value: &str| json!([{"op": "replace", "path": path, "value": value}]);
    *operations.lock() = replace("/metadata/name", "other");
    check(
        update().await,
        "metadata.name: Invalid value: \"other\": field is immutable",
    );
    *operations.lock() = replace("/metadata/namespace", "kube-system");
    let elsewhere =
        "the namespace of the provided object does not match the namespace sent on the request";
    check(update().await, elsewhere);
    check(create().await, elsewhere);
    *operations.lock() = replace("/kind", "Secret");
    let kind = "Secret in version \"v1\" cannot be handled as a ConfigMap";
    check(update().await, kind);
    check(create().await, kind);
    let left = server.objects().list("", "configmaps", "");
    assert_eq!(left.len(), 1, "{left:#?}");
    assert_eq!(left[0]["metadata"]["name"], "a");
}

#[tokio::test]
async fn a_name_that_a_webhook_gives_is_not_drawn_again() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    let hook = service_fn(move |review: Review| {
        let counted = counted.clone();
        async move {
            let names = review.uri().path() == "/p";
            let request = request(review).await;
            let operations = json!([{"op": "add", "path": "/metadata/name", "value": "taken"}]);
            counted.fetch_add(usize::from(!names), Ordering::SeqCst);
            Ok::<_, Infallible>(match names {
                true => patched(&request, &operations),
                false => answer(&request, json!({"allowed": true})),
            })
        }
    });
    let mut validating = configuration(VALIDATING, "CREATE");
    validating["webhooks"][0]["clientConfig"]["service"]["path"] = json!("/v");
    let taken = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "taken", "namespace": "default"}});
    let server = ApiServer::builder()
        .objects([configuration(MUTATING, "CREATE"), validating, taken])
        .webhooks("hooks", "hook", hook)
        .build()
        .unwrap();
    let maps = Api::<ConfigMap>::default_namespaced(server.client());
    let mut drawn = map("");
    drawn.metadata.name = None;
    drawn.metadata.generate_name = Some("x-".to_owned());
    let error = maps
        .create(&PostParams::default(), &drawn)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("already exists"), "{error}");
    assert_eq!(calls.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn nothing_is_created_in_a_namespace_that_ended_while_a_webhook_was_asked() {
    let (server, release, calls) = gated(MUTATING, "CREATE");
    let namespaces = Api::<Namespace>::all(server.client());
    create(&namespaces, &namespace("n")).await;
    let maps = Api::<ConfigMap>::namespaced(server.client(), "n");
    let creation =
        tokio::spawn(async move { maps.create(&PostParams::default(), &map("a")).await });
    called(&calls).await;
    delete(&namespaces, "n").await;
    assert!(namespaces.get_opt("n").await.unwrap().is_none());
    release.send(true).unwrap();
    let error = creation.await.unwrap().unwrap_err().to_string();
    assert!(error.contains("namespaces \"n\" not found"), "{error}");
    assert!(server.objects().list("", "configmaps", "n").is_empty());
}

/// The garbage collector observes an object whose creation was cancelled while a webhook converted
/// the stored object.
#[tokio::test]
async fn a_write_that_is_given_up_during_its_conversion_is_observed() {
    let hook = service_fn(async |review: Review| {
        let request = request(review).await;
        if request["desiredAPIVersion"] == "example.com/v1" {
            std::future::pending::<()>().await;
        }
        Ok::<_, Infallible>(converted(request))
    });
    let server = ApiServer::builder()
        .crd_values([definition(["v1", "v2"])])
        .webhooks("hooks", "hook", hook)
        .build()
        .unwrap();
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("example.com", "v1", "Thing"));
    let things = Api::<DynamicObject>::all_with(server.client(), &resource);
    let thing = json!({"metadata": {"name": "a", "ownerReferences": [
        {"apiVersion": "v1", "kind": "Namespace", "name": "gone", "uid": "u"}]}, "spec": {}});
    let mut object = DynamicObject::new("a", &resource);
    object.metadata = serde_json::from_value(thing["metadata"].clone()).unwrap();
    let before = server.resource_version();
    let params = PostParams::default();
    let creation = timeout(Duration::from_millis(200), things.create(&params, &object));
    assert!(creation.await.is_err());
    assert!(server.resource_version() > before);
    let left = server.objects().list("example.com", "things", "");
    assert!(left.is_empty(), "{left:#?}");
}

#[tokio::test]
async fn a_dependent_that_loses_its_owners_while_a_webhook_is_asked_stays() {
    let (server, release, calls) = gated(VALIDATING, "DELETE");
    let secrets = Api::<Secret>::default_namespaced(server.client());
    let maps = Api::<ConfigMap>::default_namespaced(server.client());
    let owner = serde_json::from_value(json!({"metadata": {"name": "owner"}})).unwrap();
    let owner = secrets.create(&PostParams::default(), &owner).await;
    let uid = owner.unwrap().metadata.uid.unwrap();
    create(&maps, &dependent(&uid)).await;
    delete(&secrets, "owner").await;
    called(&calls).await;
    let patch = Patch::Merge(json!({"metadata": {"ownerReferences": null}}));
    maps.patch("dependent", &PatchParams::default(), &patch)
        .await
        .unwrap();
    release.send(true).unwrap();
    sleep(Duration::from_millis(100)).await;
    maps.get("dependent").await.unwrap();
}

#[tokio::test]
async fn a_dependent_that_changes_while_a_webhook_is_asked_goes() {
    let (server, release, calls) = gated(VALIDATING, "DELETE");
    let maps = Api::<ConfigMap>::default_namespaced(server.client());
    create(&maps, &dependent("gone")).await;
    called(&calls).await;
    let patch = Patch::Merge(json!({"data": {"k": "v"}}));
    maps.patch("dependent", &PatchParams::default(), &patch)
        .await
        .unwrap();
    release.send(true).unwrap();
    while maps.get_opt("dependent").await.unwrap().is_some() {
        sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn the_end_of_a_namespace_spares_the_objects_of_a_later_one() {
    let (server, release, calls) = gated(VALIDATING, "DELETE");
    let namespaces = Api::<Namespace>::all(server.client());
    let maps = Api::<ConfigMap>::namespaced(server.client(), "n");
    let fill = async || {
        create(&namespaces, &namespace("n")).await;
        create(&maps, &map("a")).await;
    };
    fill().await;
    delete(&namespaces, "n").await;
    called(&calls).await;
    assert!(server.objects().remove("", "configmaps", "n", "a"));
    fill().await;
    release.send(true).unwrap();
    sleep(Duration::from_millis(100)).await;
    maps.get("a").await.unwrap();
}

#[tokio::test]
async fn a_webhook_that_changes_what_it_admits_ends_in_a_conflict() {
    let calls = Arc::new(AtomicUsize::new(0));
    let server = ApiServer::builder()
        .objects([configuration(VALIDATING, "DELETE")])
        .build()
        .unwrap();
    let maps = Api::<ConfigMap>::default_namespaced(server.client());
    let (own, counted) = (maps.clone(), calls.clone());
    let hook = service_fn(move |review: Review| {
        let (maps, counted) = (own.clone(), counted.clone());
        async move {
            let call = counted.fetch_add(1, Ordering::SeqCst);
            // Without a limit on attempts, the deletion succeeds eventually.
            if call < 300 {
                let patch = Patch::Merge(json!({"data": {"calls": call.to_string()}}));
                let params = PatchParams::default();
                maps.patch("a", &params, &patch).await.unwrap();
            }
            let request = request(review).await;
            Ok::<_, Infallible>(answer(&request, json!({"allowed": true})))
        }
    });
    server.serve_webhooks("hooks", "hook", hook);
    create(&maps, &map("a")).await;
    let error = maps
        .delete("a", &DeleteParams::default())
        .await
        .unwrap_err();
    assert!(
        error.to_string().contains("the object has been modified"),
        "{error}"
    );
    assert_eq!(calls.load(Ordering::SeqCst), 100);
}

#[tokio::test]
async fn direct_access_shows_the_version_that_is_stored() {
    let thing = json!({"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": {"old": 1}});
    let server = ApiServer::builder()
        .crd_values([definition(["v2", "v1"])])
        .objects([thing])
        .build()
        .unwrap();
    let found = server
        .objects()
        .get("example.com", "things", "", "a")
        .unwrap();
    assert_eq!(found["apiVersion"], "example.com/v1", "{found:#}");
}

/// A test may change objects directly without a runtime; work that needs a webhook is left undone.
#[test]
fn without_a_runtime_a_webhook_fails_what_asks_it() {
    let server = ApiServer::builder()
        .objects([configuration(VALIDATING, "DELETE")])
        .build()
        .unwrap();
    let objects = server.objects();
    let owner = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "owner"}});
    let owner = objects.put(&owner).unwrap();
    let mut dependent = serde_json::to_value(dependent(owner["metadata"]["uid"].as_str().unwrap()));
    let dependent = dependent.as_mut().unwrap();
    objects.put(dependent).unwrap();
    assert!(objects.remove("", "secrets", "default", "owner"));
    assert_eq!(objects.list("", "configmaps", "default").len(), 1);
}
