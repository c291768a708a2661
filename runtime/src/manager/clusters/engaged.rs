//! The clusters that are worked on, one task for each.

use std::collections::BTreeMap;
use std::future::{Future, pending};

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{Access, ClusterMap};

/// One task for each wanted cluster. A cluster whose access has changed gets a new task when the
/// old one has ended: no cluster ever has two.
pub(super) struct Engaged<F> {
    tend: F,
    stop: CancellationToken,
    wanted: ClusterMap,
    running: BTreeMap<String, (Access, CancellationToken)>,
    tasks: JoinSet<String>,
}

impl<F, W> Engaged<F>
where
    F: Fn(String, Access, CancellationToken) -> W,
    W: Future<Output = ()> + Send + 'static,
{
    /// `tend` returns the work of a cluster, which ends when its token is cancelled: a child of
    /// `stop`.
    pub(super) fn new(stop: &CancellationToken, tend: F) -> Self {
        Self {
            tend,
            stop: stop.clone(),
            wanted: ClusterMap::new(),
            running: BTreeMap::new(),
            tasks: JoinSet::new(),
        }
    }

    pub(super) fn want(&mut self, wanted: ClusterMap) {
        self.wanted = wanted;
        for (name, (access, stop)) in &self.running {
            let same = self.wanted.get(name).is_some_and(|it| it.is_same(access));
            if !same {
                stop.cancel();
            }
        }
        self.start();
    }

    /// Waits for a task to end, and starts what is wanted. Safe to drop and to call again.
    pub(super) async fn adjust(&mut self) {
        match self.tasks.join_next().await {
            None => pending().await,
            Some(ended) => {
                if let Ok(name) = ended {
                    self.running.remove(&name);
                }
                self.start();
            }
        }
    }

    /// Waits for all tasks, after `stop` was cancelled.
    pub(super) async fn stop(mut self) {
        for (_, stop) in self.running.values() {
            stop.cancel();
        }
        while self.tasks.join_next().await.is_some() {}
    }

    fn start(&mut self) {
        for (name, access) in &self.wanted {
            if self.running.contains_key(name) {
                continue;
            }
            let stop = self.stop.child_token();
            let held = (access.clone(), stop.clone());
            self.running.insert(name.clone(), held);
            let (name, work) = (
                name.clone(),
                (self.tend)(name.clone(), access.clone(), stop),
            );
            self.tasks.spawn(async move {
                work.await;
                name
            });
        }
    }
}
