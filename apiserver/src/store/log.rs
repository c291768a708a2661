//! The bounded log of changes.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use super::ResourceId;
use super::stored::Stored;

/// How an object changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventKind {
    Added,
    Modified,
    Deleted,
}

impl EventKind {
    /// Returns the `type` of the watch event.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
        }
    }
}

/// One change.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) resource: ResourceId,
    pub(crate) kind: EventKind,
    /// The object after the change. For a deletion: its last state, with the revision of the
    /// deletion.
    pub(crate) object: Arc<Stored>,
    /// The object before the change.
    pub(crate) previous: Option<Arc<Stored>>,
    /// The encoded watch line in the most common form (storage version, JSON), shared by all
    /// watchers.
    pub(crate) line: OnceLock<Bytes>,
}

impl Event {
    pub(super) fn new(
        resource: ResourceId,
        kind: EventKind,
        object: Arc<Stored>,
        previous: Option<Arc<Stored>>,
    ) -> Self {
        Self {
            resource,
            kind,
            object,
            previous,
            line: OnceLock::new(),
        }
    }

    fn size(&self) -> usize {
        self.object.body.len() + self.previous.as_ref().map_or(0, |p| p.body.len())
    }
}

/// The newest events, oldest first, limited in number and in bytes.
pub(super) struct Log {
    events: VecDeque<Arc<Event>>,
    bytes: usize,
    max_events: usize,
    max_bytes: usize,
}

impl Log {
    pub(super) fn new(max_events: usize, max_bytes: usize) -> Self {
        Self {
            events: VecDeque::new(),
            bytes: 0,
            max_events,
            max_bytes,
        }
    }

    /// Appends an event; returns the events evicted to make room.
    pub(super) fn push(&mut self, event: Arc<Event>) -> Vec<Arc<Event>> {
        self.bytes += event.size();
        self.events.push_back(event);
        let mut dropped = Vec::new();
        while self.events.len() > self.max_events || self.bytes > self.max_bytes {
            let Some(oldest) = self.events.pop_front() else {
                break;
            };
            self.bytes -= oldest.size();
            dropped.push(oldest);
        }
        dropped
    }

    /// Returns the events after a revision, oldest first.
    pub(super) fn after(
        &self,
        revision: u64,
    ) -> impl DoubleEndedIterator<Item = &Arc<Event>> + use<'_> {
        let start = self
            .events
            .partition_point(|event| event.object.revision <= revision);
        self.events.range(start..)
    }
}
