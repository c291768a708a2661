//! Update requests for an object or its status.

use std::sync::Arc;

use serde_json::Value;

use super::admission::Admission;
use super::conversion::prepare;
use super::options::WriteOptions;
use super::present::present;
use super::write::{self, Persisted};
use super::{Call, create, intake, strategy};
use crate::apply::{self, ResetFields, Writer, track_update};
use crate::core::Core;
use crate::field::FieldError;
use crate::http::respond::Answer;
use crate::metadata::{object, rules};
use crate::registry::{Served, Subresource, name_of};
use crate::status::ApiError;
use crate::store::Stored;

/// Handles PUT of an object, of its status, or of `finalize` of a namespace.
pub(super) async fn update(core: &Arc<Core>, call: &Call) -> Result<Answer, ApiError> {
    let options = WriteOptions::parse("UpdateOptions", &call.query, &call.user_agent)?;
    let incoming = intake::decode_object(call)?;
    let mut object = incoming.object;
    intake::enforce(call, options.validation, incoming.faults)?;
    rules::settle_namespace(call.object_namespace(), &mut object)?;
    check_name(call, &object)?;
    for _ in 0..write::TRIES {
        let Some(current) = core.find(&call.served, &call.key()) else {
            return create_absent(core, call, object, &options).await;
        };
        let mut new = object.clone();
        check_version(call, &current, &mut new)?;
        prepare(core, &call.served, [&current]).await?;
        let old = call.served.decode(&current);
        let new = merge_update(core, call, &old, new, &options, Ownership::Tracked).await?;
        match write::replace(core, &call.served, (&current, &old), new, options.dry_run).await? {
            Persisted::Written(shown) | Persisted::Removed(shown) => {
                return present(call, 200, &shown);
            }
            Persisted::Raced => {}
        }
    }
    Err(ApiError::modified(&call.group_resource(), &call.name))
}

/// Checks the name of an object against that of its path.
///
/// # Errors
/// 400.
pub(super) fn check_name(call: &Call, object: &Value) -> Result<(), ApiError> {
    if object::name(object).is_empty() {
        return Err(ApiError::bad_request(format!(
            "the name of the object ({} based on URL) was undeterminable: name must be provided",
            call.name
        )));
    }
    check_given_name(call, object)
}

/// As [`check_name`]; the object may lack a name.
///
/// # Errors
/// 400.
pub(super) fn check_given_name(call: &Call, object: &Value) -> Result<(), ApiError> {
    match object::name(object) {
        given if given.is_empty() || given == call.name => Ok(()),
        given => Err(ApiError::bad_request(format!(
            "the name of the object ({given}) does not match the name on the URL ({})",
            call.name
        ))),
    }
}

async fn create_absent(
    core: &Arc<Core>,
    call: &Call,
    object: Value,
    options: &WriteOptions,
) -> Result<Answer, ApiError> {
    let may_create = call.served.resource.rules.create_on_update && call.subresource.is_none();
    if !object::uid(&object).is_empty() && may_create {
        return Err(uid_conflict(call, object::uid(&object), ""));
    }
    if !may_create || !object::resource_version(&object).is_empty() {
        return Err(call.not_found());
    }
    let options = WriteOptions {
        origin: rules::Origin::Update,
        ..options.clone()
    };
    let created =
        create::create_object(core, &call.served, object, &options, &call.requester).await?;
    present(call, 201, &created)
}

/// Checks the uid that an update is based on.
///
/// # Errors
/// 409.
pub(super) fn check_uid(call: &Call, current: &Stored, new: &Value) -> Result<(), ApiError> {
    match object::uid(new) {
        "" => Ok(()),
        uid if uid == &*current.uid => Ok(()),
        uid => Err(uid_conflict(call, uid, &current.uid)),
    }
}

