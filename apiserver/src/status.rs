//! API failures, as the `metav1.Status` objects that kube-apiserver returns.
//!
//! Every handler returns [`ApiError`]. Its constructors produce the message, reason, code and
//! details of `k8s.io/apimachinery/pkg/api/errors`.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Value, json};

use crate::field::{FieldError, FieldErrorKind};

/// A group and a plural resource name, shown as `deployments.apps` (`pods` in the core group).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupResource {
    /// The API group; empty for the core group.
    pub group: String,
    /// The plural, lower-case name.
    pub resource: String,
}

impl GroupResource {
    /// Creates the name of a resource in a group.
    pub fn new(group: impl Into<String>, resource: impl Into<String>) -> Self {
        Self {
            group: group.into(),
            resource: resource.into(),
        }
    }
}

impl std::fmt::Display for GroupResource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.group.is_empty() {
            f.write_str(&self.resource)
        } else {
            write!(f, "{}.{}", self.resource, self.group)
        }
    }
}

/// One entry of `details.causes`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StatusCause {
    /// The machine-readable reason.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub reason: Cow<'static, str>,
    /// The human-readable description.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// The path of the offending field.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub field: String,
}

/// The `details` of a status.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StatusDetails {
    /// The object's name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The API group.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// The resource or kind of the object.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// The object's uid.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub uid: String,
    /// The individual causes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<StatusCause>,
    /// Seconds to wait before a retry.
    #[serde(rename = "retryAfterSeconds", skip_serializing_if = "is_zero")]
    pub retry_after_seconds: u32,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// A failed request: determines the HTTP status code and the `metav1.Status` body.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ApiError {
    /// The HTTP status code.
    pub code: u16,
    /// The machine-readable reason; empty where kube-apiserver sets none.
    pub reason: Cow<'static, str>,
    /// The human-readable description.
    pub message: String,
    /// Details about the object and the offending fields.
    pub details: Option<Box<StatusDetails>>,
    /// The token that continues an expired list, with inconsistent results.
    pub continue_token: Option<Box<str>>,
}

/// The length of a message from which on further errors are only counted. The real server has no
/// limit, and a request can have an answer of hundreds of megabytes.
const MOST_TEXT: usize = 1 << 20;

