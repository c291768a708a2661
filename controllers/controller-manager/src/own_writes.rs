//! Read-your-writes: keeps a reconciler from deciding on a cache that does not show its last write
//! yet.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::time::Duration;

use codegen_runtime::controller::Action;
use codegen_runtime::kube::Resource;
use codegen_runtime::store::{ObjectKey, Store, compare_resource_versions};
use parking_lot::Mutex;
use tokio::time::Instant;

/// How long a reconciliation is deferred for its cache. Afterwards it proceeds anyway: every write
/// carries a resourceVersion, so the server rejects a stale one.
const PATIENCE: Duration = Duration::from_secs(1);

/// The newest resourceVersion of one kind that was written for each key.
///
/// Saves requests: without it, a reconciliation that immediately follows its own write would update
/// the old object again, which the server rejects as a conflict.
#[derive(Debug, Default)]
pub struct OwnWrites(Mutex<HashMap<ObjectKey, Written>>);

#[derive(Debug)]
struct Written {
    version: String,
    at: Instant,
}

impl OwnWrites {
    /// Records that `written` is the server's response to a write for `key`.
    pub fn record<K: Resource>(&self, key: &ObjectKey, written: &K) {
        if let Some(version) = written.meta().resource_version.clone() {
            let at = Instant::now();
            self.0.lock().insert(key.clone(), Written { version, at });
        }
    }

    /// Returns the action to return from a reconciliation of `key` while `store` does not show its
    /// last write; `None` if it may proceed, at the latest a second after the write.
    ///
    /// No worker blocks: the event that brings the cache up to date reconciles the key again,
    /// provided that the controller is notified of every change of the kind. The action's delay
    /// covers a slow watch.
    pub fn pending<K: Resource + Clone>(
        &self,
        key: &ObjectKey,
        store: &Store<K>,
    ) -> Option<Action> {
        let mut all = self.0.lock();
        let written = all.get(key)?;
        let is_shown = compare_resource_versions(&store.resource_version(), &written.version)
            .is_some_and(Ordering::is_ge);
        let left = PATIENCE.saturating_sub(written.at.elapsed());
        if is_shown || left.is_zero() {
            all.remove(key);
            return None;
        }
        Some(Action::requeue_after(left))
    }
}

#[cfg(test)]
mod tests {
    use codegen_runtime::k8s_openapi::api::core::v1::ConfigMap;
    use serde_json::json;

    use super::*;

    fn map(version: &str) -> ConfigMap {
        serde_json::from_value(json!({"metadata":
            {"name": "a", "namespace": "default", "uid": "a", "resourceVersion": version}}))
        .expect("a config map")
    }

    #[tokio::test(start_paused = true)]
    async fn a_key_is_pending_until_the_cache_shows_its_write() {
        let (writes, store) = (OwnWrites::default(), Store::new());
        let (key, other) = (ObjectKey::of(&map("1")), ObjectKey::new(None, "other"));
        store.replace([map("7").into()], "7");
        assert_eq!(writes.pending(&key, &store), None, "nothing was written");
        writes.record(&key, &map("8"));
        let all = Some(Action::requeue_after(PATIENCE));
        assert_eq!(writes.pending(&key, &store), all);
        assert_eq!(writes.pending(&other, &store), None);
        tokio::time::advance(PATIENCE / 4).await;
        let left = Some(Action::requeue_after(PATIENCE * 3 / 4));
        assert_eq!(
            writes.pending(&key, &store),
            left,
            "reading changes nothing"
        );
        store.replace([map("8").into()], "8");
        assert_eq!(writes.pending(&key, &store), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_cache_that_stays_behind_holds_a_key_up_for_a_second() {
        let (writes, store) = (OwnWrites::default(), Store::<ConfigMap>::new());
        let key = ObjectKey::of(&map("8"));
        writes.record(&key, &map("8"));
        tokio::time::advance(PATIENCE - Duration::from_millis(1)).await;
        assert!(writes.pending(&key, &store).is_some());
        tokio::time::advance(Duration::from_millis(1)).await;
        assert_eq!(writes.pending(&key, &store), None);
    }
}
