//! Two controllers, wired by the runtime's builder: one adds missing tools to pods, the other
//! updates the tools' status.
//!
//! Pods are watched by their metadata alone: labels tell which tools select a pod, and a field
//! selector limits the watch to running pods. A selected pod is read once, when it is first seen,
//! and the result is remembered. The first controller reconciles pods, so that two tools never
//! write to one pod concurrently; it triggers the second, at most twice a second.

mod container;
mod ledger;
mod matching;
mod pods;
mod reach;
mod tools;

use std::sync::Arc;

use codegen_runtime::controller::{BuildError, Controller, Predicate, Trigger, predicates};
use codegen_runtime::event::EventRecorder;
use codegen_runtime::informer::SharedInformerFactory;
use codegen_runtime::k8s_openapi::api::core::v1::Pod;
use codegen_runtime::kube::api::{ListParams, PartialObjectMeta};
use codegen_runtime::store::{IndexerError, ObjectKey};

use self::ledger::Ledger;
use self::matching::Matching;
use self::pods::Pods;
pub use self::pods::ReconcileError;
pub use self::reach::Reach;
use self::tools::Tools;
use crate::apis::tools::v1alpha1::PodBuggerTool;
use crate::generated::clientset::Clientset;

/// The metadata of a pod.
pub type PodMeta = PartialObjectMeta<Pod>;

// The Lease of leader election, in the namespace that the controller is deployed to.
// +kubebuilder:rbac:groups=coordination.k8s.io,resources=leases,verbs=create;get;update;watch,namespace=podbuggertool-system,roleName=podbuggertool-controller

/// The name of the pod controller in a manager, and of its queue in metrics.
pub const PODS: &str = "podbuggertool-pods";

/// The name of the tool controller.
pub const TOOLS: &str = "podbuggertool";

/// Why the controllers cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// The sources are inconsistent.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The factory's informers already have these indexes: two such controllers would share them.
    #[error(transparent)]
    Index(#[from] IndexerError),
}

/// Builds the controllers of pods and of tools on the informers of `factory`, with up to `workers`
/// concurrent reconciliations of pods, in the namespaces of `reach`.
///
/// # Errors
///
/// If the factory already has them.
pub fn controllers(
    factory: &SharedInformerFactory,
    recorder: EventRecorder,
    workers: usize,
    reach: &Reach,
) -> Result<[Controller; 2], SetupError> {
    let pods = factory.metadata_informer::<Pod>();
    let tools = factory.informer_for::<PodBuggerTool>();
    let matching = Matching::new(&tools, &pods, reach)?;
    let (ledger, trigger) = (Arc::new(Ledger::default()), Trigger::new());
    let concerned = matching.clone();
    let of_pods = Controller::builder(PODS, factory)
        .for_informer(&pods, Predicate::all())
        .watches_when::<PodBuggerTool>(predicates::generation_changed(), move |tool| {
            let pods = concerned.pods_for(tool).unwrap_or_default();
            pods.iter().map(|pod| ObjectKey::of(&**pod)).collect()
        })
        .max_concurrent_reconciles(workers)
        .build(Pods {
            client: factory.client().clone(),
            pods: pods.lister(),
            matching: matching.clone(),
            ledger: Arc::clone(&ledger),
            tools: trigger.clone(),
            recorder: recorder.clone(),
        })?;
    let of_tools = Controller::builder(TOOLS, factory)
        // This controller's own writes of the status do not pass.
        .for_when::<PodBuggerTool>(predicates::generation_changed().or(predicates::resync()))
        .triggered_by(&trigger)
        .build(Tools {
            clientset: Clientset::new(factory.client().clone()),
            tools: tools.lister(),
            matching,
            ledger,
            recorder,
        })?;
    Ok([of_pods, of_tools])
}

/// Limits a factory's informer to the pods that the controller needs:
/// `list_options_for::<PodMeta>(running_pods)`.
pub fn running_pods(params: &mut ListParams) {
    params.field_selector = Some("status.phase=Running".to_owned());
}

/// Drops the fields of a pod that the controller does not need; for the factory's
/// `transform::<PodMeta>(trim)`.
pub fn trim(pod: &mut PodMeta) {
    pod.metadata.annotations = None;
    pod.metadata.owner_references = None;
}
