//! One reconciliation of a replica set.

use std::sync::Arc;

use codegen_runtime::client::TypedClient;
use codegen_runtime::controller::{Action, Reconciler, Request};
use codegen_runtime::error::message;
use codegen_runtime::event::EventRecorder;
use codegen_runtime::informer::SharedInformerFactory;
use codegen_runtime::k8s_openapi::api::apps::v1::ReplicaSet;
use codegen_runtime::k8s_openapi::api::core::v1::Pod;
use codegen_runtime::kube::api::{DeleteParams, ObjectMeta, PostParams, Preconditions};
use codegen_runtime::kube::core::{Selector, SelectorExt};
use codegen_runtime::kube::{Api, Client, Error};
use codegen_runtime::lister::Lister;
use codegen_runtime::owner::{
    ControllerRefManager, controller_of, is_controlled_by, set_controller_reference,
};
use codegen_runtime::retry::is_conflict;
use codegen_runtime::store::ObjectKey;
use futures::future::join_all;
use jiff::Timestamp;

use super::batch::{BURST, slow_start};
use super::deferral::Deferrals;
use super::expectations::Expectations;
use super::rank::victims;
use super::status::{Failure, differs, next_check, status};
use crate::caches::{by_controller, owned, owned_and_orphaned, selector};
use crate::own_writes::OwnWrites;
use crate::pods::{is_active, is_terminating};
use crate::status_write::update_status;

/// Leaves room for the five characters that the server appends to a generated name.
const MAX_PREFIX: usize = 253 - 5;

// +kubebuilder:rbac:groups=apps,resources=replicasets,verbs=get;list;watch
// +kubebuilder:rbac:groups=apps,resources=replicasets/status,verbs=update
// Owner references of pods block the deletion of their replica set.
// +kubebuilder:rbac:groups=apps,resources=replicasets/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=pods,verbs=create;delete;list;patch;watch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
/// Brings the number of a replica set's pods to `spec.replicas`.
pub struct ReplicaSetReconciler {
    client: Client,
    sets: Lister<ReplicaSet>,
    pods: Lister<Pod>,
    expectations: Expectations,
    deferrals: Deferrals,
    own_writes: OwnWrites,
    recorder: EventRecorder,
}

impl std::fmt::Debug for ReplicaSetReconciler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReplicaSetReconciler")
            .finish_non_exhaustive()
    }
}

/// The number of pods could not be reconciled; the status reports it.
#[derive(Debug, thiserror::Error)]
pub enum ReplicaSetError {
    /// The server rejected a request.
    #[error(transparent)]
    Api(#[from] Error),
    /// Pods could not be created or deleted.
    #[error(transparent)]
    Pods(#[from] PodsError),
}

/// A request to create or delete a pod failed.
#[derive(Debug, thiserror::Error)]
#[error("{}", .failure.reason)]
pub struct PodsError {
    failure: Failure,
    source: Error,
}

/// Whether pods were created or deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scaled {
    Yes,
    No,
}

impl ReplicaSetReconciler {
    /// Creates a reconciler on the informers of `factory`.
    pub fn new(factory: &SharedInformerFactory, recorder: EventRecorder) -> Self {
        Self {
            client: factory.client().clone(),
            sets: by_controller(factory),
            pods: by_controller(factory),
            expectations: Expectations::default(),
            deferrals: Deferrals::default(),
            own_writes: OwnWrites::default(),
            recorder,
        }
    }

    async fn sync(&self, set: &ReplicaSet, selector: Selector) -> Result<Action, ReplicaSetError> {
        let (_, namespace) = identity(set);
        let key = ObjectKey::of(set);
        let expected = self.expectations.wait(&key, self.pods.store());
        let (active, terminating) = self.observe(set, &selector);
        let active = self.claim(set, selector, active).await?;
        let scaled = if expected.is_none() && set.metadata.deletion_timestamp.is_none() {
            self.scale(set, &active).await
        } else {
            Ok(Scaled::No)
        };
        let is_outdated = expected.is_some() || matches!(scaled, Ok(Scaled::Yes));
        if is_outdated && let Some(left) = self.deferrals.left(&key) {
            return Ok(Action::requeue_after(left));
        }
        self.deferrals.end(&key);
        let failed = scaled.err();
        let failure = failed.as_ref().map(|error| &error.failure);
        let now = Timestamp::now();
        let new = status(set, &active, terminating, failure, now);
        if differs(set.status.as_ref(), &new) {
            let mut changed = set.clone();
            changed.status = Some(new);
            let change = |fresh: &mut ReplicaSet| fresh.status.clone_from(&changed.status);
            let sets = TypedClient::<ReplicaSet>::namespaced(self.client.clone(), namespace);
            match update_status(&sets, &changed, change).await {
                Ok(Some(written)) => self.own_writes.record(&key, &written),
                Ok(None) => {}
                Err(error) if is_conflict(&error) => return Ok(Action::requeue()),
                Err(error) => return Err(error.into()),
            }
        }
        match failed {
            Some(error) => Err(error.into()),
            None => {
                let next = next_check(set, &active, now).into_iter().chain(expected);
                Ok(next.min().map_or(Action::done(), Action::requeue_after))
            }
        }
    }

