//! Adds the missing tools to one pod.

use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::client::TypedClient;
use codegen_runtime::controller::{Action, Reconciler, Request, Trigger};
use codegen_runtime::error::message;
use codegen_runtime::event::EventRecorder;
use codegen_runtime::finalizer::is_deleting;
use codegen_runtime::k8s_openapi::api::core::v1::Pod;
use codegen_runtime::kube::api::{Patch, PatchParams};
use codegen_runtime::kube::{self, Client};
use codegen_runtime::lister::Lister;
use codegen_runtime::retry;
use codegen_runtime::store::{ObjectKey, UnknownIndex};
use serde_json::json;
use tokio::time::Instant;

use super::PodMeta;
use super::container::{Plan, container_name, has_earlier, plan};
use super::ledger::{Fact, Ledger};
use super::matching::Matching;
use crate::apis::tools::v1alpha1::PodBuggerTool;

/// The controller's field manager.
const MANAGER: &str = "podbuggertool-controller";

/// How soon to retry after the API server rejected a container: a policy may have been removed.
const REFUSED: Duration = Duration::from_secs(60);

/// The delay between a change and the write of a tool's status, to combine many changes into one
/// write.
const STATUS_DELAY: Duration = Duration::from_millis(500);

/// Why a pod could not be reconciled. Retried with a back-off per pod.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReconcileError {
    /// The tools or pods could not be looked up.
    #[error(transparent)]
    Index(#[from] UnknownIndex),
    /// The pod could not be read.
    #[error("cannot read the pod")]
    Read(#[source] kube::Error),
    /// The container could not be added.
    #[error("cannot add the container")]
    Add(#[source] kube::Error),
    /// The status of a tool could not be written.
    #[error("cannot write the status")]
    Status(#[source] kube::Error),
}

/// Reconciles pods: reads each selected pod once, and adds the missing tools.
pub(super) struct Pods {
    pub(super) client: Client,
    pub(super) pods: Lister<PodMeta>,
    pub(super) matching: Matching,
    pub(super) ledger: Arc<Ledger>,
    pub(super) tools: Trigger,
    pub(super) recorder: EventRecorder,
}

// +kubebuilder:rbac:groups="",resources=pods,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=pods/ephemeralcontainers,verbs=patch
// +kubebuilder:rbac:groups=tools.jicki.cn,resources=podbuggertools,verbs=list;watch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
impl Reconciler for Pods {
    type Error = ReconcileError;

    async fn reconcile(&self, request: Request) -> Result<Action, ReconcileError> {
        let pod = self
            .pods
            .get(&request)
            .ok()
            .filter(|it| !is_deleting(&**it));
        let Some(pod) = pod else {
            self.tell(self.ledger.forget(&request));
            return Ok(Action::done());
        };
        let tools = self.matching.tools_for(&pod)?;
        let names: Vec<&str> = tools.iter().map(|it| name_of(it)).collect();
        let uid = pod.metadata.uid.as_deref().unwrap_or_default();
        self.tell(self.ledger.keep(&request, uid, &names));
        let (missing, wait) = self.missing(&request, &tools);
        if missing.is_empty() {
            return Ok(wait.map_or(Action::done(), Action::requeue_after));
        }
        let wait = self.add(&request, uid, &missing).await?.or(wait);
        Ok(wait.map_or(Action::done(), Action::requeue_after))
    }
}

impl Pods {
    /// Returns the tools that the pod is not known to have and that may be tried now, and when to
    /// retry others.
    fn missing<'a>(
        &self,
        pod: &ObjectKey,
        tools: &'a [Arc<PodBuggerTool>],
    ) -> (Vec<&'a PodBuggerTool>, Option<Duration>) {
        let (now, mut wait) = (Instant::now(), None);
        let may_be_tried = |tool: &&PodBuggerTool| {
            let fact = self.ledger.fact(pod, name_of(tool), &container_name(tool));
            let retry = match fact {
                None | Some(Fact::Waits) => return true,
                Some(Fact::Has { .. } | Fact::Failed { retry: None, .. }) => return false,
                Some(Fact::Failed {
                    retry: Some(at), ..
                }) => at.saturating_duration_since(now),
            };
            if !retry.is_zero() {
                wait = Some(wait.map_or(retry, |wait: Duration| wait.min(retry)));
            }
            retry.is_zero()
        };
        let missing = tools.iter().map(|it| &**it).filter(may_be_tried).collect();
        (missing, wait)
    }

    /// Adds `tools` to the pod; returns when to retry rejected ones.
    async fn add(
        &self,
        key: &ObjectKey,
        uid: &str,
        tools: &[&PodBuggerTool],
    ) -> Result<Option<Duration>, ReconcileError> {
        let pods = TypedClient::<Pod>::namespaced(
            self.client.clone(),
            key.namespace().unwrap_or_default(),
        );
        let live = pods
            .get_opt(key.name())
            .await
            .map_err(ReconcileError::Read)?;
        let Some(mut live) = live.filter(|it| it.metadata.uid.as_deref() == Some(uid)) else {
            return Ok(None); // The pod is gone; the cache will show it.
        };
        let (mut wait, mut failed) = (None, None);
        for tool in tools {
            let fact = if is_running(&live) {
                self.add_one(&pods, &mut live, tool).await
            } else {
                Ok(Fact::Waits)
            };
            // A temporary failure is recorded as well, until the next attempt.
            let (fact, error) = match fact {
                Ok(fact) => (fact, None),
                Err(error) if is_gone(&error) => return Ok(None),
                Err(error) => {
                    let message = message(&error);
                    let retry = Some(Instant::now());
                    (Fact::Failed { message, retry }, Some(error))
                }
            };
            if let (Fact::Failed { retry: Some(_), .. }, None) = (&fact, &error) {
                wait = Some(REFUSED);
            }
            self.ledger
                .note(key, name_of(tool), container_name(tool), fact);
            self.tell([name_of(tool).to_owned()]);
            match error {
                // The server may still accept the other tools.
                Some(error @ kube::Error::Api(_)) => failed = failed.or(Some(error)),
                Some(error) => return Err(ReconcileError::Add(error)),
                None => {}
            }
        }
        failed.map_or(Ok(wait), |error| Err(ReconcileError::Add(error)))
    }

    /// Adds one tool to a running pod, and updates `pod` from the response.
    async fn add_one(
        &self,
        pods: &TypedClient<Pod>,
        pod: &mut Pod,
        tool: &PodBuggerTool,
    ) -> Result<Fact, kube::Error> {
        let container = match plan(tool, pod) {
            Plan::Present => {
                let earlier = has_earlier(tool, pod);
                return Ok(Fact::Has { earlier });
            }
            Plan::Impossible(message) => {
                let retry = None;
                return Ok(Fact::Failed { message, retry });
            }
            Plan::Add(container) => container,
        };
        // The patch merges by name: concurrent additions of the same container add only one.
        let patch = Patch::Strategic(json!({ "spec": { "ephemeralContainers": [*container] } }));
        let params = PatchParams {
            field_manager: Some(MANAGER.to_owned()),
            ..PatchParams::default()
        };
        let name = pod.metadata.name.clone().unwrap_or_default();
        let patched = pods
            .patch_subresource(&name, "ephemeralcontainers", &params, &patch)
            .await;
        match patched {
            Ok(patched) => *pod = patched,
            Err(error) if retry::is_refused(&error) => {
                let (message, retry) = (message(&error), Some(Instant::now() + REFUSED));
                return Ok(Fact::Failed { message, retry });
            }
            Err(error) => return Err(error),
        }
        let note = format!("{} as container {}", name_of(tool), container.name);
        self.recorder.normal(pod, "ToolAdded", "AddTool", note);
        let earlier = has_earlier(tool, pod);
        Ok(Fact::Has { earlier })
    }

    /// Schedules status updates of `tools`.
    fn tell(&self, tools: impl IntoIterator<Item = String>) {
        for tool in tools {
            self.tools
                .add_after(ObjectKey::new(None, &tool), STATUS_DELAY);
        }
    }
}

pub(super) fn name_of(tool: &PodBuggerTool) -> &str {
    tool.metadata.name.as_deref().unwrap_or_default()
}

fn is_running(pod: &Pod) -> bool {
    let phase = pod.status.as_ref().and_then(|it| it.phase.as_deref());
    phase == Some("Running") && !is_deleting(pod)
}

fn is_gone(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.is_not_found())
}
