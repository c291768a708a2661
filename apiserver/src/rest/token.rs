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
use crate::status::ApiError;
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
    let now = core.now();
    let expires = now + SignedDuration::from_secs(seconds);
    let mut audiences = request["spec"]["audiences"].clone();
    if audiences.as_array().is_none_or(Vec::is_empty) {
        audiences = json!([tokens::ISSUER]);
    }
    let token = tokens::issue(&Claims {
        account: &account,
        audiences: &audiences,
        bound_to: &request["spec"]["boundObjectRef"],
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

fn lifetime_fault(seconds: i64) -> Option<&'static str> {
    match seconds {
        ..600 => Some("may not specify a duration less than 10 minutes"),
        600..=0x1_0000_0000 => None,
        _ => Some("may not specify a duration larger than 2^32 seconds"),
    }
}
