//! The Deployment loop: creates a replica set per template, and replaces old ones within the limits
//! of the strategy.
//!
//! A reconciliation claims the replica sets that match the selector, finds or creates the one for
//! the current template, changes sizes, and writes the status. The decisions are pure functions:
//! [`limits`] (rounding of maxSurge and maxUnavailable), [`rolling`], [`proportional`] (scaling
//! during a rollout), [`history`], [`revision`] (annotations) and [`status`]. Start at
//! [`reconcile`].
//!
//! `kubectl rollout undo` sets the template of an old replica set, which this loop finds and gives
//! the next revision. The annotation `deprecated.deployment.rollback.to` of `extensions/v1beta1` is
//! ignored.

pub mod conditions;
mod create;
pub mod history;
pub mod limits;
pub mod proportional;
pub mod reconcile;
pub mod revision;
pub mod rolling;
mod rollout;
pub mod sets;
pub mod status;
pub mod template;

use codegen_runtime::controller::{BuildError, Change, Controller, Predicate};
use codegen_runtime::event::EventRecorder;
use codegen_runtime::informer::SharedInformerFactory;
use codegen_runtime::k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
use codegen_runtime::k8s_openapi::api::core::v1::Pod;
use codegen_runtime::kube::Resource;
use codegen_runtime::kube::core::Selector;
use codegen_runtime::lister::Lister;
use codegen_runtime::owner::controller_of;
use codegen_runtime::store::ObjectKey;

use crate::caches::{adopters, selector};
use crate::settings::Settings;
use reconcile::DeploymentReconciler;

/// The name of the loop, as in kube-controller-manager.
pub const NAME: &str = "deployment-controller";

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
    let reconciler = DeploymentReconciler::new(factory, recorder);
    let deployments = factory.informer_for::<Deployment>().lister();
    let recreated = deployments.clone();
    let sets = factory.informer_for::<ReplicaSet>().lister();
    let gone = Predicate::new(|change: &Change<'_, Pod>| matches!(change, Change::Deleted(_)));
    Controller::builder(NAME, factory)
        .for_::<Deployment>()
        .owns::<ReplicaSet>()
        .watches::<ReplicaSet>(move |set| adopters(&deployments, &**set, selector_of))
        // Recreate waits for the last old pod to be gone, which no replica set's status shows.
        .watches_when::<Pod>(gone, move |pod| {
            recreates(&recreated, &sets, pod).into_iter().collect()
        })
        .workers(settings.workers)
        .metrics(&settings.metrics)
        .build(reconciler)
}

/// Returns the selector of a deployment, unless it selects every object.
fn selector_of(deployment: &Deployment) -> Option<Selector> {
    let selector = selector(&deployment.spec.selector).ok()?;
    (!selects_everything(deployment)).then_some(selector)
}

/// Returns the deployment of `pod`, if its strategy is Recreate.
fn recreates(
    deployments: &Lister<Deployment>,
    sets: &Lister<ReplicaSet>,
    pod: &Pod,
) -> Option<ObjectKey> {
    let set = sets.get(&owner_key(pod, "ReplicaSet")?).ok()?;
    let key = owner_key(&*set, "Deployment")?;
    let deployment = deployments.get(&key).ok()?;
    (!limits::is_rolling(&deployment)).then_some(key)
}

fn owner_key<K: Resource>(object: &K, kind: &str) -> Option<ObjectKey> {
    let owner = controller_of(object).filter(|owner| owner.kind == kind)?;
    Some(ObjectKey::new(
        object.meta().namespace.as_deref(),
        &owner.name,
    ))
}

/// Whether the selector is empty, so that it would match every pod of the namespace.
pub(crate) fn selects_everything(deployment: &Deployment) -> bool {
    let selector = &deployment.spec.selector;
    selector
        .match_labels
        .as_ref()
        .is_none_or(|labels| labels.is_empty())
        && selector
            .match_expressions
            .as_ref()
            .is_none_or(Vec::is_empty)
}
