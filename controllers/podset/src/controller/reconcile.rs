//! Reconciles one set.

use std::time::Duration;

use codegen_runtime::apply::{Applier, ApplyError, RememberingApplier};
use codegen_runtime::condition;
use codegen_runtime::controller::{Action, Reconciler as Reconcile, Request};
use codegen_runtime::error::{chain, message};
use codegen_runtime::event::EventRecorder;
use codegen_runtime::finalizer::is_deleting;
use codegen_runtime::informer::SharedInformerFactory;
use codegen_runtime::k8s_openapi::api::apps::v1::Deployment;
use codegen_runtime::k8s_openapi::api::core::v1::Pod;
use codegen_runtime::kube::api::PostParams;
use codegen_runtime::kube::{self, Api};
use codegen_runtime::lister::Lister;
use codegen_runtime::owner::{self, OwnerError};
use codegen_runtime::retry;
use codegen_runtime::store::UnknownIndex;

use super::BY_SET;
use super::deployment::desired;
use super::status::{READY, Refusal, observe};
use crate::apis::apps::v1alpha1::{PodSet, PodSetStatus};
use crate::generated::clientset::Clientset;

/// The controller's field manager.
const MANAGER: &str = "podset-controller";

/// How soon to retry after the API server rejected the Deployment: a quota may have been raised, or
/// a policy removed.
const REFUSED: Duration = Duration::from_secs(60);

/// How long to wait for the cache to show a created Deployment.
const SEEN: Duration = Duration::from_secs(5);

