//! Combines equal events into an `events.k8s.io/v1` series.

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::events::v1::{Event, EventSeries};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use tokio::time::Instant;

use super::correlator::Key;
use crate::lru::Lru;

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

impl Known {
    fn count(&self) -> i32 {
        self.event.series.as_ref().map_or(1, |series| series.count)
    }

    /// Whether the server does not know the count.
    fn is_unwritten(&self) -> bool {
        self.count() > self.written_count
    }
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

    /// Returns the writes that `event` needs, in order: the first equal event is created, the
    /// second starts a series, further ones are counted. A series that makes way for `event` is
    /// written with its last count.
    pub(super) fn observe(&mut self, key: &Key, event: Event) -> Vec<Write> {
        let now = Instant::now();
        let Some(known) = self.known.get_mut(key) else {
            let displaced = self.known.make_room();
            return self.begin(key, event, displaced);
        };
        // After a finished series, an equal event is a new one.
        if now - known.last >= FINISH {
            let finished = self.known.remove(key);
            return self.begin(key, event, finished);
        }
        known.last = now;
        let observed = MicroTime(Timestamp::now());
        match &mut known.event.series {
            Some(series) => {
                series.count = series.count.saturating_add(1);
                series.last_observed_time = observed;
                Vec::new()
            }
            none => {
                *none = Some(EventSeries {
                    count: 2,
                    last_observed_time: observed,
                });
                (known.written, known.written_count) = (now, 2);
                vec![Write::Update(Box::new(known.event.clone()))]
            }
        }
    }

    /// Records a new event, in place of `former`.
    fn begin(&mut self, key: &Key, event: Event, former: Option<Known>) -> Vec<Write> {
        let now = Instant::now();
        self.known.get_or_insert_with(key, || Known {
            event: event.clone(),
            last: now,
            written: now,
            written_count: 1,
        });
        let mut writes = vec![Write::Create(Box::new(event))];
        let former = former.filter(Known::is_unwritten);
        writes.extend(former.map(|known| Write::Update(Box::new(known.event))));
        writes
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
            let finished = now - known.last >= FINISH;
            if known.is_unwritten() && (finished || now - known.written >= REFRESH) {
                (known.written, known.written_count) = (now, known.count());
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
        known
            .filter(Known::is_unwritten)
            .map(|known| Write::Update(Box::new(known.event)))
            .collect()
    }
}
