//! Server-side apply and field ownership (`metadata.managedFields`).
//!
//! [`apply`] handles an apply patch; [`track_update`] updates the ownership after any other write.
//! Both follow kube-apiserver's use of structured-merge-diff: a set of fields per manager,
//! operation and subresource; conflicts; list maps, sets and atomic values; removal of fields that
//! a manager no longer applies.
//!
//! The type of an object comes from its CRD's schema, from the table of built-in kinds, or else
//! from its values (maps are granular, lists are atomic).
//!
//! # Limits
//! Entries of all versions are read with the writer's schema, which is valid for the conversion
//! strategy `None`. An entry of a version that is no longer served is kept.

mod builtin;
mod check;
mod compare;
mod conflict;
mod element;
mod field_set;
mod last_applied;
mod managed;
mod merge;
mod patch_meta;
mod reconcile;
mod remove;
mod scale;
mod set;
mod types;
mod updater;

use jiff::Timestamp;
use serde_json::{Map, Value};

use self::conflict::conflict_error;
use self::last_applied::KUBECTL;
use self::managed::{Managed, Manager, stamp};
pub(crate) use self::patch_meta::{PatchMeta, PatchStrategy};
pub(crate) use self::scale::{disown_zero_replicas, has_owner, settle_replicas};
use self::set::Set;
use self::types::Type;
use self::updater::Updater;
use crate::schema::Structural;
use crate::types::{self as types_of_kinds, normal};

/// The fields that an endpoint cannot write, and whose changes therefore do not affect ownership.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResetFields {
    /// Every field can be written.
    #[default]
    None,
    /// `status` is reset: a write to the main resource of a kind with a status subresource.
    Status,
    /// Everything but `status` is reset: a write to the status of a custom resource.
    AllButStatus,
    /// `spec` and these fields of the metadata are reset: a write to the status of a built-in kind.
    SpecAnd(&'static [&'static str]),
}

/// The manager, endpoint and schema of a write.
#[derive(Clone, Copy, Debug)]
pub struct Writer<'a> {
    /// The field manager's name.
    pub manager: &'a str,
    /// The subresource that is written (`""`, `"status"`, `"scale"`).
    pub subresource: &'a str,
    /// The apiVersion of the request (`apps/v1`).
    pub api_version: &'a str,
    /// The fields that this endpoint cannot change.
    pub reset: ResetFields,
    /// The CRD's schema. Without one, the lists of built-in kinds are known and all other lists are
    /// atomic.
    pub schema: Option<&'a Structural>,
    /// The timestamp of managedFields entries (in whole seconds).
    pub now: Timestamp,
}

/// A field that another manager owns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The field's path (`.spec.replicas`), for `details.causes[].field`.
    pub field: String,
    /// The cause's message (`conflict with "kubectl" using apps/v1`).
    pub message: String,
}

/// Why an apply was rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApplyError {
    /// Other managers own some of the applied fields (HTTP 409, reason `Conflict`, causes
    /// `FieldManagerConflict`).
    #[error("{message}")]
    Conflicts {
        /// The complete status message.
        message: String,
        /// One entry per field.
        conflicts: Vec<Conflict>,
    },
    /// The applied object cannot be merged (HTTP 400, reason `BadRequest`).
    #[error("{0}")]
    BadRequest(String),
    /// The applied object does not match the type of the kind (HTTP 500 with this message and no
    /// reason).
    #[error("{0}")]
    Internal(String),
}

impl Writer<'_> {
    fn updater(&self, object: &Value) -> Updater<'_> {
        Updater {
            ty: Type::of_object(self.schema.map(Structural::root), object),
            excluded: match self.reset {
                ResetFields::None => Set::default(),
                ResetFields::Status => Set::of(&[&["status"]]),
                ResetFields::AllButStatus => Set::of(&[&["metadata"], &["spec"]]),
                ResetFields::SpecAnd(fields) => {
                    let fields: Vec<[&str; 2]> = fields.iter().map(|f| ["metadata", f]).collect();
                    let fields = fields.iter().map(|path| &path[..]);
                    let paths: Vec<&[&str]> = [&["spec"][..]].into_iter().chain(fields).collect();
                    Set::of(&paths)
                }
            },
            api_version: self.api_version,
        }
    }

    fn as_updater(&self, name: &str) -> Manager {
        Manager::updater(name, self.subresource, self.api_version)
    }
}

