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

use std::sync::Arc;

use codegen_runtime::controller::{BuildError, Controller};
use codegen_runtime::event::EventRecorder;
use codegen_runtime::informer::SharedInformerFactory;
use codegen_runtime::k8s_openapi::api::apps::v1::ReplicaSet;
use codegen_runtime::k8s_openapi::api::core::v1::Pod;
use codegen_runtime::kube::core::SelectorExt;
use codegen_runtime::lister::Lister;
use codegen_runtime::owner::controller_of;
use codegen_runtime::store::ObjectKey;

use crate::caches::selector;
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
    Controller::builder(NAME, factory)
        .for_::<ReplicaSet>()
        .owns::<Pod>()
        .watches::<Pod>(move |pod| adopters(&sets, pod))
        .workers(settings.workers)
        .metrics(&settings.metrics)
        .build(reconciler)
}

/// Returns the replica sets that may adopt `pod`: none if it has a controller.
fn adopters(sets: &Lister<ReplicaSet>, pod: &Arc<Pod>) -> Vec<ObjectKey> {
    if controller_of(&**pod).is_some() || pod.metadata.deletion_timestamp.is_some() {
        return Vec::new();
    }
    let Some(labels) = pod
        .metadata
        .labels
        .as_ref()
        .filter(|labels| !labels.is_empty())
    else {
        return Vec::new();
    };
    let namespace = pod.metadata.namespace.as_deref().unwrap_or_default();
    let sets = sets.namespace(namespace).list(&Default::default());
    let matches = sets
        .into_iter()
        .filter(|set| selector(&set.spec.selector).is_ok_and(|selector| selector.matches(labels)));
    matches.map(|set| ObjectKey::of(&*set)).collect()
}
