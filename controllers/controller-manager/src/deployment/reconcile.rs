//! One reconciliation of a deployment: reads, decides through the pure functions of the sibling
//! modules, and writes.
//!
//! Order of writes: first the replica sets; last, and once, the status together with the revision.
//! After a crash in between, the next process finds the replica sets by their templates and
//! continues.

use std::sync::Arc;

use codegen_runtime::client::TypedClient;
use codegen_runtime::controller::{Action, Reconciler, Request};
use codegen_runtime::error::message;
use codegen_runtime::event::EventRecorder;
use codegen_runtime::informer::SharedInformerFactory;
use codegen_runtime::k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
use codegen_runtime::kube::core::Selector;
use codegen_runtime::kube::{Api, Error};
use codegen_runtime::lister::Lister;
use codegen_runtime::owner::ControllerRefManager;
use codegen_runtime::retry::is_conflict;
use codegen_runtime::store::ObjectKey;

use super::rollout::{Context, Rollout};
use super::selects_everything;
use super::sets::{Set, sort_by_age};
use crate::caches::{by_controller, owned_and_orphaned, selector};
use crate::own_writes::OwnWrites;
use crate::status_write::update_status;

// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch
// +kubebuilder:rbac:groups=apps,resources=deployments/status,verbs=update
// Owner references of replica sets block the deletion of their deployment.
// +kubebuilder:rbac:groups=apps,resources=deployments/finalizers,verbs=update
// +kubebuilder:rbac:groups=apps,resources=replicasets,verbs=create;delete;get;list;patch;update;watch
// +kubebuilder:rbac:groups="",resources=pods,verbs=list;watch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
/// Rolls out a deployment's replica sets.
pub struct DeploymentReconciler {
    deployments: Lister<Deployment>,
    sets: Lister<ReplicaSet>,
    cx: Context,
}

impl std::fmt::Debug for DeploymentReconciler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DeploymentReconciler")
            .finish_non_exhaustive()
    }
}

impl DeploymentReconciler {
    /// Creates a reconciler on the informers of `factory`.
    pub fn new(factory: &SharedInformerFactory, recorder: EventRecorder) -> Self {
        Self {
            deployments: factory.informer_for().lister(),
            sets: by_controller(factory),
            cx: Context {
                client: factory.client().clone(),
                pods: by_controller(factory),
                own_status: OwnWrites::default(),
                own_sets: OwnWrites::default(),
                recorder,
            },
        }
    }

    /// Returns the replica sets of `deployment`, oldest first, after adopting and releasing those
    /// that are due.
    async fn claim(&self, deployment: &Deployment, selector: Selector) -> Result<Vec<Set>, Error> {
        let meta = &deployment.metadata;
        let namespace = meta.namespace.as_deref().unwrap_or_default();
        let known = owned_and_orphaned(
            &self.sets,
            meta.uid.as_deref().unwrap_or_default(),
            namespace,
        );
        let owners = Api::namespaced(self.cx.client.clone(), namespace);
        let sets = Api::namespaced(self.cx.client.clone(), namespace);
        let manager = ControllerRefManager::new(deployment, owners, sets, selector);
        let mut claimed = manager.claim(known).await?;
        sort_by_age(&mut claimed);
        Ok(claimed)
    }

    /// Reports that this loop cannot work with the selector.
    async fn refuse(&self, deployment: &Deployment, message: &str) -> Result<Action, Error> {
        let observed = deployment
            .status
            .as_ref()
            .and_then(|status| status.observed_generation);
        if observed >= deployment.metadata.generation {
            return Ok(Action::done());
        }
        self.cx
            .recorder
            .warning(deployment, "SelectingAll", "Select", message);
        let mut changed = deployment.clone();
        changed.status.get_or_insert_default().observed_generation = deployment.metadata.generation;
        let namespace = deployment.metadata.namespace.as_deref().unwrap_or_default();
        let client = TypedClient::<Deployment>::namespaced(self.cx.client.clone(), namespace);
        let change = |fresh: &mut Deployment| fresh.status.clone_from(&changed.status);
        if let Some(written) = update_status(&client, &changed, change).await? {
            self.cx
                .own_status
                .record(&ObjectKey::of(deployment), &written);
        }
        Ok(Action::done())
    }

    async fn sync(&self, key: &ObjectKey, deployment: Arc<Deployment>) -> Result<Action, Error> {
        if selects_everything(&deployment) {
            let message =
                "This deployment is selecting all pods. A non-empty selector is required.";
            return self.refuse(&deployment, message).await;
        }
        let selector = match selector(&deployment.spec.selector) {
            Ok(selector) => selector,
            Err(error) => return self.refuse(&deployment, &message(&error)).await,
        };
        let sets = self.claim(&deployment, selector).await?;
        Rollout::new(&self.cx, key, deployment, sets).run().await
    }
}

impl Reconciler for DeploymentReconciler {
    type Error = Error;

    async fn reconcile(&self, request: Request) -> Result<Action, Error> {
        let key = &request.key;
        let pending = self.cx.own_status.pending(key, self.deployments.store());
        if let Some(later) = pending.or_else(|| self.cx.own_sets.pending(key, self.sets.store())) {
            return Ok(later);
        }
        let Ok(deployment) = self.deployments.get(key) else {
            return Ok(Action::done());
        };
        match self.sync(key, deployment).await {
            Err(error) if is_conflict(&error) => Ok(Action::requeue()),
            result => result,
        }
    }
}
