//! The loops together with an API server in one process, for tests of operators: a Deployment that
//! an operator creates becomes available.
//!
//! ```
//! # async fn example() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
//! use controller_manager::testing::ControlPlane;
//! use embedded_apiserver::ApiServer;
//!
//! let server = ApiServer::builder().build()?;
//! let loops = ControlPlane::start(server.client())?;
//! // … create a Deployment with `server.client()`, and see its pods become ready
//! loops.stop().await?;
//! # Ok(())
//! # }
//! ```

use std::time::Duration;

use codegen_runtime::event::{EventBroadcaster, Reporter};
use codegen_runtime::informer::SharedInformerFactory;
use codegen_runtime::kube::Client;
use codegen_runtime::manager::{Manager, ManagerError, Selection};
use codegen_runtime::metrics::Metrics;
use tokio::task::{JoinError, JoinHandle};
use tokio_util::sync::CancellationToken;

use crate::settings::Settings;
use crate::simulator;
use crate::supervised;
use crate::table::{self, BoxError, Context};

/// The number of workers of each loop.
const WORKERS: usize = 5;

/// The running loops. Dropping it stops them without waiting for their work.
#[derive(Debug)]
pub struct ControlPlane {
    stop: CancellationToken,
    task: JoinHandle<Result<(), ManagerError>>,
}

impl ControlPlane {
    /// Starts the Deployment and ReplicaSet loops and the simulated kubelet with `client`.
    ///
    /// # Errors
    ///
    /// If a loop cannot be built.
    ///
    /// # Panics
    ///
    /// If called outside a tokio runtime.
    pub fn start(client: Client) -> Result<Self, BoxError> {
        let selection = "deployment,replicaset,pod-simulator"
            .parse()
            .unwrap_or_default();
        Self::start_with(client, &selection, simulator::Options::default())
    }

    /// Like [`start`](Self::start), with the controllers that `selection` enables.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start), and if the selection names an unknown controller.
    ///
    /// # Panics
    ///
    /// If called outside a tokio runtime.
    pub fn start_with(
        client: Client,
        selection: &Selection,
        simulator: simulator::Options,
    ) -> Result<Self, BoxError> {
        let selected = table::selected(selection)?;
        let factory = table::factory(SharedInformerFactory::builder(client.clone()), &selected);
        let (events, metrics) = (EventBroadcaster::new(client.clone()), Metrics::new());
        let controllers = {
            let context = Context {
                client,
                factory: factory.clone(),
                recorder: &|name| events.recorder(Reporter::new(name, "test")),
                settings: Settings {
                    workers: WORKERS,
                    metrics: metrics.clone(),
                },
                identity: "test".to_owned(),
                namespaces: Vec::new(),
                simulator,
            };
            selected
                .into_iter()
                .map(|descriptor| (descriptor.build)(&context))
                .collect::<Result<Vec<_>, _>>()?
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
        };
        let manager = Manager::builder(&factory).metrics(&metrics).events(events);
        let add = |manager, controller| supervised::add(manager, controller, Duration::ZERO);
        let manager = controllers.into_iter().fold(manager, add);
        let manager = manager.build()?;
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let task = tokio::spawn(async move { manager.run(&stopped).await });
        Ok(Self { stop, task })
    }

    /// Stops the loops gracefully: reconciliations in progress are finished.
    ///
    /// # Errors
    ///
    /// If a loop had failed.
    pub async fn stop(mut self) -> Result<(), BoxError> {
        self.stop.cancel();
        (&mut self.task).await??;
        Ok(())
    }

    /// Ends the loops immediately, like a process that is killed.
    pub async fn kill(mut self) {
        self.task.abort();
        let _: Result<_, JoinError> = (&mut self.task).await;
    }
}

impl Drop for ControlPlane {
    fn drop(&mut self) {
        self.stop.cancel();
        self.task.abort();
    }
}
