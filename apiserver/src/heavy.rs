//! Requests that take long to compute run on threads of their own, so that others are answered
//! meanwhile.

use std::future::Future;
use std::sync::LazyLock;

use http::Method;
use http::header::ACCEPT;
use http::request::Parts;
use tokio::runtime::{Builder, Handle, Runtime};

use crate::BoxError;
use crate::core::Core;
use crate::http::path::{self, ObjectPath, Route};
use crate::store::Key;

/// The size of a body or a stored object from which on a request may take long, in bytes.
const LARGE: usize = 32 * 1024;

/// The number of objects from which on a request for all of them may take long.
const MANY: usize = 500;

/// The number of such requests that are computed at once. It bounds the memory that they take, too.
const THREADS: usize = 2;

/// The stack of a thread in bytes: objects nest up to 127 levels deep, and unoptimised code keeps
/// all of them.
const STACK: usize = 8 << 20;

/// Shared by all servers of a process, and never stopped: a runtime cannot be dropped by a task.
static RUNTIME: LazyLock<std::io::Result<Runtime>> = LazyLock::new(|| {
    Builder::new_multi_thread()
        .worker_threads(THREADS)
        .thread_stack_size(STACK)
        .thread_name("apiserver-heavy")
        .enable_all()
        .build()
});

/// Runs a request on the threads for long work.
///
/// # Errors
/// If the request panics.
pub(crate) async fn run<T: Send + 'static>(
    request: impl Future<Output = T> + Send + 'static,
) -> Result<T, BoxError> {
    let Ok(runtime) = &*RUNTIME else {
        // Without threads for it, it runs here.
        return Ok(request.await);
    };
    let Ok(here) = Handle::try_current() else {
        return Ok(runtime.spawn(request).await?);
    };
    // A thread that waits tells the caller's runtime that there is work: its clock does not advance
    // by itself meanwhile.
    let waiting = here.spawn_blocking(move || runtime.block_on(runtime.spawn(request)));
    Ok(waiting.await??)
}

/// Whether a request may take long: its body or its object is large, or it concerns many objects
/// that are not just streamed.
pub(crate) fn is_heavy(core: &Core, parts: &Parts, body: &[u8]) -> bool {
    if body.len() >= LARGE {
        return true;
    }
    let Ok(Route::Objects(path)) = path::parse(parts.uri.path()) else {
        return false;
    };
    match parts.method {
        Method::PATCH => is_large(core, &path),
        Method::GET if path.name.is_empty() && !path.watch => {
            !is_streamed(parts) && is_many(core, &path)
        }
        Method::DELETE if path.name.is_empty() => is_many(core, &path),
        _ => false,
    }
}

fn is_large(core: &Core, path: &ObjectPath) -> bool {
    let served = core
        .registry
        .lookup(&path.group, &path.version, &path.plural);
    let key = Key::new(&path.namespace, &path.name);
    let stored = served.and_then(|served| core.find(&served, &key));
    stored.is_some_and(|stored| stored.body.len() >= LARGE)
}

fn is_many(core: &Core, path: &ObjectPath) -> bool {
    let served = core
        .registry
        .lookup(&path.group, &path.version, &path.plural);
    served.is_some_and(|served| core.store.count(served.resource.id, "") >= MANY)
}

/// Whether a list is streamed from the encoded objects: as JSON, without a selector of fields.
fn is_streamed(parts: &Parts) -> bool {
    let accept = parts.headers.get(ACCEPT).and_then(|it| it.to_str().ok());
    let is_plain = accept.is_none_or(|accept| !accept.contains("as=") && !accept.contains("yaml"));
    let query = parts.uri.query().unwrap_or_default();
    is_plain && !query.contains("fieldSelector")
}
