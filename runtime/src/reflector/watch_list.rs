//! The streamed list: a watch that begins with every existing object and continues as a watch
//! (KEP-3157).
//!
//! Servers and proxies that do not know it may treat the request as an ordinary watch: the existing
//! objects arrive, then changes for as long as there are any, but never the closing bookmark. Such
//! a stream must not count as progress: a new object does, and only until the first change of any
//! other kind, since a server sends changes only after all existing objects.

use std::time::Duration;

use kube::{Error, Resource};
use tokio::time::Instant;

use super::error::{
    is_connection_refused, is_expired, is_too_large_version, is_too_many_requests, is_unsupported,
};
use super::partial::Partial;
use super::source::WatchItem;
use super::watch::{Came, Running};
use super::{Counters, Reflector, ReflectorError, Replace, Sink, Stalled, Undecodable};
use crate::store::ObjectKey;

/// The number of consecutive streams that may end before their bookmark. After that, only plain
/// lists are used.
const CUTS: usize = 3;
/// The silence of a streamed list after which it is reported.
const SLOW: Duration = Duration::from_secs(10);

/// The number of consecutive silent streams after which only plain lists are used.
const STALLS: u32 = 2;

/// The end of a streamed list.
enum Streamed<K> {
    /// The closing bookmark arrived; the watch continues.
    Whole(Running<K>),
    /// The server ended the stream before.
    Cut,
    /// The server had ended the stream so late that another one would take too long.
    CutLate,
    /// Nothing arrived for this long.
    Stalled(Duration),
    /// Changes arrived, or the same objects again, but no closing bookmark for this long after the
    /// last new object.
    Unmarked(Duration),
    /// The closing bookmark shows that the server's versions went back, and known objects were
    /// taken for unchanged.
    WentBack,
}

