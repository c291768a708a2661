//! The controller of `PodSet`. Start reading at `reconcile`.

use std::collections::BTreeSet;

use codegen_runtime::app::BoxError;
use codegen_runtime::apply::Applier;
use codegen_runtime::condition;
use codegen_runtime::controller::{Action, BuildError, Controller, Request};
use codegen_runtime::controller::{Context, reconcile_with};
use codegen_runtime::finalizer;
use codegen_runtime::k8s_openapi::api::core::v1::{Container, Pod, PodSpec};
use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use codegen_runtime::kube::api::DeleteParams;
use codegen_runtime::kube::core::{Expression, Selector};
use codegen_runtime::kube::{self, Api, ResourceExt};
use codegen_runtime::manager::ManagerBuilder;
use codegen_runtime::owner::{self, OwnerError};

use crate::apis::demo::v1alpha1::{PodSet, PodSetStatus};
use crate::app::{NAME, Shared};

/// The label of a set's pods: the set's name.
const SET: &str = "demo.example.com/podset";

/// Adds the controller to the manager.
///
/// # Errors
///
/// If the controller cannot be built.
pub fn add(manager: ManagerBuilder, shared: &Shared) -> Result<ManagerBuilder, BuildError> {
    let recorder = shared.recorder.clone();
    let context = Context::<PodSet>::new(&shared.factory, recorder);
    let controller = Controller::builder("pod_set", &shared.factory)
        .for_::<PodSet>()
        .owns::<Pod>()
        .workers(shared.workers)
        .build(reconcile_with(context, reconcile))?;
    Ok(manager.controller(controller))
}

// +kubebuilder:rbac:groups=demo.example.com,resources=podsets,verbs=list;watch
// +kubebuilder:rbac:groups=demo.example.com,resources=podsets/status,verbs=patch
// +kubebuilder:rbac:groups=demo.example.com,resources=podsets/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=pods,verbs=list;watch;create;patch;delete

/// Creates the pods that a set lacks, and deletes those that it has too many of.
async fn reconcile(request: Request, context: Context<PodSet>) -> Result<Action, BoxError> {
    let Some(set) = context.object(&request) else {
        return Ok(Action::done()); // The garbage collector deletes its pods.
    };
    if finalizer::is_deleting(&*set) {
        return Ok(Action::done());
    }
    let namespace = request.namespace().unwrap_or_default();
    let of_set = Selector::from(Expression::Equal(SET.to_owned(), set.name_any()));
    let pods = context.lister_of::<Pod>()?.namespace(namespace);
    let existing: BTreeSet<String> = pods
        .list(&of_set)
        .iter()
        .map(|pod| pod.name_any())
        .collect();
    let desired: BTreeSet<String> = (0..set.spec.size).map(|index| name(&set, index)).collect();

    let client = context.client().clone();
    let api = Api::<Pod>::namespaced(client.clone(), namespace);
    let applier = Applier::new(NAME).force();
    // A pod's name follows from its set and its index: a cache that lags behind creates none twice.
    for name in desired.difference(&existing) {
        applier.apply(&api, &pod(&set, name)?).await?;
    }
    for name in existing.difference(&desired) {
        gone(api.delete(name, &DeleteParams::default()).await)?;
    }
    if existing != desired {
        let note = format!("{} of {} pods existed", existing.len(), desired.len());
        context.recorder().normal(&*set, "Scaled", "Scale", note);
    }
    let status = observe(&set, &of_set, existing.len());
    if set.status.as_ref() != Some(&status) {
        let mut observed = (*set).clone();
        observed.status = Some(status);
        let sets = Api::<PodSet>::namespaced(client, namespace);
        applier.apply_status(&sets, &observed).await?;
    }
    Ok(Action::done())
}

/// The name of a pod.
fn name(set: &PodSet, index: i32) -> String {
    format!("{}-{index}", set.name_any())
}

/// The desired pod, with only the fields that the controller applies.
fn pod(set: &PodSet, name: &str) -> Result<Pod, OwnerError> {
    let container = Container {
        name: "sleep".to_owned(),
        image: Some("busybox".to_owned()),
        command: Some(vec!["sleep".to_owned(), "3600".to_owned()]),
        ..Container::default()
    };
    let mut pod = Pod {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            namespace: set.namespace(),
            labels: Some([(SET.to_owned(), set.name_any())].into()),
            ..ObjectMeta::default()
        },
        spec: Some(PodSpec {
            containers: vec![container],
            automount_service_account_token: Some(false),
            ..PodSpec::default()
        }),
        status: None,
    };
    owner::set_controller_reference(set, &mut pod)?;
    Ok(pod)
}

/// The outcome of a deletion: an object that is gone already is none the worse.
fn gone<T>(result: Result<T, kube::Error>) -> Result<(), kube::Error> {
    match result {
        Err(kube::Error::Api(status)) if status.is_not_found() => Ok(()),
        result => result.map(|_| ()),
    }
}

/// The status of a set with this number of pods.
fn observe(set: &PodSet, of_set: &Selector, pods: usize) -> PodSetStatus {
    let mut status = set.status.clone().unwrap_or_default();
    let generation = set.metadata.generation;
    status.size = i32::try_from(pods).unwrap_or(i32::MAX);
    status.selector = of_set.to_string();
    status.observed_generation = generation;
    let message = format!("{pods} of {} pods exist", set.spec.size);
    let is_ready = status.size == set.spec.size;
    let reason = if is_ready { "AllPodsExist" } else { "Scaling" };
    let ready = condition::new("Ready", is_ready, reason, message, generation);
    condition::set(&mut status.conditions, ready);
    status
}
