//! The controller of Kubernetes' own kind `{{kind}}`. Start reading at `reconcile`.

use codegen_runtime::controller::{Action, BuildError, Controller, Request};
use codegen_runtime::controller::{Context, reconcile_with};
use {{types}};
use codegen_runtime::kube::Error;
use codegen_runtime::manager::ManagerBuilder;

use crate::app::Shared;

/// The annotation of the objects that the example acts on, with the value "true".
pub const RECONCILE: &str = "{{prefix}}/reconcile";

/// Adds the controller to the manager.
///
/// # Errors
///
/// If the controller cannot be built.
pub fn add(manager: ManagerBuilder, shared: &Shared) -> Result<ManagerBuilder, BuildError> {
    let recorder = shared.recorder.clone();
    let context = Context::<{{kind}}>::new(&shared.factory, recorder);
    let controller = Controller::builder("{{module}}", &shared.factory)
        .for_::<{{kind}}>()
        .workers(shared.workers)
        .build(reconcile_with(context, reconcile))?;
    Ok(manager.controller(controller))
}

// +kubebuilder:rbac:groups={{group}},resources={{plural}},verbs=list;watch

/// Reconciles one object.
{{reconcile}} {
    let Some(object) = context.object(&request) else {
        return Ok(Action::done()); // The object was deleted.
    };
    // TODO(user): act on the object here. The example records an event for annotated objects.
    let annotations = object.metadata.annotations.as_ref();
    let value = annotations.and_then(|all| all.get(RECONCILE));
    if value.is_some_and(|value| value == "true") {
        let recorder = context.recorder();
        recorder.normal(&*object, "Reconciled", "Reconcile", "The object was seen");
    }
    Ok(Action::done())
}
