//! The files of `deploy/`: what they hold fits the program and the types.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::app::Invocation;
use codegen_runtime::kube::api::{DeleteParams, PostParams};
use embedded_apiserver::{ApiServer, assert_rbac};
use network_controller::app::{Flags, setup_with};
use network_controller::backend::simulated::Simulated;
use network_controller::generated::clientset::Clientset;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::support::{app, eventually, network};

fn documents(file: &str) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy");
    serde_saphyr::from_multiple(&fs::read_to_string(folder.join(file)).unwrap()).unwrap()
}

#[test]
fn the_deployment_passes_flags_that_exist() {
    let deployment = documents("deployment.yaml").remove(0);
    let container = &deployment["spec"]["template"]["spec"]["containers"][0];
    let args = container["args"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str);
    let invocation = app()
        .try_parse_from::<Flags>(["network-controller"].into_iter().chain(args))
        .unwrap();
    invocation.flags.election.config("pod").unwrap();
    assert!(invocation.flags.metrics_bind_address.0.is_some());
    assert!(invocation.flags.health_probe_bind_address.0.is_some());
}

#[test]
fn the_columns_are_those_of_the_markers() {
    let types = include_str!("../../src/apis/samplecrd/v1/types.rs");
    let crd = documents("crd.yaml").remove(0);
    let columns = crd["spec"]["versions"][0]["additionalPrinterColumns"]
        .as_array()
        .unwrap();
    assert_eq!(
        types.matches("+kubebuilder:printcolumn:").count(),
        columns.len()
    );
    for column in columns {
        let text = |field: &str| column[field].as_str().unwrap();
        let marker = format!(
            "name={},type={},JSONPath=`{}`",
            text("name"),
            text("type"),
            text("jsonPath")
        );
        assert!(types.contains(&marker), "{marker}");
    }
}

#[test]
fn everything_is_in_the_kustomization() {
    let listed = documents("kustomization.yaml").remove(0);
    for file in listed["resources"].as_array().unwrap() {
        assert!(!documents(file.as_str().unwrap()).is_empty(), "{file}");
    }
}

#[tokio::test]
async fn the_roles_grant_what_the_controller_uses_and_nothing_else() {
    let server = ApiServer::builder()
        .crd_values(documents("crd.yaml"))
        .build()
        .unwrap();
    let stop = CancellationToken::new();
    let args = [
        "network-controller",
        "--network-per-deployment",
        "--lease-lock-namespace=network-system",
    ];
    let Invocation { flags, own, .. } = app().try_parse_from::<Flags>(args).unwrap();
    let namespaces = codegen_runtime::kube::Api::all(server.client());
    let mut namespace = codegen_runtime::k8s_openapi::api::core::v1::Namespace::default();
    namespace.metadata.name = Some("network-system".to_owned());
    namespaces
        .create(&PostParams::default(), &namespace)
        .await
        .unwrap();
    let (client, stopped) = (server.client_as("network-controller"), stop.clone());
    let running = tokio::spawn(async move {
        let setup = async |process, own| setup_with(process, own, Arc::new(Simulated::new()));
        app()
            .run_with(client, flags, own, setup, &stopped)
            .await
            .unwrap();
    });
    let networks = Clientset::new(server.client())
        .samplecrd_v1()
        .networks("default");
    networks
        .create(
            &network("blue", "192.168.0.0/16", "192.168.0.1"),
            &PostParams::default(),
        )
        .await
        .unwrap();
    let stored = |name: &str| {
        server
            .objects()
            .get("samplecrd.k8s.io", "networks", "default", name)
    };
    assert!(
        eventually(|| stored("blue").is_some_and(|it| it["status"]["phase"] == "Active")).await
    );
    let deployments = codegen_runtime::kube::Api::<
        codegen_runtime::k8s_openapi::api::apps::v1::Deployment,
    >::namespaced(server.client(), "default");
    let mut deployment = serde_json::from_value(serde_json::json!({
        "metadata": { "name": "web", "labels": { "samplecrd.k8s.io/network": "auto" } },
        "spec": {
            "selector": { "matchLabels": { "app": "web" } },
            "template": { "metadata": { "labels": { "app": "web" } }, "spec": { "containers": [{ "name": "c", "image": "i" }] } },
        },
    }))
    .unwrap();
    deployment = deployments
        .create(&PostParams::default(), &deployment)
        .await
        .unwrap();
    assert!(eventually(|| stored("web").is_some()).await);
    deployment.metadata.labels = None;
    deployments
        .replace("web", &PostParams::default(), &deployment)
        .await
        .unwrap();
    drop(
        networks
            .delete("blue", &DeleteParams::default())
            .await
            .unwrap(),
    );
    assert!(eventually(|| stored("web").is_none() && stored("blue").is_none()).await);
    tokio::time::sleep(Duration::from_millis(200)).await;
    stop.cancel();
    running.await.unwrap();
    let unused = assert_rbac(
        &server,
        "network-controller",
        [include_str!("../../deploy/role.yaml")],
    );
    // What only happens at times: a list, where the server streams none; an event that comes again.
    let unused: Vec<String> = unused
        .iter()
        .map(|it| format!("{} {}", it.verb, it.resource))
        .collect();
    let at_times = ["list deployments", "list networks", "patch events"];
    for grant in unused {
        assert!(at_times.contains(&grant.as_str()), "{grant} is not used");
    }
}
