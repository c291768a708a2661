//! The subresource `serviceaccounts/token`.

use std::sync::Arc;

use jiff::SignedDuration;
use serde_json::{Value, json};

use super::Call;
use super::options::WriteOptions;
use super::present::present;
use crate::core::Core;
use crate::field::FieldError;
use crate::http::respond::Answer;
use crate::http::{decode, negotiate};
use crate::kinds::tokens::{self, Claims};
use crate::metadata::object;
use crate::status::{ApiError, GroupResource};
use crate::store::Key;
use crate::types::normal;
use crate::types::scalars::rfc3339;

/// Handles POST of a TokenRequest: issues a token for the service account.
pub(super) fn create(core: &Arc<Core>, call: &Call) -> Result<Answer, ApiError> {
    WriteOptions::parse("CreateOptions", &call.query, &call.user_agent)?;
    let encoding = negotiate::body_encoding(call.content_type.as_deref(), false)?;
    let mut request = decode::decode(&call.body, encoding)
        .map_err(ApiError::bad_request)?
        .value;
    normal::normalise("authentication.v1.TokenRequest", &mut request)
        .map_err(ApiError::bad_request)?;
    let stored = core
        .find(&call.served, &call.key())
        .ok_or_else(|| call.not_found())?;
    let account = call.served.decode(&stored);
    let seconds = request["spec"]["expirationSeconds"]
        .as_i64()
        .unwrap_or(3600);
    if let Some(fault) = lifetime_fault(seconds) {
        let error = FieldError::invalid("spec.expirationSeconds", seconds, fault);
        let group = "authentication.k8s.io";
        return Err(ApiError::invalid(
            group,
            "TokenRequest",
            &call.name,
            &[error],
        ));
    }
    let bound_to = bound_object(core, call, &request["spec"]["boundObjectRef"])?;
    let now = core.now();
    let expires = now + SignedDuration::from_secs(seconds);
    let mut audiences = request["spec"]["audiences"].clone();
    if audiences.as_array().is_none_or(Vec::is_empty) {
        audiences = json!([&*core.issuer]);
    }
    let token = tokens::issue(&Claims {
        issuer: &core.issuer,
        account: &account,
        audiences: &audiences,
        bound_to: &bound_to,
        issued: now.as_second(),
        expires: expires.as_second(),
    });
    let bound = request["spec"]
        .get("boundObjectRef")
        .cloned()
        .unwrap_or(Value::Null);
    let answer = json!({
        "kind": "TokenRequest",
        "apiVersion": "authentication.k8s.io/v1",
        "metadata": {
            "name": call.name,
            "namespace": call.namespace,
            "uid": object::uid(&account),
            "creationTimestamp": rfc3339(now),
        },
        "spec": {"audiences": audiences, "expirationSeconds": seconds, "boundObjectRef": bound},
        "status": {"token": token, "expirationTimestamp": rfc3339(expires)},
    });
    present(call, 201, &answer)
}

/// Returns the kind, name and uid of the object that a token is to be bound to, or null.
///
/// # Errors
/// 404 if there is no such object, 409 if its uid is another, 400 if a token cannot be bound to it.
fn bound_object(core: &Core, call: &Call, reference: &Value) -> Result<Value, ApiError> {
    if !reference.is_object() {
        return Ok(Value::Null);
    }
    let of = |field| object::text(reference, &[field]);
    let (api_version, kind, name) = (of("apiVersion"), of("kind"), of("name"));
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let plural = match (group, kind) {
        ("", "Pod") => "pods",
        ("", "Node") => "nodes",
        ("", "Secret") => "secrets",
        _ => {
            return Err(ApiError::bad_request(format!(
                "cannot bind token to object of type {group}/{version}, Kind={kind}"
            )));
        }
    };
    let served = core
        .builtin("", plural)
        .ok_or_else(ApiError::no_such_resource)?;
    let namespace = match served.resource.namespaced {
        true => &*call.namespace,
        false => "",
    };
    let found = core
        .find(&served, &Key::new(namespace, name))
        .ok_or_else(|| ApiError::not_found(&served.resource.group_resource(), name))?;
    if kind == "Pod" {
        let pod = served.decode(&found);
        if object::text(&pod, &["spec", "serviceAccountName"]) != call.name {
            return Err(ApiError::bad_request(format!(
                "cannot bind token for serviceaccount \"{}\" to pod running with different serviceaccount name.",
                call.name
            )));
        }
    }
    let uid = of("uid");
    if !uid.is_empty() && uid != &*found.uid {
        let why = format!(
            "the UID in the bound object reference ({uid}) does not match the UID in record. The object might have been deleted and then recreated"
        );
        return Err(ApiError::conflict(
            &GroupResource::new(group, kind),
            name,
            &why,
        ));
    }
    Ok(json!({"kind": kind, "name": name, "uid": &*found.uid}))
}

fn lifetime_fault(seconds: i64) -> Option<&'static str> {
    match seconds {
        ..600 => Some("may not specify a duration less than 10 minutes"),
        600..=0x1_0000_0000 => None,
        _ => Some("may not specify a duration larger than 2^32 seconds"),
    }
}
