//! Revisions, and the annotations that a deployment shares with its replica sets.

use std::collections::BTreeMap;

use codegen_runtime::k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
use codegen_runtime::kube::Resource;

use super::limits::Limits;
use super::sets::Set;

/// The revision of a replica set, or of the deployment's current template. Read by
/// `kubectl rollout history`.
pub const REVISION: &str = "deployment.kubernetes.io/revision";
/// The earlier revisions of a replica set that rollbacks gave a new one.
pub const REVISION_HISTORY: &str = "deployment.kubernetes.io/revision-history";
/// `spec.replicas` of the deployment when the replica set was last sized.
pub const DESIRED_REPLICAS: &str = "deployment.kubernetes.io/desired-replicas";
/// `spec.replicas` plus the surge, from which proportional scaling starts.
pub const MAX_REPLICAS: &str = "deployment.kubernetes.io/max-replicas";

/// The annotations that a deployment does not copy to its replica sets.
const OWN: [&str; 6] = [
    "kubectl.kubernetes.io/last-applied-configuration",
    REVISION,
    REVISION_HISTORY,
    DESIRED_REPLICAS,
    MAX_REPLICAS,
    "deprecated.deployment.rollback.to",
];

/// The maximum length of the revision history, in bytes.
const MAX_HISTORY: usize = 2000;

/// Returns the revision of an object: zero if it has none, `None` if it is not a number.
pub fn revision<K: Resource>(object: &K) -> Option<i64> {
    match annotation(object, REVISION) {
        None => Some(0),
        Some(text) => text.parse().ok(),
    }
}

/// Returns the revision after the highest among `sets`; 1 if they have none. `i64::MAX` is not
/// incremented.
pub fn next(sets: &[Set]) -> i64 {
    let highest = sets.iter().filter_map(|set| revision(&**set)).max();
    highest.unwrap_or(0).max(0).saturating_add(1)
}

/// Copies the annotations of `deployment` to `set`, and sets `new_revision` if it is higher than
/// the set's own; returns whether anything changed.
pub fn annotate(deployment: &Deployment, set: &mut ReplicaSet, new_revision: i64) -> bool {
    let own = revision(set);
    let former = annotation(set, REVISION).map(str::to_owned);
    let annotations = set.metadata.annotations.get_or_insert_default();
    let mut changed = false;
    for (key, value) in deployment.metadata.annotations.iter().flatten() {
        if !OWN.contains(&key.as_str()) && annotations.get(key) != Some(value) {
            annotations.insert(key.clone(), value.clone());
            changed = true;
        }
    }
    // Keep a revision of another writer that is not a number.
    if own.is_none_or(|own| own >= new_revision) {
        return changed;
    }
    annotations.insert(REVISION.to_owned(), new_revision.to_string());
    if let Some(former) = former {
        remember(annotations, &former);
    }
    true
}

/// Appends a revision to the history, and drops the oldest ones if it grows too long.
fn remember(annotations: &mut BTreeMap<String, String>, former: &str) {
    let history = annotations.get(REVISION_HISTORY).map_or("", String::as_str);
    let mut history = match history {
        "" => former.to_owned(),
        history => format!("{history},{former}"),
    };
    while history.len() > MAX_HISTORY {
        match history.split_once(',') {
            Some((_, rest)) => history = rest.to_owned(),
            None => return,
        }
    }
    annotations.insert(REVISION_HISTORY.to_owned(), history);
}

/// Records on `set` the desired size of its deployment; returns whether anything changed.
pub fn set_replicas(set: &mut ReplicaSet, limits: Limits) -> bool {
    let annotations = set.metadata.annotations.get_or_insert_default();
    let mut changed = false;
    for (key, value) in [
        (DESIRED_REPLICAS, limits.replicas),
        (MAX_REPLICAS, limits.most()),
    ] {
        let value = value.to_string();
        if annotations.get(key) != Some(&value) {
            annotations.insert(key.to_owned(), value);
            changed = true;
        }
    }
    changed
}

/// Returns the number in an annotation of `set`; `None` if it is missing or malformed.
pub fn number(set: &ReplicaSet, key: &str) -> Option<i32> {
    annotation(set, key)?
        .parse()
        .ok()
        .filter(|number| *number >= 0)
}

fn annotation<'a, K: Resource>(object: &'a K, key: &str) -> Option<&'a str> {
    object
        .meta()
        .annotations
        .as_ref()?
        .get(key)
        .map(String::as_str)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn set(annotations: Value) -> ReplicaSet {
        serde_json::from_value(
            json!({"metadata": {"annotations": annotations}, "spec": {"selector": {}}}),
        )
        .expect("a replica set")
    }

    fn deployment(annotations: Value) -> Deployment {
        serde_json::from_value(json!({"metadata": {"annotations": annotations}, "spec": {"selector": {}, "template": {}}}))
            .expect("a deployment")
    }

    fn annotations(set: &ReplicaSet) -> Value {
        json!(set.metadata.annotations)
    }

    #[test]
    fn a_replica_set_gets_the_deployments_annotations_but_not_its_own_ones() {
        let deployment = deployment(json!({"cause": "b", REVISION: "9", OWN[0]: "{}"}));
        let mut changed = set(json!({"cause": "a", REVISION: "3"}));
        assert!(annotate(&deployment, &mut changed, 3));
        assert_eq!(annotations(&changed), json!({"cause": "b", REVISION: "3"}));
        assert!(!annotate(&deployment, &mut changed, 3));
    }

    #[test]
    fn a_rollback_is_remembered_in_the_history() {
        let mut rolled_back = set(json!({REVISION: "1"}));
        assert!(annotate(&deployment(json!({})), &mut rolled_back, 3));
        assert_eq!(
            annotations(&rolled_back),
            json!({REVISION: "3", REVISION_HISTORY: "1"})
        );
        assert!(annotate(&deployment(json!({})), &mut rolled_back, 5));
        assert_eq!(
            annotations(&rolled_back),
            json!({REVISION: "5", REVISION_HISTORY: "1,3"})
        );
    }

    #[test]
    fn the_history_forgets_its_oldest() {
        let long = ["1111"; 400].join(",");
        let mut set = set(json!({REVISION: "7", REVISION_HISTORY: long}));
        annotate(&deployment(json!({})), &mut set, 8);
        let history = annotations(&set)[REVISION_HISTORY]
            .as_str()
            .map(str::to_owned)
            .expect("a history");
        assert!(
            history.len() <= MAX_HISTORY && history.ends_with("1111,7"),
            "{history}"
        );
    }

    #[test]
    fn a_revision_that_is_no_number_stays() {
        let mut odd = set(json!({REVISION: "x"}));
        assert!(!annotate(&deployment(json!({})), &mut odd, 2));
        assert_eq!(annotations(&odd), json!({REVISION: "x"}));
        assert_eq!(next(&[odd.into(), set(json!({REVISION: "4"})).into()]), 5);
    }

    #[test]
    fn the_largest_revision_is_the_last() {
        let last = set(json!({REVISION: i64::MAX.to_string()}));
        assert_eq!(next(&[last.into()]), i64::MAX);
    }
}