    /// Returns the active pods that belong to `set` or may be adopted, and the number of
    /// terminating ones.
    fn observe(&self, set: &ReplicaSet, selector: &Selector) -> (Vec<Arc<Pod>>, usize) {
        let (uid, namespace) = identity(set);
        let all = owned_and_orphaned(&self.pods, uid, namespace);
        let matches = |pod: &Pod| {
            selector.matches(pod.metadata.labels.as_ref().unwrap_or(&Default::default()))
        };
        let ending =
            |pod: &&Arc<Pod>| is_terminating(pod) && is_controlled_by(&***pod, set) && matches(pod);
        let terminating = all.iter().filter(ending).count();
        (
            all.into_iter().filter(|pod| is_active(pod)).collect(),
            terminating,
        )
    }

    async fn claim(
        &self,
        set: &ReplicaSet,
        selector: Selector,
        pods: Vec<Arc<Pod>>,
    ) -> Result<Vec<Arc<Pod>>, Error> {
        let (_, namespace) = identity(set);
        let sets = Api::namespaced(self.client.clone(), namespace);
        let api = Api::namespaced(self.client.clone(), namespace);
        ControllerRefManager::new(set, sets, api, selector)
            .claim(pods)
            .await
    }

    /// Creates or deletes pods to match `spec.replicas`.
    async fn scale(&self, set: &ReplicaSet, active: &[Arc<Pod>]) -> Result<Scaled, PodsError> {
        let wanted = set.spec.replicas.unwrap_or(1);
        let wanted = usize::try_from(wanted).unwrap_or(0);
        if active.len() < wanted {
            self.create(set, wanted - active.len()).await?;
            return Ok(Scaled::Yes);
        }
        let surplus = active.len() - wanted;
        if surplus == 0 {
            return Ok(Scaled::No);
        }
        let pods = active.to_vec();
        let victims = victims(
            pods,
            &self.related(set),
            surplus.min(BURST),
            Timestamp::now(),
        );
        self.delete(set, &victims).await?;
        Ok(Scaled::Yes)
    }

    async fn create(&self, set: &ReplicaSet, count: usize) -> Result<(), PodsError> {
        let Some(pod) = pod_of(set) else {
            return Ok(());
        };
        let (key, namespace) = (ObjectKey::of(set), identity(set).1);
        let pods = TypedClient::<Pod>::namespaced(self.client.clone(), namespace);
        let params = PostParams::default();
        for batch in slow_start(count) {
            let results = join_all((0..batch).map(|_| pods.create(&pod, &params))).await;
            let (mut failed, mut is_ending) = (None, false);
            for result in results {
                match result {
                    Ok(created) => {
                        self.expectations.created(&key, &created);
                        let name = created.metadata.name.unwrap_or_default();
                        self.recorder.normal(
                            set,
                            "SuccessfulCreate",
                            "Create",
                            format!("Created pod: {name}"),
                        );
                    }
                    // Nothing can be created in a terminating namespace, which also deletes the
                    // replica set.
                    Err(error) if is_terminating_namespace(&error) => is_ending = true,
                    Err(error) => {
                        let message = message(&error);
                        self.recorder.warning(
                            set,
                            "FailedCreate",
                            "Create",
                            format!("Error creating: {message}"),
                        );
                        failed.get_or_insert(error);
                    }
                }
            }
            if is_ending {
                return Ok(());
            }
            if let Some(source) = failed {
                let failure = Failure {
                    reason: "FailedCreate",
                    message: message(&source),
                };
                return Err(PodsError { failure, source });
            }
        }
        Ok(())
    }

