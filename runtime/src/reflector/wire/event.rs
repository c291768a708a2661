//! Decodes one line of a watch.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Error;
use kube::core::Status;
use serde::Deserialize;
use serde::de::{DeserializeOwned, Error as _, IgnoredAny};
use serde_json::value::RawValue;

use super::filter::Rules;
use crate::client::{no_event, split_event};
use crate::reflector::error::Undecodable;
use crate::reflector::source::{Listed, WatchItem};
use crate::store::ObjectKey;

/// The annotation of the bookmark that closes the initial events of a streamed list.
pub(crate) const INITIAL_EVENTS_END: &str = "k8s.io/initial-events-end";

/// An object of which only the metadata is decoded.
#[derive(Deserialize)]
struct MetadataOnly {
    #[serde(default)]
    metadata: ObjectMeta,
}

/// Decodes one line of a watch. An `ERROR` event becomes the error that it contains, and so does a
/// status in place of an event.
///
/// # Errors
///
/// The server's, or [`Error::SerdeError`] for a line that is not an event: which object it is about
/// is unknown, so only a list shows the current state. client-go ends such a watch, too.
pub(crate) fn decode_event<K: DeserializeOwned + kube::Resource>(
    line: &[u8],
    rules: &Rules,
) -> Result<WatchItem<K>, Error> {
    let (kind, object) = split_event(line).map_err(|error| no_event(line, error))?;
    match kind {
        b"ADDED" => decode_object(object, rules, false, WatchItem::Added),
        b"MODIFIED" => decode_object(object, rules, false, WatchItem::Modified),
        b"DELETED" => decode_object(object, rules, true, WatchItem::Deleted),
        b"BOOKMARK" => {
            let MetadataOnly { metadata } =
                serde_json::from_slice(object).map_err(Error::SerdeError)?;
            let annotations = metadata.annotations.unwrap_or_default();
            Ok(WatchItem::Bookmark {
                resource_version: metadata.resource_version.unwrap_or_default(),
                initial_events_end: annotations
                    .get(INITIAL_EVENTS_END)
                    .is_some_and(|value| value == "true"),
            })
        }
        b"ERROR" => {
            let status: Status = serde_json::from_slice(object).map_err(Error::SerdeError)?;
            Err(Error::Api(status.boxed()))
        }
        other => Ok(WatchItem::Undecodable {
            deleted: false,
            object: undecodable(
                object,
                serde_json::Error::custom(format_args!(
                    "unknown event type {:?}",
                    String::from_utf8_lossy(other)
                )),
            )?,
        }),
    }
}

/// Decodes one object of a list.
///
/// # Errors
///
/// [`Error::SerdeError`], if the item is not JSON: an object without a known key could not be kept.
pub(crate) fn decode_listed<K: DeserializeOwned>(
    json: &[u8],
    rules: &Rules,
) -> Result<Listed<K>, Error> {
    match rules.decode(json) {
        Ok(object) => Ok(Listed::Object(object)),
        Err(error) => Ok(Listed::Undecodable(undecodable(json, error)?)),
    }
}

fn decode_object<K: DeserializeOwned + kube::Resource>(
    json: &[u8],
    rules: &Rules,
    deleted: bool,
    event: impl FnOnce(K) -> WatchItem<K>,
) -> Result<WatchItem<K>, Error> {
    match rules.decode::<K>(json) {
        Ok(object) => Ok(event(object)),
        Err(error) => Ok(WatchItem::Undecodable {
            deleted,
            object: undecodable(json, error)?,
        }),
    }
}

/// Describes an object that does not decode because of `error`; its metadata may still be readable.
/// Fails if it is not JSON.
fn undecodable(json: &[u8], error: serde_json::Error) -> Result<Undecodable, Error> {
    if serde_json::from_slice::<IgnoredAny>(json).is_err() {
        return Err(Error::SerdeError(error));
    }
    let metadata = field(json, "metadata");
    let text = |name: &str| {
        let value = field(metadata?.get().as_bytes(), name)?;
        let text: Option<String> = serde_json::from_str(value.get()).ok();
        text.filter(|text| !text.is_empty())
    };
    Ok(Undecodable {
        key: text("name").map(|name| ObjectKey::new(text("namespace").as_deref(), &name)),
        resource_version: text("resourceVersion"),
        reason: error.to_string(),
    })
}

/// Returns one field of an object, whatever the others contain: what makes an object undecodable
/// may stand next to its name.
fn field<'a>(json: &'a [u8], name: &str) -> Option<&'a RawValue> {
    let mut fields: BTreeMap<String, &RawValue> = serde_json::from_slice(json).ok()?;
    fields.remove(name)
}
