//! Reconciles one network.
//!
//! All state is in the API server and the backend, except for ranges that are being claimed: a
//! process may end after any call, and the next one continues from there. The finalizer is added
//! before any resource is created, and removed last.

use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::condition;
use codegen_runtime::error::message;
use codegen_runtime::event::EventRecorder;
use codegen_runtime::finalizer;
use codegen_runtime::kube::api::PostParams;
use codegen_runtime::kube::core::Selector;
use codegen_runtime::kube::{self, ResourceExt};
use codegen_runtime::retry;
use codegen_runtime::store::ObjectKey;

use super::claims::Claims;
use super::spec::addresses;
use super::{FINALIZER, READY};
use crate::apis::samplecrd::v1::{Network, NetworkPhase, NetworkStatus};
use crate::backend::{Addresses, Backend, BackendError, Observed, Owner};
use crate::generated::clientset::Clientset;
use crate::generated::clientset::typed::samplecrd::v1::Networks;
use crate::generated::listers::samplecrd::v1::NetworkLister;

/// The timeout of one backend call, including its retries.
const DEADLINE: Duration = Duration::from_secs(60);

/// The reason for a network whose range overlaps another.
pub(super) const OVERLAP: &str = "CIDROverlap";

/// Why a network could not be reconciled. Retried.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReconcileError {
    /// An API request failed.
    #[error("{what}")]
    Api {
        /// The operation.
        what: &'static str,
        /// The error.
        source: Box<kube::Error>,
    },
    /// A backend call failed; the status reports it.
    #[error(transparent)]
    Backend(#[from] BackendError),
}

impl ReconcileError {
    /// Whether the error is a conflict with another client's write: not a failure, but a reason to
    /// retry.
    pub fn is_conflict(&self) -> bool {
        matches!(self, Self::Api { source, .. } if retry::is_conflict(source))
    }
}

pub(super) fn api(what: &'static str) -> impl FnOnce(kube::Error) -> ReconcileError {
    move |source| ReconcileError::Api {
        what,
        source: Box::new(source),
    }
}

/// Reconciles networks by calls to the API server and the backend.
// +kubebuilder:rbac:groups=samplecrd.k8s.io,resources=networks,verbs=list;watch;create;patch;delete
// +kubebuilder:rbac:groups=samplecrd.k8s.io,resources=networks/status,verbs=update
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=list;watch
// Owner references of networks block the deletion of their Deployment.
// +kubebuilder:rbac:groups=apps,resources=deployments/finalizers,verbs=update
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=network-system,resources=leases,verbs=create;delete;get;list;update;watch
pub struct Reconciler {
    clientset: Clientset,
    lister: NetworkLister,
    backend: Arc<dyn Backend>,
    events: EventRecorder,
    claims: Claims,
}

/// The outcome of a reconciliation, from which the status is derived.
struct Finding {
    phase: NetworkPhase,
    reason: &'static str,
    message: String,
    /// What the backend has; `None` if it was not read.
    observed: Option<Observed>,
}

impl Finding {
    fn active(observed: Observed) -> Self {
        Self {
            phase: NetworkPhase::Active,
            reason: "Available",
            message: String::new(),
            observed: Some(observed),
        }
    }
}

impl Reconciler {
    /// Creates a reconciler that reads networks from `lister`.
    pub fn new(
        clientset: Clientset,
        lister: NetworkLister,
        backend: Arc<dyn Backend>,
        events: EventRecorder,
    ) -> Self {
        Self {
            clientset,
            lister,
            backend,
            events,
            claims: Claims::default(),
        }
    }

    /// Reconciles the network `key`. A missing network is not an error: its finalizer was removed
    /// last.
    ///
    /// # Errors
    ///
    /// If a call to the API server or the backend fails. An invalid spec is reported in the status,
    /// not as an error.
    pub async fn reconcile(&self, key: &ObjectKey) -> Result<(), ReconcileError> {
        let Ok(network) = self.lister.get(key) else {
            return Ok(());
        };
        let networks = self.networks(&network);
        let result = if finalizer::is_deleting(&*network) {
            self.delete(&networks, &network).await
        } else {
            self.provide(&networks, &network).await
        };
        match result {
            Err(ReconcileError::Api { source, .. }) if matches!(&*source, kube::Error::Api(status) if status.is_not_found()) => {
                Ok(())
            }
            result => result,
        }
    }

