//! `Widget` and its controller.

use codegen_runtime::condition;
use codegen_runtime::fake::{ApiServer, Fault, FaultKind, assert_rbac};
use codegen_runtime::kube::Api;
use codegen_runtime::kube::api::{ObjectMeta, PostParams};

use sample_operator::apis::batch::v1alpha1::Widget;
use sample_operator::app;

use crate::support::{server, start, until};

/// The name of the object in `config/samples`.
const SAMPLE: &str = "sample";

fn api(server: &ApiServer) -> Api<Widget> {
    Api::namespaced(server.client(), "default")
}

/// Whether the sample is ready at its current generation.
async fn is_ready(api: &Api<Widget>) -> bool {
    let object = api.get(SAMPLE).await.unwrap();
    let status = object.status.unwrap_or_default();
    status.observed_generation == object.metadata.generation
        && condition::is_true(&status.conditions, "Ready")
}

#[tokio::test]
async fn it_becomes_ready_and_the_role_allows_it() {
    let server = server();
    let api = api(&server);
    let running = start(&server);
    until(async || is_ready(&api).await).await;
    running.stop().await;
    let role = include_str!("../../config/role.yaml");
    assert_rbac(&server, app::NAME, [role]);
}

#[tokio::test]
async fn a_conflict_is_survived() {
    let server = server();
    let conflict = Fault::new(FaultKind::Conflict).once();
    let resource = "widgets/status";
    server.faults().add(conflict.on("patch", resource));
    let api = api(&server);
    let running = start(&server);
    until(async || is_ready(&api).await).await;
    running.stop().await;
}

#[tokio::test]
async fn objects_are_checked_by_their_definition() {
    let server = server();
    let api = api(&server);
    let mut object = api.get(SAMPLE).await.unwrap();
    object.metadata = ObjectMeta {
        name: Some("another".to_owned()),
        ..ObjectMeta::default()
    };
    let params = PostParams::default();
    let created = api.create(&params, &object).await.unwrap();
    assert_eq!(created.spec, object.spec);
    object.metadata.name = Some("wrong".to_owned());
    object.spec.size = -1;
    let refused = api.create(&params, &object).await.unwrap_err();
    assert!(refused.to_string().contains("spec.size"), "{refused}");
}
