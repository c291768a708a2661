//! The streamed list: a watch that begins with every existing object and continues as a watch (KEP-3157).

use std::sync::Arc;
use std::time::Duration;

use kube::{Error, Resource};
use tokio::time::Instant;

use super::error::{
    is_connection_refused, is_expired, is_too_large_version, is_too_many_requests, is_unsupported,
};
use super::list::kept_only;
use super::source::WatchItem;
use super::watch::{Came, Running};
use super::{Counters, Reflector, ReflectorError, Replace, Sink, Stalled, Undecodable};
use crate::store::ObjectKey;

/// The number of consecutive streams that may end before their bookmark before a plain list is tried.
const CUTS: usize = 3;
/// The silence of a streamed list after which it is reported.
const SLOW: Duration = Duration::from_secs(10);

/// The number of consecutive stalls after which only plain lists are used.
const STALLS: u32 = 2;

/// The end of a streamed list.
enum Streamed<K> {
    /// The closing bookmark arrived; the watch continues.
    Whole(Running<K>),
    /// The server ended the stream before.
    Cut,
    /// No event arrived for this long.
    Stalled(Duration),
}

/// The objects of a streamed list before its bookmark, not yet passed to the sink.
struct Partial<K> {
    objects: Vec<(ObjectKey, Arc<K>)>,
    keep: Vec<ObjectKey>,
    version: String,
}

impl<K> Partial<K> {
    /// Handles a deletion. What could not be decoded before it does not exist any more either.
    fn forget(&mut self, gone: &ObjectKey) {
        self.objects.retain(|(key, _)| key != gone);
        self.keep.retain(|key| key != gone);
    }
}

impl<K, S> Reflector<K, S>
where
    K: Resource + Clone + Send + Sync + 'static,
    S: Sink<K>,
{
    /// Streams the list and returns the watch that continues it. Returns `None`, after a report, if a plain list is needed.
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
                Ok(Streamed::Stalled(limit)) => {
                    // A server may treat the request as an ordinary watch and never send that bookmark.
                    self.stalled_streams += 1;
                    self.watch_list_refused = self.stalled_streams >= STALLS;
                    let stalled = Stalled::error("no closing bookmark of the list", limit);
                    self.report_watch_list(stalled);
                    return None;
                }
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
        let mut partial = Partial {
            objects: Vec::new(),
            keep: Vec::new(),
            version: String::new(),
        };
        loop {
            let items = match self.next_initial(&mut running).await {
                Came::Items(items) => items,
                Came::Failed(error) => return Err(error),
                Came::Over => return Ok(Streamed::Cut),
                Came::Silence(limit) => return Ok(Streamed::Stalled(limit)),
                Came::Overdue => return Ok(Streamed::Stalled(running.started.elapsed())),
            };
            let mut items = items.into_iter();
            while let Some(item) = items.next() {
                if self.gather(item, &mut partial) {
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
    async fn next_initial(&self, running: &mut Running<K>) -> Came<K> {
        let limit = Some(self.options.deadlines.list_progress);
        loop {
            // A timeout loses no events: the stream keeps what it has read.
            match tokio::time::timeout(SLOW, running.next(limit)).await {
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
        match item {
            WatchItem::Added(object) | WatchItem::Modified(object) => {
                let key = ObjectKey::of(&object);
                match self.admit(object) {
                    Some((key, object)) => {
                        partial.version =
                            object.meta().resource_version.clone().unwrap_or_default();
                        partial.objects.push((key, object));
                    }
                    None => partial.keep.push(key),
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
                partial.keep.push(key);
            }
        }
        self.report_undecodable(object);
    }

    fn finish_list(&mut self, partial: Partial<K>, started: Instant) {
        let Partial {
            objects,
            keep,
            version,
        } = partial;
        self.stalled_streams = 0;
        self.bookmarks.closed_a_list();
        self.listed_version(&version);
        self.counters.listed(objects.len(), started.elapsed());
        let keep = kept_only(keep, &objects);
        self.sink.replace(Replace {
            objects,
            keep,
            resource_version: version,
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
