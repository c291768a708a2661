//! Writing what an object should be: server-side apply under one field manager, and create-or-update.
//!
//! An [`Applier`] sends the fields that this program has an opinion on, and only those, under one name. The server merges
//! them, remembers whose they are, and removes what this manager applied before and doesn't any more. The fields are JSON, or a
//! generated [`ApplyConfiguration`]. A [`RememberingApplier`] sends only what changed. [`create_or_update`] reads the object, changes it, and writes what changed.

mod configuration;
mod create;
mod extract;
mod memory;

use std::fmt::Debug;

use kube::api::{Patch, PatchParams};
use kube::{Api, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::client::{self, Endpoint};

pub use self::configuration::{ApplyConfiguration, configuration, fill, fill_map, named, put};
pub use self::create::{CreateOrUpdateError, create_or_update};
pub use self::extract::ExtractError;
pub use self::memory::RememberingApplier;
/// Any JSON: what generated configurations have for values whose type they cannot name.
pub use serde_json::Value;

/// The outcome of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Written {
    /// There was no object; now there is.
    Created,
    /// The object has changed.
    Updated,
    /// The object was as it should be.
    Unchanged,
}

/// Why an object could not be applied.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// `metadata.name` is missing.
    #[error("cannot apply an object without metadata.name")]
    NoName,
    /// It isn't an object in JSON.
    #[error("cannot apply a value that is not a JSON object")]
    NotAnObject,
    /// It doesn't serialise.
    #[error("cannot serialise the object to apply: {0}")]
    Serialize(#[from] serde_json::Error),
    /// Other managers own some of the fields, with other values.
    #[error("apply conflicts with other field managers: {}", .0.iter().map(|it| it.message.as_str()).collect::<Vec<_>>().join("; "))]
    Conflict(
        /// The fields.
        Vec<FieldConflict>,
    ),
    /// Any other answer of the server.
    #[error(transparent)]
    Api(#[from] kube::Error),
}

/// A field that another manager owns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldConflict {
    /// The field's path, as the server writes it: `.spec.replicas`.
    pub field: String,
    /// The server's words, which name the other manager.
    pub message: String,
}

/// Applies objects under the name of one field manager.
///
/// ```no_run
/// # use codegen_runtime::apply::Applier;
/// # use codegen_runtime::{k8s_openapi::api::core::v1::ConfigMap, kube::{Api, Client}};
/// # async fn example(client: Client) -> Result<(), codegen_runtime::apply::ApplyError> {
/// let maps = Api::<ConfigMap>::namespaced(client, "default");
/// let wanted = serde_json::json!({ "metadata": { "name": "settings" }, "data": { "level": "debug" } });
/// Applier::new("settings-controller").force().apply(&maps, &wanted).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applier {
    manager: String,
    force: bool,
}

impl Applier {
    /// Applies as `manager`: a name that stays the same from release to release, the controller's say.
    pub fn new(manager: impl Into<String>) -> Self {
        Self {
            manager: manager.into(),
            force: false,
        }
    }

    /// Takes fields over that others own, in place of failing: what a controller does that is in charge of them.
    #[must_use]
    pub fn force(mut self) -> Self {
        self.force = true;
        self
    }

    /// The field manager's name.
    pub fn manager(&self) -> &str {
        &self.manager
    }

    /// Creates or changes the object `object` describes. `object` is a `K`, an apply configuration or any other value with the
    /// fields to apply; `apiVersion` and `kind` are `K`'s if it has none.
    ///
    /// Fields that only the server sets (`managedFields`, `creationTimestamp`, `generation`, `uid`) and the status are left out.
    /// A `resourceVersion` goes along, and makes the server refuse to apply to any other version.
    ///
    /// # Errors
    ///
    /// [`ApplyError::Conflict`] if others own some of the fields and this applier doesn't force; else the server's.
    pub async fn apply<K>(&self, api: &Api<K>, object: &impl Serialize) -> Result<K, ApplyError>
    where
        K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Debug,
    {
        let (name, body) = prepare::<K>(object, Part::Object)?;
        send(api, &name, &self.params(), body).await
    }

