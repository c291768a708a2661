//! Reading one's own writes: a reconciler that starts before its cache shows what it wrote last decides on the past.

use std::collections::HashMap;
use std::time::Duration;

use codegen_runtime::kube::Resource;
use codegen_runtime::store::{ObjectKey, Store};
use parking_lot::Mutex;

/// How long a reconciliation waits for its cache. Then it goes on: every write carries a resourceVersion, so that a stale one is
/// refused.
const PATIENCE: Duration = Duration::from_secs(1);

/// The newest resourceVersion of one kind that was written for each key.
///
/// It saves requests: without it a reconciliation that follows its own write at once sends another from the same old object, which the
/// server refuses as a conflict.
#[derive(Debug, Default)]
pub struct OwnWrites(Mutex<HashMap<ObjectKey, String>>);

impl OwnWrites {
    /// Notes that `written` is the server's answer to a write made for `key`.
    pub fn record<K: Resource>(&self, key: &ObjectKey, written: &K) {
        if let Some(version) = &written.meta().resource_version {
            self.0.lock().insert(key.clone(), version.clone());
        }
    }

    /// Waits until `store` shows the last write made for `key`, for up to a second.
    pub async fn settle<K: Resource + Clone>(&self, key: &ObjectKey, store: &Store<K>) {
        let Some(version) = self.0.lock().get(key).cloned() else {
            return;
        };
        if let Err(error) = store.wait_for_resource_version(&version, PATIENCE).await {
            tracing::debug!(%key, %error, "the cache is behind");
        }
        let mut versions = self.0.lock();
        if versions.get(key) == Some(&version) {
            versions.remove(key);
        }
    }
}
