//! CustomResourceDefinitions at run time: serving what they define, and ending it with them.

use std::sync::Arc;

use serde_json::{Value, json};

use super::delete;
use super::options::DeleteOptions;
use crate::core::Core;
use crate::effects;
use crate::object::{self, text};
use crate::registry::crd::read_crd;
use crate::registry::{Origin, Served};
use crate::status::ApiError;
use crate::store::{Expect, Key, Stored};

const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";
const GROUP: &str = "apiextensions.k8s.io";
const PLURAL: &str = "customresourcedefinitions";

/// Whether a resource is that of CRDs.
pub(crate) fn is_crds(served: &Served) -> bool {
    served.resource.group == GROUP && served.resource.kind == "CustomResourceDefinition"
}

fn crd_of(core: &Core, served: &Served) -> Option<(Served, Arc<Stored>)> {
    if served.resource.origin != Origin::Custom {
        return None;
    }
    let crds = core.builtin(GROUP, PLURAL)?;
    let name = format!("{}.{}", served.resource.plural, served.resource.group);
    let stored = core.find(&crds, &Key::new("", &name))?;
    Some((crds, stored))
}

/// Refuses new objects of a kind whose CRD is being deleted.
///
/// # Errors
/// 403.
pub(crate) fn admit_create(core: &Core, served: &Served, object: &Value) -> Result<(), ApiError> {
    match crd_of(core, served) {
        Some((_, crd)) if object::is_deleting(&crd.decode()) => Err(ApiError::forbidden(
            &served.resource.group_resource(),
            object::name(object),
            "create not allowed while custom resource definition is terminating",
        )),
        _ => Ok(()),
    }
}

/// Serves what a CRD defines, and sets its conditions.
pub(crate) fn serve(core: &Arc<Core>, crd: &Value) {
    let Ok(resource) = read_crd(&core.registry, crd) else {
        return;
    };
    let existing = core.registry.resource(&resource.group, &resource.plural);
    if existing
        .as_ref()
        .is_some_and(|r| r.origin == Origin::Builtin)
    {
        return;
    }
    let accepted = accept_names(core, crd);
    if accepted.conflict.is_none() && !spec_is_served(core, crd) {
        core.store.open(resource.id);
        core.registry.put(resource);
    }
    settle_status(core, object::name(crd), &accepted);
}

/// Whether the CRD's present spec is what is served already (a status write changes nothing).
fn spec_is_served(core: &Core, crd: &Value) -> bool {
    let (group, plural) = (
        text(crd, &["spec", "group"]),
        text(crd, &["spec", "names", "plural"]),
    );
    let generation = object::generation(crd);
    let served = core.registry.resource(group, plural);
    served.is_some_and(|r| r.generation == generation && *r.uid == *object::uid(crd))
}

