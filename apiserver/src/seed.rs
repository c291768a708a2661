//! Stores objects directly, bypassing admission and validation.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::core::{Change, Core};
use crate::metadata::object::{self, text};
use crate::registry::Served;
use crate::rest::write::check_depth;
use crate::schema::apply_defaults;
use crate::status::ApiError;
use crate::store::{CommitError, Draft, Expect, Key, Stored};

/// Stores an object without validation; see [`crate::Objects::put`].
pub(crate) fn put(core: &Arc<Core>, mut object: Value) -> Result<Value, ApiError> {
    let (api_version, kind) = (
        text(&object, &["apiVersion"]).to_owned(),
        text(&object, &["kind"]).to_owned(),
    );
    let (group, version) = api_version.split_once('/').unwrap_or(("", &api_version));
    let served = core
        .registry
        .lookup_kind(group, version, &kind)
        .ok_or_else(|| {
            ApiError::bad_request(format!(
                "no kind \"{kind}\" is served in version \"{api_version}\""
            ))
        })?;
    if object::name(&object).is_empty() {
        return Err(ApiError::bad_request(
            "metadata.name: Required value: name is required",
        ));
    }
    complete(core, &served, &mut object);
    if served.resource.namespaced {
        ensure_namespace(core, object::namespace(&object))?;
    }
    let stored = store(core, &served, object)?;
    let shown = served.decode(&stored);
    core.notify(&served, &Change::Stored(&shown));
    Ok(shown)
}

/// Fills in the missing fields that every object has.
fn complete(core: &Core, served: &Served, object: &mut Value) {
    if served.resource.namespaced && object::namespace(object).is_empty() {
        object::set_meta(object, "namespace", Some(json!("default")));
    }
    if !served.resource.namespaced {
        object::set_meta(object, "namespace", None);
    }
    if object::uid(object).is_empty() {
        object::set_meta(object, "uid", Some(json!(object::new_uid())));
    }
    if text(object, &["metadata", "creationTimestamp"]).is_empty() {
        object::set_meta(object, "creationTimestamp", Some(json!(core.timestamp())));
    }
    if served.resource.rules.generation && object::generation(object) == 0 {
        object::set_meta(object, "generation", Some(json!(1)));
    }
    served.resource.strategy.prepare_stored(object);
    if let Some(schema) = &served.version().schema {
        apply_defaults(schema, object);
    }
}

fn ensure_namespace(core: &Arc<Core>, name: &str) -> Result<(), ApiError> {
    let exists = core
        .builtin("", "namespaces")
        .is_some_and(|namespaces| core.find(&namespaces, &Key::new("", name)).is_some());
    if exists {
        return Ok(());
    }
    put(
        core,
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}),
    )
    .map(drop)
}

fn store(core: &Core, served: &Served, object: Value) -> Result<Arc<Stored>, ApiError> {
    check_depth(&object)?;
    // No webhook is called to convert it: a real store holds objects of several versions, too.
    let is_converted = served.resource.webhook.is_some();
    let stored_form = match is_converted {
        true => object,
        false => served.to_stored(object),
    };
    let key = Key::new(object::namespace(&stored_form), object::name(&stored_form));
    let schema = match is_converted {
        true => served.version().schema_id,
        false => served.version().stored_schema,
    };
    loop {
        let expect = core
            .find(served, &key)
            .map_or(Expect::Absent, |stored| Expect::Revision(stored.revision));
        let draft = Draft::of(&stored_form, schema);
        let result = core
            .store
            .commit(served.resource.id, &key, expect, |revision| {
                Some(draft.at(revision))
            });
        match result {
            Ok(stored) => return Ok(stored),
            Err(CommitError::Closed) => return Err(ApiError::no_such_resource()),
            Err(_) => {}
        }
    }
}
