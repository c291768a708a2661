//! Update, of an object or of its status.

use std::sync::Arc;

use serde_json::Value;

use super::options::WriteOptions;
use super::persist::{self, Persisted};
use super::present::present;
use super::{Call, create, intake, kinds, meta};
use crate::apply::{ResetFields, Writer, track_update};
use crate::core::Core;
use crate::effects;
use crate::http::respond::Answer;
use crate::object::{self, copy_field};
use crate::registry::{Origin, Served};
use crate::schema::{FieldError, FieldErrorKind};
use crate::status::ApiError;
use crate::store::Stored;

/// PUT to an object or its status (or, of a namespace, `finalize`).
pub(crate) fn update(core: &Arc<Core>, call: &Call) -> Result<Answer, ApiError> {
    let options = WriteOptions::parse("UpdateOptions", &call.query, &call.user_agent)?;
    let incoming = intake::decode_object(call)?;
    let mut object = incoming.object;
    meta::settle_namespace(call, &mut object)?;
    let given = object::name(&object);
    if given.is_empty() {
        return Err(ApiError::bad_request(format!(
            "the name of the object ({} based on URL) was undeterminable: name must be provided",
            call.name
        )));
    }
    if given != call.name {
        return Err(ApiError::bad_request(format!(
            "the name of the object ({given}) does not match the name on the URL ({})",
            call.name
        )));
    }
    let mut warnings = intake::enforce(&call.served, options.validation, incoming.faults)?;
    warnings.extend(meta::finalizer_warnings(&call.served, &object));
    loop {
        let Some(current) = core.find(&call.served, &call.key()) else {
            return create_absent(core, call, object, &options).map(|a| a.with_warnings(warnings));
        };
        let mut new = object.clone();
        check_version(call, &current, &mut new)?;
        let old = call.served.decode(&current);
        let new = merge_update(core, &call.served, &call.subresource, &old, new, &options)?;
        match persist::replace(core, &call.served, &current, new, options.dry_run)? {
            Persisted::Written(written) => {
                if !options.dry_run {
                    effects::after_write(core, &call.served, Some(&old), &written);
                }
                return Ok(present(call, 200, &written)?.with_warnings(warnings));
            }
            Persisted::Removed(last) => {
                if !options.dry_run {
                    effects::after_removal(core, &call.served, &current);
                }
                return Ok(present(call, 200, &last)?.with_warnings(warnings));
            }
            Persisted::Raced => {}
        }
    }
}

fn create_absent(
    core: &Arc<Core>,
    call: &Call,
    object: Value,
    options: &WriteOptions,
) -> Result<Answer, ApiError> {
    let may_create = call.served.resource.rules.create_on_update && call.subresource.is_empty();
    if !object::uid(&object).is_empty() && may_create {
        return Err(uid_conflict(call, object::uid(&object), ""));
    }
    if !may_create || !object::resource_version(&object).is_empty() {
        return Err(call.not_found());
    }
    let created = create::create_object(core, &call.served, object, options)?;
    present(call, 201, &created)
}

/// Checks the resourceVersion and uid that an update is based on; an absent resourceVersion is filled in where the kind
/// allows it.
fn check_version(call: &Call, current: &Stored, new: &mut Value) -> Result<(), ApiError> {
    let gr = call.group_resource();
    let resource = &call.served.resource;
    let uid = object::uid(new);
    if !uid.is_empty() && uid != &*current.uid {
        return Err(uid_conflict(call, uid, &current.uid));
    }
    let given = object::resource_version(new);
    if given.is_empty() || given == "0" {
        if !resource.rules.unconditional_update {
            return Err(version_required(&call.served, &call.name));
        }
    } else {
        let revision: u64 = given.parse().map_err(|_| {
            ApiError::new(
                500,
                "",
                format!("strconv.ParseUint: parsing \"{given}\": invalid syntax"),
            )
        })?;
        if revision != current.revision {
            return Err(ApiError::modified(&gr, &call.name));
        }
    }
    object::set_meta(
        new,
        "resourceVersion",
        Some(Value::String(current.revision.to_string())),
    );
    Ok(())
}

/// 422: a kind whose updates must say what they are based on.
pub(crate) fn version_required(served: &Served, name: &str) -> ApiError {
    let resource = &served.resource;
    let error = FieldError::with_value(
        "metadata.resourceVersion",
        FieldErrorKind::Invalid,
        serde_json::json!(0),
        "must be specified for an update",
    );
    ApiError::invalid(&resource.group, &resource.plural, name, &[error])
}

