//! Records, through watches, the sizes of replica sets and the numbers of ready pods between two
//! steps.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use codegen_runtime::k8s_openapi::api::apps::v1::ReplicaSet;
use codegen_runtime::k8s_openapi::api::core::v1::Pod;
use codegen_runtime::kube::api::{Api, ListParams, WatchEvent, WatchParams};
use codegen_runtime::kube::{Client, Resource, ResourceExt};
use controller_manager::pods::{is_active, is_ready};
use futures::StreamExt;
use serde::de::DeserializeOwned;
use tokio::task::JoinHandle;

/// The extremes since recording started.
#[derive(Clone, Debug, Default)]
pub(super) struct Extremes {
    /// The largest sum of the sizes of all replica sets.
    pub(super) most: i64,
    /// The smallest number of ready pods; `None` until there was a pod.
    pub(super) fewest_ready: Option<i64>,
    /// The largest number of replica sets with a size above zero.
    pub(super) most_active: i64,
}

pub(super) struct Record {
    extremes: Arc<Mutex<Extremes>>,
    tasks: Vec<JoinHandle<()>>,
}

impl Record {
    pub(super) async fn start(client: &Client, namespace: &str) -> Self {
        let extremes = Arc::<Mutex<Extremes>>::default();
        let sizes = extremes.clone();
        let sets = follow(
            Api::<ReplicaSet>::namespaced(client.clone(), namespace),
            move |sets| {
                let sizes_of = sets
                    .values()
                    .map(|set| i64::from(set.spec.replicas.unwrap_or(1)));
                let mut extremes = sizes.lock().expect("no panic");
                extremes.most = extremes.most.max(sizes_of.clone().sum());
                extremes.most_active = extremes
                    .most_active
                    .max(sizes_of.filter(|size| *size > 0).count() as i64);
            },
        );
        let ready = extremes.clone();
        let pods = follow(
            Api::<Pod>::namespaced(client.clone(), namespace),
            move |pods| {
                let count = pods
                    .values()
                    .filter(|pod| is_active(pod) && is_ready(pod))
                    .count() as i64;
                let mut extremes = ready.lock().expect("no panic");
                extremes.fewest_ready = Some(
                    extremes
                        .fewest_ready
                        .map_or(count, |fewest| fewest.min(count)),
                );
            },
        );
        Self {
            extremes,
            tasks: vec![sets.await, pods.await],
        }
    }

    pub(super) fn extremes(&self) -> Extremes {
        self.extremes.lock().expect("no panic").clone()
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

/// Calls `look` with all objects, now and after every event.
async fn follow<K>(
    api: Api<K>,
    look: impl Fn(&BTreeMap<String, K>) + Send + 'static,
) -> JoinHandle<()>
where
    K: Resource + Clone + DeserializeOwned + std::fmt::Debug + Send + 'static,
{
    let list = api.list(&ListParams::default()).await.expect("a list");
    let version = list.metadata.resource_version.clone().unwrap_or_default();
    let mut known: BTreeMap<String, K> = list
        .items
        .into_iter()
        .map(|it| (it.name_any(), it))
        .collect();
    look(&known);
    let mut events = api
        .watch(&WatchParams::default(), &version)
        .await
        .expect("a watch")
        .boxed();
    tokio::spawn(async move {
        while let Some(Ok(event)) = events.next().await {
            match event {
                WatchEvent::Added(it) | WatchEvent::Modified(it) => {
                    drop(known.insert(it.name_any(), it))
                }
                WatchEvent::Deleted(it) => drop(known.remove(&it.name_any())),
                WatchEvent::Bookmark(_) | WatchEvent::Error(_) => {}
            }
            look(&known);
        }
    })
}
