//! One manager for a changing set of clusters: copies labelled ConfigMaps of a hub to every cluster.
//!
//! Each cluster has a controller of its own, which reads the hub's cache and the cluster's, so that
//! a copy that somebody changes or deletes comes back. `cargo run --example clusters` runs it
//! against four embedded API servers. A program of one's own takes the clusters from
//! `KubeconfigFolder` or `KubeconfigSecrets` in place of the channel here.

use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::controller::{Action, BuildError, Controller, Predicate, reconcile_fn};
use codegen_runtime::informer::{SharedInformer, SharedInformerFactory};
use codegen_runtime::kube::api::{Api, DeleteParams, ObjectMeta, Patch, PatchParams, PostParams};
use codegen_runtime::kube::{Client, Error as KubeError, ResourceExt};
use codegen_runtime::manager::Manager;
use codegen_runtime::manager::clusters::{Access, Cluster, ClusterMap, Clusters};
use codegen_runtime::store::ObjectKey;
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

type Error = Box<dyn std::error::Error + Send + Sync>;

/// The label of the maps that are copied, and of the copies.
const LABEL: &str = "example.com/copy";
const MANAGER: &str = "example.com/copies";

#[tokio::main]
async fn main() -> Result<(), Error> {
    let server = || embedded_apiserver::ApiServer::builder().build();
    let (hub, west, east, north) = (server()?, server()?, server()?, server()?);
    let clusters = [west.client(), east.client(), north.client()];
    for line in run(hub.client(), clusters).await? {
        #[allow(clippy::print_stdout, reason = "what an example says, it prints")]
        {
            println!("{line}");
        }
    }
    Ok(())
}

fn is_labelled(map: &ConfigMap) -> bool {
    map.labels().contains_key(LABEL)
}

/// Returns the controller that keeps the copies in `cluster`.
fn copies(hub: &SharedInformer<ConfigMap>, cluster: &Cluster) -> Result<Controller, BuildError> {
    let labelled = Predicate::<ConfigMap>::new(|change| is_labelled(change.object()));
    let originals = hub.lister();
    let existing = cluster.factory().informer_for::<ConfigMap>().lister();
    let client = cluster.client().clone();
    let reconcile = reconcile_fn(move |request| {
        let key: &ObjectKey = &request.key;
        let original = originals.get(key).ok().filter(|map| is_labelled(map));
        let copy = existing.get(key).ok().filter(|map| is_labelled(map));
        let maps: Api<ConfigMap> =
            Api::namespaced(client.clone(), key.namespace().unwrap_or_default());
        let name = key.name().to_owned();
        async move {
            match (original, copy) {
                (Some(original), _) => {
                    let wanted = copy_of(&original);
                    let params = PatchParams::apply(MANAGER).force();
                    maps.patch(&name, &params, &Patch::Apply(wanted)).await?;
                }
                (None, Some(_)) => {
                    maps.delete(&name, &DeleteParams::default()).await?;
                }
                (None, None) => {}
            }
            Ok::<_, KubeError>(Action::done())
        }
    });
    Controller::builder("copies", cluster.factory())
        .for_informer(hub, labelled.clone())
        .watches_when(labelled, |copy: &Arc<ConfigMap>| {
            vec![ObjectKey::of(&**copy)]
        })
        .build(reconcile)
}

fn copy_of(original: &ConfigMap) -> ConfigMap {
    ConfigMap {
        metadata: ObjectMeta {
            name: Some(original.name_any()),
            labels: original.metadata.labels.clone(),
            ..ObjectMeta::default()
        },
        data: original.data.clone(),
        ..ConfigMap::default()
    }
}

/// Runs the manager: two clusters at first, then a third one in place of the first. Returns what
/// was copied.
pub async fn run(hub: Client, [west, east, north]: [Client; 3]) -> Result<Vec<String>, Error> {
    let engaged = |of: &[(&str, &Client)]| -> ClusterMap {
        let each = of.iter();
        each.map(|(name, client)| ((*name).to_owned(), Access::client((*client).clone())))
            .collect()
    };
    let (set, clusters) = watch::channel(engaged(&[("west", &west), ("east", &east)]));
    let factory = SharedInformerFactory::builder(hub.clone()).build();
    let originals = factory.informer_for::<ConfigMap>();
    let clusters = Clusters::new("clusters", clusters, move |cluster: &Cluster| {
        Ok(vec![copies(&originals, cluster)?])
    });
    let manager = Manager::builder(&factory).clusters(clusters).build()?;
    let stop = CancellationToken::new();
    let (running, stopping) = (stop.clone(), stop.clone().drop_guard());
    let running = tokio::spawn(async move { manager.run(&running).await });

    let original = ConfigMap {
        metadata: ObjectMeta {
            name: Some("greeting".to_owned()),
            labels: Some([(LABEL.to_owned(), String::new())].into()),
            ..ObjectMeta::default()
        },
        data: Some([("text".to_owned(), "hello".to_owned())].into()),
        ..ConfigMap::default()
    };
    maps(&hub).create(&PostParams::default(), &original).await?;
    let mut said = Vec::new();
    for (name, client) in [("west", &west), ("east", &east)] {
        said.push(format!("{name} says {}", text(client).await?));
    }
    set.send_replace(engaged(&[("east", &east), ("north", &north)]));
    said.push(format!("north says {}", text(&north).await?));
    drop(stopping);
    running.await??;
    Ok(said)
}

fn maps(client: &Client) -> Api<ConfigMap> {
    Api::namespaced(client.clone(), "default")
}

/// Waits for the copy, and returns its text.
async fn text(client: &Client) -> Result<String, Error> {
    loop {
        let copy = maps(client).get_opt("greeting").await?;
        if let Some(text) = copy.and_then(|map| map.data?.remove("text")) {
            return Ok(text);
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
