//! The controller, wired by the runtime's builder.
//!
//! A `PodSet` is reconciled when it changes, when its Deployment changes, and when one of its pods
//! is added, is removed or becomes ready: a label maps pods to their set, and an index finds a
//! set's pods. Start reading at [`Reconciler`].

mod deployment;
mod reconcile;
mod status;

use std::sync::Arc;

use codegen_runtime::controller::{BuildError, Controller, Predicate};
use codegen_runtime::event::EventRecorder;
use codegen_runtime::informer::SharedInformerFactory;
use codegen_runtime::k8s_openapi::api::apps::v1::Deployment;
use codegen_runtime::k8s_openapi::api::core::v1::Pod;
use codegen_runtime::kube::Resource;
use codegen_runtime::kube::api::ListParams;
use codegen_runtime::owner;
use codegen_runtime::store::{IndexFn, IndexerError, ObjectKey};

pub use self::deployment::{APP, APP_LABEL, SET_LABEL};
pub use self::reconcile::{ReconcileError, Reconciler};
use crate::apis::apps::v1alpha1::PodSet;

// The Lease of leader election, in the namespace that the controller is deployed to.
// +kubebuilder:rbac:groups=coordination.k8s.io,resources=leases,verbs=create;get;update;watch,namespace=podset-system,roleName=podset-controller

/// The name of the controller in a manager, and of its queue in metrics.
pub const NAME: &str = "podset";

/// The index of pods by the key of their set.
const BY_SET: &str = "podset";

/// Why the controller cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// The sources are inconsistent.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The factory's pod informer already has this index: two such controllers would share it.
    #[error(transparent)]
    Index(#[from] IndexerError),
}

/// Builds the controller on the informers of `factory`, with up to `workers` concurrent
/// reconciliations.
///
/// # Errors
///
/// If the factory already has one.
pub fn controller(
    factory: &SharedInformerFactory,
    recorder: EventRecorder,
    workers: usize,
) -> Result<Controller, SetupError> {
    let by_set: IndexFn<Pod> =
        Arc::new(|pod| set_of(pod).iter().map(ObjectKey::to_string).collect());
    let pods = factory.informer_for::<Pod>();
    pods.add_indexers([(BY_SET.to_owned(), by_set)])?;
    let sets = factory.informer_for::<PodSet>().lister();
    Ok(Controller::builder(NAME, factory)
        .for_::<PodSet>()
        .owns::<Deployment>()
        // A foreign Deployment of the same name blocks the set until it is gone.
        .watches_when::<Deployment>(
            Predicate::new(|change| !is_ours(&**change.object())),
            move |deployment| {
                let key = ObjectKey::of(&**deployment);
                sets.get(&key).map(|_| key).into_iter().collect()
            },
        )
        .watches::<Pod>(|pod| set_of(pod).into_iter().collect())
        .max_concurrent_reconciles(workers)
        .build(Reconciler::new(factory, recorder))?)
}

/// Limits a factory's informer to the pods that the controller needs; for its
/// `list_options_for::<Pod>(own_pods)`.
pub fn own_pods(params: &mut ListParams) {
    params.label_selector = Some(format!("{APP_LABEL}={APP},{SET_LABEL}"));
}

/// Drops the fields of a pod that the controller does not need; for the factory's
/// `transform::<Pod>(trim)`.
pub fn trim(pod: &mut Pod) {
    pod.spec = None;
    pod.metadata.annotations = None;
    if let Some(status) = &mut pod.status {
        status.container_statuses = None;
        status.init_container_statuses = None;
    }
}

/// Returns the set that a pod's label names.
fn set_of(pod: &Pod) -> Option<ObjectKey> {
    let labels = pod.metadata.labels.as_ref()?;
    let name = labels.get(SET_LABEL)?;
    let is_ours = labels.get(APP_LABEL).is_some_and(|app| app == APP);
    is_ours.then(|| ObjectKey::new(pod.metadata.namespace.as_deref(), name))
}

/// Whether a `PodSet` controls the object.
fn is_ours<K: Resource>(object: &K) -> bool {
    owner::controller_of(object).is_some_and(|owner| {
        owner.kind == PodSet::kind(&()) && owner.api_version == PodSet::api_version(&())
    })
}
