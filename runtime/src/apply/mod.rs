//! Writes desired state: server-side apply under one field manager, and create-or-update.
//!
//! An [`Applier`] sends exactly the fields that this program manages, under one manager name. The
//! server merges them, records their owner, and removes fields that this manager applied before but
//! no longer does. The fields are JSON or a generated [`ApplyConfiguration`]. A
//! [`RememberingApplier`] sends only changes. [`create_or_update`] reads the object, changes it,
//! and writes it if it changed.

mod configuration;
mod create;
mod extract;
mod memory;
mod methods;
mod semantic;
mod upgrade;

use std::fmt::Debug;

use kube::api::{Patch, PatchParams};
use kube::{Api, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::client::{self, Endpoint};
use crate::json::to_value;

pub use self::configuration::{ApplyConfiguration, configuration, fill, fill_map, named, put};
pub use self::create::{CreateOrUpdateError, create_or_update};
pub use self::extract::ExtractError;
pub use self::memory::RememberingApplier;
pub(crate) use self::upgrade::unite;
pub use self::upgrade::upgrade_managed_fields;
/// Any JSON: generated configurations use it for values whose type they cannot name.
pub use serde_json::Value;

/// The outcome of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Written {
    /// The object did not exist and was created.
    Created,
    /// The object changed.
    Updated,
    /// The object already had the desired state.
    Unchanged,
}