/// Why a set could not be reconciled. Retried with a back-off per set.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReconcileError {
    /// The Deployment could not be applied.
    #[error("cannot apply the Deployment")]
    Apply(#[from] ApplyError),
    /// The owner reference could not be set.
    #[error(transparent)]
    Owner(#[from] OwnerError),
    /// The pods could not be looked up.
    #[error(transparent)]
    Index(#[from] UnknownIndex),
    /// The status could not be written.
    #[error("cannot write the status")]
    Status(#[source] kube::Error),
}

/// Reconciles sets. It keeps no state except to save requests.
pub struct Reconciler {
    clientset: Clientset,
    sets: Lister<PodSet>,
    deployments: Lister<Deployment>,
    pods: Lister<Pod>,
    /// Never takes fields over: for a Deployment that may belong to someone else.
    creator: Applier,
    /// Reverts changes that others made to the set's Deployment.
    applier: RememberingApplier,
    recorder: EventRecorder,
}

// +kubebuilder:rbac:groups=apps.jicki.cn,resources=podsets,verbs=list;watch
// +kubebuilder:rbac:groups=apps.jicki.cn,resources=podsets/status,verbs=update
// Owner references of Deployments block the deletion of their set; an adoption needs the permission
// to delete what it adopts.
// +kubebuilder:rbac:groups=apps.jicki.cn,resources=podsets/finalizers,verbs=update
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=create;delete;list;patch;watch
// +kubebuilder:rbac:groups="",resources=pods,verbs=list;watch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
impl Reconcile for Reconciler {
    type Error = ReconcileError;

    async fn reconcile(&self, request: Request) -> Result<Action, ReconcileError> {
        let Ok(set) = self.sets.get(&request) else {
            return Ok(Action::done()); // The garbage collector deletes its Deployment.
        };
        let refusal = if is_deleting(&*set) {
            Some(Refusal::new("Terminating", "the set is being deleted"))
        } else {
            self.deploy(&set).await?
        };
        let pods = self.pods.by_index(BY_SET, &request)?;
        let status = observe(&set, &pods, refusal.as_ref());
        if self.write(&set, status).await? {
            return Ok(Action::requeue()); // conflict
        }
        Ok(match refusal {
            Some(refusal) if refusal.reason == "DeploymentRefused" => {
                Action::requeue_after(REFUSED)
            }
            _ => Action::done(),
        })
    }
}

impl Reconciler {
    /// Creates a reconciler on the informers of `factory`.
    pub fn new(factory: &SharedInformerFactory, recorder: EventRecorder) -> Self {
        let creator = Applier::new(MANAGER);
        Self {
            clientset: Clientset::new(factory.client().clone()),
            sets: factory.informer_for::<PodSet>().lister(),
            deployments: factory.informer_for::<Deployment>().lister(),
            pods: factory.informer_for::<Pod>().lister(),
            applier: RememberingApplier::new(creator.clone().force()),
            creator,
            recorder,
        }
    }

    /// Applies the set's Deployment; returns why if it must not be applied.
    async fn deploy(&self, set: &PodSet) -> Result<Option<Refusal>, ReconcileError> {
        if set.spec.size < 0 {
            let message = format!("spec.size: write 0 or more, not {}", set.spec.size);
            return Ok(Some(Refusal::new("InvalidSpec", message)));
        }
        let wanted = desired(set)?;
        let namespace = set.metadata.namespace.as_deref().unwrap_or_default();
        let name = set.metadata.name.as_deref().unwrap_or_default();
        let api = Api::<Deployment>::namespaced(self.clientset.client().clone(), namespace);
        let current = self.deployments.namespace(namespace).get(name).ok();
        let applied = match &current {
            Some(current) if owner::is_controlled_by(&**current, set) => {
                let applied = self.applier.apply(&api, Some(&**current), &wanted).await;
                applied.map(drop)
            }
            Some(current) if owner::controller_of(&**current).is_some() => {
                return Ok(Some(taken(set, current)));
            }
            // Without a controller: it is ours if no one else owns any of its fields.
            _ => self.create(&api, &wanted).await,
        };
        match applied {
            Ok(()) => Ok(None),
            Err(ApplyError::Conflict(conflicts)) => {
                let why = message(&ApplyError::Conflict(conflicts));
                let text =
                    format!("Deployment {name} exists and does not belong to the set: {why}");
                Ok(Some(Refusal::new("DeploymentTaken", text)))
            }
            Err(ApplyError::Api(error)) if retry::is_refused(&error) => {
                Ok(Some(Refusal::new("DeploymentRefused", message(&error))))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Creates the Deployment, and waits until the cache shows it: the next reconciliation must see
    /// that the set owns it.
    async fn create(&self, api: &Api<Deployment>, wanted: &Deployment) -> Result<(), ApplyError> {
        let created = self.creator.apply(api, wanted).await?;
        let version = created.metadata.resource_version.unwrap_or_default();
        let seen = self
            .deployments
            .wait_for_resource_version(&version, SEEN)
            .await;
        if let Err(error) = seen {
            tracing::debug!(error = %chain(&error), "the cache does not show the created Deployment yet");
        }
        Ok(())
    }

    /// Writes the status if it changed, with an event if the reason is new; returns whether the
    /// write was a conflict.
    async fn write(&self, set: &PodSet, status: PodSetStatus) -> Result<bool, ReconcileError> {
        if set.status.as_ref() == Some(&status) {
            return Ok(false);
        }
        let namespace = set.metadata.namespace.as_deref().unwrap_or_default();
        let sets = self.clientset.apps_v1alpha1().pod_sets(namespace);
        let mut changed = set.clone();
        changed.status = Some(status);
        let written = sets.update_status(&changed, &PostParams::default()).await;
        match written {
            Ok(_) => {}
            Err(error) if retry::is_conflict(&error) => return Ok(true),
            Err(kube::Error::Api(status)) if status.is_not_found() => return Ok(false),
            Err(error) => return Err(ReconcileError::Status(error)),
        }
        self.tell(set, &changed);
        Ok(false)
    }

    /// Records an event if the reason of the condition changed.
    fn tell(&self, old: &PodSet, new: &PodSet) {
        let ready = |set: &PodSet| {
            let status = set.status.as_ref()?;
            condition::find(&status.conditions, READY).cloned()
        };
        let (Some(now), before) = (ready(new), ready(old)) else {
            return;
        };
        if before.is_some_and(|before| before.reason == now.reason) {
            return;
        }
        let action = "Reconcile";
        match now.reason.as_str() {
            "Scaling" | "AllPodsReady" | "ScaledToZero" | "Terminating" => {
                self.recorder.normal(new, &now.reason, action, now.message);
            }
            reason => self.recorder.warning(new, reason, action, now.message),
        }
    }
}

/// Why the set cannot have a Deployment that another object controls.
fn taken(set: &PodSet, deployment: &Deployment) -> Refusal {
    let name = deployment.metadata.name.as_deref().unwrap_or_default();
    let other = owner::controller_of(deployment);
    let by = other.map_or_else(String::new, |other| owner::name_beside(other, set));
    let remedy = match other.is_some_and(|other| owner::is_predecessor(other, set)) {
        true => "the set gets its own once the garbage collector has deleted it",
        false => "delete or rename one of the two",
    };
    Refusal::new(
        "DeploymentTaken",
        format!("Deployment {name} is controlled by {by}: {remedy}"),
    )
}
