//! Combines equal events into an `events.k8s.io/v1` series.

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::events::v1::{Event, EventSeries};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use tokio::time::Instant;

use super::correlator::Key;
use super::lru::Lru;

/// client-go's values.
const CACHE: usize = 4096;
/// A series ends when no event was added for this long.
const FINISH: Duration = Duration::from_secs(6 * 60);
/// The interval at which the count of an ongoing series is written.
const REFRESH: Duration = Duration::from_secs(30 * 60);

/// A written event, which may become a series.
#[derive(Debug)]
struct Known {
    event: Event,
    last: Instant,
    written: Instant,
    /// The count stored on the server.
    written_count: i32,
}

/// A write to make.
#[derive(Debug)]
pub(super) enum Write {
    /// A new event.
    Create(Box<Event>),
    /// The series of an existing event.
    Update(Box<Event>),
}

/// The recently written events.
#[derive(Debug)]
pub(super) struct SeriesCache {
    known: Lru<Key, Known>,
}

impl SeriesCache {
    pub(super) fn new() -> Self {
        Self {
            known: Lru::new(CACHE),
        }
    }

    /// Returns the write that `event` needs, if any: the first equal event is created, the second starts a series, further ones
    /// are counted.
    pub(super) fn observe(&mut self, key: &Key, event: Event) -> Option<Write> {
        let now = Instant::now();
        // After a finished series, an equal event is a new one.
        if self
            .known
            .peek_mut(key)
            .is_some_and(|known| now - known.last >= FINISH)
        {
            self.known.remove(key);
        }
        let mut new = false;
        let known = self.known.get_or_insert_with(key, || {
            new = true;
            Known {
                event: event.clone(),
                last: now,
                written: now,
                written_count: 1,
            }
        });
        if new {
            return Some(Write::Create(Box::new(event)));
        }
        known.last = now;
        let observed = MicroTime(Timestamp::now());
        match &mut known.event.series {
            Some(series) => {
                series.count = series.count.saturating_add(1);
                series.last_observed_time = observed;
                None
            }
            none => {
                *none = Some(EventSeries {
                    count: 2,
                    last_observed_time: observed,
                });
                (known.written, known.written_count) = (now, 2);
                Some(Write::Update(Box::new(known.event.clone())))
            }
        }
    }

    /// Returns ended series, with their last count, and series whose count is due.
    pub(super) fn due(&mut self) -> Vec<Write> {
        let now = Instant::now();
        let keys: Vec<Key> = self.known.keys().cloned().collect();
        let mut due = Vec::new();
        for key in keys {
            let Some(known) = self.known.peek_mut(&key) else {
                continue;
            };
            let count = known.event.series.as_ref().map_or(1, |series| series.count);
            let finished = now - known.last >= FINISH;
            if count > known.written_count && (finished || now - known.written >= REFRESH) {
                (known.written, known.written_count) = (now, count);
                due.push(Write::Update(Box::new(known.event.clone())));
            }
            if finished {
                self.known.remove(&key);
            }
        }
        due
    }

    /// Returns every unwritten count, at the end.
    pub(super) fn unwritten(&mut self) -> Vec<Write> {
        let keys: Vec<Key> = self.known.keys().cloned().collect();
        let known = keys.iter().filter_map(|key| self.known.remove(key));
        let unwritten = known.filter(|known| {
            known
                .event
                .series
                .as_ref()
                .is_some_and(|it| it.count > known.written_count)
        });
        unwritten
            .map(|known| Write::Update(Box::new(known.event)))
            .collect()
    }
}
