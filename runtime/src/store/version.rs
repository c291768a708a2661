//! Reading one's own writes: waiting until a store reflects a resourceVersion.

use std::cmp::Ordering;
use std::time::Duration;

use kube::Resource;

use super::Store;

/// Why a store did not come to reflect a resourceVersion.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WaitError {
    /// The time was up.
    #[error("the cache did not reach resourceVersion {wanted} in time (it is at {reached:?})")]
    Elapsed {
        /// The awaited condition.
        wanted: String,
        /// The resourceVersion that the store reflects.
        reached: String,
    },
    /// The text is not a resourceVersion that can be compared: a number without sign.
    #[error("not a comparable resourceVersion: {0:?}")]
    Incomparable(String),
}

/// Compares two resourceVersions of one resource.
///
/// Kubernetes promises since 1.35 that resourceVersions of one resource type compare as unsigned integers of any length.
/// `None` if one of the two is not such a number.
pub fn compare_resource_versions(left: &str, right: &str) -> Option<Ordering> {
    let valid = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !valid(left) || !valid(right) {
        return None;
    }
    let (left, right) = (left.trim_start_matches('0'), right.trim_start_matches('0'));
    Some(left.len().cmp(&right.len()).then_with(|| left.cmp(right)))
}

impl<K: Resource + Clone> Store<K> {
    /// The resourceVersion that the contents reflect: the last list's, event's or bookmark's. Empty before the first list.
    pub fn resource_version(&self) -> String {
        self.inner.version.borrow().to_string()
    }

    /// Waits until the contents reflect at least `resource_version`, for up to `timeout`.
    ///
    /// After a write, wait for the `metadata.resourceVersion` that the server answered with: a read from this store is
    /// then at least as new as the write, because a watch delivers one resource's changes in the order of their versions.
    /// A write outside the informer's namespace or selectors sends it no event: the version is then reached with the next
    /// event or bookmark (the API server sends one about every minute).
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
            // The sender lives in this store, so a closed channel cannot be met while `self` is borrowed.
            Ok(Err(_)) | Err(_) => Err(WaitError::Elapsed {
                wanted: resource_version.to_owned(),
                reached: self.resource_version(),
            }),
        }
    }
}
