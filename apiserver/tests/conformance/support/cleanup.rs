//! Clean-up: a case's namespaces and CRDs are deleted when it ends, also by a panic.

use std::sync::Arc;

use kube::Client;
use parking_lot::Mutex;

use super::wire;
use crate::harness::Case;

tokio::task_local! {
    static CURRENT: Bin;
}

/// Paths of the objects that a case made and that hold everything else it made.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bin(Arc<Mutex<Vec<String>>>);

impl Bin {
    /// Runs the case; whatever it throws away lands in this bin.
    pub(crate) async fn collect_during(self, case: Case) {
        CURRENT.scope(self, case).await;
    }

    /// Deletes what the bin holds; a failure is nobody's problem here.
    ///
    /// Namespaces stay when `CONFORMANCE_THROWAWAY=1` says that the server is thrown away after the run: their end is a
    /// controller's work, and hundreds of them at once would slow down the cases that wait for it.
    pub(crate) async fn empty(&self, client: &Client) {
        let keep_namespaces =
            std::env::var("CONFORMANCE_THROWAWAY").is_ok_and(|value| value == "1");
        let paths = std::mem::take(&mut *self.0.lock());
        for path in paths.into_iter().rev() {
            if keep_namespaces && path.starts_with("/api/v1/namespaces/") {
                continue;
            }
            wire::delete(client, &path).await;
        }
    }
}

/// Remembers an object by its path, to be deleted when the current case ends.
pub(crate) fn delete_at_end(path: String) {
    // Outside a case there is nobody to clean up after.
    let _ = CURRENT.try_with(|bin| bin.0.lock().push(path));
}
