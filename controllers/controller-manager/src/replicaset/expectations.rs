//! Creations and deletions that the cache does not show yet.
//!
//! A replica set that is reconciled again before its cache shows the pods just created would create
//! them twice. client-go counts the expected events; here an expectation identifies the write, and
//! the cache itself tells whether it has seen it. No event is counted twice or missed, and one that
//! never arrives (a watch that breaks and is followed by a list) needs no special case.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::time::Duration;

use codegen_runtime::k8s_openapi::api::core::v1::Pod;
use codegen_runtime::store::{ObjectKey, Store, compare_resource_versions};
use parking_lot::Mutex;
use tokio::time::Instant;

/// After this time an expectation no longer blocks the replica set, as in client-go.
const TIMEOUT: Duration = Duration::from_secs(5 * 60);

/// The pending writes by the key of the replica set. They identify pods by version and uid, so
/// those of an earlier replica set of the same name do not block.
#[derive(Debug, Default)]
pub struct Expectations(Mutex<HashMap<ObjectKey, Pending>>);

#[derive(Debug, Default)]
struct Pending {
    created: Vec<(ObjectKey, String)>,
    deleted: Vec<(ObjectKey, String)>,
    since: Option<Instant>,
}

impl Expectations {
    /// Expects the cache to show `pod`, which was created.
    pub fn created(&self, set: &ObjectKey, pod: &Pod) {
        let version = pod.metadata.resource_version.clone().unwrap_or_default();
        self.pending(set, |pending| {
            pending.created.push((ObjectKey::of(pod), version))
        });
    }

    /// Expects the cache to show that `pod` is gone, or is being deleted.
    pub fn deleted(&self, set: &ObjectKey, pod: &Pod) {
        let uid = pod.metadata.uid.clone().unwrap_or_default();
        self.pending(set, |pending| {
            pending.deleted.push((ObjectKey::of(pod), uid))
        });
    }

    /// Returns how long to wait at most until `pods` shows every expected write; `None` if it does,
    /// or the timeout has passed. The last missing event reconciles the replica set again. If the
    /// server lost the write (an etcd that was restored), that event never arrives, so the caller
    /// must requeue after the returned time.
    pub fn wait(&self, set: &ObjectKey, pods: &Store<Pod>) -> Option<Duration> {
        let mut sets = self.0.lock();
        let pending = sets.get_mut(set)?;
        let at = pods.resource_version();
        let shows =
            |version: &str| compare_resource_versions(&at, version).is_some_and(Ordering::is_ge);
        pending
            .created
            .retain(|(key, version)| pods.get(key).is_none() && !shows(version));
        pending.deleted.retain(|(key, uid)| {
            pods.get(key).is_some_and(|pod| {
                pod.metadata.uid.as_ref() == Some(uid) && pod.metadata.deletion_timestamp.is_none()
            })
        });
        let passed = pending.since.map_or(TIMEOUT, |since| since.elapsed());
        let left = TIMEOUT.saturating_sub(passed);
        if left.is_zero() || pending.created.is_empty() && pending.deleted.is_empty() {
            sets.remove(set);
            return None;
        }
        Some(left)
    }

    /// Drops the expectations of a deleted replica set.
    pub fn forget(&self, set: &ObjectKey) {
        self.0.lock().remove(set);
    }

    fn pending(&self, set: &ObjectKey, add: impl FnOnce(&mut Pending)) {
        let mut sets = self.0.lock();
        let pending = sets.entry(set.clone()).or_default();
        pending.since = Some(Instant::now());
        add(pending);
    }
}

#[cfg(test)]
mod tests {
    use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
    use serde_json::json;

    use super::*;

    fn pod(name: &str, version: &str) -> Pod {
        serde_json::from_value(json!({"metadata":
            {"name": name, "namespace": "default", "uid": name, "resourceVersion": version}}))
        .expect("a pod")
    }

    fn set() -> ObjectKey {
        ObjectKey::new(Some("default"), "set")
    }

    #[test]
    fn a_creation_is_expected_until_the_cache_shows_it() {
        let (expectations, pods) = (Expectations::default(), Store::new());
        assert_eq!(expectations.wait(&set(), &pods), None);
        expectations.created(&set(), &pod("a", "7"));
        expectations.created(&set(), &pod("b", "8"));
        assert!(expectations.wait(&set(), &pods).is_some());
        pods.insert(pod("a", "7"));
        assert!(expectations.wait(&set(), &pods).is_some());
        pods.insert(pod("b", "8"));
        assert_eq!(expectations.wait(&set(), &pods), None);
    }

    #[test]
    fn a_pod_that_came_and_went_between_two_lists_is_not_waited_for() {
        let (expectations, pods) = (Expectations::default(), Store::new());
        expectations.created(&set(), &pod("a", "7"));
        pods.replace([], "9");
        assert_eq!(expectations.wait(&set(), &pods), None);
    }

    #[test]
    fn a_deletion_is_shown_by_its_timestamp_or_by_another_uid() {
        let (expectations, pods) = (Expectations::default(), Store::new());
        for name in ["a", "b", "c"] {
            pods.insert(pod(name, "1"));
            expectations.deleted(&set(), &pod(name, "1"));
        }
        assert!(expectations.wait(&set(), &pods).is_some());
        let mut deleting = pod("a", "2");
        deleting.metadata.deletion_timestamp = Some(Time(jiff::Timestamp::UNIX_EPOCH));
        pods.insert(deleting);
        let mut other = pod("b", "3");
        other.metadata.uid = Some("another".to_owned());
        pods.insert(other);
        assert!(expectations.wait(&set(), &pods).is_some());
        pods.remove("default/c");
        assert_eq!(expectations.wait(&set(), &pods), None);
    }

    #[tokio::test(start_paused = true)]
    async fn an_expectation_does_not_hold_for_ever() {
        let (expectations, pods) = (Expectations::default(), Store::new());
        expectations.created(&set(), &pod("a", "7"));
        let second = Duration::from_secs(1);
        tokio::time::advance(TIMEOUT - second).await;
        assert_eq!(expectations.wait(&set(), &pods), Some(second));
        tokio::time::advance(second).await;
        assert_eq!(expectations.wait(&set(), &pods), None);
    }
}
