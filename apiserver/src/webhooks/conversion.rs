//! Conversion webhooks of custom resources
//! (`k8s.io/apiextensions-apiserver/pkg/apiserver/conversion`).

use std::time::Duration;

use serde_json::{Value, json};

use super::reach::Backends;
use crate::metadata::object::{self, text};

/// The timeout of conversion webhooks.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Converts objects to another version in one review. `of` names the kind in messages.
///
/// # Errors
/// If the call fails or the answer is invalid, with kube-apiserver's messages.
pub(crate) async fn convert(
    backends: &Backends,
    host: Option<&str>,
    webhook: &Value,
    of: &str,
    objects: Vec<Value>,
    to: &str,
) -> Result<Vec<Value>, String> {
    let versions = webhook["conversionReviewVersions"]
        .as_array()
        .into_iter()
        .flatten();
    let mut known = versions.filter_map(|v| v.as_str().filter(|v| matches!(*v, "v1" | "v1beta1")));
    let version = known
        .next()
        .ok_or("no supported conversion review versions")?;
    let uid = object::new_uid();
    let api_version = format!("apiextensions.k8s.io/{version}");
    let review = json!({"kind": "ConversionReview", "apiVersion": api_version,
        "request": {"uid": uid, "desiredAPIVersion": to, "objects": objects}});
    let failed = |why: String| format!("conversion webhook for {of} failed: {why}");
    let answer = backends
        .post(&webhook["clientConfig"], host, TIMEOUT, &review)
        .await
        .map_err(failed)?;
    let converted = read_answer(version, &uid, answer).map_err(failed)?;
    if converted.len() != objects.len() {
        return Err(format!(
            "conversion webhook for {of} returned {} objects, expected {}",
            converted.len(),
            objects.len()
        ));
    }
    let is_one = objects.len() == 1;
    let pairs = objects.iter().zip(converted).enumerate();
    let checked = pairs.map(|(index, (sent, converted))| {
        check(sent, converted, to).map_err(|(what, why)| match what {
            // kube-apiserver checks a single object directly, and a list by its items.
            "" if is_one => format!("conversion webhook for {of} returned invalid object: {why}"),
            "metadata" if is_one => format!("conversion webhook for {of} returned invalid metadata: {why}"),
            "type" if is_one => format!("conversion webhook for {of} returned invalid object at index 0: {why}"),
            "metadata" => format!("conversion webhook for {of} returned invalid metadata in object at index {index}: {why}"),
            _ => format!("conversion webhook for {of} returned invalid converted object at index {index}: {why}"),
        })
    });
    checked.collect()
}

fn read_answer(version: &str, uid: &str, mut review: Value) -> Result<Vec<Value>, String> {
    let (api_version, kind) = (text(&review, &["apiVersion"]), text(&review, &["kind"]));
    if version == "v1" && (api_version, kind) != ("apiextensions.k8s.io/v1", "ConversionReview") {
        return Err(format!(
            "expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got {api_version}, Kind={kind}"
        ));
    }
    let mut response = review["response"].take();
    if !response.is_object() {
        return Err("no response provided".to_owned());
    }
    let given = text(&response, &["uid"]);
    if version == "v1" && given != uid {
        return Err(format!("expected response.uid={uid:?}, got {given:?}"));
    }
    let (status, message) = (
        text(&response, &["result", "status"]),
        text(&response, &["result", "message"]),
    );
    match (status, message) {
        ("Success", _) => {}
        (_, "") => {
            return Err(format!(
                "response.result.status was '{status}', not 'Success'"
            ));
        }
        (_, message) => return Err(message.to_owned()),
    }
    match response["convertedObjects"].take() {
        Value::Array(objects) => Ok(objects),
        _ => Ok(Vec::new()),
    }
}

/// A field of an object, and why it is refused.
type Fault = (&'static str, String);

/// Checks that an object is the one that was sent, and restores its metadata.
fn check(sent: &Value, mut converted: Value, to: &str) -> Result<Value, Fault> {
    check_identity(sent, &converted, to)?;
    let Some(given) = converted.get("metadata") else {
        let why = "missing metadata in converted object".to_owned();
        return Err(("metadata", why));
    };
    let metadata = restored(&sent["metadata"], given)?;
    object::fields(&mut converted).insert("metadata".to_owned(), metadata);
    Ok(converted)
}

/// Checks that an object has the requested version, and is otherwise the one that was sent.
fn check_identity(sent: &Value, converted: &Value, to: &str) -> Result<(), Fault> {
    let group_version = |text: &str| match text.contains('/') {
        true => text.to_owned(),
        false => format!("/{text}"),
    };
    let given = text(converted, &["apiVersion"]);
    if given != to {
        let why = format!(
            "invalid groupVersion (expected {}, received {})",
            group_version(to),
            group_version(given).trim_end_matches('/')
        );
        return Err(("type", why));
    }
    let (expected, found) = (text(sent, &["kind"]), text(converted, &["kind"]));
    if expected != found {
        return Err((
            "type",
            format!("invalid kind (expected {expected}, received {found})"),
        ));
    }
    for (field, what) in [("name", "name"), ("namespace", "namespace"), ("uid", "UID")] {
        let (expected, found) = (
            text(sent, &["metadata", field]),
            text(converted, &["metadata", field]),
        );
        if expected != found {
            return Err((
                "",
                format!("must have the same {what}: {expected} != {found}"),
            ));
        }
    }
    Ok(())
}

/// Returns the metadata that was sent, with the labels and annotations of the converted object.
fn restored(sent: &Value, given: &Value) -> Result<Value, Fault> {
    let mut metadata = sent.clone();
    for field in ["labels", "annotations"] {
        let texts = match &given[field] {
            Value::Null => None,
            Value::Object(map) => Some(map),
            _ => {
                return Err((
                    "metadata",
                    format!("invalid metadata.{field} in converted object"),
                ));
            }
        };
        if let Some((key, _)) =
            texts.and_then(|map| map.iter().find(|(_, value)| !value.is_string()))
        {
            let why = format!("metadata.{field}[{key}] must be a string in converted object");
            return Err(("metadata", why));
        }
        let fields = object::fields(&mut metadata);
        match texts {
            Some(map) => fields.insert(field.to_owned(), Value::Object(map.clone())),
            None => fields.remove(field),
        };
    }
    Ok(metadata)
}
