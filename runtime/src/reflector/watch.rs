//! Watches from the last known version, repeatedly, until a relist is needed.

use std::time::Duration;

use futures::StreamExt;
use kube::{Error, Resource};
use tokio::time::Instant;

use super::deadline::within;
use super::error::{
    is_connection_refused, is_expired, is_internal, is_too_large_version, is_too_many_requests,
};
use super::source::{WatchItem, WatchRequest, WatchStream};
use super::{Admitted, Change, Counters, Next, Reflector, ReflectorError, Sink, Undecodable};
use crate::client::retry_after;
use crate::clock::{FOREVER, after};
use crate::store::ObjectKey;

/// A watch shorter than this without an event is an error.
const SHORT: Duration = Duration::from_secs(1);
/// The number of consecutive watches that may end within [`SHORT`]; after that, each next step is
/// delayed.
const MOST_QUICK: u32 = 4;
/// How far a watch may exceed its timeout.
const OVERTIME: Duration = Duration::from_secs(30);

/// A watch and the state needed to judge its end.
pub(super) struct Running<K> {
    stream: WatchStream<K>,
    pub(super) started: Instant,
    deadline: Instant,
    /// The time at which the answer began, or its last event arrived.
    last: Instant,
    /// The time at which the answer began, or its last bookmark arrived.
    bookmark: Instant,
    pub(super) events: usize,
    /// Whether it was started without a version: until the first change other than ADDED, the
    /// events are the existing objects in any order.
    from_any: bool,
    put_back: Option<Vec<WatchItem<K>>>,
}

/// The next item of a watch, or its end.
pub(super) enum Came<K> {
    Items(Vec<WatchItem<K>>),
    Failed(Error),
    /// The server or the connection ended the watch.
    Over,
    /// The watch exceeded its timeout.
    Overdue,
    /// No event arrived for this long, which exceeds the limit.
    Silence(Duration),
}

impl<K> Running<K> {
    /// Creates the state of a watch that was requested at `started` and whose answer begins now.
    pub(super) fn new(stream: WatchStream<K>, started: Instant, request: &WatchRequest) -> Self {
        let deadline = started + Duration::from_secs(u64::from(request.timeout_seconds)) + OVERTIME;
        let from_any =
            matches!(request.resource_version.as_str(), "" | "0") && !request.send_initial_events;
        let now = Instant::now();
        Self {
            stream,
            started,
            deadline,
            last: now,
            bookmark: now,
            events: 0,
            from_any,
            put_back: None,
        }
    }

    /// Pushes `items` back as the next events.
    pub(super) fn put_back(&mut self, items: Vec<WatchItem<K>>) {
        self.put_back = Some(items);
    }

    /// Records a bookmark, and returns the time since the previous one.
    pub(super) fn bookmarked(&mut self) -> Duration {
        let now = Instant::now();
        now - std::mem::replace(&mut self.bookmark, now)
    }

    /// Returns the next events, if they arrive within `limit` of the last ones. May be dropped and
    /// called again.
    pub(super) async fn next(&mut self, limit: Option<Duration>) -> Came<K> {
        let silent = limit.map(|limit| self.last + limit.min(FOREVER));
        self.next_by(silent).await
    }

    /// Like [`Self::next`], with a point in time.
    pub(super) async fn next_by(&mut self, silent: Option<Instant>) -> Came<K> {
        if let Some(items) = self.put_back.take() {
            return Came::Items(items);
        }
        let until = silent.map_or(self.deadline, |silent| silent.min(self.deadline));
        match tokio::time::timeout_at(until, self.stream.next()).await {
            Ok(Some(Ok(items))) => {
                self.last = Instant::now();
                self.events += items.len();
                Came::Items(items)
            }
            Ok(Some(Err(error))) => Came::Failed(error),
            Ok(None) => Came::Over,
            Err(_) if until == self.deadline => Came::Overdue,
            Err(_) => Came::Silence(self.last.elapsed()),
        }
    }

    fn was_short(&self) -> bool {
        self.events == 0 && self.started.elapsed() < SHORT
    }
}

/// The end of one watch.
enum End {
    /// The server closed it normally.
    Closed,
    /// The server closed it normally, but it was silent for longer than a watch with bookmarks
    /// would be.
    Idle,
    Short,
    /// No event arrived for this long.
    Silent(Duration),
    /// The version of an event was lower than the previous one.
    WentBack,
    Failed(Error),
}