impl<K, S> Reflector<K, S>
where
    K: Resource + Clone + Send + Sync + 'static,
    S: Sink<K>,
{
    /// Streams the list and returns the watch that continues it. Returns `None`, after a report, if
    /// a plain list is needed.
    pub(super) async fn watch_list(&mut self) -> Option<Running<K>> {
        Counters::add(&self.counters.lists, 1);
        let mut cuts = 0;
        while cuts < CUTS {
            match self.stream_list().await {
                Ok(Streamed::Whole(running)) => return Some(running),
                Ok(Streamed::Cut) => {
                    cuts += 1;
                    self.report(ReflectorError::InitialListCut {
                        resource: self.resource.clone(),
                    });
                    if cuts < CUTS {
                        let wait = self.options.backoff.step();
                        tokio::time::sleep(wait).await;
                    }
                }
                Ok(Streamed::CutLate) => {
                    self.report(ReflectorError::InitialListCut {
                        resource: self.resource.clone(),
                    });
                    break;
                }
                Ok(Streamed::Stalled(limit)) => {
                    self.stalled_streams += 1;
                    self.watch_list_refused = self.stalled_streams >= STALLS;
                    let stalled = Stalled::error("no closing bookmark of the list", limit);
                    self.report_watch_list(stalled);
                    return None;
                }
                Ok(Streamed::Unmarked(limit)) => {
                    self.watch_list_refused = true;
                    let what = "no closing bookmark of the list, only changes,";
                    self.report_watch_list(Stalled::error(what, limit));
                    return None;
                }
                Ok(Streamed::WentBack) => {}
                Err(error) if is_too_many_requests(&error) || is_connection_refused(&error) => {
                    self.wait_and_resume(error).await;
                }
                // If the newest state was requested, such an answer is an ordinary failure.
                Err(error) if is_refused_version(&error) && !self.rewatch_version().is_empty() => {
                    self.version_unavailable = true;
                }
                Err(error) => {
                    self.watch_list_refused = is_unsupported(&error);
                    self.report_watch_list(error);
                    return None;
                }
            }
        }
        self.watch_list_refused = true;
        None
    }

    fn report_watch_list(&self, source: Error) {
        self.report(ReflectorError::WatchList {
            resource: self.resource.clone(),
            source,
        });
    }

    /// Makes one attempt.
    async fn stream_list(&mut self) -> Result<Streamed<K>, Error> {
        let version = self.rewatch_version();
        let mut running = self.open_watch(version, true).await?;
        let limit = self.options.deadlines.list_progress;
        let mut partial = Partial::new();
        loop {
            let items = match self
                .next_initial(&mut running, partial.deadline(limit))
                .await
            {
                Came::Items(items) => items,
                Came::Failed(error) => return Err(error),
                Came::Over if running.started.elapsed() < limit => return Ok(Streamed::Cut),
                Came::Over | Came::Overdue => return Ok(Streamed::CutLate),
                Came::Silence(silent) if silent >= limit => return Ok(Streamed::Stalled(silent)),
                Came::Silence(_) => return Ok(Streamed::Unmarked(limit)),
            };
            let mut items = items.into_iter();
            while let Some(item) = items.next() {
                if self.gather(item, &mut partial) {
                    if partial.has_known() && self.is_first_sign(&partial.version) {
                        self.went_back(&partial.version);
                        return Ok(Streamed::WentBack);
                    }
                    running.bookmarked();
                    self.finish_list(partial, running.started);
                    let rest: Vec<_> = items.collect();
                    if !rest.is_empty() {
                        running.put_back(rest);
                    }
                    return Ok(Streamed::Whole(running));
                }
            }
        }
    }

    /// Returns the next events, reporting every ten seconds until they arrive.
    async fn next_initial(&self, running: &mut Running<K>, deadline: Instant) -> Came<K> {
        loop {
            // A timeout loses no events: the stream keeps what it has read.
            match tokio::time::timeout(SLOW, running.next_by(Some(deadline))).await {
                Ok(next) => return next,
                Err(_) => self.report(ReflectorError::InitialListSlow {
                    resource: self.resource.clone(),
                    waited: running.started.elapsed(),
                }),
            }
        }
    }

    /// Handles one initial event; returns true for the closing bookmark.
    fn gather(&self, item: WatchItem<K>, partial: &mut Partial<K>) -> bool {
        Counters::add(&self.counters.events, 1);
        if !matches!(
            item,
            WatchItem::Added(_) | WatchItem::Undecodable { deleted: false, .. }
        ) {
            partial.changes_began();
        }
        match item {
            WatchItem::Added(object) | WatchItem::Modified(object) => {
                let key = ObjectKey::of(&object);
                match self.admit(object) {
                    Some(admitted) => {
                        let meta = admitted.object.meta();
                        partial.version = meta.resource_version.clone().unwrap_or_default();
                        let is_known = admitted.known.is_some();
                        let key = admitted.key.clone();
                        partial.put(&key, admitted.hold(&*self.sink), is_known);
                    }
                    None => partial.keep(key),
                }
            }
            WatchItem::Deleted(object) => partial.forget(&ObjectKey::of(&object)),
            WatchItem::Undecodable { deleted, object } => {
                self.gather_undecodable(deleted, object, partial)
            }
            WatchItem::Bookmark {
                resource_version,
                initial_events_end,
            } => {
                partial.version = resource_version;
                return initial_events_end;
            }
        }
        false
    }

    fn gather_undecodable(&self, deleted: bool, object: Undecodable, partial: &mut Partial<K>) {
        if let Some(key) = object.key.clone() {
            if deleted {
                partial.forget(&key);
            } else {
                partial.keep(key);
            }
        }
        self.report_undecodable(object);
    }

    fn finish_list(&mut self, partial: Partial<K>, started: Instant) {
        self.stalled_streams = 0;
        self.counters.progress(&self.resource).works();
        self.bookmarks.closed_a_list();
        let resource_version = partial.version.clone();
        let versions_went_back = self.listed_version(&resource_version);
        let (objects, keep) = partial.finish();
        self.counters.listed(objects.len(), started.elapsed());
        self.sink.replace(Replace {
            objects,
            keep,
            resource_version,
            versions_went_back,
        });
    }

    fn rewatch_version(&self) -> String {
        if self.version_unavailable {
            String::new()
        } else {
            self.last_version.clone()
        }
    }
}

fn is_refused_version(error: &Error) -> bool {
    is_expired(error) || is_too_large_version(error)
}
