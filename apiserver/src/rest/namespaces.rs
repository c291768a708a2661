//! Namespaces: nothing is created where there is none, and a deleted one takes its content with it.

use std::sync::Arc;

use serde_json::{Value, json};

use super::delete;
use super::options::DeleteOptions;
use crate::core::Core;
use crate::effects;
use crate::object;
use crate::registry::Served;
use crate::status::{ApiError, GroupResource, StatusCause};
use crate::store::{Expect, Key, Stored};

/// Namespaces that every cluster has; they cannot be deleted, and `default` never ends.
pub(crate) const SYSTEM: &[&str] = &["default", "kube-node-lease", "kube-public", "kube-system"];

/// Whether a resource is that of namespaces.
pub(crate) fn is_namespaces(served: &Served) -> bool {
    served.resource.group.is_empty() && served.resource.kind == "Namespace"
}

/// Refuses objects in namespaces that do not exist or are being deleted.
///
/// # Errors
/// 404 or 403, as the NamespaceLifecycle admission words them.
pub(crate) fn admit_create(core: &Core, served: &Served, object: &Value) -> Result<(), ApiError> {
    if !served.resource.namespaced || !core.options.namespace_lifecycle {
        return Ok(());
    }
    let namespace = object::namespace(object);
    let gr = GroupResource::new("", "namespaces");
    let stored = core
        .builtin("", "namespaces")
        .and_then(|namespaces| core.find(&namespaces, &Key::new("", namespace)))
        .ok_or_else(|| ApiError::not_found(&gr, namespace))?;
    if object::is_deleting(&stored.decode()) {
        let why = format!(
            "unable to create new content in namespace {namespace} because it is being terminated"
        );
        let error = ApiError::forbidden(
            &served.resource.group_resource(),
            object::name(object),
            &why,
        );
        return Err(error.with_causes(vec![StatusCause {
            reason: "NamespaceTerminating".into(),
            message: format!("namespace {namespace} is being terminated"),
            field: "metadata.namespace".to_owned(),
        }]));
    }
    Ok(())
}

/// Refuses the deletion of the namespaces that every cluster has.
///
/// # Errors
/// 403.
pub(crate) fn admit_delete(served: &Served, key: &Key) -> Result<(), ApiError> {
    let immortal = matches!(&*key.name, "default" | "kube-system" | "kube-public");
    if is_namespaces(served) && immortal {
        let gr = served.resource.group_resource();
        return Err(ApiError::forbidden(
            &gr,
            &key.name,
            "this namespace may not be deleted",
        ));
    }
    Ok(())
}

/// Whether a namespace still waits for its content to go.
pub(crate) fn holds(served: &Served, object: &Value) -> bool {
    is_namespaces(served)
        && object["spec"]["finalizers"]
            .as_array()
            .is_some_and(|list| !list.is_empty())
}

/// The namespace object of a name, as it is when it is created.
pub(crate) fn prepare(object: &mut Value) {
    let name = object::name(object).to_owned();
    let labels = object::child(object::metadata(object), "labels");
    labels.insert("kubernetes.io/metadata.name".into(), json!(name));
    let spec = object::child(object::fields(object), "spec");
    spec.insert("finalizers".into(), json!(["kubernetes"]));
    object::fields(object).insert("status".into(), json!({"phase": "Active"}));
}

/// Deletes what lies in a namespace under deletion, and then the namespace, once it is empty.
pub(crate) fn finish(core: &Arc<Core>, name: &str) {
    core.endings
        .run(&format!("namespaces/{name}"), || empty(core, name));
}

fn empty(core: &Arc<Core>, name: &str) {
    let Some(served) = core.builtin("", "namespaces") else {
        return;
    };
    let key = Key::new("", name);
    let terminating = |stored: &Arc<Stored>| object::is_deleting(&stored.decode());
    if !core.options.namespace_lifecycle
        || !core.find(&served, &key).is_some_and(|s| terminating(&s))
    {
        return;
    }
    let mut left = 0;
    for resource in core.registry.all().iter().filter(|r| r.namespaced) {
        let Some(content) = core.registry.by_id(resource.id) else {
            continue;
        };
        for stored in core.store.snapshot(resource.id, name).objects {
            let options = DeleteOptions {
                grace_period: Some(0),
                ..DeleteOptions::default()
            };
            // A failure leaves the object, which the count below sees.
            drop(delete::delete_object(core, &content, &stored.key, &options));
        }
        left += core.store.count(resource.id, name);
    }
    if left == 0 {
        remove_finalizer(core, &served, &key);
    }
}

fn remove_finalizer(core: &Arc<Core>, served: &Served, key: &Key) {
    loop {
        let Some(current) = core.find(served, key) else {
            return;
        };
        let mut new = served.decode(&current);
        object::child(object::fields(&mut new), "spec").remove("finalizers");
        let gone = object::finalizers(&new).is_empty();
        let result = core.store.commit(
            served.resource.id,
            key,
            Expect::Revision(current.revision),
            |revision| {
                (!gone).then(|| Stored::encode(&new, revision, served.version().stored_schema))
            },
        );
        if result.is_ok() {
            if gone {
                effects::after_removal(core, served, &current);
            }
            return;
        }
    }
}
