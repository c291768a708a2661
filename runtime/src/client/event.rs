//! One event of a watch, whose object is left undecoded.

use serde::Deserialize;
use serde_json::value::RawValue;

/// An event as kube-apiserver sends it: `{"type":"ADDED","object":{…}}`.
///
/// kube's `WatchEvent` buffers an object that precedes its type, which compiles the types of a kind once more.
#[derive(Deserialize)]
struct RawEvent<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(borrow)]
    object: &'a RawValue,
}

/// Splits a line of a watch into the event's type, such as `ADDED`, and the object's JSON.
///
/// # Errors
///
/// The line is not an event.
pub(crate) fn split_event(line: &[u8]) -> serde_json::Result<(&[u8], &[u8])> {
    if let Some(parts) = split_plain(line) {
        return Ok(parts);
    }
    let event: RawEvent<'_> = serde_json::from_slice(line)?;
    Ok((event.kind.as_bytes(), event.object.get().as_bytes()))
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
