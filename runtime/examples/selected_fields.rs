//! A cache of selected fields: a struct of one's own stands for Pods, with a lister, an indexer, a
//! scheme and a controller that owns them.
//!
//! `cargo run --example selected_fields` runs it against an embedded API server.

#![allow(missing_docs, reason = "fields are those of Kubernetes")]

use codegen_runtime::codec;
use codegen_runtime::controller::{Action, BuildError, Controller, reconcile_fn};
use codegen_runtime::informer::SharedInformerFactory;
use codegen_runtime::kube::api::ObjectMeta;
use codegen_runtime::kube::core::Selector;
use codegen_runtime::kube::{Api, Client, ResourceExt};
use codegen_runtime::scheme::Scheme;
use k8s_openapi::api::apps::v1::ReplicaSet;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio_util::sync::CancellationToken;

type Error = Box<dyn std::error::Error + Send + Sync>;

/// What this program reads of a Pod. The name is that of the kind.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Pod {
    pub metadata: ObjectMeta,
    #[serde(default)]
    pub spec: PodSpec,
    #[serde(default)]
    pub status: PodStatus,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodSpec {
    pub node_name: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct PodStatus {
    pub phase: Option<String>,
}

codec::kinds! {
    "" / "v1";
    Pod, "pods", NamespaceResourceScope;
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let server = embedded_apiserver::ApiServer::builder().build()?;
    for line in run(server.client()).await? {
        #[allow(clippy::print_stdout, reason = "what an example says, it prints")]
        {
            println!("{line}");
        }
    }
    Ok(())
}

/// Reconciles ReplicaSets when one of their Pods changes, of which only the selected fields are in
/// memory.
fn controller(factory: &SharedInformerFactory) -> Result<Controller, BuildError> {
    Controller::builder("replicasets", factory)
        .for_::<ReplicaSet>()
        .owns::<Pod>()
        .build(reconcile_fn(|_request| async move {
            Ok::<_, std::convert::Infallible>(Action::done())
        }))
}

/// Returns what happened.
pub async fn run(client: Client) -> Result<Vec<String>, Error> {
    let factory: SharedInformerFactory = SharedInformerFactory::builder(client.clone()).build();
    let pods = factory.informer_for::<Pod>();
    pods.add_indexers([(
        "node".to_owned(),
        std::sync::Arc::new(|pod: &Pod| pod.spec.node_name.clone().into_iter().collect()) as _,
    )])?;
    let mut scheme = Scheme::new();
    scheme.register::<Pod>()?;
    let _controller = controller(&factory)?;

    let whole = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "labels": {"app": "web"}},
        "spec": {"nodeName": "node-1", "containers": [{"name": "web", "image": "nginx"}]},
    });
    let api = Api::<k8s_openapi::api::core::v1::Pod>::namespaced(client, "default");
    api.create(&Default::default(), &serde_json::from_value(whole)?)
        .await?;

    let stop = CancellationToken::new();
    factory.start(&stop);
    factory.wait_for_cache_sync().await?;
    let lister = pods.lister();
    let mut said = Vec::new();
    for pod in lister.list(&Selector::from_iter([("app", "web")])) {
        said.push(format!("cached {}", serde_json::to_value(&pod.spec)?));
    }
    for pod in lister.by_index("node", "node-1")? {
        said.push(format!("{} is on node-1", pod.name_any()));
    }
    factory.shutdown().await;
    Ok(said)
}
