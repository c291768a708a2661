//! The reviews of admission webhooks (`k8s.io/apiserver/pkg/admission/plugin/webhook/request`).

use serde_json::{Value, json};

use crate::metadata::object::text;
use crate::status::{ApiError, StatusCause, StatusDetails};
use crate::types::base64;

/// A webhook's decision about a request.
#[derive(Debug, PartialEq)]
pub(crate) struct Verdict {
    /// Set if the request is denied: a `Status`, which may be empty.
    pub(crate) refusal: Option<Value>,
    /// A JSON patch.
    pub(crate) patch: Option<Vec<u8>>,
    pub(crate) warnings: Vec<String>,
}

/// Wraps a request in a review.
pub(crate) fn review(version: &str, request: &Value) -> Value {
    json!({"kind": "AdmissionReview", "apiVersion": format!("admission.k8s.io/{version}"), "request": request})
}

/// Parses the answer to a review of the specified version.
///
/// # Errors
/// If the answer is invalid, with kube-apiserver's messages.
pub(crate) fn read_verdict(
    version: &str,
    uid: &str,
    is_mutating: bool,
    review: &Value,
) -> Result<Verdict, String> {
    let response = &review["response"];
    if !response.is_object() {
        return Err("webhook response was absent".to_owned());
    }
    // kube-apiserver does not check the type and uid of v1beta1 answers.
    if version == "v1" {
        check_v1(uid, is_mutating, review)?;
    }
    let patch = match text(response, &["patch"]) {
        "" => None,
        _ if !is_mutating => None,
        text => Some(
            base64::decode(text).map_err(|at| format!("illegal base64 data at input byte {at}"))?,
        ),
    };
    let warnings = response["warnings"].as_array().into_iter().flatten();
    let is_allowed = response["allowed"] == json!(true);
    Ok(Verdict {
        refusal: (!is_allowed).then(|| response["status"].clone()),
        patch,
        warnings: warnings
            .filter_map(|w| w.as_str().map(str::to_owned))
            .collect(),
    })
}

/// Checks type, uid and patch of an answer.
fn check_v1(uid: &str, is_mutating: bool, review: &Value) -> Result<(), String> {
    let response = &review["response"];
    let patch = text(response, &["patch"]);
    let patch_type = response["patchType"].as_str();
    let given = text(response, &["uid"]);
    if given != uid {
        return Err(format!("expected response.uid={uid:?}, got {given:?}"));
    }
    let (api_version, kind) = (text(review, &["apiVersion"]), text(review, &["kind"]));
    if (api_version, kind) != ("admission.k8s.io/v1", "AdmissionReview") {
        return Err(format!(
            "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got {api_version}, Kind={kind}"
        ));
    }
    match (is_mutating, patch, patch_type) {
        (false, "", None) => {}
        (false, "", Some(_)) => {
            return Err("validating webhook may not return response.patchType".to_owned());
        }
        (false, ..) => {
            return Err("validating webhook may not return response.patch".to_owned());
        }
        (true, "", None) => {}
        (true, "", Some(_)) => {
            return Err("webhook returned response.patchType but not response.patch".to_owned());
        }
        (true, _, None) => {
            return Err("webhook returned response.patch but not response.patchType".to_owned());
        }
        (true, _, Some("JSONPatch")) => {}
        (true, _, Some("")) => {
            return Err("webhook returned invalid response.patchType of \"\"".to_owned());
        }
        (true, _, Some(other)) => return Err(format!("unsupported patch type {other:?}")),
    }
    Ok(())
}

/// Returns the error of a request that a webhook denied, from the webhook's status.
pub(crate) fn denied(webhook: &str, status: &Value) -> ApiError {
    let by = format!("admission webhook {webhook:?} denied the request");
    let (message, reason) = (text(status, &["message"]), text(status, &["reason"]));
    let message = match (message, reason) {
        ("", "") => format!("{by} without explanation"),
        ("", why) | (why, _) => format!("{by}: {why}"),
    };
    let code = status["code"]
        .as_u64()
        .and_then(|code| u16::try_from(code).ok());
    let code = code.filter(|code| (400..600).contains(code)).unwrap_or(400);
    let mut error = ApiError::new(code, reason.to_owned(), message);
    let details = &status["details"];
    if details.is_object() {
        let own = |field: &str| text(details, &[field]).to_owned();
        let causes = details["causes"].as_array().into_iter().flatten();
        let retry = details["retryAfterSeconds"].as_u64().unwrap_or_default();
        error.details = Some(Box::new(StatusDetails {
            name: own("name"),
            group: own("group"),
            kind: own("kind"),
            uid: own("uid"),
            causes: causes
                .map(|cause| StatusCause {
                    reason: text(cause, &["reason"]).to_owned().into(),
                    message: text(cause, &["message"]).to_owned(),
                    field: text(cause, &["field"]).to_owned(),
                })
                .collect(),
            retry_after_seconds: u32::try_from(retry).unwrap_or(u32::MAX),
        }));
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_checked_before_they_are_believed() {
        let check = |mutating: bool, answer: Value, expected: &str| {
            let found = read_verdict("v1", "u", mutating, &answer).unwrap_err();
            assert_eq!(found, expected);
        };
        let answer = |response: Value| json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response});
        rows![check:
            (true, json!({}), "webhook response was absent"),
            (true, answer(json!({"uid": "x"})), "expected response.uid=\"u\", got \"x\""),
            (true, json!({"apiVersion": "v1", "kind": "AdmissionReview", "response": {"uid": "u"}}),
                "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got v1, Kind=AdmissionReview"),
            (true, answer(json!({"uid": "u", "patch": "W10="})),
                "webhook returned response.patch but not response.patchType"),
            (false, answer(json!({"uid": "u", "patch": "W10=", "patchType": "JSONPatch"})),
                "validating webhook may not return response.patch"),
        ];
    }

    #[test]
    fn a_refusal_says_who_and_why() {
        let check = |status: Value, code: u16, expected: &str| {
            let error = denied("a.b.c", &status);
            assert_eq!((error.code, error.message.as_str()), (code, expected));
        };
        let by = "admission webhook \"a.b.c\" denied the request";
        rows![check:
            (Value::Null, 400, &format!("{by} without explanation")),
            (json!({"code": 200, "reason": "Busy"}), 400, &format!("{by}: Busy")),
            (json!({"code": 422, "message": "no"}), 422, &format!("{by}: no")),
        ];
    }
}