/// Returns the fields that managers never own.
fn stripped() -> Set {
    Set::of(&[
        &["apiVersion"],
        &["kind"],
        &["metadata"],
        &["metadata", "name"],
        &["metadata", "namespace"],
        &["metadata", "creationTimestamp"],
        &["metadata", "selfLink"],
        &["metadata", "uid"],
        &["metadata", "clusterName"],
        &["metadata", "generation"],
        &["metadata", "managedFields"],
        &["metadata", "resourceVersion"],
    ])
}

fn strip(managed: &mut Managed, manager: &Manager) {
    if let Some(owned) = managed.0.get_mut(manager) {
        owned.set = owned.set.difference(&stripped());
    }
    managed.drop_empty();
}

/// Returns an object of the same kind without any other fields.
fn empty_like(object: &Value) -> Value {
    let mut map = Map::new();
    for key in ["apiVersion", "kind"] {
        if let Some(value) = object.get(key) {
            map.insert(key.to_owned(), value.clone());
        }
    }
    map.insert("metadata".to_owned(), Value::Object(Map::new()));
    Value::Object(map)
}

/// Returns the zero value of an object's type: for built-in kinds with the structs that Go always
/// writes.
fn zero_like(writer: &Writer<'_>, object: &Value) -> Value {
    let mut zero = empty_like(object);
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    if writer.schema.is_none() && builtin::kind(api_version, kind).is_some() {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let name = types_of_kinds::type_name(group, version, kind);
        // A zero value has no values of the wrong type.
        drop(normal::normalise(&name, &mut zero));
    }
    zero
}

/// Returns an applied configuration without the nulls that the merge with the live object discards:
/// those of maps and lists with live items.
pub(crate) fn without_merged_nulls(
    writer: &Writer<'_>,
    live: Option<&Value>,
    applied: &Value,
) -> Value {
    let mut left = applied.clone();
    if let Some(live) = live {
        let ty = Type::of_object(writer.schema.map(Structural::root), applied);
        merge::drop_merged_nulls(&ty, live, &mut left);
    }
    left
}

/// Checks that an applied configuration matches the type of its kind.
///
/// # Errors
/// [`ApplyError::Internal`] with all faults.
pub fn check_type(writer: &Writer<'_>, applied: &Value) -> Result<(), ApplyError> {
    let ty = Type::of_object(writer.schema.map(Structural::root), applied);
    match check::check(&ty, applied) {
        Some(fault) => Err(ApplyError::Internal(format!(
            "failed to create typed patch object ({}): {fault}",
            describe(applied)
        ))),
        None => Ok(()),
    }
}

/// Merges an applied configuration into the live object (`None` creates it) and returns the new
/// object with its managedFields. Repeating an apply by the same manager changes nothing.
///
/// The result is neither defaulted nor validated. It keeps the live object's system metadata (uid,
/// resourceVersion, …) unless the configuration sets it.
///
/// # Errors
/// See [`ApplyError`].
pub fn apply(
    writer: &Writer<'_>,
    live: Option<&Value>,
    applied: &Value,
    force: bool,
) -> Result<Value, ApplyError> {
    if applied
        .pointer("/metadata/managedFields")
        .is_some_and(|fields| !fields.is_null())
    {
        return Err(ApplyError::BadRequest(
            "metadata.managedFields must be nil".to_owned(),
        ));
    }
    check_type(writer, applied)?;
    let updater = writer.updater(applied);
    let created = empty_like(applied);
    let live = live.unwrap_or(&created);
    let mut managed = Managed::decode(live).map_err(|error| {
        ApplyError::Internal(format!("failed to decode managed fields: {error}"))
    })?;
    if managed.0.is_empty() {
        let before = writer.as_updater("before-first-apply");
        updater.update(&zero_like(writer, live), live, &mut managed, &before);
        strip(&mut managed, &before);
        if let Some(owned) = managed.0.get_mut(&before) {
            owned.time = Some(stamp(writer.now));
        }
    }
    let manager = Manager::applier(writer.manager, writer.subresource);
    let merged = try_apply(&updater, live, applied, &mut managed, &manager, force)?;
    strip(&mut managed, &manager);
    let mut object = match merged {
        Some(mut object) => {
            if let Some(owned) = managed.0.get_mut(&manager) {
                owned.time = Some(stamp(writer.now));
            }
            settle_nulls(writer, &mut object);
            object
        }
        None => live.clone(),
    };
    if writer.manager == KUBECTL {
        last_applied::sync(&mut object, applied);
    }
    managed.encode(&mut object);
    Ok(object)
}

