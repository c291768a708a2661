//! Create or update: reads an object, changes it, and writes it if it changed.

use std::error::Error;
use std::fmt::Debug;

use kube::api::PostParams;
use kube::{Api, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Written;
use super::semantic::semantic;
use crate::client::{self, Endpoint};

/// Why an object could not be created or updated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CreateOrUpdateError {
    /// The object has no name.
    #[error("cannot create or update an object without metadata.name")]
    NoName,
    /// The change gave the object another name or namespace.
    #[error("the change must not rename or move the object")]
    Renamed,
    /// The change failed; nothing was written.
    #[error("the change failed: {0}")]
    Change(#[source] Box<dyn Error + Send + Sync>),
    /// The object could not be serialised.
    #[error("cannot serialise the object: {0}")]
    Serialize(#[from] serde_json::Error),
    /// The server's answer: a conflict if another client wrote or created the object in between.
    #[error(transparent)]
    Api(#[from] kube::Error),
}

/// Brings the object with `object`'s name to the state that `change` produces, as
/// controller-runtime's `CreateOrUpdate` does.
///
/// Reads the stored object, or uses `object` itself if none exists, calls `change` with it, and
/// creates or updates it. Nothing is written if `change` changed nothing. `object` needs only a
/// name (and a namespace, unless `api` has one); `change` sets all other fields and sees the stored
/// object, including the fields of other writers.
///
/// Objects are compared as controller-runtime compares them: quantities by their amounts (`1` and
/// `1000m` are equal), and null, empty lists and empty maps count as absent. Fields whose type is
/// any JSON are compared as they are. The status is neither compared nor written: use
/// [`TypedClient::update_status`](crate::client::TypedClient::update_status).
///
/// ```no_run
/// # use codegen_runtime::apply::{Written, create_or_update};
/// # use codegen_runtime::{k8s_openapi::api::core::v1::ConfigMap, kube::{Api, Client}};
/// # async fn example(client: Client) -> Result<(), Box<dyn std::error::Error>> {
/// let maps = Api::<ConfigMap>::namespaced(client, "default");
/// let mut settings = ConfigMap::default();
/// settings.metadata.name = Some("settings".to_owned());
/// let (settings, written) = create_or_update(&maps, settings, |map| {
///     map.data.get_or_insert_default().insert("level".to_owned(), "debug".to_owned());
///     Ok(())
/// })
/// .await?;
/// if written != Written::Unchanged {
///     println!("{:?}", settings.metadata.resource_version);
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`CreateOrUpdateError::Api`] with a conflict if the object changed between reading and writing.
/// A reconciler returns this error and is called again.
pub async fn create_or_update<K>(
    api: &Api<K>,
    mut object: K,
    change: impl FnOnce(&mut K) -> Result<(), Box<dyn Error + Send + Sync>>,
) -> Result<(K, Written), CreateOrUpdateError>
where
    K: Resource<DynamicType = ()> + Clone + Debug + Serialize + DeserializeOwned,
{
    let name = object.meta().name.clone().unwrap_or_default();
    if name.is_empty() {
        return Err(CreateOrUpdateError::NoName);
    }
    let (endpoint, params) = (Endpoint::of(api), PostParams::default());
    let Some(stored) = endpoint.get_opt(&name).await? else {
        changed(&mut object, change)?;
        let created = endpoint.create(&params, serde_json::to_vec(&object)?);
        return Ok((client::object(&created.await?)?, Written::Created));
    };
    let stored: K = client::object(&stored)?;
    let mut wanted = stored.clone();
    changed(&mut wanted, change)?;
    if compared(&stored)? == compared(&wanted)? {
        return Ok((stored, Written::Unchanged));
    }
    let updated = endpoint.replace(&name, &params, serde_json::to_vec(&wanted)?);
    Ok((client::object(&updated.await?)?, Written::Updated))
}

fn changed<K: Resource>(
    object: &mut K,
    change: impl FnOnce(&mut K) -> Result<(), Box<dyn Error + Send + Sync>>,
) -> Result<(), CreateOrUpdateError> {
    let key = |object: &K| (object.meta().name.clone(), object.meta().namespace.clone());
    let before = key(object);
    change(object).map_err(CreateOrUpdateError::Change)?;
    if key(object) == before {
        Ok(())
    } else {
        Err(CreateOrUpdateError::Renamed)
    }
}

/// Returns the parts of an object that are compared.
fn compared(object: &impl Serialize) -> Result<Value, serde_json::Error> {
    let mut value = semantic(object)?;
    if let Some(fields) = value.as_object_mut() {
        fields.remove("status");
    }
    Ok(value)
}
