//! Commits objects and notifies the observers of writes.

use std::sync::Arc;

use serde_json::Value;

use super::admission::lifecycle;
use super::conversion::{prepare, to_stored};
use crate::core::{Change, Controllers, Core};
use crate::depth::{MOST_LEVELS, is_too_deep};
use crate::metadata::object;
use crate::registry::Served;
use crate::status::ApiError;
use crate::store::{CommitError, Draft, Expect, Key, Stored};

/// The maximum number of attempts of a write without a resourceVersion. Every attempt calls the
/// webhooks, and these may be what changes the object.
pub(super) const TRIES: usize = 100;

/// The outcome of an update.
#[derive(Debug)]
pub(crate) enum Persisted {
    /// The written object, as the client sees it.
    Written(Value),
    /// The object lost its last finalizer and is gone; holds its last state.
    Removed(Value),
    /// Another write came first.
    Raced,
}

/// Rejects an object that nests too deep to be read again; its managed fields may be deeper than
/// the object sent.
///
/// # Errors
/// 400.
pub(crate) fn check_depth(object: &Value) -> Result<(), ApiError> {
    match is_too_deep(object) {
        true => Err(ApiError::bad_request(format!(
            "the object, including its managed fields, nests deeper than {MOST_LEVELS} levels"
        ))),
        false => Ok(()),
    }
}

/// The maximum size of a request to etcd, in bytes.
const MOST_STORED: usize = 3 << 19;

/// The maximum size of a message that etcd's client sends, in bytes.
const MOST_SENT: usize = 2 << 20;

/// Encodes an object to store it.
///
/// # Errors
/// 500 if etcd would refuse it: the real server returns what etcd says.
fn draft(served: &Served, object: &Value) -> Result<Draft, ApiError> {
    let draft = Draft::of(object, served.version().stored_schema);
    match draft.len() {
        ..=MOST_STORED => Ok(draft),
        length => Err(too_large(length)),
    }
}

/// Checks the size of an object that a dry run does not store. Its defaults may be incomplete if it
/// is too large.
///
/// # Errors
/// 500 if etcd would refuse it.
pub(super) fn check_size(served: &Served, object: &Value) -> Result<(), ApiError> {
    draft(served, object).map(drop)
}

/// 500: an object of this size exceeds etcd's limits.
pub(crate) fn too_large(length: usize) -> ApiError {
    let why = match length {
        ..=MOST_SENT => "etcdserver: request is too large".to_owned(),
        _ => format!(
            "rpc error: code = ResourceExhausted desc = trying to send message larger than max ({length} vs. {MOST_SENT})"
        ),
    };
    ApiError::new(500, "", why)
}

/// Stores a new object and returns it as the client sees it. If the write `waited` for webhooks,
/// checks the namespace again: it may have been deleted meanwhile.
///
/// # Errors
/// 400 if it nests too deep, 409 if the name is taken, 404 if the resource is being removed.
pub(crate) async fn insert(
    core: &Arc<Core>,
    served: &Served,
    object: Value,
    waited: bool,
) -> Result<Value, ApiError> {
    check_depth(&object)?;
    let stored_form = to_stored(core, served, object).await?;
    if waited {
        lifecycle::admit_create(core, served, &stored_form)?;
    }
    let key = Key::new(object::namespace(&stored_form), object::name(&stored_form));
    let draft = draft(served, &stored_form)?;
    drop(stored_form);
    let stored = core
        .store
        .commit(served.resource.id, &key, Expect::Absent, |revision| {
            Some(draft.at(revision))
        })
        .map_err(|error| match error {
            CommitError::Exists => {
                ApiError::already_exists(&served.resource.group_resource(), &key.name)
            }
            _ => ApiError::no_such_resource(),
        })?;
    announce(core, served, None, &stored).await
}

/// Notifies the observers of a write; returns the object as the client sees it.
///
/// # Errors
/// 500 if the stored object cannot be converted for the client.
pub(super) async fn announce(
    core: &Arc<Core>,
    served: &Served,
    old: Option<&Value>,
    stored: &Arc<Stored>,
) -> Result<Value, ApiError> {
    // Notify before conversion: a client that disconnects during the webhook call cancels the
    // request. Observers do not need the converted form.
    let new = served.decode(stored);
    core.notify(served, &Change::Written { old, new: &new });
    if served.resource.webhook.is_none() {
        return Ok(new);
    }
    prepare(core, served, [stored]).await?;
    Ok(served.decode(stored))
}

