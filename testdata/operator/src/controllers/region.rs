//! The controller of `Region`. Start reading at `reconcile`.

use codegen_runtime::apply::{Applier, ApplyError};
use codegen_runtime::condition;
use codegen_runtime::controller::{Action, BuildError, Controller, Request};
use codegen_runtime::controller::{Context, reconcile_with};
use codegen_runtime::kube::Api;
use codegen_runtime::manager::ManagerBuilder;

use crate::apis::cache::v1::{Region, RegionStatus};
use crate::app::{NAME, Shared};

/// Adds the controller to the manager.
///
/// # Errors
///
/// If the controller cannot be built.
pub fn add(manager: ManagerBuilder, shared: &Shared) -> Result<ManagerBuilder, BuildError> {
    let recorder = shared.recorder.clone();
    let context = Context::<Region>::new(&shared.factory, recorder);
    let controller = Controller::builder("region", &shared.factory)
        .for_::<Region>()
        .sharded(shared.sharding.clone())
        .workers(shared.workers)
        .build(reconcile_with(context, reconcile))?;
    Ok(manager.controller(controller))
}

// +kubebuilder:rbac:groups=cache.example.com,resources=regions,verbs=list;watch
// +kubebuilder:rbac:groups=cache.example.com,resources=regions/status,verbs=patch

/// Reconciles one object with its spec.
async fn reconcile(request: Request, context: Context<Region>) -> Result<Action, ApplyError> {
    let Some(object) = context.object(&request) else {
        return Ok(Action::done()); // The object was deleted.
    };
    // TODO(user): act on the spec here, and report the outcome in the status.
    let status = observe(&object);
    if object.status.as_ref() == Some(&status) {
        return Ok(Action::done());
    }
    let mut observed = (*object).clone();
    observed.status = Some(status);
    let client = context.client().clone();
    let api = Api::<Region>::all(client);
    let applier = Applier::new(NAME).force();
    applier.apply_status(&api, &observed).await?;
    let recorder = context.recorder();
    recorder.normal(&*object, "Reconciled", "Reconcile", "The spec is met");
    Ok(Action::done())
}

/// Computes the status of an object.
fn observe(object: &Region) -> RegionStatus {
    let mut status = object.status.clone().unwrap_or_default();
    let generation = object.metadata.generation;
    let ready = condition::new("Ready", true, "Reconciled", "", generation);
    condition::set(&mut status.conditions, ready);
    status.observed_generation = generation;
    status
}
