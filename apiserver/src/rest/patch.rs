//! Patch requests: JSON patch, merge patch, strategic merge patch and server-side apply, to an
//! object or its status.

use std::sync::Arc;

use serde_json::Value;

use super::conversion::prepare;
use super::options::{FieldValidation, WriteOptions};
use super::present::present;
use super::update::Ownership;
use super::write::{self, Persisted};
use super::{Call, apply, intake, update};
use crate::core::Core;
use crate::field::{FieldError, FieldErrorKind};
use crate::http::decode::{self, Encoding};
use crate::http::respond::Answer;
use crate::metadata::object::{self, text};
use crate::metadata::rules;
use crate::patch::{self, PatchError, StrategicError};
use crate::status::ApiError;
use crate::store::Stored;

/// The supported patch types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PatchType {
    Json,
    Merge,
    /// Only for built-in kinds.
    Strategic,
    Apply,
}

pub(crate) fn patch_type(call: &Call) -> Result<PatchType, ApiError> {
    let kind = call.content_type.as_deref().unwrap_or_default();
    match kind.split(';').next().unwrap_or_default().trim() {
        "application/json-patch+json" => Ok(PatchType::Json),
        "application/merge-patch+json" => Ok(PatchType::Merge),
        "application/apply-patch+yaml" => Ok(PatchType::Apply),
        "application/strategic-merge-patch+json" if !call.served.resource.is_custom() => {
            Ok(PatchType::Strategic)
        }
        // The handler of custom resources answers itself; for built-in kinds, the router does.
        _ if call.served.resource.is_custom() => Err(ApiError::unsupported_media_type(
            "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
        )),
        _ => Err(
            ApiError::new(415, "UnsupportedMediaType", "415: Unsupported Media Type")
                .with_causes(Vec::new()),
        ),
    }
}

pub(crate) fn patch_error(error: &PatchError) -> ApiError {
    match error {
        PatchError::BadRequest(message) => ApiError::bad_request(message.clone()),
        PatchError::TooLarge(message) => {
            ApiError::new(413, "RequestEntityTooLarge", message.clone())
        }
        // kube-apiserver does not reveal the cause.
        PatchError::Unprocessable(_) => {
            let message = "the server rejected our request due to an error in our request";
            ApiError::new(422, "Invalid", message).with_causes(Vec::new())
        }
    }
}

fn strategic_error(error: StrategicError) -> ApiError {
    match error {
        StrategicError::BadRequest(message) => ApiError::bad_request(message),
        StrategicError::Unprocessable(message) => patch_error(&PatchError::Unprocessable(message)),
        StrategicError::Internal(message) => ApiError::new(500, "", message),
    }
}

/// Handles PATCH of an object or its status.
pub(crate) async fn patch(core: &Arc<Core>, call: &Call) -> Result<Answer, ApiError> {
    let kind = patch_type(call)?;
    let options = WriteOptions::parse("PatchOptions", &call.query, &call.user_agent)?;
    check_options(call, kind)?;
    for _ in 0..write::TRIES {
        let current = core.find(&call.served, &call.key());
        prepare(core, &call.served, &current).await?;
        let old = current.as_deref().map(|stored| call.served.decode(stored));
        let new = patched(core, call, kind, old.as_ref(), &options)?;
        let (Some(current), Some(old)) = (current, old) else {
            return apply::create(core, call, new, &options).await;
        };
        if let Some(answer) =
            store_patched(core, call, &current, &old, (new, kind), &options).await?
        {
            return Ok(answer);
        }
    }
    Err(ApiError::modified(&call.group_resource(), &call.name))
}

pub(super) fn check_options(call: &Call, kind: PatchType) -> Result<(), ApiError> {
    let invalid = |field: &str, kind, detail: &str| {
        let error = FieldError::new(field, kind, detail);
        Err(ApiError::invalid(
            "meta.k8s.io",
            "PatchOptions",
            "",
            &[error],
        ))
    };
    if kind == PatchType::Apply {
        if call.query.text("fieldManager").is_empty() {
            return invalid(
                "fieldManager",
                FieldErrorKind::Required,
                "is required for apply patch",
            );
        }
    } else if call.query.get("force").is_some() {
        return invalid(
            "force",
            FieldErrorKind::Forbidden,
            "may not be specified for non-apply patch",
        );
    }
    Ok(())
}