/// Checks the resourceVersion and uid that an update is based on. Fills in an absent
/// resourceVersion if the kind allows it.
fn check_version(call: &Call, current: &Stored, new: &mut Value) -> Result<(), ApiError> {
    let gr = call.group_resource();
    let resource = &call.served.resource;
    check_uid(call, current, new)?;
    let given = object::resource_version(new);
    if given.is_empty() || given == "0" {
        if !resource.rules.unconditional_update {
            return Err(version_required(&call.served, &call.name));
        }
    } else {
        if parse_revision(given)? != current.revision {
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

/// Reads the resourceVersion that a write is based on.
pub(super) fn parse_revision(given: &str) -> Result<u64, ApiError> {
    given.parse().map_err(|_| {
        let message = format!("strconv.ParseUint: parsing \"{given}\": invalid syntax");
        ApiError::new(500, "", message)
    })
}

/// 422: updates of this kind require a resourceVersion.
pub(super) fn version_required(served: &Served, name: &str) -> ApiError {
    let resource = &served.resource;
    let detail = "must be specified for an update";
    let error = FieldError::invalid("metadata.resourceVersion", 0, detail);
    ApiError::invalid(&resource.group, &resource.plural, name, &[error])
}

/// 409: the stored object has another uid than the write expects.
fn uid_conflict(call: &Call, wanted: &str, found: &str) -> ApiError {
    let resource = &call.served.resource;
    let prefix = match resource.strategy.storage_prefix() {
        Some(prefix) => prefix.to_owned(),
        None if resource.is_custom() => format!("{}/{}", resource.group, resource.plural),
        None => resource.plural.clone(),
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

/// Who determines the ownership of fields in an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ownership {
    /// Derived from the changes.
    Tracked,
    /// Already determined by an apply.
    Settled,
}

/// Computes the result of an update, with the ownership of its fields, and runs admission.
///
/// # Errors
/// 422 if the result is invalid, and the errors of webhooks.
pub(super) async fn merge_update(
    core: &Arc<Core>,
    call: &Call,
    old: &Value,
    mut new: Value,
    options: &WriteOptions,
    ownership: Ownership,
) -> Result<Value, ApiError> {
    let (served, subresource) = (&call.served, call.subresource);
    let admission = Admission {
        core,
        by: &call.requester,
        served,
        subresource,
        kind: None,
        operation: "UPDATE",
        namespace: &call.namespace,
        name: &call.name,
        options: options.shown_as("UpdateOptions"),
        dry_run: options.dry_run,
    };
    let mut is_tracked = ownership == Ownership::Settled;
    if admission.may_mutate() {
        // Changes by webhooks get no manager.
        if !is_tracked {
            let mut own = new.clone();
            strategy::settle_update(served, subresource, old, &mut own);
            track(core, served, subresource, old, &mut own, options);
            let managed = own["metadata"].get("managedFields").cloned();
            object::set_meta(&mut new, "managedFields", managed);
            is_tracked = true;
        }
        admission.mutate(Some(&mut new), Some(old)).await?;
        rules::settle_namespace(call.object_namespace(), &mut new)?;
    }
    strategy::settle_update(served, subresource, old, &mut new);
    // What the server sets below gets no manager.
    if !is_tracked {
        track(core, served, subresource, old, &mut new, options);
    }
    strategy::finish_update(core, served, subresource, old, &mut new)?;
    call.requester
        .warnings
        .extend(strategy::warnings(served, Some(old), &new));
    admission.validate(Some(&new), Some(old)).await?;
    Ok(new)
}

/// Computes the object after a write to its scale.
///
/// # Errors
/// 422 if it is invalid.
pub(super) fn merge_scale(
    core: &Core,
    served: &Served,
    old: &Value,
    mut new: Value,
    options: &WriteOptions,
) -> Result<Value, ApiError> {
    let scaled = Some(Subresource::Scale);
    strategy::settle_update(served, scaled, old, &mut new);
    let scale = served.version().scale.as_ref();
    let path = scale.map_or("", |scale| &scale.spec_replicas);
    if apply::has_owner(old, path) {
        track(core, served, scaled, old, &mut new, options);
        apply::settle_replicas(&mut new, path, &options.manager);
        apply::disown_zero_replicas(old, &mut new, path);
    }
    strategy::finish_update(core, served, scaled, old, &mut new)?;
    Ok(new)
}

/// Drops the fields of an applied configuration that its endpoint cannot write.
pub(super) fn restrict_applied(
    served: &Served,
    subresource: Option<Subresource>,
    wanted: &mut Value,
) {
    match subresource {
        Some(Subresource::Status) => object::fields(wanted)
            .retain(|key, _| matches!(key.as_str(), "apiVersion" | "kind" | "metadata" | "status")),
        _ if served.version().status => {
            object::fields(wanted).remove("status");
        }
        _ => {}
    }
}

fn track(
    core: &Core,
    served: &Served,
    subresource: Option<Subresource>,
    old: &Value,
    new: &mut Value,
    options: &WriteOptions,
) {
    let api_version = served.api_version();
    let writer = Writer {
        manager: &options.manager,
        subresource: name_of(subresource),
        api_version: &api_version,
        reset: reset_fields(served, subresource),
        schema: served.version().schema.as_ref(),
        now: core.now(),
    };
    track_update(&writer, Some(old), new);
}

/// Returns the fields that an endpoint cannot write.
pub(super) fn reset_fields(served: &Served, subresource: Option<Subresource>) -> ResetFields {
    match subresource {
        Some(Subresource::Status) if served.resource.is_custom() => ResetFields::AllButStatus,
        Some(Subresource::Status) => {
            ResetFields::SpecAnd(served.resource.strategy.fixed_in_status())
        }
        _ if served.version().status => ResetFields::Status,
        _ => ResetFields::None,
    }
}
