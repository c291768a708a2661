//! Sizes and ordering of replica sets.

use std::sync::Arc;

use codegen_runtime::k8s_openapi::api::apps::v1::ReplicaSet;

/// A replica set, from the cache or from the server's last response.
pub type Set = Arc<ReplicaSet>;

/// `spec.replicas`.
pub fn size(set: &ReplicaSet) -> i32 {
    set.spec.replicas.unwrap_or(1)
}

/// The sum of all sizes.
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

/// The available pods that remain, as far as is known: after a set was scaled down, its status
/// still counts the pods to be deleted for a while. kube-controller-manager trusts the status, and
/// may then delete more pods than the strategy permits.
pub fn still_available(set: &ReplicaSet) -> i32 {
    available(set).min(size(set))
}

/// Sorts by age, oldest first; those of the same age by name.
pub fn sort_by_age(sets: &mut [Set]) {
    sets.sort_by(|a, b| by_age(a).cmp(&by_age(b)));
}

/// The sort key of [`sort_by_age`].
pub(super) fn by_age(set: &ReplicaSet) -> (Option<jiff::Timestamp>, Option<&str>) {
    let created = set.metadata.creation_timestamp.as_ref().map(|time| time.0);
    (created, set.metadata.name.as_deref())
}

/// Returns the only replica set with a size above zero. If there is none, the new one or else the
/// youngest old one; `None` if there are several, or no replica sets at all.
pub fn active_or_latest<'a>(new: Option<&'a Set>, old: &'a [Set]) -> Option<&'a Set> {
    let mut active = old.iter().chain(new).filter(|set| size(set) > 0);
    match (active.next(), active.next()) {
        (None, _) => new.or_else(|| old.iter().max_by_key(|set| by_age(set))),
        (only, None) => only,
        _ => None,
    }
}
