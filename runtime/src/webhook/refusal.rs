//! Refusals, which the client receives as a `metav1.Status`.

use std::fmt;

use kube_schema::FieldError;
use serde_json::{Value, json};

/// The reason for refusing a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    code: u16,
    reason: &'static str,
    message: String,
    errors: Vec<FieldError>,
}

impl Refusal {
    /// 403: the request is not allowed, whatever the object.
    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::new(403, "Forbidden", message)
    }

    /// 422: fields of the object are invalid. The message contains the object's kind and name, as
    /// in kube-apiserver's own validation.
    pub fn invalid(errors: impl IntoIterator<Item = FieldError>) -> Self {
        Self {
            errors: errors.into_iter().collect(),
            ..Self::new(422, "Invalid", "")
        }
    }

    /// 400: the request is malformed.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    /// 500: the webhook could not decide.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(500, "InternalError", message)
    }

    /// Creates a refusal from a status code, an API reason (`Conflict`) and a message.
    pub fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            reason,
            message: message.into(),
            errors: Vec::new(),
        }
    }

    /// Returns `Ok` if `errors` is empty, otherwise a refusal with all of them.
    ///
    /// # Errors
    /// See [`invalid`](Self::invalid).
    pub fn unless_valid(errors: Vec<FieldError>) -> Result<(), Self> {
        if errors.is_empty() {
            Ok(())
        } else {
            Err(Self::invalid(errors))
        }
    }

    /// Converts the outcome of [`Validate`](crate::validation::Validate). Rules that could not be
    /// evaluated are left to the API server.
    ///
    /// # Errors
    /// See [`invalid`](Self::invalid).
    #[cfg(feature = "validate")]
    pub fn of_validation(outcome: Result<(), kube_schema::FieldErrors>) -> Result<(), Self> {
        let found = outcome.err().map(kube_schema::FieldErrors::into_errors);
        Self::unless_valid(found.unwrap_or_default())
    }

    /// Returns the field errors.
    pub fn errors(&self) -> &[FieldError] {
        &self.errors
    }

    /// Returns the `Status` for an object.
    pub(super) fn status(&self, group: &str, kind: &str, name: &str) -> Value {
        let mut status = json!({"status": "Failure", "code": self.code, "reason": self.reason, "message": self.message});
        if self.errors.is_empty() {
            return status;
        }
        let qualified = match group {
            "" => kind.to_owned(),
            group => format!("{kind}.{group}"),
        };
        let causes = self.errors.iter().map(|error| {
            let cause = error.cause();
            json!({"reason": cause.reason, "message": cause.message, "field": cause.field})
        });
        status["message"] = json!(format!("{qualified} {name:?} is invalid: {self}"));
        status["details"] = json!({"group": group, "kind": kind, "name": name, "causes": causes.collect::<Vec<_>>()});
        status
    }
}

/// Writes the message; for field errors, their list in kube-apiserver's format.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.errors.as_slice() {
            [] => f.write_str(&self.message),
            [one] => write!(f, "{one}"),
            many => {
                let texts: Vec<String> = many.iter().map(ToString::to_string).collect();
                write!(f, "[{}]", texts.join(", "))
            }
        }
    }
}

impl std::error::Error for Refusal {}

impl From<FieldError> for Refusal {
    fn from(error: FieldError) -> Self {
        Self::invalid([error])
    }
}

impl From<Vec<FieldError>> for Refusal {
    fn from(errors: Vec<FieldError>) -> Self {
        Self::invalid(errors)
    }
}