/// Returns the patched object, in its version's form, after field validation.
fn patched(
    core: &Core,
    call: &Call,
    kind: PatchType,
    old: Option<&Value>,
    options: &WriteOptions,
) -> Result<Value, ApiError> {
    let (mut new, mut faults) = match (kind, old) {
        (PatchType::Apply, _) => {
            let (new, faults) = apply::applied(core, call, old, options)?;
            intake::enforce(call, options.validation, faults)?;
            return Ok(new);
        }
        (_, None) => return Err(call.not_found()),
        (_, Some(old)) => unshaped(call, kind, old)?,
    };
    check_type(call, &new)?;
    let refuse = |why: &str| {
        // The object as it was is only needed here: patching again takes less memory than a copy of
        // a large one.
        let patched = old.ok_or_else(|| call.not_found());
        match patched.and_then(|old| unshaped(call, kind, old)) {
            Ok((patched, _)) => ApiError::invalid_patch(&patched, why),
            Err(error) => error,
        }
    };
    faults.extend(intake::shape(&call.served, &mut new).map_err(|why| refuse(&why))?);
    if options.validation == FieldValidation::Strict && !faults.is_empty() {
        let why = format!("strict decoding error: {}", faults.join(", "));
        return Err(refuse(&why));
    }
    intake::enforce(call, options.validation, faults)?;
    update::check_name(call, &new)?;
    rules::settle_namespace(call.object_namespace(), &mut new)?;
    Ok(new)
}

/// Returns the patched object as the patch left it, and the findings of strict validation.
fn unshaped(call: &Call, kind: PatchType, old: &Value) -> Result<(Value, Vec<String>), ApiError> {
    match kind {
        PatchType::Json => {
            let new = patch::json_patch(old, &call.body).map_err(|e| patch_error(&e))?;
            Ok((new, Vec::new()))
        }
        _ => {
            let decoded = decode::decode(&call.body, Encoding::Json)
                .map_err(|why| ApiError::bad_request(format!("error decoding patch: {why}")))?;
            if !decoded.value.is_object() {
                let found = match decoded.value {
                    Value::Array(_) => "array",
                    Value::String(_) => "string",
                    Value::Bool(_) => "bool",
                    _ => "number",
                };
                return Err(ApiError::bad_request(format!(
                    "error decoding patch: json: cannot unmarshal {found} into Go value of type map[string]interface {{}}"
                )));
            }
            let faults = decoded.faults();
            if kind == PatchType::Strategic {
                let new = patch::strategic_merge_patch(old, &decoded.value);
                return Ok((new.map_err(strategic_error)?, faults));
            }
            let mut new = old.clone();
            patch::merge_patch(&mut new, &decoded.value);
            Ok((new, faults))
        }
    }
}

/// Rejects a patch that changes the type.
fn check_type(call: &Call, new: &Value) -> Result<(), ApiError> {
    let served = &call.served;
    let (api_version, kind) = (text(new, &["apiVersion"]), text(new, &["kind"]));
    if served.resource.is_custom() && kind.is_empty() {
        let why = format!("Object 'Kind' is missing in '{new}'");
        return Err(ApiError::invalid_patch(new, &why));
    }
    if served.resource.is_custom() && api_version.is_empty() {
        let why = "Object 'apiVersion' is missing in 'object has no apiVersion field'";
        return Err(ApiError::internal(why));
    }
    if served.resource.is_custom() && api_version == served.api_version() {
        intake::check_custom_kind(served, call.subresource, new)?;
    } else if api_version != served.api_version() || kind != served.resource.kind {
        let why = format!(
            "no kind \"{kind}\" is registered for version \"{api_version}\" in scheme \"pkg/runtime/scheme.go:111\""
        );
        return Err(ApiError::invalid_patch(new, &why));
    }
    Ok(())
}

/// Commits a patched object; returns `None` if another write came first and the patch must be
/// reapplied.
async fn store_patched(
    core: &Arc<Core>,
    call: &Call,
    current: &Arc<Stored>,
    old: &Value,
    (mut new, kind): (Value, PatchType),
    options: &WriteOptions,
) -> Result<Option<Answer>, ApiError> {
    let gr = call.group_resource();
    let given = object::resource_version(&new).to_owned();
    if matches!(given.as_str(), "" | "0") && !call.served.resource.rules.unconditional_update {
        return Err(update::version_required(&call.served, &call.name));
    }
    if !given.is_empty() && given != current.revision.to_string() {
        return Err(ApiError::modified(&gr, &call.name));
    }
    object::set_meta(
        &mut new,
        "resourceVersion",
        Some(Value::String(current.revision.to_string())),
    );
    let ownership = match kind {
        PatchType::Apply => Ownership::Settled,
        _ => Ownership::Tracked,
    };
    let new = update::merge_update(core, call, old, new, options, ownership).await?;
    match write::replace(core, &call.served, (current, old), new, options.dry_run).await? {
        Persisted::Written(shown) | Persisted::Removed(shown) => {
            present(call, 200, &shown).map(Some)
        }
        Persisted::Raced => Ok(None),
    }
}
