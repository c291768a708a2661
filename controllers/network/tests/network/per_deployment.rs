//! Networks for Deployments, on an embedded API server with the CRD and garbage collection, or on
//! the cluster of `CONFORMANCE_KUBECONFIG` (`hack/controllers-e2e.sh`).

use std::sync::Arc;

use codegen_runtime::client::{Defaults, TypedClient, verbs::WithStatus};
use codegen_runtime::fake::Running;
use codegen_runtime::k8s_openapi::api::apps::v1::Deployment;
use codegen_runtime::k8s_openapi::api::events::v1::Event;
use codegen_runtime::kube;
use codegen_runtime::kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use controller_testing::cluster::Cluster;
use network_controller::apis::samplecrd::v1::{Network, NetworkPhase as Phase};
use network_controller::backend::simulated::Simulated;
use network_controller::generated::clientset::Clientset;
use serde_json::{Value, json};

use crate::support::{deployment, network, reason, start};

const CRD: &str = include_str!("../../deploy/crd.yaml");

/// A cluster with networks.
struct Rig {
    cluster: Cluster,
    networks: Defaults<Network, WithStatus>,
}

impl Rig {
    async fn new() -> Self {
        let cluster = Cluster::new(CRD).await;
        let clientset = Clientset::new(cluster.client.clone());
        let networks = clientset
            .samplecrd_v1()
            .networks(&cluster.namespace)
            .defaults();
        Self { cluster, networks }
    }

    fn start(&self, args: &[&str]) -> Running {
        let namespace = format!("--namespace={}", self.cluster.namespace);
        let args = [&[namespace.as_str()], args].concat();
        start(
            self.cluster.client.clone(),
            Arc::new(Simulated::new()),
            &args,
        )
    }

    fn deployments(&self) -> TypedClient<Deployment> {
        TypedClient::namespaced(self.cluster.client.clone(), &self.cluster.namespace)
    }

    async fn network(&self, name: &str) -> Option<Network> {
        self.networks.get_opt(name).await.unwrap()
    }

    /// Creates a network without an owner.
    async fn create(&self, name: &str, cidr: &str, gateway: &str) -> kube::Result<Network> {
        let mut network = network(name, cidr, gateway);
        network.metadata.namespace = Some(self.cluster.namespace.clone());
        self.networks.create(&network).await
    }

    async fn delete(&self, name: &str) {
        self.networks.delete(name).await.unwrap();
    }

    async fn deploy(&self, name: &str, metadata: Value) {
        let params = PostParams::default();
        let deployment = deployment(name, metadata);
        self.deployments()
            .create(&deployment, &params)
            .await
            .unwrap();
    }

    async fn label(&self, name: &str, value: Option<&str>) {
        let patch = json!({ "metadata": { "labels": { "samplecrd.k8s.io/network": value } } });
        let params = PatchParams::default();
        let patch = Patch::Merge(patch);
        self.deployments()
            .patch(name, &params, &patch)
            .await
            .unwrap();
    }

    /// Waits for an event with this reason whose note contains `text`.
    async fn until_note(&self, reason: &str, text: &str) {
        let (client, namespace) = (self.cluster.client.clone(), &self.cluster.namespace);
        let events = TypedClient::<Event>::namespaced(client, namespace).defaults();
        let is_told = async || {
            let events = events.list().await.unwrap();
            let mut events = events
                .iter()
                .filter(|it| it.reason.as_deref() == Some(reason));
            events.any(|it| it.note.as_deref().is_some_and(|note| note.contains(text)))
        };
        until(text, is_told).await;
    }

    async fn until_event(&self, reason: &str) {
        let (client, namespace) = (self.cluster.client.clone(), &self.cluster.namespace);
        let events = TypedClient::<Event>::namespaced(client, namespace).defaults();
        let is_told = async || {
            let events = events.list().await.unwrap();
            events.iter().any(|it| it.reason.as_deref() == Some(reason))
        };
        until(reason, is_told).await;
    }

    async fn until_active(&self, name: &str) -> Network {
        let is_active = async || {
            let status = self.network(name).await.and_then(|it| it.status);
            status.is_some_and(|it| it.phase == Phase::Active)
        };
        until(name, is_active).await;
        self.network(name).await.unwrap()
    }
}

async fn until(what: &str, is: impl AsyncFn() -> bool) {
    assert!(controller_testing::cluster::eventually(is).await, "{what}");
}

#[tokio::test]
async fn a_labelled_deployment_has_a_network_as_long_as_it_lives() {
    let rig = Rig::new().await;
    let running = rig.start(&["--network-per-deployment", "--network-pool=10.128.0.0/22"]);
    let auto = json!({ "labels": { "samplecrd.k8s.io/network": "auto" } });
    rig.deploy("web", auto.clone()).await;
    let web = rig.until_active("web").await;
    assert_eq!(
        (web.spec.cidr.as_str(), web.spec.gateway.as_str()),
        ("10.128.0.0/24", "10.128.0.1")
    );
    let owners = web.metadata.owner_references.unwrap();
    assert_eq!(
        (owners[0].kind.as_str(), owners[0].controller),
        ("Deployment", Some(true))
    );

    rig.deploy("api", json!({})).await;
    rig.deploy(
        "six",
        json!({
            "labels": { "samplecrd.k8s.io/network": "auto" },
            "annotations": { "samplecrd.k8s.io/cidr": "fd00:7::/64" },
        }),
    )
    .await;
    assert_eq!(rig.until_active("six").await.spec.gateway, "fd00:7::1");
    assert!(
        rig.network("api").await.is_none(),
        "the Deployment has no label"
    );
    rig.label("api", Some("auto")).await;
    assert_eq!(rig.until_active("api").await.spec.cidr, "10.128.1.0/24");
    rig.label("api", None).await;
    until("the label is removed, and so is the network", async || {
        rig.network("api").await.is_none()
    })
    .await;

    rig.delete("web").await;
    let was = web.metadata.uid;
    until("a deleted network is recreated", async || {
        rig.network("web")
            .await
            .is_some_and(|it| it.metadata.uid != was)
    })
    .await;
    if rig.cluster.collects_garbage {
        let background = DeleteParams::background();
        rig.deployments().delete("web", &background).await.unwrap();
        until("collected with its owner", async || {
            rig.network("web").await.is_none()
        })
        .await;
    }
    running.stop().await;
}

