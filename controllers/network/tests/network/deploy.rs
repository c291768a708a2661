//! Checks that the files in `deploy/` match the program and the types.

use std::sync::Arc;

use codegen_runtime::client::TypedClient;
use codegen_runtime::k8s_openapi::api::apps::v1::Deployment;
use controller_testing::deploy::Deploy;
use network_controller::app::{Flags, app};
use network_controller::backend::simulated::Simulated;
use network_controller::generated::clientset::Clientset;
use serde_json::{Value, json};

use crate::support::{eventually, network, start};

fn deploy() -> Deploy {
    Deploy::of(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_kustomization_lists_every_file() {
    deploy().check_kustomization();
}

#[test]
fn the_deployment_passes_flags_that_exist() {
    deploy().check_flags::<Flags>(&app());
}

#[tokio::test]
async fn the_sample_is_valid_and_nonsense_is_not() {
    let wrong = [
        ("/spec", json!({})),
        ("/spec/cidr", json!("1".repeat(65))),
        ("/spec/cidr", json!(["10.0.0.0/8"])),
        ("/spec/gateway", json!(1)),
        ("/spec/gateway", Value::Null),
    ];
    deploy().check_schema("samples/networks.yaml", &wrong).await;
}

#[tokio::test]
async fn the_roles_grant_what_the_controller_uses_and_nothing_else() {
    let server = deploy().server();
    let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "network-system" } });
    server.objects().put(&namespace).unwrap();
    let args = [
        "--leader-elect=true",
        "--network-per-deployment",
        "--lease-lock-namespace=network-system",
    ];
    let client = server.client_as(&deploy().user());
    let running = start(client, Arc::new(Simulated::new()), &args);
    let networks = Clientset::new(server.client())
        .samplecrd_v1()
        .networks("default")
        .defaults();
    let blue = network("blue", "192.168.0.0/16", "192.168.0.1");
    networks.create(&blue).await.unwrap();
    let stored = |name: &str| {
        server
            .objects()
            .get("samplecrd.k8s.io", "networks", "default", name)
    };
    let is_active = || stored("blue").is_some_and(|it| it["status"]["phase"] == "Active");
    assert!(eventually(is_active).await);
    let shown = deploy().row(&server, "blue").await;
    for (column, value) in [
        ("CIDR", "192.168.0.0/16"),
        ("Gateway", "192.168.0.1"),
        ("Phase", "Active"),
    ] {
        assert_eq!(shown[column], value, "{column}");
    }
    let deployments = TypedClient::<Deployment>::namespaced(server.client(), "default").defaults();
    let mut deployment = serde_json::from_value(json!({
        "metadata": { "name": "web", "labels": { "samplecrd.k8s.io/network": "auto" } },
        "spec": {
            "selector": { "matchLabels": { "app": "web" } },
            "template": { "metadata": { "labels": { "app": "web" } }, "spec": { "containers": [{ "name": "c", "image": "i" }] } },
        },
    }))
    .unwrap();
    deployment = deployments.create(&deployment).await.unwrap();
    assert!(eventually(|| stored("web").is_some()).await);
    deployment.metadata.labels = None;
    deployments.update(&deployment).await.unwrap();
    networks.delete("blue").await.unwrap();
    assert!(eventually(|| stored("web").is_none() && stored("blue").is_none()).await);
    let is_told = || {
        let events = server.objects().list("events.k8s.io", "events", "");
        events.iter().any(|it| it["reason"] == "Deleted")
    };
    assert!(eventually(is_told).await);
    running.stop().await;
    // Occasional requests: a list if the server does not stream lists; a repeated event; what only
    // members of shards do.
    let at_times = [
        "delete leases.coordination.k8s.io in network-system",
        "list leases.coordination.k8s.io in network-system",
        "list deployments.apps",
        "list networks.samplecrd.k8s.io",
        "patch events.events.k8s.io",
    ];
    for grant in deploy().check_roles(&server) {
        assert!(at_times.contains(&grant.as_str()), "{grant} is not used");
    }
}
