//! The garbage collector: deletes dependents with their owners
//! (`k8s.io/kubernetes/pkg/controller/garbagecollector`).

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::Value;

use super::background::{self, Retry};
use super::{LONGEST_WAIT, delete};
use crate::backoff;
use crate::core::{Change, Core, Observer};
use crate::metadata::object;
use crate::registry::Served;
use crate::rest::options::{DeleteOptions, Propagation};
use crate::rest::write::edit;
use crate::store::stored::Owner;
use crate::store::{Key, ResourceId, Stored};

const FOREGROUND: &str = "foregroundDeletion";
const ORPHAN: &str = "orphan";

/// Observes every write for the garbage collector.
#[derive(Debug)]
pub(super) struct GarbageCollector;

impl Observer for GarbageCollector {
    fn observe(&self, core: &Arc<Core>, served: &Served, change: &Change<'_>) {
        match change {
            Change::Written { old, new } => {
                after_write(core, served, *old, new);
                if served.is("apiextensions.k8s.io", "customresourcedefinitions") {
                    after_definition(core, new);
                }
                if object::is_deleting(new) {
                    after_mark(core, served, new);
                }
            }
            Change::Stored(_) => {}
            Change::Removed(last) => after_removal(core, last),
        }
    }
}

/// The state of a dependent's owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OwnerState {
    /// Exists.
    Solid,
    /// Exists, but is being deleted in the foreground and waits for its dependents.
    Waiting,
    /// Does not exist.
    Absent,
    /// Of a kind that is not served (yet), or namespaced while the dependent is cluster-scoped.
    Unknown,
}

fn owner_state(core: &Core, namespace: &str, owner: &Owner) -> OwnerState {
    let (group, version) = owner
        .api_version
        .split_once('/')
        .unwrap_or(("", &owner.api_version));
    let Some(served) = core.registry.lookup_kind(group, version, &owner.kind) else {
        return OwnerState::Unknown;
    };
    if served.resource.namespaced && namespace.is_empty() {
        return OwnerState::Unknown;
    }
    let namespace = if served.resource.namespaced {
        namespace
    } else {
        ""
    };
    match core.find(&served, &Key::new(namespace, &owner.name)) {
        Some(found) if found.uid == owner.uid => {
            if is_waiting(&found.decode()) {
                OwnerState::Waiting
            } else {
                OwnerState::Solid
            }
        }
        _ => OwnerState::Absent,
    }
}

/// Handles a create or update: collects an object if none of its owners exist.
fn after_write(core: &Arc<Core>, served: &Served, old: Option<&Value>, new: &Value) {
    let owners = |o: &Value| o["metadata"].get("ownerReferences").cloned();
    let has_owners = owners(new).is_some();
    let changed = old.is_none_or(|old| owners(old) != owners(new));
    if has_owners && changed {
        collect(
            core,
            served.resource.id,
            &Key::new(object::namespace(new), object::name(new)),
        );
    }
    // An owner under foreground deletion only waits for dependents that block it.
    if let Some(old) = old.filter(|_| changed) {
        for owner in old["metadata"]["ownerReferences"]
            .as_array()
            .into_iter()
            .flatten()
        {
            release_owner(core, object::namespace(new), &read_owner(owner));
        }
    }
}

/// Handles a definition: objects may have owners of its kind, which were unknown until now.
fn after_definition(core: &Arc<Core>, crd: &Value) {
    let group = object::text(crd, &["spec", "group"]);
    let kind = object::text(crd, &["spec", "names", "kind"]);
    let is_of_kind = |owner: &Owner| {
        let of = owner.api_version.split_once('/').map_or("", |(of, _)| of);
        of == group && &*owner.kind == kind
    };
    for (resource, key) in core.store.owned_by(is_of_kind) {
        collect(core, resource, &key);
    }
}

fn read_owner(owner: &Value) -> Owner {
    Owner {
        api_version: object::text(owner, &["apiVersion"]).into(),
        kind: object::text(owner, &["kind"]).into(),
        name: object::text(owner, &["name"]).into(),
        uid: object::text(owner, &["uid"]).into(),
        blocks: owner["blockOwnerDeletion"] == Value::Bool(true),
    }
}

