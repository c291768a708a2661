//! A controller in the classic shape: an informer whose handler adds keys to a queue, and workers
//! that process them.
//!
//! It copies each ConfigMap labelled `mirror=yes` into one called `NAME-mirror`.
//! `cargo run --example classic_controller` runs it against an embedded API server. `--cluster`
//! uses the cluster of the kubeconfig, in the namespace `default`, and removes what it created.

use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::client::TypedClient;
use codegen_runtime::connect;
use codegen_runtime::controller::run_workers;
use codegen_runtime::informer::{SharedInformer, SharedInformerFactory, handler};
use codegen_runtime::kube::api::{DeleteParams, ObjectMeta, PostParams};
use codegen_runtime::kube::{Client, ResourceExt};
use codegen_runtime::store::ObjectKey;
use codegen_runtime::workqueue::WorkQueue;
use codegen_runtime::{owner, retry};
use k8s_openapi::api::core::v1::ConfigMap;
use tokio_util::sync::CancellationToken;

type Error = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Error> {
    let client = if std::env::args().any(|argument| argument == "--cluster") {
        connect::try_default().await?
    } else {
        embedded_apiserver::ApiServer::builder().build()?.client()
    };
    for line in run(client).await? {
        #[allow(clippy::print_stdout, reason = "what an example says, it prints")]
        {
            println!("{line}");
        }
    }
    Ok(())
}

/// The state shared by the workers.
#[derive(Clone)]
struct Mirror {
    maps: TypedClient<ConfigMap>,
    informer: SharedInformer<ConfigMap>,
    queue: WorkQueue<ObjectKey>,
}

impl Mirror {
    fn new(client: Client, factory: &SharedInformerFactory) -> Result<Self, Error> {
        let (informer, queue) = (factory.informer_for::<ConfigMap>(), WorkQueue::new());
        let (added, updated, deleted) = (queue.clone(), queue.clone(), queue.clone());
        informer.add_event_handler(
            handler::funcs()
                .on_add(move |map: &Arc<ConfigMap>, _| added.add(ObjectKey::of(&**map)))
                .on_update(move |_, map: &Arc<ConfigMap>| updated.add(ObjectKey::of(&**map)))
                .on_delete(move |map| deleted.add(map.key())),
        )?;
        Ok(Self {
            maps: TypedClient::namespaced(client, "default"),
            informer,
            queue,
        })
    }

    /// Processes one item of the queue.
    async fn process(self, key: ObjectKey) {
        match self.sync(&key).await {
            Ok(()) => self.queue.forget(&key),
            Err(error) => {
                tracing::warn!(%key, %error, "trying again");
                // A busy API server asks to wait.
                let least = retry::retry_after(&*error).unwrap_or_default();
                self.queue.add_rate_limited_after(key, least);
            }
        }
    }

    /// Brings the mirror of a map up to date.
    async fn sync(&self, key: &ObjectKey) -> Result<(), Error> {
        // A deleted object needs no work: its mirror has an owner reference, and is
        // garbage-collected.
        let Some(map) = self.informer.lister().get(key).ok() else {
            return Ok(());
        };
        if map
            .labels()
            .get("mirror")
            .is_none_or(|mirror| mirror != "yes")
        {
            return Ok(());
        }
        let name = format!("{}-mirror", map.name_any());
        let metadata = ObjectMeta {
            name: Some(name.clone()),
            namespace: map.namespace(),
            ..ObjectMeta::default()
        };
        let mut mirror = ConfigMap {
            metadata,
            data: map.data.clone(),
            ..ConfigMap::default()
        };
        owner::set_controller_reference(&*map, &mut mirror)?;
        let Some(mut current) = self.maps.get_opt(&name).await? else {
            self.maps.create(&mirror, &PostParams::default()).await?;
            return Ok(());
        };
        if !owner::is_controlled_by(&current, &*map) {
            return Err(format!("{name} belongs to somebody else").into());
        }
        if current.data != mirror.data {
            current.data = mirror.data;
            self.maps.update(&current, &PostParams::default()).await?;
        }
        Ok(())
    }
}

/// Runs the controller, creates a map, changes it, and returns its mirror.
pub async fn run(client: Client) -> Result<Vec<String>, Error> {
    let stop = CancellationToken::new();
    let factory: SharedInformerFactory = SharedInformerFactory::builder(client.clone())
        .namespace("default")
        .build();
    let mirror = Mirror::new(client.clone(), &factory)?;
    factory.start(&stop);
    factory.wait_for_cache_sync().await?;
    let (queue, worker, stopped) = (mirror.queue.clone(), mirror.clone(), stop.clone());
    let workers = tokio::spawn(async move {
        run_workers(&queue, 2, &stopped, move |key| worker.clone().process(key)).await;
    });

    let maps = TypedClient::<ConfigMap>::namespaced(client, "default");
    let metadata = ObjectMeta {
        name: Some("example-words".to_owned()),
        labels: Some([("mirror".to_owned(), "yes".to_owned())].into()),
        ..ObjectMeta::default()
    };
    let words = ConfigMap {
        metadata,
        ..ConfigMap::default()
    };
    maps.create(&words, &PostParams::default()).await?;
    let mut said = Vec::new();
    for word in ["hello", "world"] {
        retry::on_conflict(retry::DEFAULT_RETRY, || async {
            let mut words = maps.get("example-words").await?;
            words.data = Some([("word".to_owned(), word.to_owned())].into());
            maps.update(&words, &PostParams::default()).await
        })
        .await?;
        let mirrored = async {
            loop {
                let mirror = maps.get_opt("example-words-mirror").await?;
                if mirror
                    .and_then(|mirror| mirror.data)
                    .is_some_and(|data| data.get("word").is_some_and(|it| it == word))
                {
                    return Ok::<_, Error>(());
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), mirrored).await??;
        said.push(format!("the mirror says {word}"));
    }

    stop.cancel();
    workers.await?;
    factory.shutdown().await;
    for name in ["example-words-mirror", "example-words"] {
        let _ = maps.delete(name, &DeleteParams::default()).await?;
    }
    said.push(format!(
        "{} items are left in the queue",
        mirror.queue.len()
    ));
    Ok(said)
}