#[tokio::test]
async fn a_deployment_without_a_free_range_gets_the_next_one_that_is_free() {
    let rig = Rig::new().await;
    let running = rig.start(&["--network-per-deployment", "--network-pool=10.128.0.0/24"]);
    let auto = json!({ "labels": { "samplecrd.k8s.io/network": "auto" } });
    rig.deploy("web", auto.clone()).await;
    rig.until_active("web").await;
    rig.deploy("api", auto).await;
    rig.until_event("NoFreeCIDR").await;
    rig.label("web", None).await;
    assert_eq!(rig.until_active("api").await.spec.cidr, "10.128.0.0/24");
    running.stop().await;
}

#[tokio::test]
async fn a_range_that_a_changed_spec_lets_go_of_wakes_who_waits_for_it() {
    let rig = Rig::new().await;
    // Its gateway is invalid, so it is not created at the backend, but it requests the only range.
    rig.create("asks", "10.128.0.0/24", "10.1.0.1")
        .await
        .unwrap();
    let args = [
        "--network-per-deployment",
        "--network-pool=10.128.0.0/24",
        // A resync would trigger a reconciliation by itself.
        "--resync-period=1h",
    ];
    let running = rig.start(&args);
    let auto = json!({ "labels": { "samplecrd.k8s.io/network": "auto" } });
    rig.deploy("web", auto).await;
    rig.until_event("NoFreeCIDR").await;
    let other = json!({ "spec": { "cidr": "10.1.0.0/24" } });
    let (params, patch) = (PatchParams::default(), Patch::Merge(other));
    rig.networks.patch("asks", &params, &patch).await.unwrap();
    assert_eq!(rig.until_active("web").await.spec.cidr, "10.128.0.0/24");
    running.stop().await;
}

#[tokio::test]
async fn a_network_of_somebody_else_is_left_alone() {
    let rig = Rig::new().await;
    rig.create("web", "10.0.0.0/8", "10.0.0.1").await.unwrap();
    let running = rig.start(&["--network-per-deployment"]);
    rig.until_active("web").await;
    let auto = json!({ "labels": { "samplecrd.k8s.io/network": "auto" } });
    rig.deploy("web", auto).await;
    rig.until_event("NetworkExists").await;
    let web = rig.network("web").await.unwrap();
    assert_eq!(
        (web.spec.cidr.as_str(), web.metadata.owner_references),
        ("10.0.0.0/8", None)
    );
    running.stop().await;
}

#[tokio::test]
async fn the_whole_controller_runs_on_the_cluster() {
    let rig = Rig::new().await;
    let running = rig.start(&[]);
    rig.create("blue", "10.0.0.0/8", "10.0.0.1").await.unwrap();
    rig.until_active("blue").await;
    let overlap = rig.create("overlap", "10.1.0.0/16", "10.1.0.1").await;
    overlap.unwrap();
    until("it overlaps", async || {
        let status = rig.network("overlap").await.and_then(|it| it.status);
        status.is_some_and(|it| reason(&it) == "CIDROverlap")
    })
    .await;
    rig.delete("blue").await;
    until("blue is gone", async || rig.network("blue").await.is_none()).await;
    rig.until_active("overlap").await;
    let long = rig.create("long", &"1".repeat(65), "10.0.0.1").await;
    assert!(long.is_err(), "the schema limits it");
    running.stop().await;
}

#[tokio::test]
async fn an_annotation_that_the_network_does_not_follow_is_told() {
    let rig = Rig::new().await;
    let running = rig.start(&["--network-per-deployment"]);
    let auto = json!({ "samplecrd.k8s.io/network": "auto" });
    let cidr = json!({ "samplecrd.k8s.io/cidr": "10.7.0.0/16" });
    rig.deploy("web", json!({ "labels": auto, "annotations": cidr }))
        .await;
    rig.until_active("web").await;
    for (cidr, reason, told) in [
        (
            "10.8.0.0/16",
            "CIDRImmutable",
            "the network web keeps 10.7.0.0/16: write 10.7.0.0/16, or delete the network to get 10.8.0.0/16",
        ),
        ("127.0.0.0/8", "InvalidCIDR", "(loopback)"),
    ] {
        let patch = json!({ "metadata": { "annotations": { "samplecrd.k8s.io/cidr": cidr } } });
        let params = PatchParams::default();
        let deployments = rig.deployments();
        let patched = deployments
            .patch("web", &params, &Patch::Merge(patch))
            .await;
        patched.unwrap();
        rig.until_note(reason, told).await;
    }
    assert_eq!(rig.until_active("web").await.spec.cidr, "10.7.0.0/16");
    running.stop().await;
}
