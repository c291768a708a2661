//! The status of one tool.

use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::condition;
use codegen_runtime::controller::{Action, Reconciler, Request};
use codegen_runtime::event::EventRecorder;
use codegen_runtime::finalizer::is_deleting;
use codegen_runtime::kube;
use codegen_runtime::kube::api::PostParams;
use codegen_runtime::lister::Lister;
use codegen_runtime::retry;
use codegen_runtime::store::{ObjectKey, UnknownIndex};

use super::container::container_name;
use super::ledger::{Fact, Ledger};
use super::matching::{Matching, selector};
use super::pods::{ReconcileError, name_of};
use crate::apis::tools::v1alpha1::{PodBuggerTool, PodBuggerToolStatus};
use crate::generated::clientset::Clientset;

/// The condition of a tool.
const READY: &str = "Ready";

/// How soon to check again while some pods have not been examined.
const SOON: Duration = Duration::from_secs(1);

/// Writes the status of tools.
pub(super) struct Tools {
    pub(super) clientset: Clientset,
    pub(super) tools: Lister<PodBuggerTool>,
    pub(super) matching: Matching,
    pub(super) ledger: Arc<Ledger>,
    pub(super) recorder: EventRecorder,
}

/// Counts of a tool's pods.
#[derive(Debug, Default)]
struct Counts {
    matched: i32,
    with: i32,
    earlier: i32,
    failed: i32,
    unknown: i32,
    /// The first pod that failed, by name, with its error.
    error: Option<(ObjectKey, String)>,
}

// +kubebuilder:rbac:groups=tools.jicki.cn,resources=podbuggertools/status,verbs=update
impl Reconciler for Tools {
    type Error = ReconcileError;

    async fn reconcile(&self, request: Request) -> Result<Action, ReconcileError> {
        let tool = self
            .tools
            .get(&request)
            .ok()
            .filter(|it| !is_deleting(&**it));
        let Some(tool) = tool else {
            return Ok(Action::done()); // Its containers stay: nothing removes ephemeral containers.
        };
        let counts = self.count(&tool)?;
        let is_about_this = |status: &PodBuggerToolStatus| {
            status.observed_generation.is_some()
                && status.observed_generation == tool.metadata.generation
        };
        let is_behind = counts.unknown > 0;
        if is_behind && tool.status.as_ref().is_some_and(is_about_this) {
            // After a restart, the old status is better than one that counts from zero.
            return Ok(Action::requeue_after(SOON));
        }
        if self.write(&tool, status(&tool, &counts)).await? {
            return Ok(Action::requeue()); // conflict
        }
        Ok(if is_behind {
            Action::requeue_after(SOON)
        } else {
            Action::done()
        })
    }
}

impl Tools {
    fn count(&self, tool: &PodBuggerTool) -> Result<Counts, UnknownIndex> {
        let (mut counts, container) = (Counts::default(), container_name(tool));
        for pod in self.matching.pods_for(tool)? {
            let key = ObjectKey::of(&*pod);
            counts.matched += 1;
            match self.ledger.fact(&key, name_of(tool), &container) {
                None => counts.unknown += 1,
                Some(Fact::Waits) => counts.matched -= 1,
                Some(Fact::Has { earlier }) => {
                    counts.with += 1;
                    counts.earlier += i32::from(earlier);
                }
                Some(Fact::Failed { message, .. }) => {
                    counts.failed += 1;
                    if counts.error.as_ref().is_none_or(|(first, _)| key < *first) {
                        counts.error = Some((key, message));
                    }
                }
            }
        }
        Ok(counts)
    }

    /// Writes the status if it changed, with an event if the reason is new; returns whether the
    /// write was a conflict.
    async fn write(
        &self,
        tool: &PodBuggerTool,
        status: PodBuggerToolStatus,
    ) -> Result<bool, ReconcileError> {
        if tool.status.as_ref() == Some(&status) {
            return Ok(false);
        }
        let mut changed = tool.clone();
        changed.status = Some(status);
        let tools = self.clientset.tools_v1alpha1().pod_bugger_tools();
        match tools.update_status(&changed, &PostParams::default()).await {
            Ok(_) => {}
            Err(error) if retry::is_conflict(&error) => return Ok(true),
            Err(kube::Error::Api(status)) if status.is_not_found() => return Ok(false),
            Err(error) => return Err(ReconcileError::Status(error)),
        }
        let reason = |tool: &PodBuggerTool| {
            let status = tool.status.as_ref()?;
            condition::find(&status.conditions, READY).cloned()
        };
        if let Some(now) = reason(&changed)
            && reason(tool).is_none_or(|before| before.reason != now.reason)
        {
            let (reason, action) = (now.reason.as_str(), "Reconcile");
            match reason {
                "InvalidSpec" | "SomePodsFailed" => {
                    self.recorder.warning(&changed, reason, action, now.message);
                }
                _ => self.recorder.normal(&changed, reason, action, now.message),
            }
        }
        Ok(false)
    }
}

fn status(tool: &PodBuggerTool, counts: &Counts) -> PodBuggerToolStatus {
    let last_error = match &counts.error {
        Some((pod, message)) => format!("{pod}: {message}"),
        None => String::new(),
    };
    let of_all = |count: i32| format!("{count} of {} pods", counts.matched);
    let (is_ready, reason, message) = match selector(&tool.spec) {
        Err(message) => (false, "InvalidSpec", message),
        Ok(_) if counts.failed > 0 => {
            let message = format!(
                "{} cannot get the tool: {last_error}",
                of_all(counts.failed)
            );
            (false, "SomePodsFailed", message)
        }
        Ok(_) if counts.with < counts.matched => (
            false,
            "Adding",
            format!("{} have the tool", of_all(counts.with)),
        ),
        Ok(_) if counts.matched == 0 => (
            true,
            "NoPodsMatch",
            "spec.selector matches no running pod".to_owned(),
        ),
        Ok(_) if counts.earlier > 0 => {
            let message = format!(
                "{} still have a container of an earlier version",
                of_all(counts.earlier)
            );
            (true, "AllPodsHaveTool", message)
        }
        Ok(_) => (
            true,
            "AllPodsHaveTool",
            format!("{} have the tool", of_all(counts.with)),
        ),
    };
    let generation = tool.metadata.generation;
    let old = tool.status.as_ref();
    let mut conditions = old.map(|it| it.conditions.clone()).unwrap_or_default();
    condition::set(
        &mut conditions,
        condition::new(READY, is_ready, reason, message, generation),
    );
    PodBuggerToolStatus {
        pods_matched: counts.matched,
        pods_with_tool: counts.with,
        pods_with_earlier_versions: counts.earlier,
        last_error,
        observed_generation: generation,
        conditions,
    }
}
