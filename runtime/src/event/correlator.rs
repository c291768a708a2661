//! Decides which events are written: aggregation, and the spam filter.

use std::collections::HashSet;
use std::time::Duration;

use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::api::events::v1::Event;
use tokio::time::Instant;

use super::recorder::{MAX_NOTE, cut};
use crate::lru::Lru;
use crate::workqueue::BucketRateLimiter;

/// client-go's values.
const CACHE: usize = 4096;
const SIMILAR: usize = 10;
const SIMILAR_WINDOW: Duration = Duration::from_secs(600);
const BURST: u32 = 25;
const SECONDS_PER_EVENT: f64 = 300.0;

const COMBINED: &str = "(combined from similar events): ";

/// The identity of an event.
pub(super) type Key = String;

#[derive(Debug)]
struct Similar {
    notes: HashSet<String>,
    last: Instant,
}

/// Checks every event before it is written.
#[derive(Debug)]
pub(super) struct Correlator {
    similar: Lru<Key, Similar>,
    buckets: Lru<Key, BucketRateLimiter>,
}

impl Correlator {
    pub(super) fn new() -> Self {
        Self {
            similar: Lru::new(CACHE),
            buckets: Lru::new(CACHE),
        }
    }

    /// Aggregates `event` with similar ones if there are many. Returns its key, or `None` if its
    /// source and object have exceeded their quota.
    pub(super) fn admit(&mut self, event: &mut Event) -> Option<Key> {
        let key = self.combine(event);
        let source = source_key(event);
        let bucket = self.buckets.get_or_insert_with(&source, || {
            BucketRateLimiter::new(1.0 / SECONDS_PER_EVENT, BURST)
        });
        bucket.try_take().then_some(key)
    }

    fn combine(&mut self, event: &mut Event) -> Key {
        let now = Instant::now();
        let key = similar_key(event);
        let similar = self.similar.get_or_insert_with(&key, || Similar {
            notes: HashSet::new(),
            last: now,
        });
        if now - similar.last > SIMILAR_WINDOW {
            similar.notes.clear();
        }
        similar.last = now;
        let note = event.note.clone().unwrap_or_default();
        if similar.notes.len() < SIMILAR {
            similar.notes.insert(note.clone());
        }
        if similar.notes.len() < SIMILAR {
            return join(&[&key, &note]);
        }
        event.note = Some(cut(format!("{COMBINED}{note}"), MAX_NOTE));
        key
    }
}

fn join(parts: &[&str]) -> Key {
    parts.join("\u{1f}")
}

fn text(part: &Option<String>) -> &str {
    part.as_deref().unwrap_or_default()
}

fn object_key(reference: &Option<ObjectReference>) -> Key {
    let Some(it) = reference else {
        return Key::new();
    };
    let parts = [
        &it.api_version,
        &it.kind,
        &it.namespace,
        &it.name,
        &it.uid,
        &it.field_path,
    ];
    join(&parts.map(text))
}

/// Returns the key of the event's source and object.
fn source_key(event: &Event) -> Key {
    join(&[
        text(&event.reporting_controller),
        text(&event.reporting_instance),
        &object_key(&event.regarding),
    ])
}

/// Returns the key of all fields but the note.
fn similar_key(event: &Event) -> Key {
    let related = object_key(&event.related);
    join(&[
        &source_key(event),
        &related,
        text(&event.type_),
        text(&event.reason),
        text(&event.action),
    ])
}
