//! Turns a request body into an object: decoding, type check, unknown fields, defaults.

use serde_json::Value;

use super::Call;
use super::options::FieldValidation;
use crate::field::{FieldError, FieldErrorKind};
use crate::http::decode::{self, Encoding};
use crate::http::negotiate;
use crate::metadata::object::{self, text};
use crate::registry::{Served, Subresource};
use crate::schema::apply_defaults;
use crate::status::ApiError;
use crate::types;

/// A decoded object, with the findings of strict validation.
#[derive(Debug)]
pub(crate) struct Incoming {
    pub(crate) object: Value,
    pub(crate) faults: Vec<String>,
}

/// Decodes the body of a create or update into an object of the endpoint's type and drops unknown
/// fields.
///
/// # Errors
/// 415 for unsupported encodings, 400 for a body that does not decode to the type.
pub(crate) fn decode_object(call: &Call) -> Result<Incoming, ApiError> {
    let served = &call.served;
    let encoding =
        negotiate::body_encoding(call.content_type.as_deref(), served.resource.is_custom())?;
    let kind = &served.resource.kind;
    let unrecognized = |why: String| {
        ApiError::bad_request(format!(
            "the object provided is unrecognized (must be of type {kind}): {why} ({})",
            summary(&call.body)
        ))
    };
    let decoded = decode::decode(&call.body, encoding).map_err(|why| match encoding {
        Encoding::Json => unrecognized(format!(
            "couldn't get version/kind; json parse error: {why}"
        )),
        _ => unrecognized(why),
    })?;
    if let Some(why) = types::normal::type_fault(&decoded.value) {
        return Err(unrecognized(format!(
            "couldn't get version/kind; json parse error: {why}"
        )));
    }
    let mut faults = decoded.faults();
    let mut object = decoded.value;
    if served.resource.is_custom() && text(&object, &["kind"]).is_empty() {
        let body = String::from_utf8_lossy(&call.body);
        return Err(unrecognized(format!(
            "Object 'Kind' is missing in '{body}'"
        )));
    }
    check_type(served, call.subresource, &mut object)?;
    faults.extend(shape(served, &mut object).map_err(|why| undecodable(served, &why))?);
    Ok(Incoming { object, faults })
}

/// 400: the body does not decode to the endpoint's type.
fn undecodable(served: &Served, why: &str) -> ApiError {
    let (kind, version) = (&served.resource.kind, &served.version().name);
    ApiError::bad_request(format!(
        "{kind} in version \"{version}\" cannot be handled as a {kind}: {why}"
    ))
}

/// Returns the part of a malformed body that error messages quote.
fn summary(body: &[u8]) -> String {
    const SHOWN: usize = 30;
    let cut = body.get(..SHOWN).unwrap_or(body);
    let dots = if body.len() > SHOWN { " ..." } else { "" };
    if body.is_empty() {
        "<empty>".to_owned()
    } else if body.starts_with(b"{") {
        format!("{}{dots}", String::from_utf8_lossy(cut))
    } else {
        let hex: String = cut.iter().map(|b| format!("{b:02x}")).collect();
        format!("{hex}{dots}")
    }
}

/// Checks `apiVersion` and `kind` against the endpoint; fills them in for built-in kinds if they
/// are absent. A write to the status of a custom resource keeps the kind, whatever it says.
///
/// # Errors
/// 400 for another type, 422 for another kind of custom resources.
pub(crate) fn check_type(
    served: &Served,
    subresource: Option<Subresource>,
    object: &mut Value,
) -> Result<(), ApiError> {
    let api_version = served.api_version();
    let kind = served.resource.kind.clone();
    let (given_version, given_kind) = (text(object, &["apiVersion"]), text(object, &["kind"]));
    if served.resource.is_custom() {
        if given_version != api_version {
            return Err(ApiError::bad_request(format!(
                "the API version in the data ({given_version}) does not match the expected API version ({api_version})"
            )));
        }
        return check_custom_kind(served, subresource, object);
    }
    let version = given_version.rsplit('/').next().unwrap_or_default();
    let (given_group, _) = given_version.split_once('/').unwrap_or(("", version));
    let matches = |given: &str, expected: &str| given.is_empty() || given == expected;
    if !(matches(given_version, &api_version) && matches(given_kind, &kind)) {
        let known = types::fields(&types::type_name(given_group, version, given_kind)).is_some();
        let why = if !known {
            format!(
                "no kind \"{given_kind}\" is registered for version \"{given_version}\" in scheme \"pkg/runtime/scheme.go:111\""
            )
        } else if given_kind == kind {
            return Err(ApiError::bad_request(format!(
                "the API version in the data ({given_version}) does not match the expected API version ({api_version})"
            )));
        } else {
            let package = served
                .resource
                .group
                .split('.')
                .next()
                .filter(|g| !g.is_empty())
                .unwrap_or("core");
            format!("converting ({version}.{given_kind}) to ({package}.{kind}): unknown conversion")
        };
        return Err(ApiError::bad_request(format!(
            "{given_kind} in version \"{version}\" cannot be handled as a {kind}: {why}"
        )));
    }
    let fields = object::fields(object);
    fields.insert("apiVersion".into(), Value::String(api_version));
    fields.insert("kind".into(), Value::String(kind));
    Ok(())
}