impl<K, S> Reflector<K, S>
where
    K: Resource + Clone + Send + Sync + 'static,
    S: Sink<K>,
{
    /// Watches, beginning with `running` if there is one, until a relist is needed.
    pub(super) async fn watch(&mut self, mut running: Option<Running<K>>) -> Next {
        let mut retry_until: Option<Instant> = None;
        loop {
            let watch = match running.take() {
                Some(running) => running,
                None => match self.start_watch().await {
                    Ok(running) => running,
                    Err(error) if is_too_many_requests(&error) || is_connection_refused(&error) => {
                        self.wait_and_resume(error).await;
                        continue;
                    }
                    Err(error) => return self.after_failure(error),
                },
            };
            let started = watch.started;
            let end = self.follow(watch).await;
            let is_quick = started.elapsed() < SHORT;
            self.quick_ends = if is_quick { self.quick_ends + 1 } else { 0 };
            match end {
                End::Closed => self.rest().await,
                End::Short => {
                    Counters::add(&self.counters.short_watches, 1);
                    self.report(ReflectorError::VeryShortWatch {
                        resource: self.resource.clone(),
                    });
                    return Next::BACK_OFF;
                }
                End::Idle => {
                    if let Some(next) = self.after_silence().await {
                        return next;
                    }
                }
                End::Silent(silent) => {
                    Counters::add(&self.counters.silent_watches, 1);
                    self.report(ReflectorError::WatchSilent {
                        resource: self.resource.clone(),
                        silent,
                    });
                    if let Some(next) = self.after_silence().await {
                        return next;
                    }
                    self.bookmarks.missed();
                }
                // The list is delayed: with a server whose versions have no order, each event would
                // lead to a list.
                End::WentBack => return Next::BACK_OFF,
                End::Failed(error) if is_too_many_requests(&error) => {
                    self.wait_and_resume(error).await
                }
                End::Failed(error) if is_internal(&error) && self.may_retry(&mut retry_until) => {
                    self.report(ReflectorError::Watch {
                        resource: self.resource.clone(),
                        source: error,
                    });
                    self.rest().await;
                }
                End::Failed(error) => return self.after_failure(error),
            }
        }
    }

    /// Waits if the recent watches all ended at once: a server that answers little and disconnects
    /// must not be polled without pause.
    async fn rest(&mut self) {
        if self.quick_ends > MOST_QUICK {
            let wait = self.options.backoff.step();
            tokio::time::sleep(wait).await;
        }
    }

    async fn start_watch(&mut self) -> Result<Running<K>, Error> {
        let version = self.last_version.clone();
        self.open_watch(version, false).await
    }

    /// Starts a watch from `resource_version`, or a streamed list that continues as a watch.
    pub(super) async fn open_watch(
        &mut self,
        resource_version: String,
        send_initial_events: bool,
    ) -> Result<Running<K>, Error> {
        let request = WatchRequest {
            resource_version,
            timeout_seconds: self.watch_timeout_seconds(),
            send_initial_events,
            ..WatchRequest::default()
        };
        // The clock starts before the request, to include a slow answer.
        let started = Instant::now();
        Counters::add(&self.counters.watches, 1);
        let limit = self.options.deadlines.watch_response;
        let answer = self.source.watch(request.clone());
        let stream = within(limit, "no answer to the watch", answer).await?;
        if !send_initial_events {
            self.counters.progress(&self.resource).works();
        }
        Ok(Running::new(stream, started, &request))
    }

    async fn follow(&mut self, mut watch: Running<K>) -> End {
        let silence = self.options.deadlines.watch_silence;
        let end = loop {
            match watch.next(self.bookmarks.limit(silence)).await {
                Came::Items(items) => {
                    if !self.deliver(items, &mut watch) {
                        break End::WentBack;
                    }
                }
                Came::Failed(error) => break End::Failed(error),
                Came::Silence(silent) => break End::Silent(silent),
                Came::Over if watch.was_short() => break End::Short,
                Came::Over | Came::Overdue if watch.events == 0 => {
                    let idle = watch.started.elapsed() >= silence;
                    break if idle { End::Idle } else { End::Closed };
                }
                Came::Over | Came::Overdue => break End::Closed,
            }
        };
        self.counters.watched(watch.events, watch.started.elapsed());
        end
    }

    /// Handles a silent watch: asks the server for its current version. Returns `None` to watch
    /// again.
    async fn after_silence(&mut self) -> Option<Next> {
        loop {
            match self.ask_version().await {
                Ok(version) if self.shows_a_reset(&version, &self.last_version) => {
                    self.went_back(&version);
                    return Some(Next::Relist);
                }
                Ok(_) => return None,
                Err(error) if is_too_many_requests(&error) || is_connection_refused(&error) => {
                    self.wait_and_resume(error).await;
                }
                Err(error) => return Some(self.after_failure(error)),
            }
        }
    }

    /// Passes the changes of one group of events to the sink, in order, and records the version
    /// they reach. Returns false if an event shows that the server's versions went back; that event
    /// and the following ones are left to a list.
    fn deliver(&mut self, items: Vec<WatchItem<K>>, watch: &mut Running<K>) -> bool {
        Counters::add(&self.counters.events, items.len());
        self.expired_in_a_row = false;
        let mut changes = Vec::with_capacity(items.len());
        let mut reached = String::new();
        let mut reset = None;
        for item in items {
            watch.from_any &= matches!(item, WatchItem::Added(_) | WatchItem::Undecodable { .. });
            let before = changes.len();
            // An object of another kind has unrelated versions.
            let is_ours = !matches!(item, WatchItem::Undecodable { .. });
            let version = match item {
                WatchItem::Added(object) | WatchItem::Modified(object) => {
                    changes.extend(
                        self.admit(object)
                            .map(|Admitted { key, object, .. }| Change::Upsert { key, object }),
                    );
                    None
                }
                WatchItem::Deleted(object) => self.delete(object, &mut changes),
                WatchItem::Bookmark {
                    resource_version, ..
                } => {
                    self.bookmarks.came_after(watch.bookmarked());
                    Some(resource_version)
                }
                WatchItem::Undecodable { deleted, object } => {
                    self.skip(deleted, object, &mut changes)
                }
            };
            let version = version.as_deref().or_else(|| match changes.get(before) {
                Some(Change::Upsert { object, .. }) => object.meta().resource_version.as_deref(),
                _ => None,
            });
            let Some(version) = version.filter(|version| !version.is_empty() && !watch.from_any)
            else {
                continue;
            };
            let known = if reached.is_empty() {
                &self.last_version
            } else {
                &reached
            };
            if self.shows_a_reset(version, known) {
                if !is_ours {
                    continue;
                }
                reset = Some(version.to_owned());
                changes.truncate(before);
                break;
            }
            reached.clear();
            reached.push_str(version);
        }
        if !reached.is_empty() {
            self.last_version.clone_from(&reached);
        }
        self.sink.apply(changes, &reached);
        if let Some(version) = &reset {
            self.went_back(version);
        }
        reset.is_none()
    }

    fn delete(&self, object: K, changes: &mut Vec<Change<K>>) -> Option<String> {
        let version = object.meta().resource_version.clone();
        let key = ObjectKey::of(&object);
        let object = self.admit(object).map(|admitted| admitted.object);
        changes.push(Change::Delete { key, object });
        version
    }

    /// Reports an object that cannot be used. Its deletion is still applied, to the known state.
    fn skip(
        &self,
        deleted: bool,
        object: Undecodable,
        changes: &mut Vec<Change<K>>,
    ) -> Option<String> {
        let version = object.resource_version.clone();
        if let (true, Some(key)) = (deleted, object.key.clone()) {
            changes.push(Change::Delete { key, object: None });
        }
        self.report_undecodable(object);
        version
    }

    /// 429 and a refused connection do not affect the version: waits, then resumes the watch.
    pub(super) async fn wait_and_resume(&mut self, error: Error) {
        let asked = retry_after(&error).unwrap_or_default();
        let wait = self.options.backoff.step().max(asked);
        self.report(ReflectorError::Watch {
            resource: self.resource.clone(),
            source: error,
        });
        tokio::time::sleep(wait).await;
    }

    fn after_failure(&mut self, error: Error) -> Next {
        let expired = is_expired(&error) || is_too_large_version(&error);
        let back_off = Next::back_off_after(&error);
        self.report(ReflectorError::Watch {
            resource: self.resource.clone(),
            source: error,
        });
        if !expired {
            return back_off;
        }
        self.version_unavailable = true;
        let in_a_row = std::mem::replace(&mut self.expired_in_a_row, true);
        if in_a_row || self.quick_ends > MOST_QUICK {
            back_off
        } else {
            Next::Relist
        }
    }

    fn may_retry(&self, until: &mut Option<Instant>) -> bool {
        let allowed = self.options.internal_error_retry;
        let now = Instant::now();
        // A minute without such an error resets the allowance.
        let stale = until.is_some_and(|until| now > until + Duration::from_secs(60));
        if until.is_none() || stale {
            *until = Some(after(allowed));
        }
        !allowed.is_zero() && until.is_some_and(|until| now < until)
    }
}
