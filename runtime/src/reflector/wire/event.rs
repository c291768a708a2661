//! Decodes one line of a watch.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Error;
use kube::core::Status;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::filter::Rules;
use crate::reflector::error::Undecodable;
use crate::reflector::source::{Listed, WatchItem};
use crate::store::ObjectKey;

/// The annotation of the bookmark that closes the initial events of a streamed list.
pub(crate) const INITIAL_EVENTS_END: &str = "k8s.io/initial-events-end";

/// A line whose object is left undecoded.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(rename = "type", borrow)]
    kind: &'a str,
    #[serde(borrow)]
    object: &'a RawValue,
}

/// An object of which only the metadata is decoded.
#[derive(Deserialize)]
struct MetadataOnly {
    #[serde(default)]
    metadata: ObjectMeta,
}

/// Decodes one line of a watch. An `ERROR` event becomes the error that it contains.
pub(crate) fn decode_event<K: DeserializeOwned + kube::Resource>(
    line: &[u8],
    rules: &Rules,
) -> Result<WatchItem<K>, Error> {
    let (kind, object) = match split_plain(line) {
        Some(parts) => parts,
        None => {
            let envelope: Envelope<'_> = serde_json::from_slice(line).map_err(Error::SerdeError)?;
            (envelope.kind.as_bytes(), envelope.object.get().as_bytes())
        }
    };
    match kind {
        b"ADDED" => Ok(decode_object(object, rules, false, WatchItem::Added)),
        b"MODIFIED" => Ok(decode_object(object, rules, false, WatchItem::Modified)),
        b"DELETED" => Ok(decode_object(object, rules, true, WatchItem::Deleted)),
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
                format!("unknown event type {:?}", String::from_utf8_lossy(other)),
            ),
        }),
    }
}

/// Decodes one object of a list.
pub(crate) fn decode_listed<K: DeserializeOwned>(json: &[u8], rules: &Rules) -> Listed<K> {
    match rules.decode(json) {
        Ok(object) => Listed::Object(object),
        Err(error) => Listed::Undecodable(undecodable(json, error.to_string())),
    }
}

fn decode_object<K: DeserializeOwned + kube::Resource>(
    json: &[u8],
    rules: &Rules,
    deleted: bool,
    event: impl FnOnce(K) -> WatchItem<K>,
) -> WatchItem<K> {
    match rules.decode::<K>(json) {
        Ok(object) => event(object),
        Err(error) => WatchItem::Undecodable {
            deleted,
            object: undecodable(json, error.to_string()),
        },
    }
}

/// Describes an object that does not decode; its metadata may still be readable.
fn undecodable(json: &[u8], reason: String) -> Undecodable {
    let metadata = serde_json::from_slice::<MetadataOnly>(json)
        .ok()
        .map(|object| object.metadata);
    let key = metadata.as_ref().and_then(|metadata| {
        let name = metadata.name.as_deref().filter(|name| !name.is_empty())?;
        Some(ObjectKey::new(metadata.namespace.as_deref(), name))
    });
    Undecodable {
        key,
        resource_version: metadata.and_then(|metadata| metadata.resource_version),
        reason,
    }
}

/// Splits a line in the form that every API server writes, to avoid parsing the object twice.
fn split_plain(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = line.strip_prefix(b"{\"type\":\"")?;
    let end = rest.iter().position(|byte| *byte == b'"')?;
    let (kind, rest) = rest.split_at_checked(end)?;
    let object = rest
        .strip_prefix(b"\",\"object\":")?
        .trim_ascii_end()
        .strip_suffix(b"}")?;
    Some((kind, object))
}
