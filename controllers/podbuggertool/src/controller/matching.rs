//! Matches tools and pods through label indexes instead of full scans.
//!
//! A selector that is not empty usually demands a label: the first of its pairs, one of the values
//! of an `In`, or a key. Tools are indexed by that demand, pods by all their labels. Candidates
//! from an index are checked against the whole selector. Only a selector without such a demand,
//! such as an empty one or `NotIn` alone, scans all pods of its namespaces.

use std::collections::BTreeMap;
use std::sync::Arc;

use codegen_runtime::informer::SharedInformer;
use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelectorRequirement;
use codegen_runtime::kube::core::{Selector, SelectorExt};
use codegen_runtime::lister::Lister;
use codegen_runtime::store::{IndexFn, IndexerError, NAMESPACE_INDEX, UnknownIndex};

use super::{PodMeta, Reach};
use crate::apis::tools::v1alpha1::{PodBuggerTool, PodBuggerToolSpec};

/// The index of tools by the label they demand.
const DEMANDS: &str = "podbuggertool-demands";

/// The index of pods by their labels.
const LABELS: &str = "podbuggertool-labels";

/// The index key of a selector that demands no label.
const NOTHING: &str = "*";

/// Finds the tools for a pod and the pods for a tool.
#[derive(Clone, Debug)]
pub(super) struct Matching {
    tools: Lister<PodBuggerTool>,
    pods: Lister<PodMeta>,
    reach: Arc<Reach>,
}

impl Matching {
    /// Adds the indexes to the informers.
    pub(super) fn new(
        tools: &SharedInformer<PodBuggerTool>,
        pods: &SharedInformer<PodMeta>,
        reach: &Reach,
    ) -> Result<Self, IndexerError> {
        let by_demand: IndexFn<PodBuggerTool> = Arc::new(|tool| demands(&tool.spec));
        let by_label: IndexFn<PodMeta> =
            Arc::new(|pod| labels(pod.metadata.labels.as_ref()).collect());
        tools.add_indexers([(DEMANDS.to_owned(), by_demand)])?;
        pods.add_indexers([(LABELS.to_owned(), by_label)])?;
        Ok(Self {
            tools: tools.lister(),
            pods: pods.lister(),
            reach: Arc::new(reach.clone()),
        })
    }

    /// Returns the tools that select a pod, sorted by name.
    pub(super) fn tools_for(&self, pod: &PodMeta) -> Result<Vec<Arc<PodBuggerTool>>, UnknownIndex> {
        if !self.is_in_reach(pod) {
            return Ok(Vec::new());
        }
        let mut tools = self.tool_candidates(pod)?;
        tools.retain(|tool| concerns(&tool.spec, pod));
        tools.sort_by(|one, two| one.metadata.name.cmp(&two.metadata.name));
        Ok(tools)
    }

    /// Returns the pods that a tool selects.
    pub(super) fn pods_for(&self, tool: &PodBuggerTool) -> Result<Vec<Arc<PodMeta>>, UnknownIndex> {
        let mut pods = self.pod_candidates(tool)?;
        pods.retain(|pod| self.is_in_reach(pod) && concerns(&tool.spec, pod));
        Ok(pods)
    }

    fn is_in_reach(&self, pod: &PodMeta) -> bool {
        let namespace = pod.metadata.namespace.as_deref();
        self.reach.includes(namespace.unwrap_or_default())
    }

    fn tool_candidates(&self, pod: &PodMeta) -> Result<Vec<Arc<PodBuggerTool>>, UnknownIndex> {
        let tools = self.tools.snapshot();
        let mut candidates = tools.by_index(DEMANDS, NOTHING)?;
        for label in labels(pod.metadata.labels.as_ref()) {
            candidates.extend(tools.by_index(DEMANDS, &label)?);
        }
        Ok(candidates)
    }

    fn pod_candidates(&self, tool: &PodBuggerTool) -> Result<Vec<Arc<PodMeta>>, UnknownIndex> {
        let pods = self.pods.snapshot();
        let mut candidates = Vec::new();
        for demand in demands(&tool.spec) {
            if demand != NOTHING {
                candidates.extend(pods.by_index(LABELS, &demand)?);
            } else if tool.spec.namespaces.is_empty() {
                candidates.extend(pods.iter());
            } else {
                for namespace in &tool.spec.namespaces {
                    candidates.extend(pods.by_index(NAMESPACE_INDEX, namespace)?);
                }
            }
        }
        Ok(candidates)
    }
}

/// Returns the selector of a valid spec, or else a message with the correction.
pub(super) fn selector(spec: &PodBuggerToolSpec) -> Result<Selector, String> {
    if spec.image.trim().is_empty() || spec.image.trim() != spec.image {
        let image = &spec.image;
        return Err(format!(
            "spec.image: write an image such as busybox:1.37, not {image:?}"
        ));
    }
    for (n, it) in expressions(spec).enumerate() {
        let is_right = match it.operator.as_str() {
            "In" | "NotIn" => it.values.as_ref().is_some_and(|it| !it.is_empty()),
            "Exists" | "DoesNotExist" => it.values.as_ref().is_none_or(Vec::is_empty),
            _ => false,
        };
        if !is_right {
            return Err(format!(
                "spec.selector.matchExpressions[{n}]: write In or NotIn with values, or Exists or DoesNotExist without, not {:?}",
                it.operator
            ));
        }
    }
    Selector::try_from(spec.selector.clone()).map_err(|error| format!("spec.selector: {error}"))
}

fn expressions(spec: &PodBuggerToolSpec) -> impl Iterator<Item = &LabelSelectorRequirement> {
    spec.selector.match_expressions.iter().flatten()
}

fn concerns(spec: &PodBuggerToolSpec, pod: &PodMeta) -> bool {
    static NONE: BTreeMap<String, String> = BTreeMap::new();
    let namespace = pod.metadata.namespace.as_deref().unwrap_or_default();
    let in_namespace =
        spec.namespaces.is_empty() || spec.namespaces.iter().any(|it| it == namespace);
    let labels = pod.metadata.labels.as_ref().unwrap_or(&NONE);
    in_namespace && selector(spec).is_ok_and(|it| it.matches(labels))
}

/// Returns labels of which each selected pod has at least one, in the form of [`labels`]. Empty for
/// an invalid spec, which selects no pods.
fn demands(spec: &PodBuggerToolSpec) -> Vec<String> {
    if selector(spec).is_err() {
        return Vec::new();
    }
    if let Some((key, value)) = spec.selector.match_labels.iter().flatten().next() {
        return vec![format!("{key}={value}")];
    }
    if let Some(it) = expressions(spec).find(|it| it.operator == "In") {
        let mut values: Vec<&String> = it.values.iter().flatten().collect();
        values.sort_unstable();
        values.dedup();
        return values
            .iter()
            .map(|value| format!("{}={value}", it.key))
            .collect();
    }
    match expressions(spec).find(|it| it.operator == "Exists") {
        Some(it) => vec![it.key.clone()],
        None => vec![NOTHING.to_owned()],
    }
}

/// Yields a pod's labels as `key=value`, and their keys alone.
fn labels(labels: Option<&BTreeMap<String, String>>) -> impl Iterator<Item = String> {
    labels
        .into_iter()
        .flatten()
        .flat_map(|(key, value)| [format!("{key}={value}"), key.clone()])
}

#[cfg(test)]
mod tests;
