//! The controller: wired by the runtime's builder.
//!
//! It reconciles a `PodSet` when the set changes, when its Deployment does, and when one of its pods comes, goes or becomes ready:
//! pods are mapped to their set by a label, and found again through an index. Start reading at [`Reconciler`].

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

/// The name of the controller: of its queue in metrics, and of what it runs in a manager.
pub const NAME: &str = "podset";

/// The index of pods by the key of their set.
const BY_SET: &str = "podset";

/// Why the controller can't be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// The sources don't fit.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The pods of this factory have such an index already: two of these controllers would share them.
    #[error(transparent)]
    Index(#[from] IndexerError),
}

/// The controller over the informers of `factory`. Up to `workers` sets are reconciled at a time.
///
/// # Errors
///
/// If the factory has one already.
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
        // A Deployment of somebody else's is in a set's way as long as it is there.
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

/// Selects the pods that the controller needs: `list_options_for::<Pod>(own_pods)` of its factory.
pub fn own_pods(params: &mut ListParams) {
    params.label_selector = Some(format!("{APP_LABEL}={APP},{SET_LABEL}"));
}

/// Drops the fields of a pod that the controller does not need: `transform::<Pod>(trim)` of its factory.
pub fn trim(pod: &mut Pod) {
    pod.spec = None;
    pod.metadata.annotations = None;
    if let Some(status) = &mut pod.status {
        status.container_statuses = None;
        status.init_container_statuses = None;
    }
}

/// The set that a pod says it belongs to.
fn set_of(pod: &Pod) -> Option<ObjectKey> {
    let labels = pod.metadata.labels.as_ref()?;
    let name = labels.get(SET_LABEL)?;
    let is_ours = labels.get(APP_LABEL).is_some_and(|app| app == APP);
    is_ours.then(|| ObjectKey::new(pod.metadata.namespace.as_deref(), name))
}

/// Whether some set controls the object.
fn is_ours<K: Resource>(object: &K) -> bool {
    owner::controller_of(object).is_some_and(|owner| {
        owner.kind == PodSet::kind(&()) && owner.api_version == PodSet::api_version(&())
    })
}
