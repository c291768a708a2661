//! Server-side apply to an object or its status.

use std::sync::Arc;

use serde_json::Value;

use super::create::create_object;
use super::options::WriteOptions;
use super::present::present;
use super::{Call, intake, strategy, update};
use crate::apply::{self, ApplyError, Writer};
use crate::core::Core;
use crate::field::{FieldError, FieldErrorKind};
use crate::http::decode::{self, Encoding};
use crate::http::respond::Answer;
use crate::metadata::object::{self, text};
use crate::metadata::rules;
use crate::registry::name_of;
use crate::status::{ApiError, StatusCause};

/// Creates the object of an apply, if it does not exist.
pub(super) async fn create(
    core: &Arc<Core>,
    call: &Call,
    new: Value,
    options: &WriteOptions,
) -> Result<Answer, ApiError> {
    let uid = object::uid(&new);
    if !uid.is_empty() {
        let resource = &call.served.resource;
        if !resource.is_custom() {
            let why = format!(
                "uid mismatch: the provided object specified uid {uid}, and no existing object was found"
            );
            return Err(ApiError::conflict(&call.group_resource(), &call.name, &why));
        }
        let uid = Value::String(uid.to_owned());
        let error = FieldError::with_value(
            "metadata.uid",
            FieldErrorKind::Invalid,
            uid,
            "field is immutable",
        );
        return Err(ApiError::invalid(
            &resource.group,
            &resource.kind,
            &call.name,
            &[error.clone(), error],
        ));
    }
    let options = WriteOptions {
        applied: true,
        origin: rules::Origin::Update,
        ..options.clone()
    };
    let created = create_object(core, &call.served, new, &options, &call.requester).await?;
    present(call, 201, &created)
}

/// Returns the result of an apply, and the findings of strict validation.
pub(super) fn applied(
    core: &Core,
    call: &Call,
    old: Option<&Value>,
    options: &WriteOptions,
) -> Result<(Value, Vec<String>), ApiError> {
    if old.is_none() && call.subresource.is_some() {
        return Err(call.not_found());
    }
    let decoded = decode::decode(&call.body, Encoding::Yaml)
        .map_err(|why| ApiError::bad_request(format!("error decoding YAML: {why}")))?;
    let faults = decoded.faults();
    let mut wanted = decoded.value;
    check_applied(call, &wanted)?;
    if !wanted["metadata"]["managedFields"].is_null() {
        return Err(ApiError::bad_request("metadata.managedFields must be nil"));
    }
    if call.served.resource.is_custom() {
        // Its form does not matter: the server sets it.
        if wanted["metadata"]["creationTimestamp"].is_string() {
            object::set_meta(&mut wanted, "creationTimestamp", None);
        }
        object::settle_numbers(&mut wanted);
    }
    check_declared(call, &wanted)?;
    rules::settle_namespace(call.object_namespace(), &mut wanted)?;
    object::set_meta(&mut wanted, "name", Some(Value::String(call.name.clone())));
    if let (Some(old), given) = (old, object::resource_version(&wanted))
        && !given.is_empty()
        && given != object::resource_version(old)
    {
        return Err(ApiError::modified(&call.group_resource(), &call.name));
    }
    let api_version = call.served.api_version();
    let writer = Writer {
        manager: &options.manager,
        subresource: name_of(call.subresource),
        api_version: &api_version,
        reset: update::reset_fields(&call.served, call.subresource),
        schema: call.served.version().schema.as_ref(),
        now: core.now(),
    };
    // Also what the endpoint cannot write has to match its type.
    apply::check_type(&writer, &wanted).map_err(apply_error)?;
    update::restrict_applied(&call.served, call.subresource, &mut wanted);
    check_nulls(call, &apply::without_merged_nulls(&writer, old, &wanted))?;
    if let Some(old) = old {
        check_managed_versions(call, old)?;
    }
    let mut new = apply::apply(&writer, old, &wanted, options.force).map_err(apply_error)?;
    let before = new.clone();
    intake::shape(&call.served, &mut new).map_err(|why| ApiError::invalid_patch(&before, &why))?;
    Ok((new, faults))
}

/// Rejects an applied configuration with fields that its type does not declare.
fn check_declared(call: &Call, wanted: &Value) -> Result<(), ApiError> {
    let served = &call.served;
    let fail = |why: &str| {
        let (group, version) = (&served.resource.group, &served.version().name);
        let message = format!(
            "failed to create typed patch object ({}/{}; {group}/{version}, Kind={}): {why}",
            object::namespace(wanted),
            call.name,
            served.resource.kind
        );
        ApiError::new(500, "", message)
    };
    let unknown = intake::prune(served, &mut wanted.clone()).map_err(|why| fail(&why))?;
    let lines: Vec<String> = unknown
        .iter()
        .map(|p| format!(".{p}: field not declared in schema"))
        .collect();
    match lines.as_slice() {
        [] => Ok(()),
        [one] => Err(fail(one)),
        many => Err(fail(&format!("errors:\n  {}", many.join("\n  ")))),
    }
}

/// Rejects an apply to a custom resource with managed fields of a version that its definition no
/// longer has: they cannot be converted.
fn check_managed_versions(call: &Call, old: &Value) -> Result<(), ApiError> {
    let resource = &call.served.resource;
    if !resource.is_custom() {
        return Ok(());
    }
    let exists = |api_version: &str| {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        group == resource.group && resource.versions.iter().any(|it| it.name == version)
    };
    let entries = old["metadata"]["managedFields"].as_array();
    let mut versions = entries.into_iter().flatten();
    match versions.find_map(|it| it["apiVersion"].as_str().filter(|it| !exists(it))) {
        Some(version) => Err(ApiError::new(
            500,
            "",
            format!("request to convert CR to an invalid group/version: {version}"),
        )),
        None => Ok(()),
    }
}

/// Rejects nulls in an applied configuration for fields that are neither nullable nor defaulted: an
/// applied null is stored, unless it is merged with live items.
fn check_nulls(call: &Call, wanted: &Value) -> Result<(), ApiError> {
    let Some(schema) = &call.served.version().schema else {
        return Ok(());
    };
    let mut defaulted = wanted.clone();
    schema.fill_defaults(&mut defaulted);
    let errors: Vec<FieldError> = schema
        .validate(&defaulted)
        .into_iter()
        .filter(|e| e.value.as_ref().is_some_and(|v| v == "null"))
        .collect();
    strategy::refuse(&call.served, wanted, &errors)
}

/// Converts the error of an apply to a status.
pub(super) fn apply_error(error: ApplyError) -> ApiError {
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
        ApplyError::Internal(message) => ApiError::new(500, "", message),
    }
}

fn check_applied(call: &Call, wanted: &Value) -> Result<(), ApiError> {
    let served = &call.served;
    check_applied_type(wanted, (&served.api_version(), &served.resource.kind))?;
    update::check_given_name(call, wanted)
}

/// Checks the `apiVersion` and `kind` of an applied configuration.
///
/// # Errors
/// 400.
pub(super) fn check_applied_type(wanted: &Value, expected: (&str, &str)) -> Result<(), ApiError> {
    let (api_version, kind) = (text(wanted, &["apiVersion"]), text(wanted, &["kind"]));
    if (api_version, kind) == expected {
        return Ok(());
    }
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    Err(ApiError::bad_request(format!(
        "invalid object type: {group}/{version}, Kind={kind}"
    )))
}