/// Handles an object that was marked for deletion: orphans or deletes its dependents, as its
/// finalizers demand.
fn after_mark(core: &Arc<Core>, served: &Served, object: &Value) {
    let finalizers = object::finalizers(object);
    let uid = object::uid(object);
    let key = Key::new(object::namespace(object), object::name(object));
    if finalizers.contains(&ORPHAN) {
        for (resource, dependent) in core.store.dependents(uid) {
            drop_owners(core, resource, &dependent, &|owner| &*owner.uid == uid);
        }
        remove_finalizer(core, served, &key, ORPHAN);
    } else if finalizers.contains(&FOREGROUND) {
        for (resource, dependent) in core.store.dependents(uid) {
            collect(core, resource, &dependent);
        }
        release_if_unblocked(core, served, &key);
    }
}

/// Handles a removed object: collects its dependents, and releases owners that waited for it.
fn after_removal(core: &Arc<Core>, last: &Stored) {
    run(
        core,
        Task::Removed {
            uid: last.uid.clone(),
            namespace: last.key.namespace.clone(),
            owners: last.owners.clone(),
        },
    );
}

/// A unit of the collector's work.
enum Task {
    /// Decide whether to delete a dependent.
    Collect(ResourceId, Key),
    /// Check the dependents of a removed object, and the owners that waited for it.
    Removed {
        uid: Box<str>,
        namespace: Box<str>,
        owners: Box<[Owner]>,
    },
}

thread_local! {
    /// Work queued while this thread processes a task: a chain of owners may be too long for
    /// recursion.
    static PENDING: RefCell<Option<VecDeque<Task>>> = const { RefCell::new(None) };
}

/// Ends the work of a thread, even on panic.
struct Working;

impl Drop for Working {
    fn drop(&mut self) {
        PENDING.set(None);
    }
}

/// Processes a task and all tasks that follow from it. A nested call only queues its task.
fn run(core: &Arc<Core>, task: Task) {
    let nested = PENDING.with_borrow_mut(|pending| {
        let nested = pending.is_some();
        pending.get_or_insert_default().push_back(task);
        nested
    });
    if nested {
        return;
    }
    let _working = Working;
    while let Some(task) = PENDING.with_borrow_mut(|pending| pending.as_mut()?.pop_front()) {
        match task {
            Task::Collect(resource, key) => decide(core, resource, &key),
            Task::Removed {
                uid,
                namespace,
                owners,
            } => {
                for (resource, dependent) in core.store.dependents(&uid) {
                    collect(core, resource, &dependent);
                }
                for owner in &owners {
                    release_owner(core, &namespace, owner);
                }
            }
        }
    }
}

fn collect(core: &Arc<Core>, resource: ResourceId, key: &Key) {
    run(core, Task::Collect(resource, key.clone()));
}

fn release_owner(core: &Arc<Core>, namespace: &str, owner: &Owner) {
    if owner_state(core, namespace, owner) != OwnerState::Waiting {
        return;
    }
    let (group, version) = owner
        .api_version
        .split_once('/')
        .unwrap_or(("", &owner.api_version));
    if let Some(served) = core.registry.lookup_kind(group, version, &owner.kind) {
        let namespace = if served.resource.namespaced {
            namespace
        } else {
            ""
        };
        release_if_unblocked(core, &served, &Key::new(namespace, &owner.name));
    }
}

/// Ends the foreground deletion of an owner that no dependent blocks any more.
fn release_if_unblocked(core: &Arc<Core>, served: &Served, key: &Key) {
    let Some(owner) = core.find(served, key) else {
        return;
    };
    let blocked = core
        .store
        .dependents(&owner.uid)
        .iter()
        .any(|(resource, dependent)| {
            core.store
                .get(*resource, dependent)
                .is_some_and(|d| d.owners.iter().any(|o| o.uid == owner.uid && o.blocks))
        });
    if !blocked {
        remove_finalizer(core, served, key, FOREGROUND);
    }
}

