//! Finalizers: clean-up before an object is deleted.
//!
//! To leave nothing behind, add the finalizer *before* creating anything external ([`ensure`]), and
//! remove it only after all of that is gone ([`release`]). [`Finalizers`] holds several, each with
//! its own clean-up, like controller-runtime's `finalizer` package.
//!
//! ```no_run
//! # use codegen_runtime::{finalizer, k8s_openapi::api::core::v1::ConfigMap, kube::{self, Api}};
//! # async fn example(maps: Api<ConfigMap>, map: ConfigMap) -> Result<(), kube::Error> {
//! const FINALIZER: &str = "example.com/bucket";
//! if finalizer::is_deleting(&map) {
//!     // Remove what is outside, then let the object go.
//!     return finalizer::release(&maps, &map, FINALIZER).await;
//! }
//! let map = finalizer::ensure(&maps, &map, FINALIZER).await?;
//! // Only now create something outside.
//! # let _ = map;
//! # Ok(())
//! # }
//! ```

mod registry;

use kube::api::{Patch, PatchParams};
use kube::{Api, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::client::{self, Endpoint};
use crate::error::is_passing_conflict;

pub use self::registry::{Finalize, FinalizeError, Finalized, Finalizers, RegisterError};

/// How often [`ensure`] reads an object again that has changed.
const TRIES: u32 = 3;

/// Whether `object` has the finalizer `name`.
pub fn contains<K: Resource>(object: &K, name: &str) -> bool {
    object
        .meta()
        .finalizers
        .as_ref()
        .is_some_and(|list| list.iter().any(|other| other == name))
}

/// Adds the finalizer `name` if it is missing. Returns whether the object changed.
pub fn add<K: Resource>(object: &mut K, name: &str) -> bool {
    if contains(object, name) {
        return false;
    }
    object
        .meta_mut()
        .finalizers
        .get_or_insert_default()
        .push(name.to_owned());
    true
}

/// Removes every finalizer equal to `name`. Returns whether the object changed.
pub fn remove<K: Resource>(object: &mut K, name: &str) -> bool {
    let Some(list) = &mut object.meta_mut().finalizers else {
        return false;
    };
    let before = list.len();
    list.retain(|other| other != name);
    list.len() != before
}

/// Whether `object` is being deleted and waits for its finalizers.
pub fn is_deleting<K: Resource>(object: &K) -> bool {
    object.meta().deletion_timestamp.is_some()
}

/// Ensures that `object` has the finalizer `name` on the server. Sends no request if it already
/// has.
///
/// Returns the current object: pass that one, not `object`, to later writes, which would conflict
/// otherwise. If `object`, from a cache, is older than the server's, it is read again: a finalizer
/// suits any version. An object that is being deleted is left unchanged, since the API server
/// refuses new finalizers then.
///
/// # Errors
///
/// The server's; a conflict if the object was replaced by another one of its name, or keeps
/// changing.
pub async fn ensure<K>(api: &Api<K>, object: &K, name: &str) -> Result<K, kube::Error>
where
    K: Resource + Clone + DeserializeOwned + Serialize + std::fmt::Debug,
{
    let mut current = object.clone();
    let mut tries = 0..TRIES;
    loop {
        let mut changed = current.clone();
        if is_deleting(&current) || !add(&mut changed, name) {
            return Ok(current);
        }
        let conflict = match write(api, &changed).await {
            Err(error) if is_passing_conflict(&error) && tries.next().is_some() => error,
            result => return result,
        };
        let endpoint = Endpoint::of(api);
        let name = object.meta().name.as_deref().unwrap_or_default();
        current = client::object(&endpoint.get(name).await?)?;
        if current.meta().uid != object.meta().uid {
            return Err(conflict);
        }
    }
}

/// Ensures that `object` does not have the finalizer `name` on the server. Sends no request if it
/// already has not.
///
/// Removing the last finalizer of an object that is being deleted ends it. An object that no longer
/// exists is not an error. Writes only if the object is unchanged on the server: the request
/// includes uid and resourceVersion.
///
/// # Errors
///
/// The server's; a conflict if the object has changed meanwhile.
pub async fn release<K>(api: &Api<K>, object: &K, name: &str) -> Result<(), kube::Error>
where
    K: Resource + Clone + DeserializeOwned + Serialize + std::fmt::Debug,
{
    let mut changed = object.clone();
    if !remove(&mut changed, name) {
        return Ok(());
    }
    match write(api, &changed).await {
        Err(kube::Error::Api(status)) if status.is_not_found() => Ok(()),
        result => result.map(drop),
    }
}

async fn write<K>(api: &Api<K>, object: &K) -> Result<K, kube::Error>
where
    K: Resource + Clone + DeserializeOwned + std::fmt::Debug,
{
    let meta = object.meta();
    let patch = json!({"metadata": {
        "uid": meta.uid,
        "resourceVersion": meta.resource_version,
        "finalizers": meta.finalizers,
    }});
    let name = meta.name.as_deref().unwrap_or_default();
    let (patch, params) = (Patch::Merge(patch), PatchParams::default());
    let endpoint = Endpoint::of(api);
    let answer = endpoint.patch(name, &params, &patch);
    client::object(&answer.await?)
}