impl ApiError {
    /// Creates a failure with a code, a reason and a message.
    pub fn new(
        code: u16,
        reason: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            code,
            reason: reason.into(),
            message: message.into(),
            details: None,
            continue_token: None,
        }
    }

    pub(crate) fn with_continue(mut self, token: String) -> Self {
        self.continue_token = Some(token.into());
        self
    }

    fn about(mut self, gr: &GroupResource, name: &str) -> Self {
        self.details = Some(Box::new(StatusDetails {
            name: name.to_owned(),
            group: gr.group.clone(),
            kind: gr.resource.clone(),
            ..StatusDetails::default()
        }));
        self
    }

    pub(crate) fn with_causes(mut self, causes: Vec<StatusCause>) -> Self {
        self.details.get_or_insert_default().causes = causes;
        self
    }

    /// Sets `details.retryAfterSeconds`, which also becomes a `Retry-After` header.
    #[must_use]
    pub fn with_retry_after(mut self, seconds: u32) -> Self {
        self.details.get_or_insert_default().retry_after_seconds = seconds;
        self
    }

    /// 404: the object does not exist.
    pub fn not_found(gr: &GroupResource, name: &str) -> Self {
        Self::new(404, "NotFound", format!("{gr} \"{name}\" not found")).about(gr, name)
    }

    /// 404: the path is not served.
    pub fn no_such_resource() -> Self {
        let mut error = Self::new(
            404,
            "NotFound",
            "the server could not find the requested resource",
        );
        error.details = Some(Box::default());
        error
    }

    /// 409: an object of that name already exists.
    pub fn already_exists(gr: &GroupResource, name: &str) -> Self {
        let message = format!("{gr} \"{name}\" already exists");
        Self::new(409, "AlreadyExists", message).about(gr, name)
    }

    /// 409: a concurrent write won, or a precondition failed.
    pub fn conflict(gr: &GroupResource, name: &str, why: &str) -> Self {
        let message = format!("Operation cannot be fulfilled on {gr} \"{name}\": {why}");
        Self::new(409, "Conflict", message).about(gr, name)
    }

    /// 409: the object changed since the resourceVersion that the write is based on.
    pub fn modified(gr: &GroupResource, name: &str) -> Self {
        Self::conflict(
            gr,
            name,
            "the object has been modified; please apply your changes to the latest version and try again",
        )
    }

    /// 403: admission rejects the request.
    pub fn forbidden(gr: &GroupResource, name: &str, why: &str) -> Self {
        let message = if name.is_empty() {
            format!("{gr} is forbidden: {why}")
        } else {
            format!("{gr} \"{name}\" is forbidden: {why}")
        };
        Self::new(403, "Forbidden", message).about(gr, name)
    }

    /// 422: the object violates validation rules.
    pub fn invalid(group: &str, kind: &str, name: &str, errors: &[FieldError]) -> Self {
        let gk = GroupResource::new(group, kind);
        let mut texts: Vec<String> = Vec::new();
        let mut seen = BTreeSet::new();
        let (mut length, mut shown) = (0, 0);
        for error in errors {
            let text = error.to_string();
            if seen.insert(text.clone()) {
                length += text.len();
                texts.push(text);
            }
            shown += 1;
            if length > MOST_TEXT {
                break;
            }
        }
        let left = errors.len() - shown;
        if left > 0 {
            texts.push(format!("and {left} more errors"));
        }
        let list = match texts.as_slice() {
            [one] => one.clone(),
            many => format!("[{}]", many.join(", ")),
        };
        let causes = errors
            .iter()
            .take(shown)
            .map(|error| {
                let cause = error.cause();
                StatusCause {
                    reason: Cow::Borrowed(cause.reason),
                    message: cause.message,
                    field: cause.field,
                }
            })
            .collect();
        Self::new(
            422,
            "Invalid",
            format!("{gk} \"{name}\" is invalid: {list}"),
        )
        .about(&gk, name)
        .with_causes(causes)
    }

    /// 400: the request is malformed.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    /// 422: the patched object cannot be decoded.
    pub(crate) fn invalid_patch(patched: &Value, why: &str) -> Self {
        let text = Value::String(patched.to_string());
        let error = FieldError::with_value("patch", FieldErrorKind::Invalid, text, why);
        Self::invalid("", "", "", &[error])
    }

    /// 405: the verb is not served on a resource.
    pub(crate) fn not_supported(gr: &GroupResource, verb: &str) -> Self {
        let message = format!("{verb} is not supported on resources of kind \"{gr}\"");
        Self::new(405, "MethodNotAllowed", message).about(gr, "")
    }

    /// 405: the method is not served on this path.
    pub fn method_not_allowed() -> Self {
        let mut error = Self::new(
            405,
            "MethodNotAllowed",
            "the server does not allow this method on the requested resource",
        );
        error.details = Some(Box::default());
        error
    }

    /// 406: the client accepts no media type that is served.
    pub fn not_acceptable(accepted: &str) -> Self {
        let message = format!("only the following media types are accepted: {accepted}");
        Self::new(406, "NotAcceptable", message)
    }

    /// 415: the media type of the body is not supported.
    pub fn unsupported_media_type(accepted: &str) -> Self {
        let message = format!(
            "the body of the request was in an unknown format - accepted media types include: {accepted}"
        );
        Self::new(415, "UnsupportedMediaType", message)
    }

    /// 410: the resourceVersion or continue token is too old.
    pub fn expired(message: impl Into<String>) -> Self {
        Self::new(410, "Expired", message)
    }

    /// 413: the body exceeds the limit (in bytes).
    pub fn too_large(limit: usize) -> Self {
        let message = format!("Request entity too large: limit is {limit}");
        Self::new(413, "RequestEntityTooLarge", message)
    }

    /// 429: the client must slow down.
    pub fn too_many_requests(message: impl Into<String>, retry_after_seconds: u32) -> Self {
        Self::new(429, "TooManyRequests", message).with_retry_after(retry_after_seconds)
    }

    /// 500: internal error.
    pub fn internal(message: impl Into<String>) -> Self {
        let message = message.into();
        Self::new(
            500,
            "InternalError",
            format!("Internal error occurred: {message}"),
        )
        .with_causes(vec![StatusCause {
            message,
            ..StatusCause::default()
        }])
    }

    /// 504: the requested resourceVersion is in the future.
    pub fn future_version(asked: u64, current: u64) -> Self {
        let message = format!("Too large resource version: {asked}, current: {current}");
        Self::new(504, "Timeout", format!("Timeout: {message}"))
            .with_causes(vec![StatusCause {
                reason: Cow::Borrowed("ResourceVersionTooLarge"),
                message: "Too large resource version".to_owned(),
                ..StatusCause::default()
            }])
            .with_retry_after(1)
    }

    /// Converts the failure to a `metav1.Status` object.
    pub fn to_status(&self) -> Value {
        let mut status = json!({
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "code": self.code,
        });
        if !self.reason.is_empty() {
            status["reason"] = json!(self.reason);
        }
        if let Some(token) = &self.continue_token {
            status["metadata"]["continue"] = json!(token);
        }
        if let Some(details) = &self.details {
            status["details"] = json!(details);
        }
        status
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_field_error_is_shown_bare_and_several_in_brackets() {
        let one = FieldError::new("spec.a", FieldErrorKind::Required, "");
        let two = FieldError::new("spec.b", FieldErrorKind::Forbidden, "no");
        let check = |errors: &[FieldError], expected: &str| {
            assert_eq!(
                ApiError::invalid("g.io", "K", "n", errors).message,
                expected
            );
        };
        check(
            std::slice::from_ref(&one),
            "K.g.io \"n\" is invalid: spec.a: Required value",
        );
        check(
            &[one, two],
            "K.g.io \"n\" is invalid: [spec.a: Required value, spec.b: Forbidden: no]",
        );
    }

    #[test]
    fn not_found_names_the_resource_in_its_details() {
        let error = ApiError::not_found(&GroupResource::new("apps", "deployments"), "web");
        assert_eq!(
            error.to_status(),
            json!({
                "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
                "message": "deployments.apps \"web\" not found", "reason": "NotFound",
                "details": {"name": "web", "group": "apps", "kind": "deployments"}, "code": 404
            })
        );
    }
}