/// 409: the object of the name is another than the one that the write means.
pub(crate) fn uid_conflict(call: &Call, wanted: &str, found: &str) -> ApiError {
    let resource = &call.served.resource;
    let prefix = match (resource.group.as_str(), resource.plural.as_str()) {
        ("", "services") => "services/specs".to_owned(),
        (group, plural) if resource.is_custom() => format!("{group}/{plural}"),
        (_, plural) => plural.to_owned(),
    };
    let namespace = if resource.namespaced {
        format!("{}/", call.namespace)
    } else {
        String::new()
    };
    let why = format!(
        "StorageError: invalid object, Code: 4, Key: /registry/{prefix}/{namespace}{}, ResourceVersion: 0, \
AdditionalErrorMsg: Precondition failed: UID in precondition: {wanted}, UID in object meta: {found}",
        call.name
    );
    ApiError::conflict(&call.group_resource(), &call.name, &why)
}

/// Makes the object that an update leads to: what the endpoint may not change comes from the old state, the rest is
/// validated, the generation and the ownership of fields follow.
///
/// # Errors
/// 422 when the result is invalid.
pub(crate) fn merge_update(
    core: &Core,
    served: &Served,
    subresource: &str,
    old: &Value,
    mut new: Value,
    options: &WriteOptions,
) -> Result<Value, ApiError> {
    restrict(served, subresource, old, &mut new);
    meta::prepare_update(old, &mut new);
    kinds::prepare_update(core, served, subresource, old, &mut new);
    validate(core, served, subresource, old, &new)?;
    meta::bump_generation(served, old, &mut new);
    track(core, served, subresource, old, &mut new, options);
    Ok(new)
}

/// Validates the object that a write leads to.
///
/// # Errors
/// 422 with all that is wrong.
pub(crate) fn validate(
    core: &Core,
    served: &Served,
    subresource: &str,
    old: &Value,
    new: &Value,
) -> Result<(), ApiError> {
    let mut errors = meta::validate(served, new);
    errors.extend(meta::validate_update(old, new));
    if let Some(schema) = &served.version().schema {
        // The API server validates the metadata of custom resources twice, and shows it.
        errors.extend(meta::validate_update(old, new));
        errors.extend(schema.validate_update(old, new));
    }
    if subresource == "status" {
        // A status is validated by itself, and its fields are named from there.
        for error in &mut errors {
            error.detail = error
                .detail
                .strip_prefix("status.")
                .unwrap_or(&error.detail)
                .to_owned();
        }
    }
    errors.extend(kinds::validate(core, served, Some(old), new));
    if errors.is_empty() {
        return Ok(());
    }
    let resource = &served.resource;
    Err(ApiError::invalid(
        &resource.group,
        &resource.kind,
        object::name(old),
        &errors,
    ))
}

/// Drops from an applied configuration what its endpoint does not write.
pub(crate) fn restrict_applied(served: &Served, subresource: &str, wanted: &mut Value) {
    match subresource {
        "status" => object::fields(wanted)
            .retain(|key, _| matches!(key.as_str(), "apiVersion" | "kind" | "metadata" | "status")),
        _ if served.version().status => {
            object::fields(wanted).remove("status");
        }
        _ => {}
    }
}

/// Takes from the old state what an endpoint does not write.
pub(crate) fn restrict(served: &Served, subresource: &str, old: &Value, new: &mut Value) {
    let has_status = served.version().status;
    match subresource {
        "status" => {
            let mut kept = old.clone();
            copy_field(new, &mut kept, "status");
            let managed = new["metadata"].get("managedFields").cloned();
            object::set_meta(&mut kept, "managedFields", managed);
            if served.resource.origin == Origin::Builtin {
                // Built-in kinds let their status writers annotate and label.
                for field in ["annotations", "labels"] {
                    let value = new["metadata"].get(field).cloned();
                    object::set_meta(&mut kept, field, value);
                }
            }
            *new = kept;
        }
        "finalize" => {
            let mut kept = old.clone();
            let finalizers = new["spec"].get("finalizers").cloned();
            let spec = object::child(object::fields(&mut kept), "spec");
            match finalizers {
                Some(list) => spec.insert("finalizers".into(), list),
                None => spec.remove("finalizers"),
            };
            *new = kept;
        }
        _ if has_status => copy_field(old, new, "status"),
        _ => {}
    }
}

fn track(
    core: &Core,
    served: &Served,
    subresource: &str,
    old: &Value,
    new: &mut Value,
    options: &WriteOptions,
) {
    let api_version = served.api_version();
    let writer = Writer {
        manager: &options.manager,
        subresource,
        api_version: &api_version,
        reset: reset_fields(served, subresource),
        schema: served.version().schema.as_ref(),
        now: core.now(),
    };
    track_update(&writer, Some(old), new);
}

/// Which fields an endpoint cannot write.
pub(crate) fn reset_fields(served: &Served, subresource: &str) -> ResetFields {
    match subresource {
        "status" => ResetFields::AllButStatus,
        _ if served.version().status => ResetFields::Status,
        _ => ResetFields::None,
    }
}
