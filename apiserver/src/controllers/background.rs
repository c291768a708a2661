//! Runs work of controllers that webhooks may delay or reject.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;

use crate::backoff::Task;
use crate::core::Core;

/// Runs the work inline until it has to wait for a webhook; the rest runs in the background, so
/// that the request that caused it does not wait.
pub(super) fn run(work: impl Future<Output = ()> + Send + 'static) {
    use futures::FutureExt;

    let mut work = Box::pin(work);
    if work.as_mut().now_or_never().is_none()
        && let Ok(runtime) = Handle::try_current()
    {
        runtime.spawn(work);
    }
}

type Work = dyn Fn(&Arc<Core>) + Send + Sync;

/// How to retry a failed task.
#[derive(Clone)]
pub(super) struct Retry {
    pub(super) task: Task,
    /// The maximum delay.
    pub(super) longest: Duration,
    pub(super) work: Arc<Work>,
}

impl Retry {
    /// Schedules a retry with exponential backoff. The retry does not keep the server alive.
    pub(super) fn schedule(self, core: &Arc<Core>) {
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        let Some(wait) = core.backoff.fail(&self.task, self.longest) else {
            return;
        };
        let core = Arc::downgrade(core);
        runtime.spawn(async move {
            tokio::time::sleep(wait).await;
            if let Some(core) = core.upgrade() {
                core.backoff.retry(&self.task);
                (self.work)(&core);
            }
        });
    }
}