/// Why an object could not be applied.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// `metadata.name` is missing.
    #[error("cannot apply an object without metadata.name")]
    NoName,
    /// The value does not serialise as a JSON object.
    #[error("cannot apply a value that is not a JSON object")]
    NotAnObject,
    /// The value cannot be serialised.
    #[error("cannot serialise the object to apply: {0}")]
    Serialize(#[from] serde_json::Error),
    /// Other managers own some of the fields, with different values.
    #[error("other field managers own some of the fields: {}", told(.0))]
    Conflict(
        /// The fields in conflict.
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
    /// The server's message, which names the other manager.
    pub message: String,
}

/// Names each manager once, with its fields:
/// `conflict with "kubectl" using apps/v1: .spec.replicas, .spec.paused`.
fn told(conflicts: &[FieldConflict]) -> String {
    let mut managers: Vec<(&str, Vec<&str>)> = Vec::new();
    for conflict in conflicts {
        let message = conflict.message.as_str();
        let at = managers.iter().position(|(it, _)| *it == message);
        match at.and_then(|at| managers.get_mut(at)) {
            Some((_, fields)) => fields.push(&conflict.field),
            None => managers.push((message, vec![&conflict.field])),
        }
    }
    let texts = managers.into_iter().map(|(message, fields)| {
        let fields = fields.into_iter().filter(|it| !message.contains(it));
        match fields.collect::<Vec<_>>().join(", ").as_str() {
            "" => message.to_owned(),
            fields => format!("{message}: {fields}"),
        }
    });
    texts.collect::<Vec<_>>().join("; ")
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
    /// Creates an applier for the field manager `manager`. Keep the name stable across releases:
    /// the controller's name, say.
    pub fn new(manager: impl Into<String>) -> Self {
        Self {
            manager: manager.into(),
            force: false,
        }
    }

    /// Takes over fields that other managers own instead of failing. For a controller that is the
    /// authority on these fields.
    #[must_use]
    pub fn force(mut self) -> Self {
        self.force = true;
        self
    }

    /// Returns the field manager's name.
    pub fn manager(&self) -> &str {
        &self.manager
    }

    /// Creates or changes the object that `object` describes. `object` is a `K`, an apply
    /// configuration or any other value with the fields to apply; a missing `apiVersion` or `kind`
    /// is taken from `K`.
    ///
    /// The status and the fields that only the server sets (`managedFields`, `creationTimestamp`,
    /// `generation`, `uid`) are not sent. A `resourceVersion` is sent, and makes the server refuse
    /// to apply to any other version.
    ///
    /// # Errors
    ///
    /// [`ApplyError::Conflict`] if other managers own some of the fields and this applier does not
    /// force; otherwise the server's error.
    pub async fn apply<K>(&self, api: &Api<K>, object: &impl Serialize) -> Result<K, ApplyError>
    where
        K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Debug,
    {
        let (name, body) = prepare::<K>(object, Part::Object)?;
        let (applied, _) = send(api, &name, &self.params(), body).await?;
        Ok(applied)
    }

    /// Applies only the status of `object`, through the status subresource.
    ///
    /// # Errors
    ///
    /// See [`apply`](Self::apply).
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

    /// Moves the fields of the object `name` that `managers` own through updates to this applier,
    /// so that its next apply can remove them: for objects that were written with
    /// [`create_or_update`] or a client's `update` before. client-go's `csaupgrade`.
    ///
    /// Reads the object, and writes only if there is something to move; then returns the object.
    /// `None` means that it does not exist, or that nothing was left to move. Moves cannot be
    /// undone. The manager of an update is the program's User-Agent up to its first `/`, unless the
    /// request named another: `kubectl get --show-managed-fields` shows it.
    ///
    /// # Errors
    ///
    /// A conflict if the object was written between reading and writing.
    pub async fn upgrade<K>(
        &self,
        api: &Api<K>,
        name: &str,
        managers: &[&str],
    ) -> Result<Option<K>, ApplyError>
    where
        K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Debug,
    {
        self.move_fields(api, name, managers, "").await
    }

    /// Like [`upgrade`](Self::upgrade), for the fields written through the status subresource.
    ///
    /// # Errors
    ///
    /// See [`upgrade`](Self::upgrade).
    pub async fn upgrade_status<K>(
        &self,
        api: &Api<K>,
        name: &str,
        managers: &[&str],
    ) -> Result<Option<K>, ApplyError>
    where
        K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Debug,
    {
        self.move_fields(api, name, managers, "status").await
    }

    async fn move_fields<K>(
        &self,
        api: &Api<K>,
        name: &str,
        managers: &[&str],
        subresource: &str,
    ) -> Result<Option<K>, ApplyError>
    where
        K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Debug,
    {
        let endpoint = Endpoint::of(api);
        let Some(object) = endpoint.get_opt(name).await? else {
            return Ok(None);
        };
        let object: K = client::object(&object)?;
        let mut entries = object.meta().managed_fields.clone().unwrap_or_default();
        if !upgrade_managed_fields(&mut entries, managers, &self.manager, subresource) {
            return Ok(None);
        }
        // The version makes the server refuse if another client wrote in between.
        let version = &object.meta().resource_version;
        let patch = json!({"metadata": {"managedFields": entries, "resourceVersion": version}});
        let (params, patch) = (PatchParams::default(), Patch::Merge(patch));
        let patched = endpoint.patch(name, &params, &patch).await?;
        Ok(Some(client::object(&patched)?))
    }

    fn params(&self) -> PatchParams {
        let params = PatchParams::apply(&self.manager);
        if self.force { params.force() } else { params }
    }
}

/// Applies `body`; returns the object and whether it did not exist before.
async fn send<K>(
    api: &Api<K>,
    name: &str,
    params: &PatchParams,
    body: Value,
) -> Result<(K, bool), ApplyError>
where
    K: Resource + Clone + DeserializeOwned,
{
    let (endpoint, patch) = (Endpoint::of(api), Patch::Apply(body));
    let answer = endpoint.patch(name, params, &patch).await;
    refine(answer.and_then(|answer| Ok((client::object(&answer)?, answer.created))))
}

/// The part of an object that is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// All fields except the status.
    Object,
    /// Only the status.
    Status,
}

/// Returns the name of `object` and the part of it to send: with its type, without fields that only
/// the API server sets.
pub(crate) fn prepare<K: Resource<DynamicType = ()>>(
    object: &impl Serialize,
    part: Part,
) -> Result<(String, Value), ApplyError> {
    // Round-trips through JSON bytes, as every other request does.
    let object = to_value(object)?;
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
