//! A watcher: its cursor and its stream of lines.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures::Stream;
use tokio::sync::watch::Receiver;
use tokio::time::Instant;

use super::encode::{Encoder, Line, error_line};
use crate::BoxError;
use crate::core::Core;
use crate::metadata::object;
use crate::rest::conversion::prepare;
use crate::rest::list_options::Filter;
use crate::status::ApiError;
use crate::store::{Batch, Event, EventKind, Stored};

/// The interval between bookmarks.
const BOOKMARK_EVERY: Duration = Duration::from_secs(60);

/// How long before the end of a watch its last bookmark is sent.
const LAST_BOOKMARK_BEFORE: Duration = Duration::from_secs(2);

/// The target size of a chunk, in bytes.
const CHUNK: usize = 64 * 1024;

/// The state of a watch.
pub(super) struct Watcher {
    core: Arc<Core>,
    encoder: Encoder,
    filter: Filter,
    wakes: Receiver<u64>,
    cursor: u64,
    pending: VecDeque<Arc<Event>>,
    pub(super) initial: std::vec::IntoIter<Arc<Stored>>,
    pub(super) end_marker: Option<u64>,
    pub(super) bookmarks: bool,
    pub(super) deadline: Instant,
    /// The number of events left to send, if a fault cuts the watch.
    pub(super) events_left: Option<usize>,
    next_bookmark: Instant,
    bookmarked: u64,
    failure: Option<ApiError>,
    /// How the watch ends after the pending events, if it must.
    end: Option<End>,
    /// The store's revision when the watch was requested.
    started: u64,
    done: bool,
    /// The parts of a large line that are still to be sent.
    parts: VecDeque<Bytes>,
}

/// How a watch ends at an event that cannot be converted.
enum End {
    /// The event is live: the watch ends without an error, as in kube-apiserver, whose cache
    /// restarts.
    Live,
    /// The event is older than the watch: it ends with an `Expired` error, so that the client lists
    /// and gets the conversion error.
    Past { after: u64, fault: u64 },
}

enum Step {
    Line(Line),
    /// There are new events to convert first.
    Convert,
    Wait,
    End,
}

impl Watcher {
    pub(super) fn new(
        core: Arc<Core>,
        encoder: Encoder,
        filter: Filter,
        wakes: Receiver<u64>,
        cursor: u64,
    ) -> Self {
        let (now, started) = (Instant::now(), core.store.revision());
        Self {
            core,
            encoder,
            filter,
            wakes,
            cursor,
            pending: VecDeque::new(),
            initial: Vec::new().into_iter(),
            end_marker: None,
            bookmarks: false,
            deadline: now,
            events_left: None,
            next_bookmark: now + BOOKMARK_EVERY,
            bookmarked: 0,
            failure: None,
            end: None,
            started,
            done: false,
            parts: VecDeque::new(),
        }
    }

    /// Ends the stream with an `Expired` error.
    pub(super) fn fail_expired(&mut self, asked: u64) {
        let oldest = self.core.store.oldest(self.encoder.served.resource.id);
        self.fail(ApiError::expired(format!(
            "too old resource version: {asked} ({oldest})"
        )));
    }

    /// Ends the stream with an error.
    pub(super) fn fail(&mut self, error: ApiError) {
        self.failure = Some(error);
    }

    /// Returns the lines of the watch, in chunks.
    pub(super) fn into_stream(self) -> impl Stream<Item = Result<Bytes, BoxError>> + Send {
        futures::stream::unfold(self, |mut watcher| async move {
            let chunk = watcher.next_chunk().await?;
            Some((Ok(chunk), watcher))
        })
    }

    async fn next_chunk(&mut self) -> Option<Bytes> {
        if let Some(part) = self.parts.pop_front() {
            return Some(part);
        }
        let mut chunk = BytesMut::new();
        loop {
            match self.step() {
                Step::Line(Line::Parts(parts)) => {
                    self.parts.extend(parts);
                    return match chunk.is_empty() {
                        true => self.parts.pop_front(),
                        false => Some(chunk.freeze()),
                    };
                }
                Step::Line(Line::Whole(line))
                    if chunk.is_empty() && self.pending.is_empty() && self.initial.len() == 0 =>
                {
                    return Some(line);
                }
                Step::Line(Line::Whole(line)) => {
                    chunk.extend_from_slice(&line);
                    if chunk.len() >= CHUNK {
                        return Some(chunk.freeze());
                    }
                }
                Step::Convert => self.convert().await,
                _ if !chunk.is_empty() => return Some(chunk.freeze()),
                Step::End => return None,
                Step::Wait => {
                    if let Some(line) = self.wait().await {
                        return Some(line);
                    }
                }
            }
        }
    }

    /// Converts the pending events that this watcher may see, in one review. If that fails, the
    /// watch ends before the first event that cannot be converted.
    async fn convert(&mut self) {
        self.encoder.served.forget();
        if self.prepare(0..self.pending.len()).await {
            return;
        }
        let mut good = 0;
        if self.pending.len() > 1 {
            while good < self.pending.len() && self.prepare(good..good + 1).await {
                good += 1;
            }
        }
        if let Some(event) = self.pending.get(good) {
            let fault = event.object.revision;
            self.end = Some(match fault <= self.started {
                true => End::Past {
                    after: fault.saturating_sub(1),
                    fault,
                },
                false => End::Live,
            });
            self.pending.truncate(good);
        }
    }