/// Checks that a custom resource is of its endpoint's kind.
///
/// # Errors
/// 422, attributed to the kind of the object.
pub(crate) fn check_custom_kind(
    served: &Served,
    subresource: Option<Subresource>,
    object: &Value,
) -> Result<(), ApiError> {
    let (kind, given) = (&served.resource.kind, text(object, &["kind"]));
    if kind == given || subresource == Some(Subresource::Status) {
        return Ok(());
    }
    let error = FieldError::with_value(
        "kind",
        FieldErrorKind::Invalid,
        Value::String(given.to_owned()),
        format!("must be {kind}"),
    );
    Err(ApiError::invalid(
        &served.resource.group,
        given,
        object::name(object),
        &[error],
    ))
}

/// Converts an object to the form of its version: prunes it and fills in defaults. Returns the
/// findings of strict validation.
///
/// # Errors
/// Values that do not decode to the type.
pub(crate) fn shape(served: &Served, object: &mut Value) -> Result<Vec<String>, String> {
    let unknown = prune(served, object)?;
    if let Some(schema) = &served.version().schema {
        apply_defaults(schema, object);
    }
    Ok(unknown_fields(unknown))
}

/// What strict validation says of unknown fields.
pub(super) fn unknown_fields(paths: impl IntoIterator<Item = String>) -> Vec<String> {
    let paths = paths.into_iter();
    paths
        .map(|path| format!("unknown field \"{path}\""))
        .collect()
}

/// Removes unknown fields; returns their paths.
///
/// # Errors
/// Values that do not decode to the type.
pub(crate) fn prune(served: &Served, object: &mut Value) -> Result<Vec<String>, String> {
    let resource = &served.resource;
    if !resource.is_custom() {
        let type_name = types::type_name(&resource.group, &served.version().name, &resource.kind);
        return types::normal::normalise(&type_name, object);
    }
    object::round_integers(object);
    let mut unknown = crate::metadata::normalise(object)?;
    if let Some(schema) = &served.version().schema {
        if let Some(why) = schema.embedded_error(object) {
            return Err(why);
        }
        unknown.extend(schema.prune(object));
    }
    Ok(unknown)
}

/// Applies the field-validation policy to findings: an error if strict, warnings by default.
///
/// # Errors
/// 400 if the policy is strict and there are findings.
pub(crate) fn enforce(
    call: &Call,
    validation: FieldValidation,
    faults: Vec<String>,
) -> Result<(), ApiError> {
    enforce_as(call, validation, faults, |why| {
        undecodable(&call.served, &why)
    })
}

/// As [`enforce`], with an error of the caller's.
///
/// # Errors
/// That error if the policy is strict and there are findings.
pub(super) fn enforce_as(
    call: &Call,
    validation: FieldValidation,
    faults: Vec<String>,
    refuse: impl FnOnce(String) -> ApiError,
) -> Result<(), ApiError> {
    match validation {
        _ if faults.is_empty() => Ok(()),
        FieldValidation::Ignore => Ok(()),
        FieldValidation::Warn => {
            call.requester.warnings.extend(faults);
            Ok(())
        }
        FieldValidation::Strict => Err(refuse(format!(
            "strict decoding error: {}",
            faults.join(", ")
        ))),
    }
}
