//! Clean-up: deletes a case's namespaces and CRDs when it ends, even by a panic.

use std::sync::Arc;

use kube::Client;
use parking_lot::Mutex;

use super::wire;
use crate::harness::Case;

tokio::task_local! {
    static CURRENT: Bin;
}

/// The paths of the objects that a case created and that contain everything else it created.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bin(Arc<Mutex<Vec<String>>>);

impl Bin {
    /// Runs the case; what it passes to [`delete_at_end`] goes to this bin.
    pub(crate) async fn collect_during(self, case: Case) {
        CURRENT.scope(self, case).await;
    }

    /// Deletes the objects in the bin and ignores failures.
    ///
    /// Namespaces are kept when `CONFORMANCE_THROWAWAY=1` declares the server disposable: deleting
    /// them is a controller's work, and hundreds of them at once would slow down the cases that
    /// wait for it.
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

/// Registers an object, by its path, for deletion when the current case ends.
pub(crate) fn delete_at_end(path: String) {
    // Outside of a case there is no clean-up.
    let _ = CURRENT.try_with(|bin| bin.0.lock().push(path));
}
