//! Where the set of clusters comes from.

use std::collections::BTreeMap;
use std::error::Error;
use std::future::Future;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::Access;

/// The clusters that there are now, by name.
pub type ClusterMap = BTreeMap<String, Access>;

/// Says which clusters there are.
///
/// A [`watch::Receiver`] of a [`ClusterMap`] is one, for programs that know their clusters in
/// another way.
pub trait ClusterSource: Send + Sync + 'static {
    /// Sends the whole set of clusters whenever it changes, until `stop` is cancelled. It may end
    /// before: the last set stays. An error ends the manager; what may work later is for the source
    /// to try again.
    fn run(
        &self,
        clusters: watch::Sender<ClusterMap>,
        stop: CancellationToken,
    ) -> impl Future<Output = Result<(), Box<dyn Error + Send + Sync>>> + Send;
}

impl ClusterSource for watch::Receiver<ClusterMap> {
    async fn run(
        &self,
        clusters: watch::Sender<ClusterMap>,
        stop: CancellationToken,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let mut own = self.clone();
        own.mark_changed();
        while let Some(Ok(())) = stop.run_until_cancelled(own.changed()).await {
            clusters.send_replace(own.borrow_and_update().clone());
        }
        Ok(())
    }
}
