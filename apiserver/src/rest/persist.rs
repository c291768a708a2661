//! Committing changed objects, and answering with them.

use std::sync::Arc;

use serde_json::Value;

use super::intake;
use crate::core::Core;
use crate::object;
use crate::registry::Served;
use crate::status::ApiError;
use crate::store::{CommitError, Expect, Key, Stored};

/// What an update came to.
#[derive(Debug)]
pub(crate) enum Persisted {
    /// The new object, as the client sees it.
    Written(Value),
    /// The object lost its last finalizer and is gone; this is its last state.
    Removed(Value),
    /// Another write came first.
    Raced,
}

/// Stores a new object.
///
/// # Errors
/// 409 when the name is taken, 405 when the resource is going away.
pub(crate) fn insert(core: &Core, served: &Served, object: Value) -> Result<Arc<Stored>, ApiError> {
    let stored_form = intake::to_stored(served, object);
    let key = Key::new(object::namespace(&stored_form), object::name(&stored_form));
    let schema = served.version().stored_schema;
    core.store
        .commit(served.resource.id, &key, Expect::Absent, |revision| {
            Some(Stored::encode(&stored_form, revision, schema))
        })
        .map_err(|error| match error {
            CommitError::Exists => {
                ApiError::already_exists(&served.resource.group_resource(), &key.name)
            }
            _ => ApiError::no_such_resource(),
        })
}

/// Stores a changed object in place of the revision that it was made from.
///
/// A write that changes nothing leaves the revision as it is. An object under deletion without finalizers is removed.
///
/// # Errors
/// 404 when the object is gone.
pub(crate) fn replace(
    core: &Core,
    served: &Served,
    current: &Arc<Stored>,
    new: Value,
    dry_run: bool,
) -> Result<Persisted, ApiError> {
    let before = served.decode(current);
    let removes = object::is_deleting(&new)
        && object::finalizers(&new).is_empty()
        && grace_is_over(&new)
        && !keeps_alive(served, &new);
    if !removes && same_but_times(&before, &new) {
        return Ok(Persisted::Written(before));
    }
    if dry_run {
        return Ok(if removes {
            Persisted::Removed(new)
        } else {
            Persisted::Written(new)
        });
    }
    let shown = if removes { Some(new.clone()) } else { None };
    let stored_form = intake::to_stored(served, new);
    let schema = served.version().stored_schema;
    let result = core.store.commit(
        served.resource.id,
        &current.key,
        Expect::Revision(current.revision),
        |revision| (!removes).then(|| Stored::encode(&stored_form, revision, schema)),
    );
    match (result, shown) {
        (Ok(_), Some(shown)) => Ok(Persisted::Removed(shown)),
        (Ok(stored), None) => Ok(Persisted::Written(served.decode(&stored))),
        (Err(CommitError::Changed), _) => Ok(Persisted::Raced),
        (Err(_), _) => Err(ApiError::not_found(
            &served.resource.group_resource(),
            &current.key.name,
        )),
    }
}

fn grace_is_over(object: &Value) -> bool {
    object::at(object, &["metadata", "deletionGracePeriodSeconds"])
        .and_then(Value::as_i64)
        .unwrap_or_default()
        == 0
}

/// A namespace lives on while its own kind of finalizers is there.
fn keeps_alive(served: &Served, object: &Value) -> bool {
    served.resource.group.is_empty()
        && served.resource.kind == "Namespace"
        && object::at(object, &["spec", "finalizers"])
            .and_then(Value::as_array)
            .is_some_and(|list| !list.is_empty())
}

/// Whether two states differ in nothing but the times of their managedFields.
fn same_but_times(before: &Value, after: &Value) -> bool {
    if before == after {
        return true;
    }
    let strip = |object: &Value| {
        let mut copy = object.clone();
        object::set_meta(&mut copy, "resourceVersion", None);
        if let Some(entries) = copy["metadata"]
            .get_mut("managedFields")
            .and_then(Value::as_array_mut)
        {
            for entry in entries.iter_mut().filter_map(Value::as_object_mut) {
                entry.remove("time");
            }
        }
        copy
    };
    strip(before) == strip(after)
}
