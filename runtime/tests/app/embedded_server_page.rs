//! The code of the embedded server's README, which quotes it.

use codegen_runtime::app::BoxError;
use codegen_runtime::kube;
use codegen_runtime::kube::api::{Api, ListParams};
use embedded_apiserver::{ApiError, ApiServer, Fault, FaultKind, Reaction, assert_rbac};
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

const CRD: &str = include_str!("../../../controllers/podset/deploy/crd.yaml");
const ROLE: &str = include_str!("../../../controllers/podset/deploy/role.yaml");

async fn overview(
    crd: CustomResourceDefinition,
    config_map: serde_json::Value,
) -> Result<(), BoxError> {
    let server = ApiServer::builder()
        .crds([crd])
        .objects([config_map])
        .build()?;
    let client: kube::Client = server.client(); // no socket
    let serving = server.serve("127.0.0.1:0").await?; // plain HTTP, no authentication: keep it on loopback

    let conflict = Fault::new(FaultKind::Conflict).on("update", "leases");
    server.faults().add(conflict.once());
    server.prepend_reactor("create", "pods", |_| {
        Reaction::Fail(ApiError::internal("no"))
    });
    let pods = Api::<Pod>::all(server.client_as("my-controller"));
    pods.list(&ListParams::default()).await?;
    let actions = server.recorder().actions(); // every request for objects
    let unused = assert_rbac(&server, "my-controller", [ROLE]); // checks the requests of client_as("my-controller")
    let stored = server.objects().get("", "configmaps", "default", "a");

    drop((client, serving));
    assert_eq!(actions.len(), 1);
    assert!(!unused.is_empty(), "no request used a rule");
    assert!(stored.is_some());
    Ok(())
}

#[tokio::test]
async fn the_overview_runs() {
    let map = serde_json::json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default"},
    });
    let crd = serde_saphyr::from_str(CRD).unwrap();
    overview(crd, map).await.unwrap();
}
