//! Statuses that wait for the pods just created and deleted.
//!
//! A reconciliation that changes pods knows an old number of them, and the events of those pods reconcile the replica set again. One
//! status afterwards says what else would take several: that the spec was seen, and each pod as it comes.

use std::collections::HashMap;
use std::time::Duration;

use codegen_runtime::store::ObjectKey;
use parking_lot::Mutex;
use tokio::time::Instant;

/// How long a status waits at most. A replica set whose pods come and go all the time has one every so often.
const LONGEST: Duration = Duration::from_secs(1);

/// Since when the status of each replica set waits.
#[derive(Debug, Default)]
pub struct Deferrals(Mutex<HashMap<ObjectKey, Instant>>);

impl Deferrals {
    /// How much longer the status of `set` may wait, from now if it does not wait yet; `None` once it has waited long enough.
    pub fn left(&self, set: &ObjectKey) -> Option<Duration> {
        let mut all = self.0.lock();
        let since = all.entry(set.clone()).or_insert_with(Instant::now);
        let left = LONGEST.saturating_sub(since.elapsed());
        (!left.is_zero()).then_some(left)
    }

    /// Notes that the status of `set` waits no longer.
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