/// The names of a CRD that no other one of its group has, and why the others are refused.
struct Accepted {
    names: Value,
    conflict: Option<(&'static str, String)>,
}

/// Compares the names of a CRD with those that are served in its group.
fn accept_names(core: &Core, crd: &Value) -> Accepted {
    let group = text(crd, &["spec", "group"]);
    let names = &crd["spec"]["names"];
    let plural = text(names, &["plural"]);
    let (mut taken, mut taken_kinds): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for other in core.registry.all() {
        if other.group == group && other.plural != plural && other.origin == Origin::Custom {
            taken.extend([other.plural.clone(), other.singular.clone()]);
            taken.extend(other.short_names.iter().cloned());
            taken_kinds.extend([other.kind.clone(), other.list_kind.clone()]);
        }
    }
    let mut accepted = crd["status"]["acceptedNames"].clone();
    if !accepted.is_object() {
        accepted = json!({"kind": "", "plural": ""});
    }
    let mut conflict = None;
    for (field, reason, taken) in [
        ("plural", "PluralConflict", &taken),
        ("singular", "SingularConflict", &taken),
        ("shortNames", "ShortNamesConflict", &taken),
        ("kind", "KindConflict", &taken_kinds),
        ("listKind", "ListKindConflict", &taken_kinds),
    ] {
        let wanted: Vec<&str> = match &names[field] {
            Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
            one => one.as_str().into_iter().collect(),
        };
        match wanted.iter().find(|name| taken.iter().any(|t| t == *name)) {
            Some(name) => conflict = Some((reason, format!("\"{name}\" is already in use"))),
            None if names[field].is_null() => {}
            None => accepted[field] = names[field].clone(),
        }
    }
    if let Some(categories) = names.get("categories") {
        accepted["categories"] = categories.clone();
    }
    Accepted {
        names: accepted,
        conflict,
    }
}

/// Changes a stored CRD until the write succeeds.
fn edit(core: &Arc<Core>, name: &str, change: &dyn Fn(&mut Value)) -> Option<Value> {
    let crds = core.builtin(GROUP, PLURAL)?;
    let key = Key::new("", name);
    loop {
        let current = core.find(&crds, &key)?;
        let before = crds.decode(&current);
        let mut new = before.clone();
        change(&mut new);
        if new == before {
            return Some(before);
        }
        let schema = crds.version().stored_schema;
        let result = core.store.commit(
            crds.resource.id,
            &key,
            Expect::Revision(current.revision),
            |revision| Some(Stored::encode(&new, revision, schema)),
        );
        if let Ok(stored) = result {
            return Some(crds.decode(&stored));
        }
    }
}

fn settle_status(core: &Arc<Core>, name: &str, names: &Accepted) {
    let now = object::rfc3339(core.now());
    edit(core, name, &|crd| {
        if object::is_deleting(crd) {
            return;
        }
        let (accepted, established) = match &names.conflict {
            None => (
                condition(
                    "NamesAccepted",
                    true,
                    "NoConflicts",
                    "no conflicts found",
                    &now,
                ),
                condition(
                    "Established",
                    true,
                    "InitialNamesAccepted",
                    "the initial names have been accepted",
                    &now,
                ),
            ),
            Some((reason, message)) => (
                condition("NamesAccepted", false, reason, message, &now),
                condition(
                    "Established",
                    false,
                    "NotAccepted",
                    "not all names are accepted",
                    &now,
                ),
            ),
        };
        let status = object::child(object::fields(crd), "status");
        status.insert("acceptedNames".into(), names.names.clone());
        set_condition(status, accepted);
        set_condition(status, established);
    });
}

fn condition(kind: &str, holds: bool, reason: &str, message: &str, now: &str) -> Value {
    json!({"type": kind, "status": if holds { "True" } else { "False" }, "reason": reason, "message": message,
        "lastTransitionTime": now})
}

/// Sets a condition; its transition time moves only with its status.
fn set_condition(status: &mut serde_json::Map<String, Value>, mut condition: Value) {
    let list = status.entry("conditions").or_insert_with(|| json!([]));
    if !list.is_array() {
        *list = json!([]);
    }
    let Value::Array(list) = list else {
        return;
    };
    match list.iter_mut().find(|c| c["type"] == condition["type"]) {
        Some(old) => {
            if old["status"] == condition["status"] {
                condition["lastTransitionTime"] = old["lastTransitionTime"].clone();
            }
            *old = condition;
        }
        None => list.push(condition),
    }
}

/// What a CRD gets when its deletion begins: a finalizer that waits for its objects.
pub(crate) fn prepare_delete(core: &Core, crd: &mut Value) {
    let mut finalizers: Vec<String> = object::finalizers(crd)
        .into_iter()
        .map(str::to_owned)
        .collect();
    if !object::is_deleting(crd) && !finalizers.iter().any(|f| f == CLEANUP) {
        finalizers.push(CLEANUP.to_owned());
        object::set_finalizers(crd, &finalizers);
        let now = object::rfc3339(core.now());
        let message =
            "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon";
        let terminating = condition(
            "Terminating",
            true,
            "InstanceDeletionPending",
            message,
            &now,
        );
        set_condition(object::child(object::fields(crd), "status"), terminating);
    }
}

/// Deletes the objects of a CRD under deletion, and then the CRD, once they are gone.
pub(crate) fn finish(core: &Arc<Core>, name: &str) {
    core.endings
        .run(&format!("customresourcedefinitions/{name}"), || {
            empty(core, name)
        });
}

fn empty(core: &Arc<Core>, name: &str) {
    let Some(crds) = core.builtin(GROUP, PLURAL) else {
        return;
    };
    let Some(crd) = core
        .find(&crds, &Key::new("", name))
        .map(|s| crds.decode(&s))
    else {
        return;
    };
    if !object::is_deleting(&crd) || !object::finalizers(&crd).contains(&CLEANUP) {
        return;
    }
    let (group, plural) = (
        text(&crd, &["spec", "group"]),
        text(&crd, &["spec", "names", "plural"]),
    );
    let resource = core.registry.resource(group, plural);
    if let Some(served) = resource.and_then(|r| core.registry.by_id(r.id)) {
        let id = served.resource.id;
        for stored in core.store.snapshot(id, "").objects {
            // A failure leaves the object, which the count below sees.
            drop(delete::delete_object(
                core,
                &served,
                &stored.key,
                &DeleteOptions::default(),
            ));
        }
        if core.store.count(id, "") > 0 {
            return;
        }
    }
    remove_cleanup(core, &crds, name);
}

/// After an object of a custom resource went: its CRD may have waited for that.
pub(crate) fn finish_instances(core: &Arc<Core>, served: &Served) {
    if let Some((_, crd)) = crd_of(core, served)
        && object::is_deleting(&crd.decode())
    {
        finish(core, &crd.key.name);
    }
}

fn remove_cleanup(core: &Arc<Core>, crds: &Served, name: &str) {
    let key = Key::new("", name);
    while let Some(current) = core.find(crds, &key) {
        let mut new = crds.decode(&current);
        let left: Vec<String> = object::finalizers(&new)
            .into_iter()
            .filter(|f| *f != CLEANUP)
            .map(str::to_owned)
            .collect();
        object::set_finalizers(&mut new, &left);
        let schema = crds.version().stored_schema;
        let result = core.store.commit(
            crds.resource.id,
            &key,
            Expect::Revision(current.revision),
            |revision| (!left.is_empty()).then(|| Stored::encode(&new, revision, schema)),
        );
        if result.is_ok() {
            if left.is_empty() {
                effects::after_removal(core, crds, &current);
            }
            return;
        }
    }
}

/// Ends the serving of what a CRD that is gone defined.
pub(crate) fn withdraw(core: &Arc<Core>, crd: &Value) {
    let (group, plural) = (
        text(crd, &["spec", "group"]),
        text(crd, &["spec", "names", "plural"]),
    );
    let resource = core
        .registry
        .resource(group, plural)
        .filter(|r| r.origin == Origin::Custom);
    if let Some(resource) = resource {
        core.registry.remove(group, plural);
        core.store.close(resource.id);
    }
}
