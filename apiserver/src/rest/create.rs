//! Create requests.

use std::sync::Arc;

use serde_json::{Value, json};

use super::admission::{Admission, lifecycle};
use super::options::WriteOptions;
use super::present::present;
use super::{Call, Requester, intake, strategy, write};
use crate::apply::{ResetFields, Writer, track_update};
use crate::authorization;
use crate::core::Core;
use crate::http::respond::Answer;
use crate::metadata::object;
use crate::metadata::rules;
use crate::rbac::access::{Access, Target};
use crate::registry::Served;
use crate::status::ApiError;
use crate::store::Key;
use crate::types::{self, normal};

/// Handles POST to a collection.
pub(crate) async fn create(core: &Arc<Core>, call: &Call) -> Result<Answer, ApiError> {
    let options = WriteOptions::parse("CreateOptions", &call.query, &call.user_agent)?;
    let incoming = intake::decode_object(call)?;
    let mut object = incoming.object;
    rules::settle_namespace(call.object_namespace(), &mut object)?;
    intake::enforce(call, options.validation, incoming.faults)?;
    let version = object::resource_version(&object).to_owned();
    let mut created = create_object(core, &call.served, object, &options, &call.requester).await?;
    if options.dry_run && !version.is_empty() {
        object::set_meta(&mut created, "resourceVersion", Some(version.into()));
    }
    present(call, 201, &created)
}

/// Handles POST of an object that is answered and not stored.
pub(super) async fn review(core: &Arc<Core>, call: &Call) -> Result<Answer, ApiError> {
    let options = WriteOptions::parse("CreateOptions", &call.query, &call.user_agent)?;
    let incoming = intake::decode_object(call)?;
    let mut object = incoming.object;
    rules::settle_namespace(call.object_namespace(), &mut object)?;
    intake::enforce(call, options.validation, incoming.faults)?;
    let key = Key::new(object::namespace(&object), object::name(&object));
    let admission = of_create(core, &call.served, &key, &options, &call.requester);
    admission.mutate(Some(&mut object), None).await?;
    let errors = call.served.resource.strategy.validate(&object);
    strategy::refuse(&call.served, &object, &errors)?;
    admission.validate(Some(&object), None).await?;
    call.served.resource.strategy.review(&**core, &mut object);
    authorization::reviews::answer(
        core,
        &call.requester.user,
        &call.served.resource.kind,
        &mut object,
    );
    present(call, 201, &object)
}

/// Creates a decoded object; shared by POST and by patches and updates of objects that do not
/// exist.
pub(crate) async fn create_object(
    core: &Arc<Core>,
    served: &Served,
    mut object: Value,
    options: &WriteOptions,
    by: &Requester,
) -> Result<Value, ApiError> {
    let gr = served.resource.group_resource();
    lifecycle::admit_create(core, served, &object)?;
    let version = object::resource_version(&object).to_owned();
    strategy::set_defaults(served, &mut object);
    // Fields set by the server or by webhooks get no manager.
    if !options.applied {
        track_create(core, served, &mut object, options);
    }
    let key = Key::new(object::namespace(&object), object::name(&object));
    let admission = of_create(core, served, &key, options, by);
    let waits = admission.has_webhooks() || served.resource.webhook.is_some();
    admission.mutate(Some(&mut object), None).await?;
    let namespace = served.resource.namespaced.then_some(&*key.namespace);
    rules::settle_namespace(namespace, &mut object)?;
    // A generated name that is already taken is generated anew.
    let base = object::name(&object).is_empty().then(|| object.clone());
    for attempt in 0.. {
        rules::generate_name(&mut object);
        strategy::prepare_create(core, served, options.origin, &mut object)?;
        strategy::validate_create(served, &object)?;
        by.warnings
            .extend(strategy::warnings(served, None, &object));
        let key = Key::new(object::namespace(&object), object::name(&object));
        authorize(core, served, &key, by)?;
        of_create(core, served, &key, options, by)
            .validate(Some(&object), None)
            .await?;
        if options.dry_run {
            write::check_size(served, &object)?;
            if core.find(served, &key).is_some() {
                return Err(ApiError::already_exists(&gr, &key.name));
            }
            return Ok(object);
        }
        if !options.applied {
            refuse_version(&version)?;
        }
        match (write::insert(core, served, object, waits).await, &base) {
            (Ok(created), _) => return Ok(created),
            (Err(error), Some(base)) if error.reason == "AlreadyExists" && attempt < 8 => {
                object = base.clone();
            }
            (Err(error), _) => return Err(explain_taken(core, served, &key, error)),
        }
    }
    Err(ApiError::internal("no free name"))
}

