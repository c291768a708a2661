//! Read-your-writes: waits until a store reflects a resourceVersion.

use std::cmp::Ordering;
use std::time::Duration;

use kube::Resource;

use super::Store;

/// Why a wait for a resourceVersion failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WaitError {
    /// The timeout elapsed.
    #[error("the cache did not reach resourceVersion {wanted} in time (it is at {reached:?})")]
    Elapsed {
        /// The awaited resourceVersion.
        wanted: String,
        /// The resourceVersion of the store.
        reached: String,
    },
    /// The string is not a comparable resourceVersion: an unsigned decimal number.
    #[error("not a comparable resourceVersion: {0:?}")]
    Incomparable(String),
}

/// Compares two resourceVersions of one resource.
///
/// Since 1.35 Kubernetes guarantees that resourceVersions of one resource type compare as unsigned
/// integers of any length. Returns `None` if either is not such a number.
pub fn compare_resource_versions(left: &str, right: &str) -> Option<Ordering> {
    let valid = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !valid(left) || !valid(right) {
        return None;
    }
    let (left, right) = (left.trim_start_matches('0'), right.trim_start_matches('0'));
    Some(left.len().cmp(&right.len()).then_with(|| left.cmp(right)))
}

impl<K: Resource + Clone> Store<K> {
    /// Returns the resourceVersion of the contents: that of the last list, event or bookmark. Empty
    /// before the first list.
    pub fn resource_version(&self) -> String {
        self.inner.version.borrow().to_string()
    }

    /// Waits until the contents reflect at least `resource_version`, for up to `timeout`.
    ///
    /// After a write, wait for the `metadata.resourceVersion` in the server's answer: a read from
    /// this store is then at least as new as the write, because a watch delivers the changes of one
    /// resource in the order of their versions. A write outside the informer's namespace or
    /// selectors causes no event: the version is then reached with the next event or bookmark (the
    /// API server sends one about every minute).
    ///
    /// # Errors
    ///
    /// [`WaitError::Elapsed`] after `timeout`; at once [`WaitError::Incomparable`] if
    /// `resource_version` is not a decimal number.
    pub async fn wait_for_resource_version(
        &self,
        resource_version: &str,
        timeout: Duration,
    ) -> Result<(), WaitError> {
        if compare_resource_versions(resource_version, "0").is_none() {
            return Err(WaitError::Incomparable(resource_version.to_owned()));
        }
        let mut version = self.inner.version.subscribe();
        let reached = |at: &std::sync::Arc<str>| {
            compare_resource_versions(at, resource_version).is_some_and(Ordering::is_ge)
        };
        let waited = tokio::time::timeout(timeout, version.wait_for(reached)).await;
        match waited {
            Ok(Ok(_)) => Ok(()),
            // The sender lives in this store, so the channel cannot be closed while `self` is
            // borrowed.
            Ok(Err(_)) | Err(_) => Err(WaitError::Elapsed {
                wanted: resource_version.to_owned(),
                reached: self.resource_version(),
            }),
        }
    }
}