    fn networks(&self, network: &Network) -> Networks {
        let namespace = network.namespace().unwrap_or_default();
        self.clientset.samplecrd_v1().networks(&namespace)
    }

    /// Creates the network, or updates it.
    async fn provide(&self, networks: &Networks, network: &Network) -> Result<(), ReconcileError> {
        let wanted = match addresses(&network.spec) {
            Ok(wanted) => wanted,
            Err(error) => {
                let message = message(&error);
                return self
                    .refuse(networks, network, error.reason(), message)
                    .await;
            }
        };
        // Before its finalizer is added, a network has nothing at the backend.
        let is_new = !finalizer::contains(network, FINALIZER) && !self.claims.knows(network);
        if is_new {
            match self.claim(network, wanted).await {
                Ok(None) => {}
                Ok(Some(overlap)) => {
                    return self.refuse(networks, network, OVERLAP, overlap).await;
                }
                Err(error) => return self.fail(networks, network, error, None).await,
            }
        }
        let network = finalizer::ensure(networks.api(), network, FINALIZER)
            .await
            .map_err(api("cannot add the finalizer"))?;
        let owner = Owner::of(&network);
        let (seen, result) = match within(self.backend.get(&owner)).await {
            Ok(seen) => {
                let seen = seen.unwrap_or_default();
                (
                    Some(seen.clone()),
                    self.approach(&network, wanted, seen).await,
                )
            }
            Err(error) => (None, Err(error)),
        };
        match result {
            Ok(finding) => self.report(networks, &network, finding).await,
            Err(error) => self.fail(networks, &network, error, seen).await,
        }
    }

    /// Reports that the backend failed, and returns its error.
    async fn fail(
        &self,
        networks: &Networks,
        network: &Network,
        error: BackendError,
        observed: Option<Observed>,
    ) -> Result<(), ReconcileError> {
        let finding = Finding {
            phase: match error {
                BackendError::Refused(_) => NetworkPhase::Failed,
                _ => NetworkPhase::Pending,
            },
            reason: error.reason(),
            message: message(&error),
            observed,
        };
        self.report(networks, network, finding).await?;
        Err(error.into())
    }

    /// Claims the range that the network requests, or returns why it cannot have it.
    async fn claim(
        &self,
        network: &Network,
        wanted: Addresses,
    ) -> Result<Option<String>, BackendError> {
        let namespace = network.namespace().unwrap_or_default();
        let others = self.lister.networks(&namespace).list(&Selector::default());
        for other in self.claims.unknown(&others) {
            self.recall(&other).await?;
        }
        let claimed = self.claims.claim(network, wanted.cidr, &others);
        Ok(claimed.err().map(|(other, range)| {
            let cidr = wanted.cidr;
            format!("spec.cidr: {cidr} overlaps {range} of the network {other}")
        }))
    }

    /// Records the range of another network that only the backend knows.
    async fn recall(&self, other: &Network) -> Result<(), BackendError> {
        let owner = Owner::of(other);
        let seen = within(self.backend.get(&owner)).await?.unwrap_or_default();
        let Some(cidr) = seen.cidr else {
            return Ok(());
        };
        self.claims.hold(other, cidr);
        let still = self
            .lister
            .get(&ObjectKey::of(other))
            .ok()
            .and_then(|it| it.uid());
        if still.as_ref() != Some(&owner.uid) {
            // It was deleted meanwhile, and nobody would release the range.
            self.claims.release(&owner.uid);
        }
        Ok(())
    }

    /// Takes at most one step towards the spec, from what the backend has. The status is not
    /// consulted: the backend may have lost what it names.
    async fn approach(
        &self,
        network: &Network,
        wanted: Addresses,
        mut observed: Observed,
    ) -> Result<Finding, BackendError> {
        let owner = Owner::of(network);
        let Some(cidr) = observed.cidr else {
            return self.create(network, wanted, observed).await;
        };
        self.claims.hold(network, cidr);
        if cidr != wanted.cidr {
            return Ok(Finding {
                phase: NetworkPhase::Failed,
                reason: "CIDRImmutable",
                message: format!(
                    "spec.cidr can't change from {cidr} to {}: write {cidr}, or delete the network and create another",
                    wanted.cidr
                ),
                observed: Some(observed),
            });
        }
        if observed.gateway != Some(wanted.gateway) {
            within(self.backend.set_gateway(&owner, wanted.gateway)).await?;
            observed.gateway = Some(wanted.gateway);
            let note = format!("the gateway is {}", wanted.gateway);
            self.events.normal(network, "Updated", "Update", note);
        }
        Ok(Finding::active(observed))
    }

