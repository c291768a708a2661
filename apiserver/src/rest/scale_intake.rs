//! Turns the body of a write to a scale into a scale: decoding, type check, unknown fields, name.
//!
//! As [`intake`](super::intake) for objects. The scale of a custom resource is decoded like that of
//! a built-in kind, but kube-apiserver words the errors differently.

use std::mem;

use serde_json::{Value, json};

use super::apply::check_applied_type;
use super::intake::{enforce_as, unknown_fields};
use super::options::{FieldValidation, WriteOptions};
use super::patch::{PatchType, patch_error};
use super::{Call, update};
use crate::apply::{self, Writer};
use crate::http::decode::{self, Encoding};
use crate::http::negotiate;
use crate::metadata::object::{self, text};
use crate::metadata::rules;
use crate::patch as patches;
use crate::status::{ApiError, GroupResource};
use crate::types::normal;

const API_VERSION: &str = "autoscaling/v1";
const KIND: &str = "Scale";
const TYPE: &str = "autoscaling.v1.Scale";

/// Reads the scale of a PUT.
///
/// # Errors
/// 415 for unsupported encodings, 400 for a body that is not a scale of the object.
pub(super) fn put(call: &Call, validation: FieldValidation) -> Result<Value, ApiError> {
    let encoding = negotiate::body_encoding(call.content_type.as_deref(), false)?;
    let decoded = decode::decode(&call.body, encoding).map_err(ApiError::bad_request)?;
    let mut faults = decoded.faults();
    let mut scale = decoded.value;
    let given = (text(&scale, &["apiVersion"]), text(&scale, &["kind"]));
    let (version, kind) = (
        given.0.rsplit('/').next().unwrap_or_default().to_owned(),
        given.1.to_owned(),
    );
    let undecodable = |why: String| {
        ApiError::bad_request(match call.served.resource.is_custom() {
            true => "no kind is registered for the type v1.Scale in scheme \"pkg/runtime/scheme.go:111\"".to_owned(),
            false => format!("{kind} in version \"{version}\" cannot be handled as a Scale: {why}"),
        })
    };
    faults.extend(shape(&mut scale).map_err(&undecodable)?);
    enforce_as(call, validation, faults, undecodable)?;
    check_place(call, &mut scale)?;
    Ok(scale)
}

/// Returns the scale that a patch other than an apply makes of the old one.
///
/// # Errors
/// 400 for a patch that does not decode or another name, 422 for a result that is not a scale.
pub(super) fn patched(
    call: &Call,
    kind: PatchType,
    old: &Value,
    validation: FieldValidation,
) -> Result<Value, ApiError> {
    let mut scale = match kind {
        PatchType::Json => patches::json_patch(old, &call.body).map_err(|e| patch_error(&e))?,
        _ => {
            let patch =
                decode::decode(&call.body, Encoding::Json).map_err(ApiError::bad_request)?;
            let mut scale = old.clone();
            patches::merge_patch(&mut scale, &patch.value);
            scale
        }
    };
    if kind == PatchType::Strategic {
        // The patch is applied to the decoded scale, whose type is fixed.
        set_type(&mut scale);
    }
    let before = scale.clone();
    let refuse = |why: String| ApiError::invalid_patch(&before, &why);
    let is_typeless = text(&scale, &["apiVersion"]).is_empty() && !call.served.resource.is_custom();
    let faults = match is_typeless {
        true => drop_fields(&mut scale),
        false => shape(&mut scale).map_err(refuse)?,
    };
    enforce_as(call, validation, faults, refuse)?;
    check_place(call, &mut scale)?;
    Ok(scale)
}

/// Without an apiVersion, kube-apiserver decodes a patched scale as an object without fields.
fn drop_fields(scale: &mut Value) -> Vec<String> {
    let fields = object::fields(scale);
    let keys = mem::take(fields).into_iter().map(|(key, _)| key);
    unknown_fields(keys.filter(|key| !matches!(key.as_str(), "apiVersion" | "kind")))
}

/// Reads the scale of an apply. `is_owned`: whether a manager owns the replicas.
///
/// # Errors
/// 400 for another type or name, 500 for values that do not match the type.
pub(super) fn applied(
    call: &Call,
    options: &WriteOptions,
    writer: &Writer<'_>,
    is_owned: bool,
) -> Result<Value, ApiError> {
    let decoded = decode::decode(&call.body, Encoding::Yaml).map_err(ApiError::bad_request)?;
    let duplicates = decoded.faults();
    let mut scale = decoded.value;
    check_applied_type(&scale, (API_VERSION, KIND))?;
    let is_custom = call.served.resource.is_custom();
    if is_custom && !is_owned {
        // kube-apiserver cannot tell who made the replicas.
        return Err(inconvertible(
            "failed to create manager for existing fields: failed to convert live object",
            "/",
        ));
    }
    enforce_as(call, options.validation, duplicates, ApiError::bad_request)?;
    if !is_custom {
        update::check_given_name(call, &scale)?;
        object::set_meta(&mut scale, "name", Some(json!(call.name)));
        rules::settle_namespace(call.object_namespace(), &mut scale)?;
    }
    apply::check_type(writer, &scale).map_err(super::apply::apply_error)?;
    Ok(scale)
}

/// 500: kube-apiserver converts the scale of a custom resource as if it were one itself.
pub(super) fn inconvertible(what: &str, name: &str) -> ApiError {
    let why = format!(
        "{what} ({name}; autoscaling/v1, Kind=Scale) to proper version: \
request to convert CR to an invalid group/version: autoscaling/v1"
    );
    ApiError::new(500, "", why)
}

/// Checks the uid in the scale of a patch; a PUT is checked like that of an object.
///
/// # Errors
/// 409 for another uid.
pub(super) fn check_patched_uid(call: &Call, uid: &str, scale: &Value) -> Result<(), ApiError> {
    let given = object::uid(scale);
    let resource = &call.served.resource;
    if given.is_empty() || given == uid || resource.is_custom() {
        return Ok(());
    }
    let resource = GroupResource::new(&resource.group, format!("{}/scale", resource.plural));
    let why =
        format!("Precondition failed: UID in precondition: {given}, UID in object meta: {uid}");
    Err(ApiError::conflict(&resource, &call.name, &why))
}

/// Checks the type of a scale, drops its unknown fields and returns what strict validation finds.
fn shape(scale: &mut Value) -> Result<Vec<String>, String> {
    let (api_version, kind) = (text(scale, &["apiVersion"]), text(scale, &["kind"]));
    if !matches!(api_version, "" | API_VERSION) || !matches!(kind, "" | KIND) {
        return Err(format!(
            "no kind \"{kind}\" is registered for version \"{api_version}\" in scheme \"pkg/runtime/scheme.go:111\""
        ));
    }
    let unknown = normal::normalise(TYPE, scale)?;
    set_type(scale);
    Ok(unknown_fields(unknown))
}

fn set_type(scale: &mut Value) {
    let fields = object::fields(scale);
    fields.insert("apiVersion".into(), json!(API_VERSION));
    fields.insert("kind".into(), json!(KIND));
}

/// Checks the name and the namespace of a scale against those of the path.
fn check_place(call: &Call, scale: &mut Value) -> Result<(), ApiError> {
    rules::settle_namespace(call.object_namespace(), scale)?;
    update::check_name(call, scale)
}