    /// Converts a range of the pending events; returns whether that succeeded.
    async fn prepare(&self, range: Range<usize>) -> bool {
        let events = self.pending.range(range);
        let states = events.flat_map(|event| event.previous.iter().chain([&event.object]));
        let seen = states.filter(|state| self.filter.may_match(state));
        let seen: Vec<Arc<Stored>> = seen.cloned().collect();
        let outcome = prepare(&self.core, &self.encoder.served, &seen).await;
        if let Err(error) = &outcome {
            tracing::debug!(%error, "cannot convert the events of a watch");
        }
        outcome.is_ok()
    }

    /// Returns the next step that does not need to wait.
    fn step(&mut self) -> Step {
        if self.done || self.events_left == Some(0) {
            return Step::End;
        }
        if let Some(error) = self.failure.take() {
            self.done = true;
            return Step::Line(Line::Whole(error_line(&error)));
        }
        while let Some(object) = self.initial.next() {
            if self.filter.matches(&self.encoder.served, &object) {
                return self.sent(EventKind::Added.name(), &object);
            }
        }
        if let Some(revision) = self.end_marker.take() {
            self.bookmarked = revision;
            return Step::Line(Line::Whole(self.encoder.initial_events_end(revision)));
        }
        loop {
            while let Some(event) = self.pending.pop_front() {
                if let Some(line) = self.event_line(&event) {
                    self.count_event();
                    return Step::Line(line);
                }
            }
            match self.end.take() {
                Some(End::Live) => {
                    self.done = true;
                    return Step::End;
                }
                Some(End::Past { after, fault }) => {
                    let why = format!("too old resource version: {after} ({fault})");
                    self.fail(ApiError::expired(why));
                    return self.step();
                }
                None => {}
            }
            let resource = self.encoder.served.resource.id;
            match self.core.store.events_after(resource, self.cursor) {
                Batch::Events(events, revision) => {
                    // A watch from a future revision starts when that is reached.
                    self.cursor = self.cursor.max(revision);
                    if events.is_empty() {
                        return Step::Wait;
                    }
                    self.pending = events.into();
                    if self.encoder.served.resource.webhook.is_some() {
                        return Step::Convert;
                    }
                }
                Batch::Lost => {
                    self.fail_expired(self.cursor);
                    return self.step();
                }
                Batch::Closed => {
                    self.done = true;
                    return Step::End;
                }
            }
        }
    }

    fn sent(&mut self, kind: &str, object: &Arc<Stored>) -> Step {
        self.count_event();
        Step::Line(self.encoder.line(kind, object))
    }

    fn count_event(&mut self) {
        if let Some(left) = &mut self.events_left {
            *left = left.saturating_sub(1);
        }
    }

    /// Encodes an event as seen through the watcher's selectors: an object that starts to match is
    /// added, one that stops is deleted.
    fn event_line(&mut self, event: &Event) -> Option<Line> {
        let served = &self.encoder.served;
        let is_deletion = event.kind == EventKind::Deleted;
        let before = event
            .previous
            .as_ref()
            .is_some_and(|old| self.filter.matches(served, old));
        let after = !is_deletion && self.filter.matches(served, &event.object);
        let is_addition = event.kind == EventKind::Added;
        match (before, after) {
            (false, false) => None,
            (true, true) => Some(self.encoder.shared(event)),
            (false, true) if is_addition => Some(self.encoder.shared(event)),
            (false, true) => Some(self.encoder.line(EventKind::Added.name(), &event.object)),
            (true, false) if is_deletion => Some(self.encoder.shared(event)),
            (true, false) => {
                let previous = event.previous.as_ref()?;
                let last = Arc::new(previous.at_revision(event.object.revision));
                if served.resource.webhook.is_some() {
                    let mut shown = served.decode(previous);
                    let revision = event.object.revision.to_string();
                    object::set_meta(&mut shown, "resourceVersion", Some(revision.into()));
                    served.keep(&last, shown);
                }
                Some(self.encoder.line(EventKind::Deleted.name(), &last))
            }
        }
    }

    /// Waits for a change; returns a bookmark if one is due first.
    async fn wait(&mut self) -> Option<Bytes> {
        let last_bookmark = self.deadline - LAST_BOOKMARK_BEFORE;
        let mut wake_at = self.deadline;
        if self.bookmarks {
            let due = if self.next_bookmark < last_bookmark || Instant::now() >= last_bookmark {
                self.next_bookmark
            } else {
                last_bookmark
            };
            wake_at = wake_at.min(due);
        }
        tokio::select! {
            biased;
            changed = self.wakes.changed() => {
                self.done |= changed.is_err();
                None
            }
            () = tokio::time::sleep_until(wake_at) => self.on_timer(),
        }
    }

    fn on_timer(&mut self) -> Option<Bytes> {
        let now = Instant::now();
        if now >= self.deadline {
            self.done = true;
            return None;
        }
        self.next_bookmark = now + BOOKMARK_EVERY;
        // A watch from a future revision gets no bookmarks until that is reached.
        if self.cursor > self.core.store.revision() {
            return None;
        }
        self.bookmarked = self.cursor;
        Some(self.encoder.bookmark(self.cursor))
    }
}