/// Decides whether to delete a dependent.
fn decide(core: &Arc<Core>, resource: ResourceId, key: &Key) {
    let task = ("generic-garbage-collector", resource, key.clone());
    let (Some(served), Some(item)) = (core.registry.by_id(resource), core.store.get(resource, key))
    else {
        return core.backoff.forget(&task);
    };
    if item.owners.is_empty() || object::is_deleting(&item.decode()) {
        return core.backoff.forget(&task);
    }
    let state = |owner: &Owner| owner_state(core, &key.namespace, owner);
    let states: Vec<OwnerState> = item.owners.iter().map(state).collect();
    if states.contains(&OwnerState::Unknown) {
        return core.backoff.forget(&task);
    }
    if states.contains(&OwnerState::Solid) {
        if states.iter().any(|s| *s != OwnerState::Solid) {
            drop_owners(core, resource, key, &|owner| {
                state(owner) != OwnerState::Solid
            });
        }
        return core.backoff.forget(&task);
    }
    let waits = states.contains(&OwnerState::Waiting);
    let dependents = match waits {
        true => core.store.dependents(&item.uid),
        false => Vec::new(),
    };
    // In a cycle, each object would wait for the next. Unblocking the owners triggers another
    // decision about this object.
    let blocks = item.owners.iter().any(|owner| owner.blocks);
    if blocks
        && dependents
            .iter()
            .any(|(id, key)| waits_for_its_dependents(core, *id, key))
    {
        unblock_owners(core, &served, key);
        return;
    }
    let propagation = (!dependents.is_empty()).then_some(Propagation::Foreground);
    start_deletion(core, served, &item, propagation, task);
}

/// Deletes a dependent in the background, and retries if that fails.
fn start_deletion(
    core: &Arc<Core>,
    served: Served,
    item: &Stored,
    propagation: Option<Propagation>,
    task: backoff::Task,
) {
    let options = DeleteOptions {
        propagation,
        uid: Some(item.uid.to_string()),
        resource_version: Some(item.revision.to_string()),
        ..DeleteOptions::default()
    };
    let (core, revision) = (core.clone(), item.revision);
    background::run(async move {
        let (controller, resource, key) = task.clone();
        let Err(error) = delete(&core, &served, &key, &options, controller).await else {
            return core.backoff.forget(&task);
        };
        // The object may have changed its owners during the webhook call.
        let now = core.store.get(resource, &key);
        match now {
            None => core.backoff.forget(&task),
            Some(now) if now.revision != revision && error.code == 409 => {
                collect(&core, resource, &key);
            }
            Some(_) => Retry {
                task,
                longest: LONGEST_WAIT,
                work: Arc::new(move |core| collect(core, resource, &key)),
            }
            .schedule(&core),
        }
    });
}

/// Whether an object is under foreground deletion.
fn waits_for_its_dependents(core: &Core, resource: ResourceId, key: &Key) -> bool {
    let found = core.store.get(resource, key);
    found.is_some_and(|found| is_waiting(&found.decode()))
}

fn is_waiting(object: &Value) -> bool {
    object::is_deleting(object) && object::finalizers(object).contains(&FOREGROUND)
}

/// Clears `blockOwnerDeletion` in all owner references.
fn unblock_owners(core: &Arc<Core>, served: &Served, key: &Key) {
    edit(core, served, key, &|object| {
        let owners = object["metadata"]["ownerReferences"].as_array_mut();
        for owner in owners.into_iter().flatten() {
            owner["blockOwnerDeletion"] = Value::Bool(false);
        }
    });
}

/// Removes the owner references that match a predicate.
fn drop_owners(core: &Arc<Core>, resource: ResourceId, key: &Key, picks: &dyn Fn(&Owner) -> bool) {
    let Some(served) = core.registry.by_id(resource) else {
        return;
    };
    edit(core, &served, key, &|object| {
        let mut owners = object["metadata"]["ownerReferences"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        owners.retain(|owner| !picks(&read_owner(owner)));
        let left = (!owners.is_empty()).then_some(Value::Array(owners));
        object::set_meta(object, "ownerReferences", left);
    });
}

fn remove_finalizer(core: &Arc<Core>, served: &Served, key: &Key, name: &str) {
    edit(core, served, key, &|object| {
        object::remove_finalizer(object, name)
    });
}
