//! Patch: JSON patch, merge patch, and server-side apply, of an object or of its status.

use std::sync::Arc;

use serde_json::Value;

use super::options::WriteOptions;
use super::persist::{self, Persisted};
use super::present::present;
use super::{Call, create, intake, kinds, meta, update};
use crate::apply::{self, ApplyError, Writer};
use crate::core::Core;
use crate::effects;
use crate::http::decode::{self, Encoding};
use crate::http::respond::Answer;
use crate::object::{self, text};
use crate::patch::{self, PatchError};
use crate::schema::{FieldError, FieldErrorKind};
use crate::status::{ApiError, StatusCause};
use crate::store::Stored;

/// The kinds of patches that are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PatchType {
    Json,
    Merge,
    /// Served for the scale subresource, whose strategic merge is a plain one.
    Strategic,
    Apply,
}

/// How often a patch without a resourceVersion is tried against a changing object.
const TRIES: usize = 100;

pub(crate) fn patch_type(call: &Call) -> Result<PatchType, ApiError> {
    let kind = call.content_type.as_deref().unwrap_or_default();
    match kind.split(';').next().unwrap_or_default().trim() {
        "application/json-patch+json" => Ok(PatchType::Json),
        "application/merge-patch+json" => Ok(PatchType::Merge),
        "application/apply-patch+yaml" => Ok(PatchType::Apply),
        "application/strategic-merge-patch+json" if call.subresource == "scale" => {
            Ok(PatchType::Strategic)
        }
        _ => Err(ApiError::unsupported_media_type(
            "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
        )),
    }
}

pub(crate) fn patch_error(error: &PatchError) -> ApiError {
    match error {
        PatchError::BadRequest(message) => ApiError::bad_request(message.clone()),
        PatchError::TooLarge(message) => {
            ApiError::new(413, "RequestEntityTooLarge", message.clone())
        }
        // The API server keeps the cause to itself.
        PatchError::Unprocessable(_) => {
            let message = "the server rejected our request due to an error in our request";
            ApiError::new(422, "Invalid", message).with_causes(Vec::new())
        }
    }
}

/// PATCH of an object or its status.
pub(crate) fn patch(core: &Arc<Core>, call: &Call) -> Result<Answer, ApiError> {
    let kind = patch_type(call)?;
    let options = WriteOptions::parse("PatchOptions", &call.query, &call.user_agent)?;
    check_options(call, kind)?;
    for _ in 0..TRIES {
        let current = core.find(&call.served, &call.key());
        let old = current.as_deref().map(|stored| call.served.decode(stored));
        let (new, faults) = patched(core, call, kind, old.as_ref(), &options)?;
        let mut warnings = intake::enforce(&call.served, options.validation, faults)?;
        warnings.extend(meta::finalizer_warnings(&call.served, &new));
        let (Some(current), Some(old)) = (current, old) else {
            let created = create::create_object(core, &call.served, new, &options)?;
            return Ok(present(call, 201, &created)?.with_warnings(warnings));
        };
        if let Some(answer) = store_patched(core, call, &current, &old, (new, kind), &options)? {
            return Ok(answer.with_warnings(warnings));
        }
    }
    Err(ApiError::modified(&call.group_resource(), &call.name))
}

