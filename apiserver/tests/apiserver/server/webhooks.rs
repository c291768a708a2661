//! Webhooks served by the test itself, and controllers during webhook calls.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use embedded_apiserver::ApiServer;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{Api, DeleteParams, PostParams};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::timeout;
use tower::service_fn;

use super::map;

pub(super) type Review = Request<Full<Bytes>>;

pub(super) async fn request(review: Review) -> Value {
    let bytes = review.into_body().collect().await.unwrap().to_bytes();
    serde_json::from_slice::<Value>(&bytes).unwrap()["request"].take()
}

pub(super) fn answer(request: &Value, mut response: Value) -> Response<Full<Bytes>> {
    response["uid"] = request["uid"].clone();
    let review = json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response});
    Response::new(Full::from(review.to_string()))
}

/// A webhook at the service `hooks/hook` for requests for config maps.
pub(super) fn configuration(kind: &str, operation: &str) -> Value {
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": "c"},
        "webhooks": [{
            "name": "a.b.c",
            "clientConfig": {"service": {"namespace": "hooks", "name": "hook", "path": "/p"}},
            "rules": [{"operations": [operation], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"], "scope": "*"}],
            "admissionReviewVersions": ["v1"], "sideEffects": "None", "timeoutSeconds": 5,
        }],
    })
}

/// A server with a webhook that allows everything once the gate opens, and the number of its calls.
pub(super) fn gated(
    kind: &str,
    operation: &str,
) -> (ApiServer, watch::Sender<bool>, Arc<AtomicUsize>) {
    let (release, gate) = watch::channel(false);
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    let hook = service_fn(move |review: Review| {
        let (counted, mut gate) = (counted.clone(), gate.clone());
        async move {
            counted.fetch_add(1, Ordering::SeqCst);
            gate.wait_for(|open| *open).await.unwrap();
            let request = request(review).await;
            Ok::<_, Infallible>(answer(&request, json!({"allowed": true})))
        }
    });
    let server = ApiServer::builder()
        .objects([configuration(kind, operation)])
        .webhooks("hooks", "hook", hook)
        .build()
        .unwrap();
    (server, release, calls)
}

pub(super) fn dependent(owner: &str) -> ConfigMap {
    let mut dependent = map("dependent");
    dependent.metadata.owner_references = serde_json::from_value(json!([
        {"apiVersion": "v1", "kind": "Secret", "name": "owner", "uid": owner}
    ]))
    .unwrap();
    dependent
}

pub(super) async fn create<K>(api: &Api<K>, object: &K) -> K
where
    K: Clone + std::fmt::Debug + serde::Serialize + serde::de::DeserializeOwned,
{
    api.create(&PostParams::default(), object).await.unwrap()
}

#[tokio::test]
async fn a_service_of_the_test_answers_without_a_socket() {
    let hook = service_fn(async |review: Review| {
        assert_eq!(review.uri().path(), "/p");
        let request = request(review).await;
        let message = format!("no {}", request["name"].as_str().unwrap());
        Ok::<_, Infallible>(answer(
            &request,
            json!({"allowed": false, "status": {"message": message}}),
        ))
    });
    let server = ApiServer::builder()
        .objects([configuration("ValidatingWebhookConfiguration", "CREATE")])
        .webhooks("hooks", "hook", hook)
        .build()
        .unwrap();
    let maps = Api::<ConfigMap>::default_namespaced(server.client());
    let error = maps
        .create(&PostParams::default(), &map("a"))
        .await
        .unwrap_err();
    let expected = "admission webhook \"a.b.c\" denied the request: no a";
    assert!(error.to_string().contains(expected), "{error}");
}

#[tokio::test]
async fn a_service_that_nobody_serves_or_that_panics_fails_the_request() {
    let server = ApiServer::builder()
        .objects([configuration("MutatingWebhookConfiguration", "CREATE")])
        .build()
        .unwrap();
    let maps = Api::<ConfigMap>::default_namespaced(server.client());
    let create = async || {
        maps.create(&PostParams::default(), &map("a"))
            .await
            .unwrap_err()
            .to_string()
    };
    let post = "Internal error occurred: failed calling webhook \"a.b.c\": failed to call webhook: Post \"https://hook.hooks.svc:443/p?timeout=5s\"";
    let error = create().await;
    assert!(
        error.contains(&format!("{post}: service \"hook\" not found")),
        "{error}"
    );
    let panics = service_fn(
        async |_: Review| -> Result<Response<Full<Bytes>>, Infallible> { panic!("at once") },
    );
    server.serve_webhooks("hooks", "hook", panics);
    let error = create().await;
    assert!(
        error.contains(&format!("{post}: the webhook panicked")),
        "{error}"
    );
}

