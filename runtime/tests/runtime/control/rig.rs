//! The fixture of the controllers' tests: server, factory and a log.

use std::sync::{Arc, Mutex};

use codegen_runtime::controller::{Builder, Controller, ControllerError};
use codegen_runtime::informer::SharedInformerFactory;
use codegen_runtime::metrics::Metrics;
use codegen_runtime::workqueue::ItemExponentialFailureRateLimiter;
use serde_json::json;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::control::secs;
use crate::control::server::Server;

/// A server, its factory, and a log of a controller's actions with their times.
pub struct Rig {
    pub server: Server,
    pub factory: SharedInformerFactory,
    pub stop: CancellationToken,
    pub metrics: Metrics,
    start: Instant,
    log: Arc<Mutex<Vec<(u64, String)>>>,
    /// Kept, since their series are gone with them.
    controllers: Mutex<Vec<Arc<Controller>>>,
}

impl Rig {
    pub fn new() -> Self {
        let server = Server::new();
        let factory = SharedInformerFactory::builder(server.client_of("informers")).build();
        let (stop, metrics, log) = (CancellationToken::new(), Metrics::new(), Arc::default());
        Self {
            server,
            factory,
            stop,
            metrics,
            start: Instant::now(),
            log,
            controllers: Mutex::default(),
        }
    }

    /// Returns a builder called `test`, with a back-off of 1, 2, 4 … s.
    pub fn builder(&self) -> Builder {
        let limiter = ItemExponentialFailureRateLimiter::new(secs(1), secs(1000));
        Controller::builder("test", &self.factory)
            .metrics(&self.metrics)
            .rate_limiter(limiter)
    }

    pub fn put(&self, name: &str) {
        self.server.put(
            &format!("configmaps/default/{name}"),
            json!({"data": {"at": format!("{:?}", Instant::now())}}),
        );
    }

    /// Returns a function that adds to the log.
    pub fn log(&self) -> impl Fn(&str) + Clone + Send + Sync + use<> {
        let (log, start) = (Arc::clone(&self.log), self.start);
        move |what| {
            log.lock()
                .unwrap()
                .push((start.elapsed().as_secs(), what.to_owned()))
        }
    }

    /// Returns the log since the last call, each entry with its second.
    pub fn take(&self) -> Vec<(u64, String)> {
        std::mem::take(&mut self.log.lock().unwrap())
    }

    /// Returns the entries of the log since the last call.
    pub fn names(&self) -> Vec<String> {
        self.take().into_iter().map(|(_, what)| what).collect()
    }

    pub fn run(&self, controller: Controller) -> JoinHandle<Result<(), ControllerError>> {
        self.factory.start(&CancellationToken::new());
        let (stop, controller) = (self.stop.clone(), Arc::new(controller));
        self.controllers.lock().unwrap().push(controller.clone());
        tokio::spawn(async move { controller.run(&stop, None).await })
    }

    pub fn metric(&self, series: &str) -> f64 {
        let text = self.metrics.encode().unwrap();
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no {series} in\n{text}"))
            .parse()
            .unwrap()
    }
}
