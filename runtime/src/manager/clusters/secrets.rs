//! Kubeconfigs in Secrets.

use std::error::Error;
use std::sync::Arc;

use k8s_openapi::api::core::v1::Secret;
use kube::core::Selector;
use kube::{Client, ResourceExt};
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use super::{Access, ClusterMap, ClusterSource};
use crate::informer::{SharedInformerFactory, handler};

/// The label of Cluster API's Secrets that names their cluster.
const CLUSTER_NAME: &str = "cluster.x-k8s.io/cluster-name";

/// A cluster for each Secret with a kubeconfig. The kubeconfigs must be
/// [self-contained](Access::self_contained_kubeconfig).
#[derive(Clone)]
pub struct KubeconfigSecrets {
    client: Client,
    namespace: Option<String>,
    selector: String,
    key: String,
    /// Returns the cluster's name within the namespace, for a Secret that stands for one.
    name: fn(&Secret) -> Option<String>,
}

impl KubeconfigSecrets {
    /// The Secrets that `selector` selects by their labels, with the kubeconfig under the key
    /// `kubeconfig`. Each cluster is called `namespace/name`, as its Secret.
    pub fn labelled(client: Client, selector: impl Into<String>) -> Self {
        Self {
            client,
            namespace: None,
            selector: selector.into(),
            key: "kubeconfig".to_owned(),
            name: |secret| Some(secret.name_any()),
        }
    }

    /// The Secrets that Cluster API writes for its workload clusters. Each cluster is called
    /// `namespace/name`, as its Cluster object.
    pub fn cluster_api(client: Client) -> Self {
        Self {
            key: "value".to_owned(),
            name: |secret| {
                let cluster = secret.labels().get(CLUSTER_NAME)?;
                let is_kubeconfig = secret.type_.as_deref() == Some("cluster.x-k8s.io/secret")
                    && secret.name_any() == format!("{cluster}-kubeconfig");
                is_kubeconfig.then(|| cluster.clone())
            },
            ..Self::labelled(client, CLUSTER_NAME)
        }
    }

    /// Restricts it to a namespace.
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    /// Sets the key of the Secrets' data under which the kubeconfig stands.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = key.into();
        self
    }

    /// Returns the cluster of a Secret.
    fn cluster(&self, secret: &Secret) -> Option<(String, Access)> {
        let name = (self.name)(secret)?;
        let namespace = secret.namespace().unwrap_or_default();
        let data = secret.data.as_ref().and_then(|data| data.get(&self.key));
        let yaml = data.and_then(|bytes| String::from_utf8(bytes.0.clone()).ok());
        if yaml.is_none() {
            let (secret, key) = (secret.name_any(), &self.key);
            tracing::warn!(namespace, secret, key, "the Secret has no kubeconfig");
        }
        let access = Access::self_contained_kubeconfig(yaml?);
        Some((format!("{namespace}/{name}"), access))
    }
}

impl ClusterSource for KubeconfigSecrets {
    async fn run(
        &self,
        clusters: watch::Sender<ClusterMap>,
        stop: CancellationToken,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let selector = self.selector.clone();
        let builder = SharedInformerFactory::builder(self.client.clone())
            .name("clusters")
            .list_options(move |params| params.label_selector = Some(selector.clone()))
            .namespaces(self.namespace.clone());
        let factory = builder.build();
        let informer = factory.informer_for::<Secret>();
        let changed = Arc::new(Notify::new());
        let (added, updated, deleted) = (changed.clone(), changed.clone(), changed.clone());
        informer.add_event_handler(
            handler::funcs()
                .on_add(move |_, _| added.notify_one())
                .on_update(move |_, _| updated.notify_one())
                .on_delete(move |_| deleted.notify_one()),
        )?;
        factory.start(&stop);
        let lister = informer.lister();
        let work = async {
            factory.wait_for_cache_sync().await?;
            loop {
                let secrets = lister.list(&Selector::default());
                clusters.send_replace(secrets.iter().filter_map(|it| self.cluster(it)).collect());
                changed.notified().await;
            }
        };
        let result = stop.run_until_cancelled(work).await.unwrap_or(Ok(()));
        factory.shutdown().await;
        result
    }
}
