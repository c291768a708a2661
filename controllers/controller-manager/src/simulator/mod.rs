//! A simulated kubelet and scheduler, for API servers that have neither.
//!
//! Pods get a node, become ready after a delay, terminate within their grace period, and fail on
//! request. The requests are annotations of the pod, set in a template or on a single pod:
//!
//! | annotation `simulated.kubelet/…` | effect |
//! |---|---|
//! | `ready-after: 2s` | becomes ready that long after its start, or `never`; `--simulate-ready-after` is the default |
//! | `ready: "false"` | not ready, from now on |
//! | `exit: Failed` | terminates with this phase (`Failed` or `Succeeded`) |
//! | `restarts: "3"` | the restart count of its containers |
//! | `stop-after: 1s` | time to terminate, at most its grace period; `never` uses all of it. Immediate by default |
//! | `node: a` | runs on `simulated-node-a` |
//! | `hold: "true"` | its status no longer changes |
//!
//! Pods on real nodes are never touched: pods are only scheduled while the cluster has no Node
//! object, and only those on a node called `simulated-node-…` that has no Node object run here.

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

/// The prefix of the annotations that control a simulated pod.
pub const ORDERS: &str = "simulated.kubelet/";

/// The defaults for simulated pods, which annotations override.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The time from the start of a pod until it is ready.
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

/// Builds the simulator on the informers of `factory`.
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
