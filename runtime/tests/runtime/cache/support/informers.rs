//! Informers of ConfigMaps on a scripted server.

use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::informer::SharedInformer;
use codegen_runtime::object::ResourceInfo;
use codegen_runtime::reflector::{ApiSource, ApiSourceOptions, ReflectorOptions};
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::Value;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::objects::list;
use super::{Server, Watch, settle, stores};

/// Creates an informer with plain lists and the specified resync period.
pub fn informer(server: &Server, resync: Duration) -> SharedInformer<ConfigMap> {
    let mut options = ReflectorOptions::default();
    options.watch_list = false;
    let source =
        ApiSource::<ConfigMap>::new(server.client(), &(), None, ApiSourceOptions::default());
    stores::informer(SharedInformer::with_options(
        Arc::new(source),
        ResourceInfo::of::<ConfigMap>(&()),
        resync,
        options,
    ))
}

/// A running informer, stopped when dropped.
pub struct Running {
    pub informer: SharedInformer<ConfigMap>,
    pub stop: CancellationToken,
    pub task: JoinHandle<()>,
}

impl Running {
    pub fn start(informer: &SharedInformer<ConfigMap>) -> Self {
        let stop = CancellationToken::new();
        let (runner, token) = (informer.clone(), stop.clone());
        let task = tokio::spawn(async move { runner.run(&token).await });
        Self {
            informer: informer.clone(),
            stop,
            task,
        }
    }

    /// Starts, answers the list, and returns the watch.
    pub async fn synced(
        server: &Server,
        informer: &SharedInformer<ConfigMap>,
        items: &[Value],
    ) -> (Self, Watch) {
        let running = Self::start(informer);
        server.list().await.json(&list(100, items));
        let watch = server.watch().await.stream();
        assert!(informer.wait_for_sync().await);
        settle().await;
        (running, watch)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}
