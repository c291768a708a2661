//! Writes a status that this controller owns while others write the rest of the object.

use codegen_runtime::client::TypedClient;
use codegen_runtime::kube::Error;
use codegen_runtime::kube::api::PostParams;
use codegen_runtime::object::Object;
use codegen_runtime::retry::is_conflict;

/// How often a status is retried on a fresh object after a conflict.
const TRIES: usize = 3;

/// Writes the status of `object`. After a conflict, `change` is applied to the server's current
/// object, unless its spec or uid has changed: then the status is outdated, and the conflict is
/// returned. `None` if the object is gone.
///
/// Without the retry, an object that others annotate constantly would never get a status.
///
/// # Errors
///
/// The server's error, or the last conflict.
pub(crate) async fn update_status<K: Object>(
    client: &TypedClient<K>,
    object: &K,
    change: impl Fn(&mut K),
) -> Result<Option<K>, Error> {
    let meta = object.meta();
    let mut result = client.update_status(object, &PostParams::default()).await;
    for _ in 0..TRIES {
        match &result {
            Err(error) if is_conflict(error) => {}
            _ => break,
        }
        let name = meta.name.as_deref().unwrap_or_default();
        let Some(mut fresh) = client.get_opt(name).await? else {
            return Ok(None);
        };
        if fresh.meta().uid != meta.uid || fresh.meta().generation != meta.generation {
            break;
        }
        change(&mut fresh);
        result = client.update_status(&fresh, &PostParams::default()).await;
    }
    match result {
        Ok(written) => Ok(Some(written)),
        Err(Error::Api(answer)) if answer.is_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}