    /// Applies the status of `object`, and nothing else of it, through the status subresource.
    ///
    /// # Errors
    ///
    /// As [`apply`](Self::apply).
    pub async fn apply_status<K>(
        &self,
        api: &Api<K>,
        object: &impl Serialize,
    ) -> Result<K, ApplyError>
    where
        K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Debug,
    {
        let (name, body) = prepare::<K>(object, Part::Status)?;
        let (endpoint, patch) = (Endpoint::of(api), Patch::Apply(body));
        let params = self.params();
        let answer = endpoint.patch_subresource("status", &name, &params, &patch);
        refine(answer.await.and_then(|answer| client::object(&answer)))
    }

    fn params(&self) -> PatchParams {
        let params = PatchParams::apply(&self.manager);
        if self.force { params.force() } else { params }
    }
}

async fn send<K>(
    api: &Api<K>,
    name: &str,
    params: &PatchParams,
    body: Value,
) -> Result<K, ApplyError>
where
    K: Resource + Clone + DeserializeOwned,
{
    let (endpoint, patch) = (Endpoint::of(api), Patch::Apply(body));
    let answer = endpoint.patch(name, params, &patch).await;
    refine(answer.and_then(|answer| client::object(&answer)))
}

/// The part of an object that is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Everything but the status.
    Object,
    /// The status alone.
    Status,
}

/// The name of `object`, and what of it is sent: with its type, without fields that only the API server sets.
pub(crate) fn prepare<K: Resource<DynamicType = ()>>(
    object: &impl Serialize,
    part: Part,
) -> Result<(String, Value), ApplyError> {
    // By way of the text, the one way that also every other request takes.
    let object = serde_json::from_slice(&serde_json::to_vec(object)?)?;
    select(object, &K::api_version(&()), &K::kind(&()), part)
}

fn select(
    object: Value,
    api_version: &str,
    kind: &str,
    part: Part,
) -> Result<(String, Value), ApplyError> {
    let Value::Object(mut fields) = object else {
        return Err(ApplyError::NotAnObject);
    };
    fields
        .entry("apiVersion")
        .or_insert_with(|| json!(api_version));
    fields.entry("kind").or_insert_with(|| json!(kind));
    let Some(Value::Object(metadata)) = fields.get_mut("metadata") else {
        return Err(ApplyError::NoName);
    };
    let name = metadata.get("name").and_then(Value::as_str);
    let Some(name) = name.map(str::to_owned) else {
        return Err(ApplyError::NoName);
    };
    match part {
        Part::Status => {
            let kept = ["name", "namespace", "resourceVersion"];
            metadata.retain(|field, _| kept.contains(&field.as_str()));
            let kept = ["apiVersion", "kind", "metadata", "status"];
            fields.retain(|field, _| kept.contains(&field.as_str()));
        }
        Part::Object => {
            for field in [
                "managedFields",
                "creationTimestamp",
                "generation",
                "uid",
                "selfLink",
            ] {
                metadata.remove(field);
            }
            fields.remove("status");
        }
    }
    Ok((name, Value::Object(fields)))
}

fn refine<K>(result: Result<K, kube::Error>) -> Result<K, ApplyError> {
    let conflicts = match &result {
        Err(kube::Error::Api(status)) if status.is_conflict() => {
            let causes = status.details.iter().flat_map(|details| &details.causes);
            let owned = causes.filter(|cause| cause.reason == "FieldManagerConflict");
            owned
                .map(|cause| FieldConflict {
                    field: cause.field.clone(),
                    message: cause.message.clone(),
                })
                .collect()
        }
        _ => Vec::new(),
    };
    match result {
        Err(_) if !conflicts.is_empty() => Err(ApplyError::Conflict(conflicts)),
        result => Ok(result?),
    }
}
