//! Work of a controller that a webhook may hold up, or refuse.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;

use crate::backoff::Task;
use crate::core::Core;

/// Does the work at once; what waits for a webhook goes on in the background, so that the request that caused it does not wait.
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

/// How a task is tried again when it failed.
#[derive(Clone)]
pub(super) struct Retry {
    pub(super) task: Task,
    /// The longest wait.
    pub(super) longest: Duration,
    pub(super) work: Arc<Work>,
}

impl Retry {
    /// Tries the task again, each time after twice as long; a server that ends meanwhile does not wait for it.
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
