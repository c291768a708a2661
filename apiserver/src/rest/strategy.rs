//! The rules of a write: those common to all objects, and those of the kind.

use serde_json::Value;

use crate::core::Core;
use crate::field::FieldError;
use crate::metadata::object::{self, copy_field};
use crate::metadata::{rules, validate};
use crate::registry::{Served, Subresource};
use crate::schema::check_counts;
use crate::status::ApiError;
use crate::types::{self, normal};

/// Fills in the defaults of a decoded object of a built-in kind; those of custom resources are in
/// their schema.
pub(super) fn set_defaults(served: &Served, object: &mut Value) {
    if !served.resource.is_custom() {
        served.resource.strategy.set_defaults(object);
    }
}

/// Allocates what a new object shares with others, and sets its server-owned fields.
///
/// # Errors
/// Those of the allocation.
pub(super) fn prepare_create(
    core: &Core,
    served: &Served,
    origin: rules::Origin,
    object: &mut Value,
) -> Result<(), ApiError> {
    let resource = &served.resource;
    resource.strategy.allocate(core, None, object)?;
    rules::prepare_create(&resource.rules, origin, core.now(), object);
    if served.version().status {
        object::fields(object).remove("status");
    }
    if resource.is_custom() {
        object::settle_numbers(object);
        return Ok(());
    }
    resource.strategy.prepare_create(core, object);
    // The status that the strategy has created must include the empty values that Go writes.
    let name = types::type_name(&resource.group, &served.version().name, &resource.kind);
    drop(normal::normalise(&name, object));
    Ok(())
}

/// Completes an update, whose ownership of fields is settled: allocates what the object shares with
/// others, lets the kind set its fields, validates the result, and updates the generation.
///
/// # Errors
/// Those of the allocation, and 422 with all violations.
pub(super) fn finish_update(
    core: &Core,
    served: &Served,
    subresource: Option<Subresource>,
    old: &Value,
    new: &mut Value,
) -> Result<(), ApiError> {
    let resource = &served.resource;
    if subresource.is_none() {
        resource.strategy.allocate(core, Some(old), new)?;
        resource.strategy.prepare_update(old, new);
    }
    validate_update(served, subresource, old, new)?;
    if subresource != Some(Subresource::Status) {
        rules::bump_generation(&resource.rules, served.version().status, old, new);
    }
    if resource.is_custom() {
        // Only now: in kube-apiserver, too, `2.0` is a change of `2` that increments the
        // generation.
        object::settle_numbers(new);
    }
    Ok(())
}

/// Restores the fields that the endpoint cannot change, and sets defaults.
pub(super) fn settle_update(
    served: &Served,
    subresource: Option<Subresource>,
    old: &Value,
    new: &mut Value,
) {
    restrict(served, subresource, old, new);
    rules::prepare_update(old, new);
    set_defaults(served, new);
}

/// Validates a new object.
///
/// # Errors
/// 422 with all violations.
pub(super) fn validate_create(served: &Served, object: &Value) -> Result<(), ApiError> {
    let mut errors = validate::check(&served.resource.rules, object);
    if let Some(schema) = &served.version().schema {
        errors.extend(schema.validate(object));
    }
    errors.extend(validate_kind(served, object));
    errors.extend(served.resource.strategy.validate_create(object));
    refuse(served, object, &errors)
}

fn validate_update(
    served: &Served,
    subresource: Option<Subresource>,
    old: &Value,
    new: &Value,
) -> Result<(), ApiError> {
    let mut errors = validate::check(&served.resource.rules, new);
    errors.extend(validate::check_update(old, new));
    if let Some(schema) = &served.version().schema {
        // kube-apiserver validates the metadata of custom resources twice and reports the errors
        // twice.
        errors.extend(validate::check_update(old, new));
        errors.extend(schema.validate_update(old, new));
    }
    let strategy = served.resource.strategy;
    if subresource == Some(Subresource::Status) {
        // A status is validated on its own, so its errors have paths relative to it.
        for error in &mut errors {
            error.detail = error
                .detail
                .strip_prefix("status.")
                .unwrap_or(&error.detail)
                .to_owned();
        }
        errors.extend(strategy.validate_status_update(old, new));
    } else {
        errors.extend(validate_kind(served, new));
        errors.extend(match subresource {
            Some(Subresource::EphemeralContainers) => {
                strategy.validate_ephemeral_containers(old, new)
            }
            _ => strategy.validate_update(old, new),
        });
    }
    refuse(served, old, &errors)
}

fn validate_kind(served: &Served, object: &Value) -> Vec<FieldError> {
    match &served.version().scale {
        Some(scale) if served.resource.is_custom() => {
            let mut errors = Vec::new();
            let paths = [&*scale.spec_replicas, &*scale.status_replicas];
            check_counts(paths, object, &mut errors);
            errors
        }
        _ => served.resource.strategy.validate(object),
    }
}

pub(super) fn refuse(
    served: &Served,
    object: &Value,
    errors: &[FieldError],
) -> Result<(), ApiError> {
    if errors.is_empty() {
        return Ok(());
    }
    let resource = &served.resource;
    let name = object::name(object);
    Err(ApiError::invalid(
        &resource.group,
        &resource.kind,
        name,
        errors,
    ))
}

/// Restores the fields of the old state that an endpoint cannot write.
fn restrict(served: &Served, subresource: Option<Subresource>, old: &Value, new: &mut Value) {
    let has_status = served.version().status;
    match subresource {
        Some(Subresource::Status) => {
            let mut kept = old.clone();
            copy_field(new, &mut kept, "status");
            let managed = new["metadata"].get("managedFields").cloned();
            object::set_meta(&mut kept, "managedFields", managed);
            if !served.resource.is_custom() {
                let fixed = served.resource.strategy.fixed_in_status();
                copy_field(new, &mut kept, "metadata");
                for field in fixed {
                    let value = old["metadata"].get(field).cloned();
                    object::set_meta(&mut kept, field, value);
                }
            }
            *new = kept;
        }
        Some(Subresource::EphemeralContainers) => {
            let mut kept = old.clone();
            let spec = object::fields(new).remove("spec").unwrap_or_default();
            if let Some(kept_spec) = kept.get_mut("spec") {
                copy_field(&spec, kept_spec, "ephemeralContainers");
            }
            let managed = new["metadata"].get("managedFields").cloned();
            object::set_meta(&mut kept, "managedFields", managed);
            *new = kept;
        }
        Some(Subresource::Approval) => {
            let mut kept = old.clone();
            let conditions = new["status"].get("conditions").cloned();
            let status = object::child(object::fields(&mut kept), "status");
            match conditions {
                Some(list) => status.insert("conditions".into(), list),
                None => status.remove("conditions"),
            };
            *new = kept;
        }
        Some(Subresource::Finalize) => {
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

/// Returns warnings about a valid write.
pub(super) fn warnings(served: &Served, old: Option<&Value>, new: &Value) -> Vec<String> {
    if served.resource.is_custom() {
        validate::finalizer_warnings(old, new)
    } else {
        served.resource.strategy.warnings(old, new)
    }
}