/// Replaces the revision of an object that a change is based on, given with its decoded form.
///
/// A write without changes keeps the revision. An object under deletion without finalizers is
/// removed.
///
/// # Errors
/// 400 if it nests too deep, 404 if the object no longer exists.
pub(crate) async fn replace(
    core: &Arc<Core>,
    served: &Served,
    (current, before): (&Arc<Stored>, &Value),
    new: Value,
    dry_run: bool,
) -> Result<Persisted, ApiError> {
    check_depth(&new)?;
    let removes = ends(core, served, &new);
    let is_same =
        !removes && same_but_times(before, &new) && is_stored_as(core, served, current, before);
    if dry_run {
        check_size(served, &new)?;
        return Ok(match () {
            () if is_same => Persisted::Written(before.clone()),
            () if removes => Persisted::Removed(new),
            () => Persisted::Written(new),
        });
    }
    if is_same {
        // Observers are notified nevertheless: a repeated request may finish what an earlier one
        // began.
        notify_written(core, served, before, before);
        return Ok(Persisted::Written(before.clone()));
    }
    let shown = removes.then(|| new.clone());
    let stored_form = to_stored(core, served, new).await?;
    let draft = draft(served, &stored_form)?;
    drop(stored_form);
    let result = core.store.commit(
        served.resource.id,
        &current.key,
        Expect::Revision(current.revision),
        |revision| (!removes).then(|| draft.at(revision)),
    );
    match (result, shown) {
        (Ok(_), Some(shown)) => {
            core.notify(served, &Change::Removed(current));
            Ok(Persisted::Removed(shown))
        }
        (Ok(stored), None) => {
            let written = announce(core, served, Some(before), &stored).await?;
            Ok(Persisted::Written(written))
        }
        (Err(CommitError::Changed), _) => Ok(Persisted::Raced),
        (Err(_), _) => Err(ApiError::not_found(
            &served.resource.group_resource(),
            &current.key.name,
        )),
    }
}

/// Whether an object is already stored as a write of this state would store it. If not, a write
/// without changes is stored: migrations to another storage version rely on it.
fn is_stored_as(core: &Core, served: &Served, current: &Stored, state: &Value) -> bool {
    if current.schema == served.version().stored_schema {
        return true;
    }
    let version = core.registry.version_of(current.schema);
    if version.as_ref() != served.resource.storage().map(|it| &it.name) {
        return false;
    }
    let mut form = served.to_stored(state.clone());
    object::fields(&mut form).retain(|key, _| !matches!(key.as_str(), "apiVersion" | "kind"));
    served.resource.webhook.is_some() || form == current.decode()
}

fn notify_written(core: &Arc<Core>, served: &Served, old: &Value, new: &Value) {
    let old = Some(old);
    core.notify(served, &Change::Written { old, new });
}

/// Changes the stored form of an object, if it exists; used by controllers. An object under
/// deletion that nothing holds any more is removed.
pub(crate) fn edit(core: &Arc<Core>, served: &Served, key: &Key, change: &dyn Fn(&mut Value)) {
    while let Some(current) = core.find(served, key) {
        let before = current.decode();
        let mut new = before.clone();
        change(&mut new);
        if new == before {
            return;
        }
        let removes = ends(core, served, &new);
        let draft = Draft::of(&new, current.schema);
        let result = core.store.commit(
            served.resource.id,
            key,
            Expect::Revision(current.revision),
            |revision| (!removes).then(|| draft.at(revision)),
        );
        match result {
            Ok(_) if removes => return core.notify(served, &Change::Removed(&current)),
            Ok(stored) => {
                let (old, new) = (served.decode(&current), served.decode(&stored));
                return notify_written(core, served, &old, &new);
            }
            Err(CommitError::Changed) => {}
            Err(_) => return,
        }
    }
}

/// Removes an object, ignoring finalizers; returns whether it existed.
pub(crate) fn remove(core: &Arc<Core>, served: &Served, key: &Key) -> bool {
    while let Some(current) = core.find(served, key) {
        let expect = Expect::Revision(current.revision);
        let result = core.store.commit(served.resource.id, key, expect, |_| None);
        if result.is_ok() {
            core.notify(served, &Change::Removed(&current));
            return true;
        }
    }
    false
}

/// Whether a write of this state removes the object: it is being deleted, and nothing holds it.
fn ends(core: &Core, served: &Served, object: &Value) -> bool {
    let grace = object["metadata"]["deletionGracePeriodSeconds"].as_i64();
    object::is_deleting(object)
        && object::finalizers(object).is_empty()
        && grace.unwrap_or_default() == 0
        && !is_held(core, served, object)
}

/// Whether an object under deletion waits for a controller, if there are any.
pub(super) fn is_held(core: &Core, served: &Served, object: &Value) -> bool {
    core.options.namespace_lifecycle != Controllers::Off && served.resource.strategy.holds(object)
}

/// Whether two states are equal except for the version and the timestamps of their managedFields.
fn same_but_times(before: &Value, after: &Value) -> bool {
    const TIMED: &str = "managedFields";
    let (meta, changed) = (&before["metadata"], &after["metadata"]);
    let same_entries = match (meta.get(TIMED), changed.get(TIMED)) {
        (Some(Value::Array(given)), Some(Value::Array(now))) => {
            let mut pairs = given.iter().zip(now);
            given.len() == now.len()
                && pairs.all(|(old, new)| object::equal_but(old, new, &["time"]))
        }
        (given, now) => given == now,
    };
    same_entries
        && object::equal_but(meta, changed, &["resourceVersion", TIMED])
        && object::equal_but(before, after, &["metadata"])
}
