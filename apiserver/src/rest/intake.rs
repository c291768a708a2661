//! From a body to an object: decoding, the type it must have, unknown fields, defaults.

use serde_json::Value;

use super::Call;
use super::options::FieldValidation;
use crate::http::{decode, negotiate};
use crate::object::{self, text};
use crate::registry::Served;
use crate::status::ApiError;

/// An object as it came in, with what strict validation minds about it.
#[derive(Debug)]
pub(crate) struct Incoming {
    pub(crate) object: Value,
    pub(crate) faults: Vec<String>,
}

/// Decodes the body of a create or update into an object of the endpoint's type, without unknown fields.
///
/// # Errors
/// 415 for other encodings, 400 for what does not decode to the type.
pub(crate) fn decode_object(call: &Call) -> Result<Incoming, ApiError> {
    let encoding = negotiate::body_encoding(call.content_type.as_deref())?;
    let kind = &call.served.resource.kind;
    let decoded = decode::decode(&call.body, encoding).map_err(|why| {
        ApiError::bad_request(format!(
            "the object provided is unrecognized (must be of type {kind}): couldn't get version/kind; json parse error: {why} ({})",
            summary(&call.body)
        ))
    })?;
    if !decoded.value.is_object() {
        return Err(ApiError::bad_request(format!(
            "the object provided is unrecognized (must be of type {kind}): couldn't get version/kind; json parse error: \
json: cannot unmarshal {} into Go value of type struct {{ APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; \
Kind string \"json:\\\"kind,omitempty\\\"\" }} ({})",
            go_type(&decoded.value),
            summary(&call.body)
        )));
    }
    let mut object = decoded.value;
    check_type(&call.served, &mut object)?;
    let mut faults: Vec<String> = decoded
        .duplicates
        .iter()
        .map(|path| format!("duplicate field \"{path}\""))
        .collect();
    faults.extend(shape(&call.served, &mut object)?);
    Ok(Incoming { object, faults })
}

/// How much of a broken body an error shows.
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

fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Checks `apiVersion` and `kind` against the endpoint; absent ones are filled in.
fn check_type(served: &Served, object: &mut Value) -> Result<(), ApiError> {
    let api_version = served.api_version();
    let kind = served.resource.kind.clone();
    let (given_version, given_kind) = (text(object, &["apiVersion"]), text(object, &["kind"]));
    if served.resource.is_custom() && given_kind.is_empty() {
        return Err(ApiError::bad_request(format!(
            "the object provided is unrecognized (must be of type {kind}): Object 'Kind' is missing in '{}'",
            short_json(object)
        )));
    }
    if !given_kind.is_empty() && given_kind != kind {
        let version = given_version.rsplit('/').next().unwrap_or_default();
        return Err(ApiError::bad_request(format!(
            "{given_kind} in version \"{version}\" cannot be handled as a {kind}: converting ({given_version}, Kind={given_kind}) to ({api_version}, Kind={kind}): unknown conversion"
        )));
    }
    if !given_version.is_empty() && given_version != api_version {
        return Err(ApiError::bad_request(format!(
            "the API version in the data ({given_version}) does not match the expected API version ({api_version})"
        )));
    }
    let fields = object::fields(object);
    fields.insert("apiVersion".into(), Value::String(api_version));
    fields.insert("kind".into(), Value::String(kind));
    Ok(())
}

fn short_json(object: &Value) -> String {
    let text = object.to_string();
    text.chars().take(200).collect()
}

/// Brings an object into the form of its version: prunes and fills in defaults. Gives what strict validation minds.
///
/// # Errors
/// 400 for metadata that does not decode.
pub(crate) fn shape(served: &Served, object: &mut Value) -> Result<Vec<String>, ApiError> {
    let faults = prune(served, object)?;
    if let Some(schema) = &served.version().schema {
        schema.apply_defaults(object);
    }
    Ok(faults)
}

/// Removes unknown fields. Gives what strict validation minds.
///
/// # Errors
/// 400 for metadata that does not decode.
pub(crate) fn prune(served: &Served, object: &mut Value) -> Result<Vec<String>, ApiError> {
    let mut faults = crate::metadata::normalise(&served.resource.kind, object)?;
    if let Some(schema) = &served.version().schema {
        let unknown = schema.prune(object);
        faults.extend(
            unknown
                .into_iter()
                .map(|path| format!("unknown field \"{path}\"")),
        );
    }
    Ok(faults)
}

/// Applies the field-validation policy: an error when strict, warnings by default.
///
/// # Errors
/// 400 when strict and there are faults.
pub(crate) fn enforce(
    served: &Served,
    validation: FieldValidation,
    faults: Vec<String>,
) -> Result<Vec<String>, ApiError> {
    match validation {
        _ if faults.is_empty() => Ok(Vec::new()),
        FieldValidation::Ignore => Ok(Vec::new()),
        FieldValidation::Warn => Ok(faults),
        FieldValidation::Strict => {
            let kind = &served.resource.kind;
            let version = &served.version().name;
            Err(ApiError::bad_request(format!(
                "{kind} in version \"{version}\" cannot be handled as a {kind}: strict decoding error: {}",
                faults.join(", ")
            )))
        }
    }
}

/// Translates an object of a version to the stored form.
pub(crate) fn to_stored(served: &Served, object: Value) -> Value {
    match served.version().conversion {
        Some(conversion) => (conversion.to_stored)(object),
        None => object,
    }
}
