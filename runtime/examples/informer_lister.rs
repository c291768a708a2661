//! An informer with an index and a handler, and a lister that reads its cache.
//!
//! `cargo run --example informer_lister` runs it against an embedded API server; `--cluster`
//! watches the ConfigMaps of the cluster of the kubeconfig, and changes only the two maps that it
//! creates.

use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::client::TypedClient;
use codegen_runtime::connect;
use codegen_runtime::informer::{InformerError, SharedInformer, SharedInformerFactory, handler};
use codegen_runtime::kube::api::{DeleteParams, ObjectMeta, PostParams};
use codegen_runtime::kube::core::Selector;
use codegen_runtime::kube::{Client, ResourceExt};
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::sync::mpsc;
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

/// Creates a factory of informers for the example's own maps.
fn factory(client: Client) -> SharedInformerFactory {
    SharedInformerFactory::builder(client)
        .namespace("default")
        .resync(Duration::from_secs(300))
        // Drops fields that are not used here.
        .transform::<ConfigMap>(|map| map.metadata.annotations = None)
        .list_options(|params| params.label_selector = Some("example=informer-lister".into()))
        .build()
}

/// Reports changes of the maps. A handler only passes on what happened; the work is done elsewhere.
fn listen(
    informer: &SharedInformer<ConfigMap>,
) -> Result<mpsc::UnboundedReceiver<String>, InformerError> {
    let (events, happened) = mpsc::unbounded_channel();
    let (added, deleted) = (events.clone(), events);
    informer.add_event_handler(
        handler::funcs()
            .on_add(move |map: &Arc<ConfigMap>, _| {
                let _ = added.send(format!("added {}", map.name_any()));
            })
            .on_delete(move |map| {
                let _ = deleted.send(format!("deleted {}", map.key().name()));
            }),
    )?;
    Ok(happened)
}

/// Creates two maps, reads them from the cache, deletes them, and returns the events.
pub async fn run(client: Client) -> Result<Vec<String>, Error> {
    let stop = CancellationToken::new();
    let factory = factory(client.clone());
    let informer = factory.informer_for::<ConfigMap>();
    informer.store().add_indexer("colour", |map: &ConfigMap| {
        let colour = map.data.as_ref().and_then(|data| data.get("colour"));
        colour.cloned().into_iter().collect()
    })?;
    let mut happened = listen(&informer)?;

    factory.start(&stop);
    factory.wait_for_cache_sync().await?;
    let lister = informer.lister();
    let mut said = vec![format!(
        "synced with {} maps",
        lister.list(&Selector::default()).len()
    )];

    let maps = TypedClient::<ConfigMap>::namespaced(client, "default");
    for (name, colour) in [("example-sky", "blue"), ("example-grass", "green")] {
        let created = maps
            .create(&map(name, colour), &PostParams::default())
            .await?;
        // The cache lags behind the server; to read one's own write, wait for its version.
        let version = created.resource_version().unwrap_or_default();
        lister
            .wait_for_resource_version(&version, Duration::from_secs(10))
            .await?;
        said.extend(happened.recv().await);
    }
    let sky = lister.namespace("default").get("example-sky")?;
    said.push(format!("the lister knows {}", sky.name_any()));
    let green = lister.by_index("colour", "green")?;
    said.extend(
        green
            .iter()
            .map(|map| format!("{} is green", map.name_any())),
    );

    for name in ["example-sky", "example-grass"] {
        maps.delete(name, &DeleteParams::default()).await?;
        said.extend(happened.recv().await);
    }
    if let Err(missing) = lister.namespace("default").get("example-sky") {
        said.push(missing.to_string());
    }
    factory.shutdown().await;
    Ok(said)
}

fn map(name: &str, colour: &str) -> ConfigMap {
    ConfigMap {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            labels: Some([("example".to_owned(), "informer-lister".to_owned())].into()),
            ..ObjectMeta::default()
        },
        data: Some([("colour".to_owned(), colour.to_owned())].into()),
        ..ConfigMap::default()
    }
}
