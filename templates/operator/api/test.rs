//! `{{kind}}` and its controller.

use codegen_runtime::condition;
use codegen_runtime::fake::{ApiServer, Fault, FaultKind, assert_rbac};
use codegen_runtime::kube::Api;
{{example_imports}}
use {{crate}}::apis::{{group_module}}::{{version_module}}::{{kind}};
use {{crate}}::app;

use crate::support::{server, start, until};

/// The name of the object in `config/samples`.
const SAMPLE: &str = "sample";

fn api(server: &ApiServer) -> Api<{{kind}}> {
    {{test_client}}
}

/// Whether the sample is ready at its current generation.
async fn is_ready(api: &Api<{{kind}}>) -> bool {
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
    let resource = "{{plural}}/status";
    server.faults().add(conflict.on("patch", resource));
    let api = api(&server);
    let running = start(&server);
    until(async || is_ready(&api).await).await;
    running.stop().await;
}
{{example}}