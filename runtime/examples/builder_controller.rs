//! A controller built with the builder, under a manager: a quota for the keys of a ConfigMap.
//!
//! It removes the last keys of each ConfigMap that has more than its annotation `example.com/quota`
//! allows, records an event, and cleans up before a map with the finalizer is deleted.
//! `cargo run --example builder_controller` runs it against an embedded API server; `--cluster`
//! uses the cluster of the kubeconfig, in the namespace `default`.

use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::client::TypedClient;
use codegen_runtime::connect;
use codegen_runtime::controller::{
    Action, Controller, ErrorPolicy, Predicate, Reconciler, Request,
};
use codegen_runtime::event::{EventBroadcaster, EventRecorder, Reporter};
use codegen_runtime::finalizer;
use codegen_runtime::informer::SharedInformerFactory;
use codegen_runtime::kube::api::{DeleteParams, ObjectMeta, PostParams};
use codegen_runtime::kube::{Client, ResourceExt};
use codegen_runtime::lister::Lister;
use codegen_runtime::manager::Manager;
use k8s_openapi::api::core::v1::ConfigMap;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

type Error = Box<dyn std::error::Error + Send + Sync>;

const QUOTA: &str = "example.com/quota";
const FINALIZER: &str = "example.com/quota-keeper";

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

/// Why a map cannot be brought under its quota.
#[derive(Debug, thiserror::Error)]
enum QuotaError {
    #[error("the quota {0:?} is not a number")]
    NotANumber(String),
    #[error(transparent)]
    Api(#[from] codegen_runtime::kube::Error),
}

/// Keeps maps under their quota.
struct QuotaKeeper {
    lister: Lister<ConfigMap>,
    maps: TypedClient<ConfigMap>,
    events: EventRecorder,
    said: Arc<Mutex<Vec<String>>>,
}

impl QuotaKeeper {
    fn say(&self, line: String) {
        self.said.lock().push(line);
    }
}

impl Reconciler for QuotaKeeper {
    type Error = QuotaError;

    async fn reconcile(&self, request: Request) -> Result<Action, QuotaError> {
        let Ok(map) = self.lister.get(&request.key) else {
            return Ok(Action::done());
        };
        if finalizer::is_deleting(&*map) {
            if finalizer::contains(&*map, FINALIZER) {
                self.say(format!("cleaned up after {}", map.name_any()));
                finalizer::release(self.maps.api(), &*map, FINALIZER).await?;
            }
            return Ok(Action::done());
        }
        let Some(quota) = map.annotations().get(QUOTA) else {
            return Ok(Action::done());
        };
        let quota: usize = quota
            .parse()
            .map_err(|_| QuotaError::NotANumber(quota.clone()))?;
        // Comes before all other work for the map, so that nothing can be left behind.
        let mut map = finalizer::ensure(self.maps.api(), &*map, FINALIZER).await?;
        let keys: Vec<String> = map
            .data
            .iter()
            .flatten()
            .map(|(key, _)| key.clone())
            .skip(quota)
            .collect();
        if keys.is_empty() {
            return Ok(Action::done());
        }
        map.data
            .iter_mut()
            .for_each(|data| data.retain(|key, _| !keys.contains(key)));
        let map = self.maps.update(&map, &PostParams::default()).await?;
        self.events.warning(
            &map,
            "OverQuota",
            "Remove",
            format!("removed {}", keys.join(", ")),
        );
        self.say(format!(
            "removed {} from {}",
            keys.join(", "),
            map.name_any()
        ));
        Ok(Action::done())
    }

    fn error_policy(&self, _: &Request, error: &QuotaError) -> ErrorPolicy {
        match error {
            // Only a changed annotation can help.
            QuotaError::NotANumber(_) => ErrorPolicy::Terminal,
            QuotaError::Api(_) => ErrorPolicy::Retry,
        }
    }
}

/// Runs the manager, creates a map with too many keys, deletes it, and returns what the controller
/// did.
pub async fn run(client: Client) -> Result<Vec<String>, Error> {
    let factory: SharedInformerFactory = SharedInformerFactory::builder(client.clone())
        .namespace("default")
        .build();
    let broadcaster = EventBroadcaster::new(client.clone());
    let said = Arc::new(Mutex::new(Vec::new()));
    let maps = TypedClient::<ConfigMap>::namespaced(client, "default");
    let keeper = QuotaKeeper {
        lister: factory.informer_for::<ConfigMap>().lister(),
        maps: maps.clone(),
        events: broadcaster.recorder(Reporter::new("example.com/quota-keeper", "example")),
        said: Arc::clone(&said),
    };
    let has_quota =
        Predicate::<ConfigMap>::new(|change| change.object().annotations().contains_key(QUOTA));
    let controller = Controller::builder("quota", &factory)
        .for_when::<ConfigMap>(has_quota)
        .workers(2)
        .reconcile_timeout(Duration::from_secs(30))
        .build(keeper)?;
    let manager = Manager::builder(&factory).controller(controller).build()?;

    let (stop, stop_events) = (CancellationToken::new(), CancellationToken::new());
    let stopped = stop.clone();
    let running = tokio::spawn(async move { manager.run(&stopped).await });
    let ended = stop_events.clone();
    let writing = tokio::spawn(async move { broadcaster.run(&ended).await });

    let metadata = ObjectMeta {
        name: Some("example-quota".to_owned()),
        annotations: Some([(QUOTA.to_owned(), "1".to_owned())].into()),
        ..ObjectMeta::default()
    };
    let data = ["a", "b", "c"]
        .map(|key| (key.to_owned(), "value".to_owned()))
        .into();
    maps.create(
        &ConfigMap {
            metadata,
            data: Some(data),
            ..ConfigMap::default()
        },
        &PostParams::default(),
    )
    .await?;
    let until = |done: fn(Option<ConfigMap>) -> bool| {
        let maps = maps.clone();
        let poll = async move {
            while !done(maps.get_opt("example-quota").await?) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            Ok::<_, Error>(())
        };
        tokio::time::timeout(Duration::from_secs(30), poll)
    };
    until(|map| {
        map.and_then(|map| map.data)
            .is_some_and(|data| data.len() == 1)
    })
    .await??;
    let _ = maps
        .delete("example-quota", &DeleteParams::default())
        .await?;
    until(|map| map.is_none()).await??;

    stop.cancel();
    running.await??;
    stop_events.cancel();
    writing.await?;
    Ok(std::mem::take(&mut *said.lock()))
}
