//! Defers the status until the cache shows the pods just created and deleted.
//!
//! A reconciliation that changes pods knows only their old number, and the events of those pods
//! reconcile the replica set again. One status written afterwards replaces several: one for the
//! observed generation, and one for each pod that appears.

use std::collections::HashMap;
use std::time::Duration;

use codegen_runtime::store::ObjectKey;
use parking_lot::Mutex;
use tokio::time::Instant;

/// The maximum delay of a status, so that a replica set whose pods change all the time still gets
/// one.
const LONGEST: Duration = Duration::from_secs(1);

/// Since when the status of each replica set has been deferred.
#[derive(Debug, Default)]
pub struct Deferrals(Mutex<HashMap<ObjectKey, Instant>>);

impl Deferrals {
    /// Returns how much longer the status of `set` may be deferred, starting now if it is not
    /// deferred yet; `None` after the maximum.
    pub fn left(&self, set: &ObjectKey) -> Option<Duration> {
        let mut all = self.0.lock();
        let since = all.entry(set.clone()).or_insert_with(Instant::now);
        let left = LONGEST.saturating_sub(since.elapsed());
        (!left.is_zero()).then_some(left)
    }

    /// Records that the status of `set` is no longer deferred.
    pub fn end(&self, set: &ObjectKey) {
        self.0.lock().remove(set);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_status_waits_for_a_second_in_all() {
        let (deferrals, set) = (Deferrals::default(), ObjectKey::new(Some("n"), "set"));
        assert_eq!(deferrals.left(&set), Some(LONGEST));
        tokio::time::advance(LONGEST / 4).await;
        assert_eq!(deferrals.left(&set), Some(LONGEST * 3 / 4));
        tokio::time::advance(LONGEST).await;
        assert_eq!(deferrals.left(&set), None);
        deferrals.end(&set);
        assert_eq!(deferrals.left(&set), Some(LONGEST), "from the start again");
    }
}