    /// Creates the network, whose range no other may have.
    async fn create(
        &self,
        network: &Network,
        wanted: Addresses,
        observed: Observed,
    ) -> Result<Finding, BackendError> {
        if let Some(message) = self.claim(network, wanted).await? {
            return Ok(Finding {
                phase: NetworkPhase::Failed,
                reason: OVERLAP,
                message,
                observed: Some(observed),
            });
        }
        let owner = Owner::of(network);
        let made = within(self.backend.create(&owner, wanted)).await;
        if let Err(BackendError::Refused(_)) = made {
            self.claims.release(&owner.uid);
        }
        let made = made?;
        let note = format!("created {} ({})", wanted.cidr, made.id);
        self.events.normal(network, "Created", "Create", note);
        Ok(Finding::active(made))
    }

    /// Deletes the network at the backend, then removes the finalizer.
    async fn delete(&self, networks: &Networks, network: &Network) -> Result<(), ReconcileError> {
        let owner = Owner::of(network);
        if !finalizer::contains(network, FINALIZER) {
            return Ok(());
        }
        if let Err(error) = within(self.backend.delete(&owner)).await {
            let finding = Finding {
                phase: NetworkPhase::Terminating,
                reason: error.reason(),
                message: message(&error),
                observed: None,
            };
            self.report(networks, network, finding).await?;
            return Err(error.into());
        }
        finalizer::release(networks.api(), network, FINALIZER)
            .await
            .map_err(api("cannot remove the finalizer"))?;
        self.claims.release(&owner.uid);
        self.events
            .normal(network, "Deleted", "Delete", "deleted from the backend");
        Ok(())
    }

    /// Reports why the spec cannot be applied. It is not retried until the spec or the conflicting
    /// network changes.
    async fn refuse(
        &self,
        networks: &Networks,
        network: &Network,
        reason: &'static str,
        message: String,
    ) -> Result<(), ReconcileError> {
        let finding = Finding {
            phase: NetworkPhase::Failed,
            reason,
            message,
            observed: None,
        };
        self.report(networks, network, finding).await
    }

    /// Writes the status if it changed, and an event for failures.
    async fn report(
        &self,
        networks: &Networks,
        network: &Network,
        finding: Finding,
    ) -> Result<(), ReconcileError> {
        let mut changed = network.clone();
        let status = changed.status.get_or_insert_default();
        if !apply(status, &finding, network.metadata.generation) {
            return Ok(());
        }
        networks
            .update_status(&changed, &PostParams::default())
            .await
            .map_err(api("cannot write the status"))?;
        if finding.phase != NetworkPhase::Active {
            self.events
                .warning(network, finding.reason, "Reconcile", finding.message);
        }
        Ok(())
    }

    /// Releases the range of the deleted network `uid`.
    pub(super) fn forget(&self, uid: &str) {
        self.claims.release(uid);
    }
}

/// Applies `finding` to the status; returns whether it changed. Backend facts that were not read
/// again stay.
fn apply(status: &mut NetworkStatus, finding: &Finding, generation: Option<i64>) -> bool {
    let old = (
        status.phase,
        status.id.clone(),
        status.cidr.clone(),
        status.observed_generation,
    );
    status.phase = finding.phase;
    if let Some(observed) = &finding.observed {
        status.id.clone_from(&observed.id);
        status.cidr = observed.cidr.map(|it| it.to_string()).unwrap_or_default();
    }
    status.observed_generation = generation;
    let is_ready = finding.phase == NetworkPhase::Active;
    let ready = condition::new(
        READY,
        is_ready,
        finding.reason,
        finding.message.as_str(),
        generation,
    );
    let is_changed = condition::set(&mut status.conditions, ready);
    let new = (
        status.phase,
        status.id.clone(),
        status.cidr.clone(),
        status.observed_generation,
    );
    is_changed || new != old
}

/// Runs a backend call with a timeout.
async fn within<T>(call: impl Future<Output = Result<T, BackendError>>) -> Result<T, BackendError> {
    tokio::time::timeout(DEADLINE, call)
        .await
        .unwrap_or_else(|_| {
            let seconds = DEADLINE.as_secs();
            Err(BackendError::Unavailable(format!(
                "no answer within {seconds} s"
            )))
        })
}
