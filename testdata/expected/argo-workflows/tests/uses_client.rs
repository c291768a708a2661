//! The project's own resources through the types, the client and the lister.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_names,
    unreachable_pub,
    reason = "a test that cannot go on has failed, and names are its own"
)]

#[path = "../../../support/round_trip.rs"]
mod round_trip;

use codegen_runtime::fake::Object;
use codegen_runtime::kube::api::ListParams;
use codegen_runtime::scheme::Scheme;
use golden_argo_workflows::generated::clientset::{fake, scheme};
use golden_argo_workflows::generated::informers::SharedInformerFactory;
use serde_json::json;
use tokio_util::sync::CancellationToken;

fn known() -> Scheme {
    let mut known = Scheme::new();
    scheme::add_to_scheme(&mut known).unwrap();
    known
}

#[test]
fn samples_survive_decoding_and_encoding() {
    assert_eq!(round_trip::check(&known(), "argo-workflows"), 12);
}

fn object() -> Object {
    Object::from_value(json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": { "name": "example", "namespace": "default" },
        "spec": { "entrypoint": "main" },
    }))
}

#[tokio::test]
async fn the_client_and_the_lister_read_it() {
    let (clientset, tracker) = fake::Clientset::with_objects([object()]);
    let client = clientset.argoproj_v1alpha1().workflows("default");
    assert_eq!(
        client
            .list(&ListParams::default())
            .await
            .unwrap()
            .items
            .len(),
        1
    );
    assert_eq!(tracker.actions()[0].verb, "list");

    let factory = SharedInformerFactory::builder(clientset).build();
    let lister = factory.argoproj().v1alpha1().workflows().lister();
    let stop = CancellationToken::new();
    factory.start(&stop);
    factory.wait_for_cache_sync().await.unwrap();
    assert_eq!(lister.list(&Default::default()).len(), 1);
    stop.cancel();
    factory.shutdown().await;
}
