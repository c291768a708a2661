//! Sizes and orders of replica sets.

use std::sync::Arc;

use codegen_runtime::k8s_openapi::api::apps::v1::ReplicaSet;

/// A replica set of the cache or as the server last answered.
pub type Set = Arc<ReplicaSet>;

/// `spec.replicas`.
pub fn size(set: &ReplicaSet) -> i32 {
    set.spec.replicas.unwrap_or(1)
}

/// The sizes of all.
pub fn total<'a>(sets: impl IntoIterator<Item = &'a Set>) -> i32 {
    sets.into_iter()
        .map(|set| size(set))
        .fold(0, i32::saturating_add)
}

/// `status.replicas`: the pods that exist.
pub fn actual(set: &ReplicaSet) -> i32 {
    set.status.as_ref().map_or(0, |status| status.replicas)
}

/// `status.readyReplicas`.
pub fn ready(set: &ReplicaSet) -> i32 {
    set.status
        .as_ref()
        .and_then(|status| status.ready_replicas)
        .unwrap_or(0)
}

/// `status.availableReplicas`.
pub fn available(set: &ReplicaSet) -> i32 {
    set.status
        .as_ref()
        .and_then(|status| status.available_replicas)
        .unwrap_or(0)
}

/// The available pods that stay, as far as is known: after a set was made smaller its status counts the pods that go for a while.
/// kube-controller-manager takes the status as it is, and may then delete more pods than the strategy can miss.
pub fn still_available(set: &ReplicaSet) -> i32 {
    available(set).min(size(set))
}

/// Sorts by age, oldest first; by name of one age.
pub fn sort_by_age(sets: &mut [Set]) {
    sets.sort_by(|a, b| by_age(a).cmp(&by_age(b)));
}

/// The order of ages: oldest first.
pub(super) fn by_age(set: &ReplicaSet) -> (Option<jiff::Timestamp>, Option<&str>) {
    let created = set.metadata.creation_timestamp.as_ref().map(|time| time.0);
    (created, set.metadata.name.as_deref())
}

/// The only replica set with a size above zero; if there is none, the new one or else the youngest old one; `None` if there are
/// several, or nothing at all.
pub fn active_or_latest<'a>(new: Option<&'a Set>, old: &'a [Set]) -> Option<&'a Set> {
    let mut active = old.iter().chain(new).filter(|set| size(set) > 0);
    match (active.next(), active.next()) {
        (None, _) => new.or_else(|| old.iter().max_by_key(|set| by_age(set))),
        (only, None) => only,
        _ => None,
    }
}
