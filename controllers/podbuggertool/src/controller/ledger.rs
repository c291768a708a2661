//! The ledger of pods: facts that stay true, so that a pod is read once and not at each of its changes.
//!
//! An ephemeral container is never changed nor removed, so that a pod that has a tool has it as long as it lives.

use std::collections::BTreeMap;

use codegen_runtime::store::ObjectKey;
use parking_lot::Mutex;
use tokio::time::Instant;

/// The known state of a tool in a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fact {
    /// The pod has the tool; and whether it keeps a container of the tool as it was before.
    Has {
        /// Whether it does.
        earlier: bool,
    },
    /// The pod does not run.
    Waits,
    /// The pod does not have it, and why; not tried again before that time, if there is one.
    Failed {
        /// Why.
        message: String,
        /// When to try again.
        retry: Option<Instant>,
    },
}

/// The known facts of one pod by tool, with the name of the container that they are about.
#[derive(Debug, Default)]
struct Known {
    uid: String,
    facts: BTreeMap<String, (String, Fact)>,
}

/// The known facts of all pods. Empty in a new process, which reads each pod that a tool concerns once.
#[derive(Debug, Default)]
pub(super) struct Ledger(Mutex<BTreeMap<ObjectKey, Known>>);

impl Ledger {
    /// Keeps what is known of the pod about `tools` alone, if it is the pod `uid`; gives the tools that lost a fact.
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

    /// The pod is gone; gives the tools that it had to do with.
    pub(super) fn forget(&self, pod: &ObjectKey) -> Vec<String> {
        self.keep(pod, "", &[])
    }

    /// The known state of the container `container` of `tool` in a pod.
    pub(super) fn fact(&self, pod: &ObjectKey, tool: &str, container: &str) -> Option<Fact> {
        let pods = self.0.lock();
        let (about, fact) = pods.get(pod)?.facts.get(tool)?;
        (about == container).then(|| fact.clone())
    }

    /// Notes a fact about a pod that is [kept](Self::keep).
    pub(super) fn note(&self, pod: &ObjectKey, tool: &str, container: String, fact: Fact) {
        if let Some(known) = self.0.lock().get_mut(pod) {
            known.facts.insert(tool.to_owned(), (container, fact));
        }
    }
}
