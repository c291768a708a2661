//! Conversion of objects between the versions of a resource, by a webhook if the definition has
//! one.
//!
//! Handlers call [`prepare`] on stored objects, which converts them in one review, and then decode
//! them as usual: their [`Served`] keeps the converted objects for the duration of the request.

use std::sync::Arc;

use serde_json::Value;

use crate::core::Core;
use crate::registry::Served;
use crate::schema::apply_defaults;
use crate::status::ApiError;
use crate::store::Stored;
use crate::webhooks::conversion;

/// Converts those of the objects that are stored in another version.
///
/// # Errors
/// 500 if the webhook fails.
pub(super) async fn prepare(
    core: &Arc<Core>,
    served: &Served,
    objects: impl IntoIterator<Item = &Arc<Stored>>,
) -> Result<(), ApiError> {
    if served.resource.webhook.is_none() {
        return Ok(());
    }
    let own = &served.version().name;
    let (mut stored, mut sent) = (Vec::new(), Vec::new());
    for object in objects {
        let version = core.registry.version_of(object.schema);
        let Some(version) = version.filter(|version| version != own) else {
            continue;
        };
        let from = served.in_version(&version).ok_or_else(|| {
            let group = &served.resource.group;
            let why = "request to convert CR from an invalid group/version";
            ApiError::new(500, "", format!("{why}: {group}/{version}"))
        })?;
        sent.push(from.decode(object));
        stored.push(object.clone());
    }
    for (object, converted) in stored.iter().zip(ask(core, served, sent).await?) {
        served.keep(object, converted);
    }
    Ok(())
}

/// Converts an object from one version to another.
///
/// # Errors
/// 500 if the conversion webhook fails.
pub(super) async fn convert(
    core: &Arc<Core>,
    from: &Served,
    to: &Served,
    object: Value,
) -> Result<Value, ApiError> {
    if from.resource.webhook.is_none() || from.version().name == to.version().name {
        return Ok(from.convert(to, object));
    }
    let mut converted = ask(core, to, vec![object]).await?;
    Ok(converted.pop().unwrap_or_default())
}

/// Converts an object of a version to the stored form.
///
/// # Errors
/// 500 if the conversion webhook fails.
pub(super) async fn to_stored(
    core: &Arc<Core>,
    served: &Served,
    object: Value,
) -> Result<Value, ApiError> {
    match (&served.resource.webhook, served.in_storage()) {
        (Some(_), Some(storage)) => convert(core, served, &storage, object).await,
        _ => Ok(served.to_stored(object)),
    }
}

/// Calls the webhook to convert objects to a version; prunes and defaults the results by that
/// version's schema.
async fn ask(core: &Arc<Core>, to: &Served, objects: Vec<Value>) -> Result<Vec<Value>, ApiError> {
    let (Some(webhook), Some(first)) = (&to.resource.webhook, objects.first()) else {
        return Ok(objects);
    };
    let of = format!(
        "{}, Kind={}",
        crate::metadata::object::text(first, &["apiVersion"]),
        to.resource.kind
    );
    let host = core.external_host(&webhook["clientConfig"]);
    let (backends, version) = (&core.backends, to.api_version());
    let converted =
        conversion::convert(backends, host.as_deref(), webhook, &of, objects, &version).await;
    let mut converted = converted.map_err(|why| ApiError::new(500, "", why))?;
    if let Some(schema) = &to.version().schema {
        for object in &mut converted {
            schema.prune(object);
            apply_defaults(schema, object);
        }
    }
    Ok(converted)
}
