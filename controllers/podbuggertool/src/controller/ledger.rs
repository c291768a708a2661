//! Caches facts about pods that stay true, so that a pod is read once and not on each change.
//!
//! Ephemeral containers are never changed or removed, so a pod that has a tool keeps it for its
//! lifetime.

use std::collections::BTreeMap;

use codegen_runtime::store::ObjectKey;
use parking_lot::Mutex;
use tokio::time::Instant;

/// The known state of a tool in a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fact {
    /// The pod has the tool.
    Has {
        /// Whether the pod keeps a container of an earlier version.
        earlier: bool,
    },
    /// The pod is not running.
    Waits,
    /// The pod does not have the tool. Not retried if `retry` is `None`.
    Failed {
        /// Why.
        message: String,
        /// When to retry.
        retry: Option<Instant>,
    },
}

/// The known facts of one pod by tool, each with the name of the container that it is about.
#[derive(Debug, Default)]
struct Known {
    uid: String,
    facts: BTreeMap<String, (String, Fact)>,
}

/// The known facts of all pods. Empty in a new process, which reads each pod selected by a tool
/// once.
#[derive(Debug, Default)]
pub(super) struct Ledger(Mutex<BTreeMap<ObjectKey, Known>>);

impl Ledger {
    /// Drops all facts of the pod except those about `tools`, or all if its uid is not `uid`;
    /// returns the tools that lost a fact.
    pub(super) fn keep(&self, pod: &ObjectKey, uid: &str, tools: &[&str]) -> Vec<String> {
        let mut pods = self.0.lock();
        if tools.is_empty() {
            let known = pods.remove(pod).unwrap_or_default();
            return known.facts.into_keys().collect();
        }
        let known = pods.entry(pod.clone()).or_default();
        let is_same = known.uid == uid;
        uid.clone_into(&mut known.uid);
        let lost = |tool: &String| !is_same || !tools.contains(&tool.as_str());
        let gone: Vec<String> = known.facts.keys().filter(|it| lost(it)).cloned().collect();
        known.facts.retain(|tool, _| !gone.contains(tool));
        gone
    }

    /// Drops a deleted pod; returns the tools with facts about it.
    pub(super) fn forget(&self, pod: &ObjectKey) -> Vec<String> {
        self.keep(pod, "", &[])
    }

    /// Returns the known state of the container `container` of `tool` in a pod.
    pub(super) fn fact(&self, pod: &ObjectKey, tool: &str, container: &str) -> Option<Fact> {
        let pods = self.0.lock();
        let (about, fact) = pods.get(pod)?.facts.get(tool)?;
        (about == container).then(|| fact.clone())
    }

    /// Records a fact about a pod that is [kept](Self::keep).
    pub(super) fn note(&self, pod: &ObjectKey, tool: &str, container: String, fact: Fact) {
        if let Some(known) = self.0.lock().get_mut(pod) {
            known.facts.insert(tool.to_owned(), (container, fact));
        }
    }
}
