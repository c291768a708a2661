//! Helpers that run the controller under test.

use codegen_runtime::client::TypedClient;
use codegen_runtime::fake::Running;
use codegen_runtime::k8s_openapi::api::apps::v1::Deployment;
use codegen_runtime::kube::Client;
use codegen_runtime::kube::api::{Patch, PatchParams};
use controller_testing::cluster::{Cluster, eventually};
use podset_controller::apis::apps::v1alpha1::{PodSet, PodSetStatus};
use podset_controller::app;
use podset_controller::generated::clientset::Clientset;
use podset_controller::generated::clientset::typed::apps::v1alpha1::PodSets;
use serde_json::{Value, json};

pub const CRD: &str = include_str!("../../deploy/crd.yaml");

/// Runs the program with `args`; without leader election unless they enable it.
pub fn start(client: Client, args: &[&str]) -> Running {
    Running::program(app::app(), client, args, app::setup)
}

/// A cluster with pod sets.
pub struct Rig {
    pub cluster: Cluster,
    pub clientset: Clientset,
}

impl Rig {
    pub async fn new() -> Self {
        let cluster = Cluster::new(CRD).await;
        Self {
            clientset: Clientset::new(cluster.client.clone()),
            cluster,
        }
    }

    pub fn start(&self) -> Running {
        start(
            self.cluster.client.clone(),
            &["--namespace", &self.cluster.namespace],
        )
    }

    pub fn deployments(&self) -> TypedClient<Deployment> {
        TypedClient::namespaced(self.cluster.client.clone(), &self.cluster.namespace)
    }

    pub fn sets(&self) -> PodSets {
        let sets = self.clientset.apps_v1alpha1();
        sets.pod_sets(&self.cluster.namespace)
    }

    pub async fn create(&self, name: &str, size: i32) {
        self.sets()
            .defaults()
            .create(&set(name, size))
            .await
            .unwrap();
    }

    pub async fn patch(&self, name: &str, patch: Value) {
        let (params, patch) = (PatchParams::default(), Patch::Merge(patch));
        self.sets().patch(name, &params, &patch).await.unwrap();
    }

    pub async fn status(&self, name: &str) -> PodSetStatus {
        let set = self.sets().get_opt(name).await.unwrap();
        set.and_then(|it| it.status).unwrap_or_default()
    }

    /// Waits until the set's condition has this reason for the current generation.
    pub async fn until(&self, name: &str, reason: &str) -> PodSetStatus {
        let is = async || {
            let set = self.sets().get(name).await.unwrap();
            let status = set.status.unwrap_or_default();
            status.observed_generation == set.metadata.generation
                && status.conditions.iter().any(|it| it.reason == reason)
        };
        assert!(eventually(is).await, "{:#?}", self.status(name).await);
        self.status(name).await
    }

    pub async fn until_replicas(&self, name: &str, replicas: i32) {
        let is = async || {
            let deployment = self.deployments().get_opt(name).await.unwrap();
            deployment.is_some_and(|it| it.spec.replicas == Some(replicas))
        };
        assert!(
            eventually(is).await,
            "{:#?}",
            self.deployments().get_opt(name).await
        );
    }

    /// Creates a pod as the Deployment's replica set would.
    pub async fn pod(&self, name: &str, set: &str, is_ready: bool) {
        let labels = json!({ "app": "podSet", "podSet_cr": set });
        let ready = if is_ready { "True" } else { "False" };
        let status =
            json!({ "phase": "Running", "conditions": [{ "type": "Ready", "status": ready }] });
        self.cluster.pod(name, labels, status).await;
    }

    /// Waits until the status counts that many pods and ready pods.
    pub async fn until_counts(&self, name: &str, size: i32, ready: i32) -> PodSetStatus {
        let is = async || {
            let status = self.status(name).await;
            (status.size, status.ready_replicas) == (size, ready)
        };
        assert!(eventually(is).await, "{:#?}", self.status(name).await);
        self.status(name).await
    }

    pub async fn until_nodes(&self, name: &str, nodes: &[&str]) {
        let is = async || self.status(name).await.nodes == nodes;
        assert!(eventually(is).await, "{:#?}", self.status(name).await);
    }
}

pub fn set(name: &str, size: i32) -> PodSet {
    let mut set = PodSet::default();
    set.metadata.name = Some(name.to_owned());
    set.spec.size = size;
    set
}
