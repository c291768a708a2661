//! Server-side apply by the methods of a typed client.

use std::future;

use kube::Error;
use kube::api::{Patch, PatchParams};
use serde::Serialize;
use serde_json::Value;

use super::{ApplyError, Part, prepare};
use crate::client::{Pending, TypedClient, verbs};
use crate::object::Object;

impl<K: Object, V> TypedClient<K, V> {
    /// Creates or changes the object that `configuration` describes, by server-side apply: exactly
    /// its fields become owned by the field manager of `params`. `configuration` is an
    /// [`ApplyConfiguration`](crate::apply::ApplyConfiguration), a `K` or any other value with a
    /// name; a missing `apiVersion` or `kind` is taken from `K`.
    ///
    /// The status and the fields that only the API server sets (`managedFields`,
    /// `creationTimestamp`, `generation`, `uid`) are not sent.
    ///
    /// # Errors
    ///
    /// `configuration` is not a JSON object with a name; otherwise the API server's: `Conflict` for
    /// fields of other managers, unless `params` force.
    pub fn apply<A: Serialize>(&self, configuration: &A, params: &PatchParams) -> Pending<'_, K>
    where
        V: verbs::Apply,
    {
        match applied::<K>(configuration, Part::Object) {
            Ok((name, patch)) => self.patch_object(&name, params, &patch),
            Err(error) => Box::pin(future::ready(Err(error))),
        }
    }

    /// Applies only the status of `configuration`, through the status subresource.
    ///
    /// # Errors
    ///
    /// See [`apply`](Self::apply).
    pub fn apply_status<A: Serialize>(
        &self,
        configuration: &A,
        params: &PatchParams,
    ) -> Pending<'_, K>
    where
        V: verbs::ApplyStatus,
    {
        match applied::<K>(configuration, Part::Status) {
            Ok((name, patch)) => self.patch_part("status", &name, params, &patch),
            Err(error) => Box::pin(future::ready(Err(error))),
        }
    }
}

/// The name and the patch of an apply request.
fn applied<K: Object>(
    configuration: &impl Serialize,
    part: Part,
) -> Result<(String, Patch<Value>), Error> {
    let (name, body) = prepare::<K>(configuration, part).map_err(|error| match error {
        ApplyError::Serialize(error) => Error::SerdeError(error),
        error => Error::BuildRequest(kube::core::request::Error::Validation(error.to_string())),
    })?;
    Ok((name, Patch::Apply(body)))
}
