//! Work of a controller that a webhook may hold up.

use tokio::runtime::Handle;

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
