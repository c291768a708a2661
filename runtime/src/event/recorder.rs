//! Records events.

use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::{BuildHasher, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;
use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::api::events::v1::Event;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use kube::Resource;
use kube::core::ObjectMeta;
use rand::RngExt;
use tokio::sync::mpsc;

use crate::metrics::{EventMetrics, EventOutcome};
use crate::traces::{self, TRACE_ID};

/// The API server's limits, in bytes.
pub(super) const MAX_NOTE: usize = 1024;
const MAX_WORD: usize = 128;
/// The length to which the object's name is cut, so that the event's name fits into 253 with its
/// suffix.
const MAX_NAME: usize = 200;

/// The reporter of events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reporter {
    /// The controller's name, such as `example.com/machine-controller`.
    pub controller: String,
    /// The name of the process: a pod's name.
    pub instance: String,
}

impl Reporter {
    /// Creates the reporter `controller` in the process `instance`.
    pub fn new(controller: impl Into<String>, instance: impl Into<String>) -> Self {
        Self {
            controller: controller.into(),
            instance: instance.into(),
        }
    }
}

/// Whether an event is as expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EventType {
    /// Something happened that should.
    Normal,
    /// Something needs attention.
    Warning,
}

impl EventType {
    /// Returns the value of the event's `type`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Normal => "Normal",
            Self::Warning => "Warning",
        }
    }
}

/// An event to record. Strings longer than the API server allows (reason and action 128 bytes, note
/// 1,024) are truncated.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEvent {
    /// Normal or warning.
    pub event_type: EventType,
    /// The reason, one word in UpperCamelCase: `FailedCreate`.
    pub reason: String,
    /// The action taken, one word in UpperCamelCase: `Create`. The API server requires it.
    pub action: String,
    /// The human-readable message.
    pub note: String,
    /// A related object.
    pub related: Option<ObjectReference>,
}

/// Records events about objects. Clones share a queue. No method waits or fails: events that cannot
/// be queued are counted.
#[derive(Clone)]
pub struct EventRecorder {
    reporter: Reporter,
    queue: mpsc::Sender<Box<Event>>,
    metrics: EventMetrics,
}

impl EventRecorder {
    pub(crate) fn new(
        reporter: Reporter,
        queue: mpsc::Sender<Box<Event>>,
        metrics: EventMetrics,
    ) -> Self {
        Self {
            reporter,
            queue,
            metrics,
        }
    }

    /// Records an event of type `Normal` about `object`.
    pub fn normal<K>(&self, object: &K, reason: &str, action: &str, note: impl Into<String>)
    where
        K: Resource,
        K::DynamicType: Default,
    {
        self.note(object, EventType::Normal, reason, action, note.into());
    }

    /// Records an event of type `Warning` about `object`.
    pub fn warning<K>(&self, object: &K, reason: &str, action: &str, note: impl Into<String>)
    where
        K: Resource,
        K::DynamicType: Default,
    {
        self.note(object, EventType::Warning, reason, action, note.into());
    }

    fn note<K>(&self, object: &K, event_type: EventType, reason: &str, action: &str, note: String)
    where
        K: Resource,
        K::DynamicType: Default,
    {
        let (reason, action) = (reason.to_owned(), action.to_owned());
        let event = NewEvent {
            event_type,
            reason,
            action,
            note,
            related: None,
        };
        self.record(object.object_ref(&K::DynamicType::default()), event);
    }

    /// Records `event` about the object of `regarding`.
    pub fn record(&self, regarding: ObjectReference, event: NewEvent) {
        let event = build(&self.reporter, regarding, event);
        if self.queue.try_send(Box::new(event)).is_err() {
            self.metrics.count(EventOutcome::Dropped);
            tracing::debug!("event dropped: the queue is full, or the broadcaster has ended");
        }
    }
}

impl fmt::Debug for EventRecorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventRecorder")
            .field("reporter", &self.reporter)
            .finish_non_exhaustive()
    }
}

fn build(reporter: &Reporter, regarding: ObjectReference, event: NewEvent) -> Event {
    let now = Timestamp::now();
    let name = event_name(regarding.name.as_deref().unwrap_or_default(), unique(now));
    // As in Go, events of cluster-scoped objects are in "default".
    let namespace = regarding
        .namespace
        .clone()
        .filter(|namespace| !namespace.is_empty());
    let metadata = ObjectMeta {
        name: Some(name),
        namespace: Some(namespace.unwrap_or_else(|| "default".to_owned())),
        annotations: traces::current().map(|id| [(TRACE_ID.to_owned(), id.to_string())].into()),
        ..ObjectMeta::default()
    };
    Event {
        metadata,
        event_time: Some(MicroTime(now)),
        type_: Some(event.event_type.as_str().to_owned()),
        reason: Some(cut(event.reason, MAX_WORD)),
        action: Some(cut(event.action, MAX_WORD)),
        note: Some(cut(event.note, MAX_NOTE)),
        regarding: Some(regarding),
        related: event.related,
        reporting_controller: Some(reporter.controller.clone()),
        reporting_instance: Some(cut(reporter.instance.clone(), MAX_WORD)),
        ..Event::default()
    }
}

/// Returns a number that is unique among this object's events: nanoseconds, with a hash of a
/// counter in the low bits.
fn unique(now: Timestamp) -> u64 {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u64(count);
    (u64::try_from(now.as_nanosecond()).unwrap_or(0) & !0xfff) | (hasher.finish() & 0xfff)
}

/// Returns the name of an event about `object`. Not every object's name is valid in it: roles have
/// names such as `system:node`.
fn event_name(object: &str, unique: u64) -> String {
    let name = format!("{}.{unique:x}", cut(object.to_owned(), MAX_NAME));
    if kube_names::is_subdomain(&name) {
        name
    } else {
        format!("{:016x}.{unique:x}", rand::rng().random::<u64>())
    }
}

/// Truncates `text` to at most `max` bytes, the unit of the API server's limits, at a character
/// boundary.
pub(super) fn cut(mut text: String, max: usize) -> String {
    let end = (0..=max.min(text.len()))
        .rev()
        .find(|end| text.is_char_boundary(*end))
        .unwrap_or(0);
    text.truncate(end);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!(cut("héllo".to_owned(), 2), "h");
        assert_eq!(cut("héllo".to_owned(), 3), "hé");
        assert_eq!(cut("short".to_owned(), 100), "short");
    }
}
