//! Encodes watch events as lines of JSON.

use std::sync::Arc;

use bytes::{Buf, Bytes, BytesMut};
use serde_json::{Value, json};

use crate::http::negotiate::{Accepted, MetaVersion, View};
use crate::metadata::Ordered;
use crate::metadata::object::partial;
use crate::registry::Served;
use crate::rest::list::append_typed;
use crate::status::ApiError;
use crate::store::{Event, Stored};
use crate::table::{self, Header, Include};

/// An encoded event.
pub(super) enum Line {
    Whole(Bytes),
    /// The parts of a large event, in order: the object is not copied, so that many watchers share
    /// it.
    Parts([Bytes; 3]),
}

/// The size from which on an object is not copied, in bytes.
const LARGE: usize = 64 * 1024;

/// Encodes events in the representation that the client accepts.
pub(super) struct Encoder {
    pub(super) served: Served,
    view: View,
    meta: MetaVersion,
    include: Include,
    prefix: String,
    /// Whether no event was encoded yet: only the first Table has column definitions.
    first: bool,
}

impl Encoder {
    pub(super) fn new(served: Served, accepted: Accepted, include: Include) -> Self {
        Self {
            prefix: served.type_prefix(),
            served,
            view: accepted.view,
            meta: accepted.meta,
            include,
            first: true,
        }
    }

    /// Encodes a live event. All watchers with the most common form share one encoding.
    pub(super) fn shared(&mut self, event: &Event) -> Line {
        let usual = self.view == View::Whole && self.served.reads_as_stored(&event.object);
        if !usual || event.object.body.len() >= LARGE {
            return self.line(event.kind.name(), &event.object);
        }
        let line = event
            .line
            .get_or_init(|| whole_line(event.kind.name(), &self.prefix, &event.object.body));
        Line::Whole(line.clone())
    }

    /// Encodes an event of the specified type.
    pub(super) fn line(&mut self, kind: &str, object: &Arc<Stored>) -> Line {
        if self.view == View::Whole {
            let body = self.served.body(object);
            return match body.len() {
                LARGE.. => Line::Parts(parts(kind, &self.prefix, body)),
                _ => Line::Whole(whole_line(kind, &self.prefix, &body)),
            };
        }
        let object = self.served.decode(object);
        let mut shown = match self.view {
            View::Metadata | View::MetadataList => partial(&object),
            _ => self.table(&object),
        };
        self.meta.convert(&mut shown);
        Line::Whole(value_line(kind, &shown))
    }

    fn table(&mut self, object: &Value) -> Value {
        let metadata = json!({"resourceVersion": object["metadata"]["resourceVersion"]});
        let header = match std::mem::take(&mut self.first) {
            true => Header::Shown,
            false => Header::Omitted,
        };
        table::document(
            self.served.layout(),
            std::slice::from_ref(object),
            self.include,
            metadata,
            header,
        )
    }

    /// Encodes a bookmark.
    pub(super) fn bookmark(&mut self, revision: u64) -> Bytes {
        self.encode_bookmark(json!({"resourceVersion": revision.to_string()}))
    }

    /// Encodes the annotated bookmark that marks the end of the initial events.
    pub(super) fn initial_events_end(&mut self, revision: u64) -> Bytes {
        self.encode_bookmark(json!({
            "resourceVersion": revision.to_string(),
            "annotations": {"k8s.io/initial-events-end": "true"},
        }))
    }

    fn encode_bookmark(&mut self, metadata: Value) -> Bytes {
        let (kind, api_version) = match self.view {
            View::Metadata | View::MetadataList => (
                "PartialObjectMetadata".to_owned(),
                "meta.k8s.io/v1".to_owned(),
            ),
            _ => (self.served.resource.kind.clone(), self.served.api_version()),
        };
        let mut object = json!({"kind": kind, "apiVersion": api_version, "metadata": metadata});
        if self.view == View::Table {
            // As any object: the annotation is in the row.
            let mut shown = self.table(&object);
            self.meta.convert(&mut shown);
            return value_line("BOOKMARK", &shown);
        }
        self.meta.convert(&mut object);
        value_line("BOOKMARK", &object)
    }
}

/// Encodes an `ERROR` event.
pub(super) fn error_line(error: &ApiError) -> Bytes {
    value_line("ERROR", &error.to_status())
}

fn whole_line(kind: &str, prefix: &str, body: &[u8]) -> Bytes {
    let mut line = BytesMut::with_capacity(body.len() + prefix.len() + 40);
    line.extend_from_slice(b"{\"type\":\"");
    line.extend_from_slice(kind.as_bytes());
    line.extend_from_slice(b"\",\"object\":");
    append_typed(&mut line, prefix, body);
    line.extend_from_slice(b"}\n");
    line.freeze()
}

fn parts(kind: &str, prefix: &str, mut body: Bytes) -> [Bytes; 3] {
    let head = format!("{{\"type\":\"{kind}\",\"object\":{{{prefix},");
    // The opening brace is in the head.
    body.advance(1);
    [head.into(), body, Bytes::from_static(b"}\n")]
}

fn value_line(kind: &str, object: &Value) -> Bytes {
    let mut line = format!("{{\"type\":\"{kind}\",\"object\":").into_bytes();
    line.extend(serde_json::to_vec(&Ordered(object)).unwrap_or_default());
    line.extend_from_slice(b"}\n");
    line.into()
}
