//! Writing a status that others do not own, beside writers of the rest of the object.

use codegen_runtime::client::TypedClient;
use codegen_runtime::kube::Error;
use codegen_runtime::kube::api::PostParams;
use codegen_runtime::object::Object;
use codegen_runtime::retry::is_conflict;

/// How often a status is written to a fresh object, after a conflict.
const TRIES: usize = 3;

/// Writes the status of `object`. After a conflict `change` makes the same change to the object as the server has it, unless its spec
/// or identity is another by now: then the status is out of date, and the conflict is the result. `None` if the object is gone.
///
/// Without this an object that others annotate all the time would never get a status.
///
/// # Errors
///
/// The server's, and the last conflict.
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
