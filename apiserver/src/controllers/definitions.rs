//! CustomResourceDefinitions at run time: serves the defined resources, and removes them with their
//! definition.

use std::sync::Arc;

use serde_json::{Value, json};

use super::background::Retry;
use super::single_flight::SingleFlight;
use super::{LONGEST_WAIT, delete_content};
use crate::core::{Change, Core, Observer};
use crate::crd;
use crate::kinds::CLEANUP;
use crate::metadata::object::{self, text};
use crate::registry::{Origin, Served};
use crate::rest::options::DeleteOptions;
use crate::rest::write::edit;
use crate::store::Key;

const GROUP: &str = "apiextensions.k8s.io";
const PLURAL: &str = "customresourcedefinitions";

/// The controllers of definitions (`k8s.io/apiextensions-apiserver/pkg/controller`).
#[derive(Debug, Default)]
pub(super) struct Definitions {
    /// The definitions whose objects are being deleted.
    ending: Arc<SingleFlight>,
}

impl Observer for Definitions {
    fn observe(&self, core: &Arc<Core>, served: &Served, change: &Change<'_>) {
        let is_definition = served.is(GROUP, PLURAL);
        match change {
            Change::Written { new, .. } if is_definition => {
                serve(core, new);
                if object::is_deleting(new) {
                    finish(core, &self.ending, object::name(new));
                }
            }
            Change::Stored(new) if is_definition => serve(core, new),
            Change::Removed(last) if is_definition => withdraw(core, &last.decode()),
            // A definition under deletion may have waited for this object.
            Change::Removed(_) if served.resource.origin == Origin::Custom => {
                let resource = &served.resource;
                let name = format!("{}.{}", resource.plural, resource.group);
                finish(core, &self.ending, &name);
            }
            _ => {}
        }
    }
}

/// Deletes the objects of a definition under deletion, and the definition once they are gone.
fn finish(core: &Arc<Core>, ending: &Arc<SingleFlight>, name: &str) {
    if core.is_ending(GROUP, PLURAL, name) == Some(true) {
        ending.run(name, || empty(core, ending, name));
    }
}

/// Serves the resource that a CRD defines, and sets the CRD's conditions.
fn serve(core: &Arc<Core>, crd: &Value) {
    let Ok(resource) = crd::read(&core.registry, crd) else {
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

/// Whether the CRD's current spec is already served (after a status write, for example).
fn spec_is_served(core: &Core, crd: &Value) -> bool {
    let (group, plural) = (
        text(crd, &["spec", "group"]),
        text(crd, &["spec", "names", "plural"]),
    );
    let generation = object::generation(crd);
    let served = core.registry.resource(group, plural);
    served.is_some_and(|r| r.generation == generation && *r.uid == *object::uid(crd))
}

/// The names of a CRD that no other CRD in its group uses, and why the others are rejected.
struct Accepted {
    names: Value,
    conflict: Option<(&'static str, String)>,
}

/// Checks the names of a CRD against those served in its group.
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

fn settle_status(core: &Arc<Core>, name: &str, names: &Accepted) {
    let Some(crds) = core.builtin(GROUP, PLURAL) else {
        return;
    };
    let now = core.timestamp();
    let condition = |kind, holds, reason, message| crd::Condition {
        kind,
        holds,
        reason,
        message,
        now: &now,
    };
    edit(core, &crds, &Key::new("", name), &|crd| {
        if object::is_deleting(crd) {
            return;
        }
        let (accepted, established) = match &names.conflict {
            None => (
                condition("NamesAccepted", true, "NoConflicts", "no conflicts found"),
                condition(
                    "Established",
                    true,
                    "InitialNamesAccepted",
                    "the initial names have been accepted",
                ),
            ),
            Some((reason, message)) => (
                condition("NamesAccepted", false, *reason, message.as_str()),
                condition(
                    "Established",
                    false,
                    "NotAccepted",
                    "not all names are accepted",
                ),
            ),
        };
        let status = object::child(object::fields(crd), "status");
        status.insert("acceptedNames".into(), names.names.clone());
        crd::set_condition(status, &accepted);
        crd::set_condition(status, &established);
    });
}

fn empty(core: &Arc<Core>, ending: &Arc<SingleFlight>, name: &str) {
    let Some(crds) = core.builtin(GROUP, PLURAL) else {
        return;
    };
    let key = Key::new("", name);
    let Some(crd) = core.find(&crds, &key).map(|s| s.decode()) else {
        return;
    };
    if !object::finalizers(&crd).contains(&CLEANUP) {
        return;
    }
    let (group, plural) = (
        text(&crd, &["spec", "group"]),
        text(&crd, &["spec", "names", "plural"]),
    );
    let again = (ending.clone(), name.to_owned());
    let retry = Retry {
        task: ("crd-finalizer", crds.resource.id, key.clone()),
        longest: LONGEST_WAIT,
        work: Arc::new(move |core| finish(core, &again.0, &again.1)),
    };
    let resource = core.registry.resource(group, plural);
    if let Some(served) = resource.and_then(|r| core.registry.by_id(r.id)) {
        let id = served.resource.id;
        for stored in core.store.snapshot(id, "").objects {
            // On failure the object remains, and is counted below.
            let options = DeleteOptions::default();
            delete_content(core, &served, &stored, options, &retry);
        }
        if core.store.count(id, "") > 0 {
            return;
        }
    }
    core.backoff.forget(&retry.task);
    edit(core, &crds, &key, &|crd| {
        object::remove_finalizer(crd, CLEANUP)
    });
}

/// Stops serving the resource of a deleted CRD.
fn withdraw(core: &Arc<Core>, crd: &Value) {
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