fn check_options(call: &Call, kind: PatchType) -> Result<(), ApiError> {
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

/// The patched object, in its version's form, and what strict validation minds about it.
fn patched(
    core: &Core,
    call: &Call,
    kind: PatchType,
    old: Option<&Value>,
    options: &WriteOptions,
) -> Result<(Value, Vec<String>), ApiError> {
    let mut faults = Vec::new();
    let mut new = match (kind, old) {
        (PatchType::Apply, _) => return applied(core, call, old, options),
        (_, None) => return Err(call.not_found()),
        (PatchType::Json, Some(old)) => {
            patch::json_patch(old, &call.body).map_err(|e| patch_error(&e))?
        }
        (PatchType::Merge | PatchType::Strategic, Some(old)) => {
            let decoded = decode::decode(&call.body, Encoding::Json)
                .map_err(|why| ApiError::bad_request(format!("error decoding patch: {why}")))?;
            if !decoded.value.is_object() {
                return Err(ApiError::bad_request(
                    "error decoding patch: json: cannot unmarshal into Go value of type map[string]interface {}",
                ));
            }
            faults.extend(
                decoded
                    .duplicates
                    .iter()
                    .map(|p| format!("duplicate field \"{p}\"")),
            );
            let mut new = old.clone();
            patch::merge_patch(&mut new, &decoded.value);
            new
        }
    };
    check_identity(call, &new)?;
    faults.extend(intake::shape(&call.served, &mut new)?);
    Ok((new, faults))
}

/// A patch cannot change the type, name or namespace.
fn check_identity(call: &Call, new: &Value) -> Result<(), ApiError> {
    let served = &call.served;
    let (api_version, kind) = (text(new, &["apiVersion"]), text(new, &["kind"]));
    if api_version != served.api_version() || kind != served.resource.kind {
        return Err(ApiError::bad_request(format!(
            "{kind} in version \"{}\" cannot be handled as a {}",
            api_version.rsplit('/').next().unwrap_or_default(),
            served.resource.kind
        )));
    }
    let name = object::name(new);
    if name != call.name {
        return Err(ApiError::bad_request(format!(
            "the name of the object ({name}) does not match the name on the URL ({})",
            call.name
        )));
    }
    if object::namespace(new) != call.namespace {
        return Err(ApiError::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    Ok(())
}

fn applied(
    core: &Core,
    call: &Call,
    old: Option<&Value>,
    options: &WriteOptions,
) -> Result<(Value, Vec<String>), ApiError> {
    if old.is_none() && !call.subresource.is_empty() {
        return Err(call.not_found());
    }
    let decoded = decode::decode(&call.body, Encoding::Yaml)
        .map_err(|why| ApiError::bad_request(format!("error decoding YAML: {why}")))?;
    let mut wanted = decoded.value;
    check_applied(call, &wanted)?;
    meta::settle_namespace(call, &mut wanted)?;
    let faults = intake::prune(&call.served, &mut wanted)?;
    if let (Some(old), given) = (old, object::resource_version(&wanted))
        && !given.is_empty()
        && given != object::resource_version(old)
    {
        return Err(ApiError::modified(&call.group_resource(), &call.name));
    }
    update::restrict_applied(&call.served, &call.subresource, &mut wanted);
    let api_version = call.served.api_version();
    let writer = Writer {
        manager: &options.manager,
        subresource: &call.subresource,
        api_version: &api_version,
        reset: update::reset_fields(&call.served, &call.subresource),
        schema: call.served.version().schema.as_ref(),
        now: core.now(),
    };
    let mut new = apply::apply(&writer, old, &wanted, options.force).map_err(apply_error)?;
    intake::shape(&call.served, &mut new)?;
    Ok((new, faults))
}

/// The status of a refused apply.
pub(crate) fn apply_error(error: ApplyError) -> ApiError {
    match error {
        ApplyError::Conflicts { message, conflicts } => {
            let causes = conflicts
                .into_iter()
                .map(|conflict| StatusCause {
                    reason: "FieldManagerConflict".into(),
                    message: conflict.message,
                    field: conflict.field,
                })
                .collect();
            ApiError::new(409, "Conflict", message).with_causes(causes)
        }
        ApplyError::BadRequest(message) => ApiError::bad_request(message),
        ApplyError::Internal(message) => ApiError::internal(message),
    }
}

fn check_applied(call: &Call, wanted: &Value) -> Result<(), ApiError> {
    let served = &call.served;
    let (api_version, kind) = (text(wanted, &["apiVersion"]), text(wanted, &["kind"]));
    if kind.is_empty() {
        return Err(ApiError::bad_request(
            "Object 'Kind' is missing in the applied configuration",
        ));
    }
    if api_version != served.api_version() || kind != served.resource.kind {
        return Err(ApiError::bad_request(format!(
            "the applied configuration is of {api_version}, Kind={kind}, but the endpoint serves {}, Kind={}",
            served.api_version(),
            served.resource.kind
        )));
    }
    let name = object::name(wanted);
    if !name.is_empty() && name != call.name {
        return Err(ApiError::bad_request(format!(
            "the name of the object ({name}) does not match the name on the URL ({})",
            call.name
        )));
    }
    Ok(())
}

/// Commits a patched object; `None` when another write came first and the patch is to be made again.
fn store_patched(
    core: &Arc<Core>,
    call: &Call,
    current: &Arc<Stored>,
    old: &Value,
    (mut new, kind): (Value, PatchType),
    options: &WriteOptions,
) -> Result<Option<Answer>, ApiError> {
    let gr = call.group_resource();
    let uid = object::uid(&new);
    if !uid.is_empty() && uid != &*current.uid {
        return Err(ApiError::conflict(
            &gr,
            &call.name,
            &format!(
                "Precondition failed: UID in precondition: {uid}, UID in object meta: {}",
                current.uid
            ),
        ));
    }
    let given = object::resource_version(&new).to_owned();
    if !given.is_empty() && given != current.revision.to_string() {
        return Err(ApiError::modified(&gr, &call.name));
    }
    object::set_meta(
        &mut new,
        "resourceVersion",
        Some(Value::String(current.revision.to_string())),
    );
    let new = if kind == PatchType::Apply {
        merge_applied(core, call, old, new)?
    } else {
        update::merge_update(core, &call.served, &call.subresource, old, new, options)?
    };
    match persist::replace(core, &call.served, current, new, options.dry_run)? {
        Persisted::Written(written) => {
            if !options.dry_run {
                effects::after_write(core, &call.served, Some(old), &written);
            }
            present(call, 200, &written).map(Some)
        }
        Persisted::Removed(last) => {
            if !options.dry_run {
                effects::after_removal(core, &call.served, current);
            }
            present(call, 200, &last).map(Some)
        }
        Persisted::Raced => Ok(None),
    }
}

/// As [`update::merge_update`], but the apply has settled the ownership of fields already.
fn merge_applied(core: &Core, call: &Call, old: &Value, mut new: Value) -> Result<Value, ApiError> {
    let served = &call.served;
    update::restrict(served, &call.subresource, old, &mut new);
    meta::prepare_update(old, &mut new);
    kinds::prepare_update(core, served, &call.subresource, old, &mut new);
    update::validate(core, served, old, &new)?;
    meta::bump_generation(served, old, &mut new);
    Ok(new)
}