fn try_apply(
    updater: &Updater<'_>,
    live: &Value,
    applied: &Value,
    managed: &mut Managed,
    manager: &Manager,
    force: bool,
) -> Result<Option<Value>, ApplyError> {
    let before = managed.clone();
    let mut clashes = match updater.apply(live, applied, managed, manager, force) {
        Ok(merged) => return Ok(merged),
        Err(clashes) => clashes,
    };
    if manager.name == KUBECTL
        && let Some(allowed) =
            last_applied::allowed_conflicts(&updater.ty, live, updater.api_version)
    {
        clashes.retain(|clash| !allowed.has(&clash.path));
        if clashes.is_empty() {
            *managed = before;
            return updater
                .apply(live, applied, managed, manager, true)
                .map_err(|clashes| conflict_error(&clashes));
        }
    }
    Err(conflict_error(&clashes))
}

/// Drops the nulls that the removal of the last item of a map or list leaves behind. Nulls of
/// nullable fields are kept, except in metadata.
fn settle_nulls(writer: &Writer<'_>, object: &mut Value) {
    match writer.schema {
        Some(schema) => schema.drop_nulls(object),
        None => drop_all_nulls(object),
    }
    if let Some(metadata) = object.get_mut("metadata") {
        drop_all_nulls(metadata);
    }
}

fn drop_all_nulls(value: &mut Value) {
    match value {
        Value::Object(map) => map.retain(|_, value| {
            drop_all_nulls(value);
            !value.is_null()
        }),
        Value::Array(items) => items.iter_mut().for_each(drop_all_nulls),
        _ => {}
    }
}

/// Returns `<namespace>/<name>; <group>/<version>, Kind=<kind>`.
fn describe(object: &Value) -> String {
    let text = |pointer: &str| {
        object
            .pointer(pointer)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let api_version = text("/apiVersion");
    let version = if api_version.contains('/') {
        api_version.to_owned()
    } else {
        format!("/{api_version}")
    };
    format!(
        "{}/{}; {version}, Kind={}",
        text("/metadata/namespace"),
        text("/metadata/name"),
        text("/kind")
    )
}

/// Records in `new.metadata.managedFields` that the writer changed the object from `old` (`None` if
/// it is created).
///
/// Starts from the managedFields of `new` if they are valid, so that clients can edit them;
/// otherwise, and in every write to a subresource, from those of `old`. An empty list in `new` (or
/// a single empty entry) clears them. An existing object without managedFields gets none.
pub fn track_update(writer: &Writer<'_>, old: Option<&Value>, new: &mut Value) {
    let mut managed = read_managed(writer, old, new);
    if let Some(metadata) = new.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
    let created = empty_like(new);
    let live = old.unwrap_or(&created);
    let is_new = live
        .pointer("/metadata/uid")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .is_empty();
    if managed.0.is_empty() && !is_new {
        return;
    }
    let mut before = live.clone();
    if let Some(metadata) = before.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
    let updater = writer.updater(new);
    let current = writer.as_updater("current-operation");
    updater.update(&before, new, &mut managed, &current);
    strip(&mut managed, &current);
    if let Some(mut owned) = managed.0.remove(&current) {
        let manager = writer.as_updater(writer.manager);
        if let Some(previous) = managed.0.get(&manager) {
            owned.set = owned.set.union(&previous.set);
        }
        owned.time = Some(stamp(writer.now));
        managed.0.insert(manager, owned);
    }
    managed.cap_updaters();
    managed.encode(new);
}

/// Checks that the managedFields of an object are valid.
pub(crate) fn check_managed(object: &Value) -> Result<(), String> {
    Managed::decode(object).map(drop)
}

fn read_managed(writer: &Writer<'_>, old: Option<&Value>, new: &Value) -> Managed {
    let of_old = || {
        old.and_then(|old| Managed::decode(old).ok())
            .unwrap_or_default()
    };
    if !writer.subresource.is_empty() {
        return of_old();
    }
    if let Some(Value::Array(entries)) = new.pointer("/metadata/managedFields") {
        let blank = |entry: &Value| entry.as_object().is_some_and(Map::is_empty);
        if entries.is_empty() || entries.len() == 1 && entries.iter().all(blank) {
            return Managed::default();
        }
    }
    match Managed::decode(new) {
        Ok(managed) if !managed.0.is_empty() => managed,
        _ => of_old(),
    }
}

#[cfg(test)]
mod tests;
