//! The controller of Kubernetes' own kind `{{kind}}`.

use codegen_runtime::fake::{ApiServer, Fault, FaultKind, assert_rbac};
use {{types}};
use codegen_runtime::kube::api::ObjectMeta;

use {{crate}}::app;
use {{crate}}::controllers::{{module}}::RECONCILE;

use crate::support::{server, start, until};

/// Stores an object with the annotation. It is not validated: write only what the controller reads.
fn store(server: &ApiServer) {
    let object = {{kind}} {
        metadata: ObjectMeta {
            name: Some("annotated".to_owned()),
{{namespace}}            annotations: Some([(RECONCILE.to_owned(), "true".to_owned())].into()),
            ..ObjectMeta::default()
        },
        ..{{kind}}::default()
    };
    server.objects().put(&object).unwrap();
}

/// Whether the controller recorded an event about the object.
fn is_reconciled(server: &ApiServer) -> bool {
    let events = server.objects().list("events.k8s.io", "events", "{{event_namespace}}");
    events.iter().any(|event| {
        let object = &event["regarding"];
        let is_kind = object["kind"] == "{{kind}}";
        is_kind && object["apiVersion"] == "{{api_version}}"
    })
}

#[tokio::test]
async fn an_annotated_object_is_reconciled_and_the_role_allows_it() {
    let server = server();
    store(&server);
    let running = start(&server);
    until(async || is_reconciled(&server)).await;
    running.stop().await;
    let role = include_str!("../../config/role.yaml");
    assert_rbac(&server, app::NAME, [role]);
}

#[tokio::test]
async fn a_failed_request_is_survived() {
    let server = server();
    store(&server);
    let failure = Fault::new(FaultKind::InternalError).once();
    let resource = "{{plural}}";
    server.faults().add(failure.on("*", resource));
    let running = start(&server);
    until(async || is_reconciled(&server)).await;
    running.stop().await;
}
