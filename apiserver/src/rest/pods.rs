//! `pods/binding` and `pods/eviction`.

use std::sync::Arc;

use serde_json::{Value, json};

use super::Call;
use super::admission::{Admission, Kind};
use super::delete::delete_object;
use super::options::{DeleteOptions, WriteOptions};
use super::write::{self, Persisted};
use crate::core::Core;
use crate::http::path::ObjectPath;
use crate::http::respond::{Answer, Content};
use crate::http::{decode, negotiate};
use crate::kinds::is_gated;
use crate::metadata::object::{self, text};
use crate::registry::Served;
use crate::status::{ApiError, GroupResource};
use crate::store::Key;

/// The subresources that a real server forwards to the node of a pod.
pub(super) const NEEDS_NODE: &[&str] = &["attach", "exec", "log", "portforward", "proxy"];

/// Returns why a subresource that a node would answer is not to be had.
pub(super) fn no_node(core: &Core, served: &Served, path: &ObjectPath) -> ApiError {
    let (subresource, name) = (&path.subresource, &path.name);
    if core
        .find(served, &Key::new(&path.namespace, name))
        .is_none()
    {
        return ApiError::not_found(&served.resource.group_resource(), name);
    }
    ApiError::bad_request(format!(
        "pods/{subresource} of \"{name}\" is not available: the embedded API server has no nodes, and its pods do not run"
    ))
}

fn body(call: &Call) -> Result<Value, ApiError> {
    let encoding = negotiate::body_encoding(call.content_type.as_deref(), false)?;
    Ok(decode::decode(&call.body, encoding)
        .map_err(ApiError::bad_request)?
        .value)
}

fn binding_resource() -> GroupResource {
    GroupResource::new("", "pods/binding")
}

fn created(call: &Call) -> Answer {
    let status = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201});
    Answer::new(201, Content::Document(status, call.accepted.format))
}

/// Calls the admission webhooks for the object of a subresource.
async fn admit(
    core: &Arc<Core>,
    call: &Call,
    (group, version, kind): (&str, &str, &str),
    object: &mut Value,
    options: &WriteOptions,
) -> Result<(), ApiError> {
    let admission = Admission {
        core,
        by: &call.requester,
        served: &call.served,
        subresource: call.subresource,
        kind: Some(Kind::new(group, version, kind)),
        operation: "CREATE",
        namespace: &call.namespace,
        name: &call.name,
        options: options.shown_as("CreateOptions"),
        dry_run: options.dry_run,
    };
    admission.admit(Some(object), None).await
}

/// Handles POST of a Binding: assigns a pod to a node.
pub(crate) async fn bind(core: &Arc<Core>, call: &Call) -> Result<Answer, ApiError> {
    let options = WriteOptions::parse("CreateOptions", &call.query, &call.user_agent)?;
    let mut binding = body(call)?;
    admit(core, call, ("", "v1", "Binding"), &mut binding, &options).await?;
    let node = text(&binding, &["target", "name"]).to_owned();
    if node.is_empty() {
        return Err(ApiError::bad_request("target.name: Required value"));
    }
    loop {
        let current = core
            .find(&call.served, &call.key())
            .ok_or_else(|| call.not_found())?;
        let old = call.served.decode(&current);
        let assigned = text(&old, &["spec", "nodeName"]);
        if !assigned.is_empty() {
            let why = format!(
                "pod {} is already assigned to node \"{assigned}\"",
                call.name
            );
            return Err(ApiError::conflict(&binding_resource(), &call.name, &why));
        }
        if object::is_deleting(&old) {
            let why = format!(
                "pod {} is being deleted, cannot be assigned to a host",
                call.name
            );
            return Err(ApiError::conflict(&binding_resource(), &call.name, &why));
        }
        if is_gated(&old) {
            let why = format!("pod {} has non-empty .spec.schedulingGates", call.name);
            return Err(ApiError::conflict(&binding_resource(), &call.name, &why));
        }
        let mut new = old.clone();
        object::child(object::fields(&mut new), "spec").insert("nodeName".into(), json!(node));
        let conditions = object::child(object::fields(&mut new), "status")
            .entry("conditions")
            .or_insert_with(|| json!([]));
        if let Value::Array(list) = conditions {
            list.retain(|c| text(c, &["type"]) != "PodScheduled");
            let now = core.timestamp();
            list.push(json!({"type": "PodScheduled", "status": "True", "lastProbeTime": null, "lastTransitionTime": now}));
        }
        match write::replace(core, &call.served, (&current, &old), new, options.dry_run).await? {
            Persisted::Written(_) => return Ok(created(call)),
            Persisted::Removed(_) => return Err(call.not_found()),
            Persisted::Raced => {}
        }
    }
}

/// Handles POST of an Eviction: deletes the pod. Disruption budgets are not consulted.
pub(crate) async fn evict(core: &Arc<Core>, call: &Call) -> Result<Answer, ApiError> {
    let write = WriteOptions::parse("CreateOptions", &call.query, &call.user_agent)?;
    let mut eviction = body(call)?;
    admit(
        core,
        call,
        ("policy", "v1", "Eviction"),
        &mut eviction,
        &write,
    )
    .await?;
    let inner = eviction.get("deleteOptions").filter(|o| !o.is_null());
    let bytes = inner.map(Value::to_string).unwrap_or_default();
    let mut options = DeleteOptions::parse(&call.query, None, bytes.as_bytes())?;
    options.dry_run |= write.dry_run;
    delete_object(core, &call.served, &call.key(), &options, None).await?;
    Ok(created(call))
}