    async fn delete(&self, set: &ReplicaSet, victims: &[Arc<Pod>]) -> Result<(), PodsError> {
        let (key, namespace) = (ObjectKey::of(set), identity(set).1);
        let pods = TypedClient::<Pod>::namespaced(self.client.clone(), namespace);
        let delete = victims.iter().map(|pod| {
            let pods = &pods;
            async move {
                let name = pod.metadata.name.as_deref().unwrap_or_default();
                // A new pod of the same name is not the pod that was ranked.
                let preconditions = Preconditions {
                    uid: pod.metadata.uid.clone(),
                    resource_version: None,
                };
                let params = DeleteParams {
                    preconditions: Some(preconditions),
                    ..DeleteParams::default()
                };
                (pod, name, pods.delete(name, &params).await)
            }
        });
        let mut failed = None;
        for (pod, name, result) in join_all(delete).await {
            match result {
                Ok(_) => {
                    self.expectations.deleted(&key, pod);
                    self.recorder.normal(
                        set,
                        "SuccessfulDelete",
                        "Delete",
                        format!("Deleted pod: {name}"),
                    );
                }
                Err(Error::Api(answer)) if answer.is_not_found() || answer.is_conflict() => {
                    self.expectations.deleted(&key, pod);
                }
                Err(error) => {
                    let message = message(&error);
                    self.recorder.warning(
                        set,
                        "FailedDelete",
                        "Delete",
                        format!("Error deleting: {message}"),
                    );
                    failed.get_or_insert(error);
                }
            }
        }
        failed.map_or(Ok(()), |source| {
            let failure = Failure {
                reason: "FailedDelete",
                message: format!("unable to delete pods: {}", message(&source)),
            };
            Err(PodsError { failure, source })
        })
    }

    /// Returns the pods of all replica sets of the owner of `set`: a Deployment's old and new pods
    /// share nodes.
    fn related(&self, set: &ReplicaSet) -> Vec<Arc<Pod>> {
        let siblings = controller_of(set)
            .map(|owner| owned(&self.sets, &owner.uid))
            .unwrap_or_default();
        let pods = siblings
            .iter()
            .flat_map(|sibling| owned(&self.pods, identity(sibling).0));
        pods.collect()
    }
}

impl Reconciler for ReplicaSetReconciler {
    type Error = ReplicaSetError;

    async fn reconcile(&self, request: Request) -> Result<Action, Self::Error> {
        if let Some(later) = self.own_writes.pending(&request.key, self.sets.store()) {
            return Ok(later);
        }
        let Ok(set) = self.sets.get(&request.key) else {
            self.expectations.forget(&request.key);
            self.deferrals.end(&request.key);
            return Ok(Action::done());
        };
        match selector(&set.spec.selector) {
            Ok(selector) => self.sync(&set, selector).await,
            Err(error) => {
                self.recorder
                    .warning(&*set, "InvalidSelector", "Select", message(&error));
                Ok(Action::done())
            }
        }
    }
}

/// The uid and the namespace.
fn identity(set: &ReplicaSet) -> (&str, &str) {
    let meta = &set.metadata;
    (
        meta.uid.as_deref().unwrap_or_default(),
        meta.namespace.as_deref().unwrap_or_default(),
    )
}

/// Builds a pod from the template.
fn pod_of(set: &ReplicaSet) -> Option<Pod> {
    let template = set.spec.template.as_ref()?;
    let meta = template.metadata.clone().unwrap_or_default();
    let name = set.metadata.name.as_deref().unwrap_or_default();
    let prefix: String = name.chars().take(MAX_PREFIX - 1).collect();
    let mut pod = Pod {
        metadata: ObjectMeta {
            generate_name: Some(format!("{prefix}-")),
            namespace: set.metadata.namespace.clone(),
            labels: meta.labels,
            annotations: meta.annotations,
            finalizers: meta.finalizers,
            ..ObjectMeta::default()
        },
        spec: template.spec.clone(),
        status: None,
    };
    set_controller_reference(set, &mut pod).ok()?;
    Some(pod)
}

pub(crate) fn is_terminating_namespace(error: &Error) -> bool {
    let Error::Api(status) = error else {
        return false;
    };
    let causes = status.details.iter().flat_map(|details| &details.causes);
    causes
        .into_iter()
        .any(|cause| cause.reason == "NamespaceTerminating")
}
