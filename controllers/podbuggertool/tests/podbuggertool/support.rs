//! Helpers that run the controllers under test.

use codegen_runtime::client::{Defaults, verbs::WithStatus};
use codegen_runtime::fake::Running;
use codegen_runtime::k8s_openapi::api::core::v1::{EphemeralContainer, Pod};
use codegen_runtime::kube::Client;
use codegen_runtime::kube::api::{Patch, PatchParams};
use controller_testing::cluster::{Cluster, eventually};
use podbuggertool_controller::apis::tools::v1alpha1::{PodBuggerTool, PodBuggerToolStatus};
use podbuggertool_controller::app;
use podbuggertool_controller::generated::clientset::Clientset;
use serde_json::{Value, json};

pub const CRD: &str = include_str!("../../deploy/crd.yaml");

/// Runs the program with `args`; without leader election unless they enable it.
pub fn start(client: Client, args: &[&str]) -> Running {
    Running::program(app::app(), client, args, app::setup)
}

/// A cluster with tools, which are cluster-scoped: on a real cluster scenarios run one at a time.
pub struct Rig {
    pub cluster: Cluster,
    pub tools: Defaults<PodBuggerTool, WithStatus>,
}

impl Rig {
    pub async fn new() -> Self {
        let cluster = Cluster::new(CRD).await;
        let tools = Clientset::new(cluster.client.clone())
            .tools_v1alpha1()
            .pod_bugger_tools()
            .defaults();
        for tool in tools.list().await.unwrap() {
            let name = tool.metadata.name.unwrap();
            tools.delete(&name).await.unwrap();
        }
        if cluster.is_embedded {
            tokio::time::pause();
        }
        Self { cluster, tools }
    }

    pub fn start(&self) -> Running {
        start(
            self.cluster.client.clone(),
            &["--namespace", &self.cluster.namespace],
        )
    }

    /// Creates a tool for the pods with `app=web` in the test's namespace.
    pub async fn tool(&self, name: &str, image: &str) {
        let mut tool = tool(name, image);
        tool.spec.namespaces = vec![self.cluster.namespace.clone()];
        self.tools.create(&tool).await.unwrap();
    }

    pub async fn patch(&self, name: &str, patch: Value) {
        let (params, patch) = (PatchParams::default(), Patch::Merge(patch));
        self.tools.patch(name, &params, &patch).await.unwrap();
    }

    /// Creates a running pod with `app=web`.
    pub async fn web(&self, name: &str) {
        let status = json!({ "phase": "Running" });
        self.cluster
            .pod(name, json!({ "app": "web" }), status)
            .await;
    }

    /// Returns the images of a pod's ephemeral containers, sorted.
    pub async fn images(&self, pod: &str) -> Vec<String> {
        let mut images: Vec<String> = containers(&self.cluster.pods().get(pod).await.unwrap())
            .into_iter()
            .filter_map(|it| it.image)
            .collect();
        images.sort();
        images
    }

    pub async fn until_images(&self, pod: &str, images: &[&str]) {
        let is = async || self.images(pod).await == images;
        assert!(eventually(is).await, "{:?}", self.images(pod).await);
    }

    pub async fn status(&self, name: &str) -> PodBuggerToolStatus {
        let tool = self.tools.get(name).await.unwrap();
        tool.status.unwrap_or_default()
    }

    /// Waits until the tool's condition has this reason for the current generation.
    pub async fn until(&self, name: &str, reason: &str) -> PodBuggerToolStatus {
        let is = async || {
            let tool = self.tools.get(name).await.unwrap();
            let status = tool.status.unwrap_or_default();
            status.observed_generation == tool.metadata.generation
                && status.conditions.iter().any(|it| it.reason == reason)
        };
        assert!(eventually(is).await, "{:#?}", self.status(name).await);
        self.status(name).await
    }

    /// Waits until the status has these counts of selected pods and of pods with the tool.
    pub async fn until_counts(&self, name: &str, matched: i32, with: i32) {
        let is = async || {
            let status = self.status(name).await;
            (status.pods_matched, status.pods_with_tool) == (matched, with)
        };
        assert!(eventually(is).await, "{:#?}", self.status(name).await);
    }
}

pub fn containers(pod: &Pod) -> Vec<EphemeralContainer> {
    let spec = pod.spec.clone().unwrap_or_default();
    spec.ephemeral_containers.unwrap_or_default()
}

pub fn tool(name: &str, image: &str) -> PodBuggerTool {
    serde_json::from_value(json!({
        "apiVersion": "tools.jicki.cn/v1alpha1",
        "kind": "PodBuggerTool",
        "metadata": { "name": name },
        "spec": { "selector": { "matchLabels": { "app": "web" } }, "image": image },
    }))
    .unwrap()
}