#[tokio::test]
async fn a_webhook_may_use_the_server_that_calls_it() {
    let server = ApiServer::builder()
        .objects([configuration("MutatingWebhookConfiguration", "CREATE")])
        .build()
        .unwrap();
    let maps = Api::<ConfigMap>::default_namespaced(server.client());
    let own = maps.clone();
    let hook = service_fn(move |review: Review| {
        let maps = own.clone();
        async move {
            let request = request(review).await;
            if request["name"] == "a" {
                create(&maps, &map("b")).await;
            }
            Ok::<_, Infallible>(answer(&request, json!({"allowed": true})))
        }
    });
    server.serve_webhooks("hooks", "hook", hook);
    create(&maps, &map("a")).await;
    assert_eq!(maps.list(&Default::default()).await.unwrap().items.len(), 2);
}

/// A webhook that hangs for deletions delays the controllers' work but no request.
#[tokio::test]
async fn a_hanging_webhook_holds_up_the_controllers_work_alone() {
    let (server, release, calls) = gated("ValidatingWebhookConfiguration", "DELETE");
    let secrets = Api::<Secret>::default_namespaced(server.client());
    let maps = Api::<ConfigMap>::default_namespaced(server.client());
    let owner = serde_json::from_value(json!({"metadata": {"name": "owner"}})).unwrap();
    let uid = create(&secrets, &owner).await.metadata.uid.unwrap();
    create(&maps, &dependent(&uid)).await;
    // The deletion of the owner is answered while that of the dependent is pending.
    let now = DeleteParams::default();
    let deleted = timeout(Duration::from_secs(2), secrets.delete("owner", &now));
    deleted.await.unwrap().unwrap();
    tokio::task::yield_now().await;
    assert!(calls.load(Ordering::SeqCst) > 0);
    maps.get("dependent").await.unwrap();
    release.send(true).unwrap();
    while maps.get_opt("dependent").await.unwrap().is_some() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// A kind without schemas, with an unstored and a stored version.
pub(super) fn definition([other, stored]: [&str; 2]) -> Value {
    let version = |name: &str, storage: bool| {
        json!({"name": name, "served": true, "storage": storage, "schema": {"openAPIV3Schema":
            {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}})
    };
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com", "scope": "Cluster",
            "names": {"kind": "Thing", "plural": "things"},
            "versions": [version(other, false), version(stored, true)],
            "conversion": {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"],
                "clientConfig": {"service": {"namespace": "hooks", "name": "hook", "path": "/convert"}}}},
        },
    })
}

/// A response that changes only the version.
pub(super) fn converted(mut request: Value) -> Response<Full<Bytes>> {
    let to = request["desiredAPIVersion"].take();
    let mut objects = request["objects"].take();
    for object in objects.as_array_mut().unwrap() {
        object["apiVersion"] = to.clone();
    }
    let response = json!({"uid": request["uid"], "convertedObjects": objects, "result": {"status": "Success"}});
    let review = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview", "response": response});
    Response::new(Full::from(review.to_string()))
}

/// A list converts all of its objects in one review; an object that changes is converted again.
#[tokio::test]
async fn a_list_is_converted_in_one_review() {
    let sizes = Arc::new(parking_lot::Mutex::new(Vec::new()));
    let counted = sizes.clone();
    let hook = service_fn(move |review: Review| {
        let counted = counted.clone();
        async move {
            let request = request(review).await;
            counted
                .lock()
                .push(request["objects"].as_array().unwrap().len());
            Ok::<_, Infallible>(converted(request))
        }
    });
    let thing = |name: &str| json!({"apiVersion": "example.com/v2", "kind": "Thing", "metadata": {"name": name}, "spec": {}});
    let server = ApiServer::builder()
        .crd_values([definition(["v1", "v2"])])
        .objects([thing("a"), thing("b"), thing("c")])
        .webhooks("hooks", "hook", hook)
        .build()
        .unwrap();
    let old = kube::core::GroupVersionKind::gvk("example.com", "v1", "Thing");
    let old = kube::core::ApiResource::from_gvk(&old);
    let things = Api::<kube::core::DynamicObject>::all_with(server.client(), &old);
    let list = things.list(&Default::default()).await.unwrap();
    assert_eq!(list.items.len(), 3);
    assert_eq!(std::mem::take(&mut *sizes.lock()), [3]);
    things.get("a").await.unwrap();
    assert_eq!(*sizes.lock(), [1]);
}
