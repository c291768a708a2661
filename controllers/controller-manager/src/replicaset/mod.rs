//! The ReplicaSet loop: keeps the desired number of pods of a template.
//!
//! A reconciliation claims the pods that match the selector, creates or deletes the difference, and
//! writes the status. [`expectations`] keep it from acting on a cache that does not show its last
//! creations and deletions yet; the status is deferred as long ([`deferral`]). The decisions are
//! pure functions: [`batch`] (how many at once), [`rank`] (which pods to delete) and [`status`].
//! Start at [`reconcile`].

pub mod batch;
pub mod deferral;
pub mod expectations;
pub mod rank;
pub mod reconcile;
pub mod status;

use codegen_runtime::controller::{BuildError, Controller};
use codegen_runtime::event::EventRecorder;
use codegen_runtime::informer::SharedInformerFactory;
use codegen_runtime::k8s_openapi::api::apps::v1::ReplicaSet;
use codegen_runtime::k8s_openapi::api::core::v1::Pod;

use crate::caches::{adopters, selector};
use crate::settings::Settings;
use reconcile::ReplicaSetReconciler;

/// The name of the loop, as in kube-controller-manager.
pub const NAME: &str = "replicaset-controller";

/// Builds the controller on the informers of `factory`.
///
/// # Errors
///
/// Never with these sources; see [`BuildError`].
pub fn controller(
    factory: &SharedInformerFactory,
    recorder: EventRecorder,
    settings: &Settings,
) -> Result<Controller, BuildError> {
    let reconciler = ReplicaSetReconciler::new(factory, recorder);
    let sets = factory.informer_for::<ReplicaSet>().lister();
    let selector_of = |set: &ReplicaSet| selector(&set.spec.selector).ok();
    Controller::builder(NAME, factory)
        .for_::<ReplicaSet>()
        .owns::<Pod>()
        .watches::<Pod>(move |pod| adopters(&sets, &**pod, selector_of))
        .workers(settings.workers)
        .metrics(&settings.metrics)
        .build(reconciler)
}
