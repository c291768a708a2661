//! Selects the old replica sets to keep for rollbacks.

use codegen_runtime::k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};

use super::revision::revision;
use super::sets::{Set, actual, by_age, size};

/// Returns the old replica sets beyond `revisionHistoryLimit`: those with the lowest revisions,
/// except any that still have pods.
pub fn surplus<'a>(deployment: &Deployment, old: &'a [Set]) -> Vec<&'a Set> {
    let Some(limit) = deployment
        .spec
        .revision_history_limit
        .filter(|limit| *limit != i32::MAX)
    else {
        return Vec::new();
    };
    let mut kept: Vec<&Set> = old
        .iter()
        .filter(|set| set.metadata.deletion_timestamp.is_none())
        .collect();
    let count = kept
        .len()
        .saturating_sub(usize::try_from(limit).unwrap_or(0));
    kept.sort_by_key(|set| (revision(&***set).unwrap_or(0), by_age(set)));
    kept.truncate(count);
    kept.retain(|set| is_empty(set));
    kept
}

/// Whether the set has no pods and wants none, and its status has observed that.
fn is_empty(set: &ReplicaSet) -> bool {
    let observed = set
        .status
        .as_ref()
        .and_then(|status| status.observed_generation)
        .unwrap_or(0);
    actual(set) == 0 && size(set) == 0 && set.metadata.generation.unwrap_or(0) <= observed
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::deployment::revision::REVISION;

    fn check(limit: i32, sets: &[(&str, i32, i64)], expected: &[&str]) {
        let deployment: Deployment = serde_json::from_value(
            json!({"spec": {"revisionHistoryLimit": limit, "selector": {}, "template": {}}}),
        )
        .expect("a deployment");
        let sets: Vec<Set> = sets
            .iter()
            .map(|(revision, pods, observed)| {
                let value = json!({"metadata": {"name": revision, "generation": 2, "annotations": {REVISION: revision}},
                    "spec": {"replicas": 0, "selector": {}}, "status": {"replicas": pods, "observedGeneration": observed}});
                Arc::new(serde_json::from_value(value).expect("a replica set"))
            })
            .collect();
        let names: Vec<_> = surplus(&deployment, &sets)
            .into_iter()
            .filter_map(|set| set.metadata.name.clone())
            .collect();
        assert_eq!(names, expected);
    }

    #[test]
    fn the_lowest_revisions_go_as_numbers() {
        check(2, &[("10", 0, 2), ("9", 0, 2), ("8", 0, 2)], &["8"]);
        check(0, &[("1", 0, 2), ("2", 0, 2)], &["1", "2"]);
        check(i32::MAX, &[("1", 0, 2)], &[]);
    }

    #[test]
    fn a_set_with_pods_or_an_old_status_stays() {
        check(0, &[("1", 1, 2), ("2", 0, 1), ("3", 0, 2)], &["3"]);
    }
}
