//! Admission checks against the state of the cluster.

use serde_json::Value;

use crate::core::{Controllers, Core};
use crate::metadata::object;
use crate::registry::{Origin, Served};
use crate::status::{ApiError, GroupResource, StatusCause};

/// Admits a new object.
///
/// # Errors
/// 404 if its namespace does not exist, 403 if the namespace or the definition of its kind is being
/// deleted.
pub(crate) fn admit_create(core: &Core, served: &Served, object: &Value) -> Result<(), ApiError> {
    let has_lifecycle = core.options.namespace_lifecycle != Controllers::Off;
    if served.resource.namespaced && has_lifecycle {
        admit_to_namespace(core, served, object)?;
    }
    if served.resource.origin != Origin::Custom {
        return Ok(());
    }
    let resource = &served.resource;
    let definition = format!("{}.{}", resource.plural, resource.group);
    match core.is_ending(
        "apiextensions.k8s.io",
        "customresourcedefinitions",
        &definition,
    ) {
        Some(true) => Err(ApiError::forbidden(
            &resource.group_resource(),
            object::name(object),
            "create not allowed while custom resource definition is terminating",
        )),
        _ => Ok(()),
    }
}

fn admit_to_namespace(core: &Core, served: &Served, object: &Value) -> Result<(), ApiError> {
    let namespace = object::namespace(object);
    match core.is_ending("", "namespaces", namespace) {
        Some(false) => Ok(()),
        None => Err(ApiError::not_found(
            &GroupResource::new("", "namespaces"),
            namespace,
        )),
        Some(true) => {
            let why = format!(
                "unable to create new content in namespace {namespace} because it is being terminated"
            );
            let resource = served.resource.group_resource();
            let error = ApiError::forbidden(&resource, object::name(object), &why);
            Err(error.with_causes(vec![StatusCause {
                reason: "NamespaceTerminating".into(),
                message: format!("namespace {namespace} is being terminated"),
                field: "metadata.namespace".to_owned(),
            }]))
        }
    }
}