/// Checks that an update or patch may create the object. A POST was authorized as what it is.
fn authorize(core: &Core, served: &Served, key: &Key, by: &Requester) -> Result<(), ApiError> {
    if by.request.is_none() {
        return Ok(());
    }
    let resource = &served.resource;
    let access = Access {
        verb: "create".to_owned(),
        group: resource.group.clone(),
        resource: resource.plural.clone(),
        namespace: key.namespace.to_string(),
        ..Access::default()
    };
    let decision = authorization::authorize(core, &by.user, Target::Resource(&access));
    match decision.allowed {
        true => Ok(()),
        // Like kube-apiserver, without saying what is forbidden.
        false => Err(ApiError::forbidden(
            &resource.group_resource(),
            &key.name,
            &decision.reason,
        )),
    }
}

/// Describes the creation of an object for webhooks.
fn of_create<'a>(
    core: &'a Arc<Core>,
    served: &'a Served,
    key: &'a Key,
    options: &WriteOptions,
    by: &'a Requester,
) -> Admission<'a> {
    Admission {
        core,
        by,
        served,
        subresource: None,
        kind: None,
        operation: "CREATE",
        namespace: &key.namespace,
        name: &key.name,
        options: options.shown_as("CreateOptions"),
        dry_run: options.dry_run,
    }
}

/// Returns 500 if an object to be created has a resourceVersion. Zero and non-numeric values count
/// as unset.
fn refuse_version(version: &str) -> Result<(), ApiError> {
    match version.parse::<u64>() {
        Ok(1..) => Err(ApiError::new(
            500,
            "",
            "resourceVersion should not be set on objects to be created",
        )),
        _ => Ok(()),
    }
}

/// Amends the error about a taken name if its object is being deleted.
fn explain_taken(core: &Core, served: &Served, key: &Key, mut error: ApiError) -> ApiError {
    let deleting = core
        .find(served, key)
        .is_some_and(|found| object::is_deleting(&found.decode()));
    if error.reason == "AlreadyExists" && deleting {
        error.message = format!("object is being deleted: {}", error.message);
    }
    error
}

fn track_create(core: &Core, served: &Served, object: &mut Value, options: &WriteOptions) {
    let api_version = served.api_version();
    let writer = Writer {
        manager: &options.manager,
        subresource: "",
        api_version: &api_version,
        reset: if served.version().status {
            ResetFields::Status
        } else {
            ResetFields::None
        },
        schema: served.version().schema.as_ref(),
        now: core.now(),
    };
    let zero = zero_value(served);
    track_update(&writer, zero.as_ref(), object);
}

/// Returns the base for the ownership of a new built-in object: the zero value of its type, which
/// includes its structs.
fn zero_value(served: &Served) -> Option<Value> {
    let resource = &served.resource;
    if resource.is_custom() {
        return None;
    }
    let mut zero = json!({"apiVersion": served.api_version(), "kind": resource.kind});
    let name = types::type_name(&resource.group, &served.version().name, &resource.kind);
    // A zero value has no values of the wrong type.
    drop(normal::normalise(&name, &mut zero));
    Some(zero)
}
