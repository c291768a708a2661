//! A simulated kubelet and scheduler, for API servers without either.
//!
//! Pods get a node, become ready after a delay, end within their grace period, and fail to order. Orders are annotations of the pod (set
//! them in a template, or on one pod):
//!
//! | annotation `simulated.kubelet/…` | effect |
//! |---|---|
//! | `ready-after: 2s` | ready that long after its start; `never` is possible. `--simulate-ready-after` is the default |
//! | `ready: "false"` | not ready, from now on |
//! | `exit: Failed` | ends, with this phase (`Failed` or `Succeeded`) |
//! | `restarts: "3"` | its containers have been restarted so often |
//! | `stop-after: 1s` | takes so long to end, at most its grace period; `never` is all of it. It ends at once by default |
//! | `node: a` | runs on `simulated-node-a` |
//! | `hold: "true"` | nothing changes its status any more |
//!
//! It never touches a pod on a real node: pods are only scheduled while the cluster has no Node at all, and only those on a node called
//! `simulated-node-…`, of which there is no Node object, run here.

mod order;
mod reconcile;
mod status;

use std::time::Duration;

use codegen_runtime::controller::{BuildError, Controller};
use codegen_runtime::informer::SharedInformerFactory;
use codegen_runtime::k8s_openapi::api::core::v1::Pod;

use crate::settings::Settings;
use reconcile::PodSimulator;

/// The name of the simulator in the table of controllers.
pub const NAME: &str = "pod-simulator";

/// The prefix of simulated nodes' names.
pub const NODE_PREFIX: &str = "simulated-node-";

/// The prefix of the annotations that give orders.
pub const ORDERS: &str = "simulated.kubelet/";

/// How simulated pods behave, unless their orders say otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// From the start of a pod until it is ready.
    pub ready_after: Duration,
    /// The number of simulated nodes.
    pub nodes: u16,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            ready_after: Duration::from_millis(100),
            nodes: 3,
        }
    }
}

/// The simulator over the informers of `factory`.
///
/// # Errors
///
/// Never with these sources; see [`BuildError`].
pub fn controller(
    factory: &SharedInformerFactory,
    options: Options,
    settings: &Settings,
) -> Result<Controller, BuildError> {
    let simulator = PodSimulator::new(factory, options);
    Controller::builder(NAME, factory)
        .for_::<Pod>()
        .workers(settings.workers)
        .metrics(&settings.metrics)
        .build(simulator)
}
