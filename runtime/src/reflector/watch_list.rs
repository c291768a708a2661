//! The streamed list: a watch that begins with every existing object and goes on as the watch (KEP-3157).

use std::sync::Arc;
use std::time::Duration;

use kube::{Error, Resource};
use tokio::time::Instant;

use super::error::{
    is_connection_refused, is_expired, is_too_large_version, is_too_many_requests, is_unsupported,
};
use super::list::kept_only;
use super::source::{WatchItem, WatchRequest};
use super::watch::Running;
use super::{Counters, Reflector, ReflectorError, Replace, Sink, Undecodable};
use crate::store::ObjectKey;

/// How often in a row a stream may end before its bookmark before a plain list is tried.
const CUTS: usize = 3;
/// How long a streamed list may be silent before that is reported.
const SLOW: Duration = Duration::from_secs(10);

/// What came of a streamed list before its bookmark, kept apart from the sink.
struct Partial<K> {
    objects: Vec<(ObjectKey, Arc<K>)>,
    keep: Vec<ObjectKey>,
    version: String,
}

impl<K, S> Reflector<K, S>
where
    K: Resource + Clone + Send + Sync + 'static,
    S: Sink<K>,
{
    /// Streams the list and gives the watch that goes on after it. `None`, after a report, asks for a plain list.
    pub(super) async fn watch_list(&mut self) -> Option<Running<K>> {
        Counters::add(&self.counters.lists, 1);
        let mut cuts = 0;
        while cuts < CUTS {
            match self.stream_list().await {
                Ok(Some(running)) => return Some(running),
                Ok(None) => {
                    cuts += 1;
                    self.report(ReflectorError::InitialListCut {
                        resource: self.resource.clone(),
                    });
                    if cuts < CUTS {
                        let wait = self.options.backoff.step();
                        tokio::time::sleep(wait).await;
                    }
                }
                Err(error) if is_too_many_requests(&error) || is_connection_refused(&error) => {
                    self.wait_and_resume(error).await;
                }
                // Once the newest state was asked for, such an answer is a failure like any other.
                Err(error) if is_refused_version(&error) && !self.rewatch_version().is_empty() => {
                    self.version_unavailable = true;
                }
                Err(error) => {
                    self.watch_list_refused = is_unsupported(&error);
                    self.report(ReflectorError::WatchList {
                        resource: self.resource.clone(),
                        source: error,
                    });
                    return None;
                }
            }
        }
        None
    }

    /// One attempt: the running watch after the bookmark, or `None` if the stream ended before it.
    async fn stream_list(&mut self) -> Result<Option<Running<K>>, Error> {
        let request = WatchRequest {
            resource_version: self.rewatch_version(),
            timeout_seconds: self.watch_timeout_seconds(),
            send_initial_events: true,
        };
        let started = Instant::now();
        Counters::add(&self.counters.watches, 1);
        let stream = self.source.watch(request.clone()).await?;
        let mut running = Running::new(stream, started, &request);
        let mut partial = Partial {
            objects: Vec::new(),
            keep: Vec::new(),
            version: String::new(),
        };
        while let Some(items) = self.next_initial(&mut running).await {
            let mut items = items?.into_iter();
            while let Some(item) = items.next() {
                if self.gather(item, &mut partial) {
                    self.finish_list(partial, started);
                    let rest: Vec<_> = items.collect();
                    if !rest.is_empty() {
                        running.put_back(rest);
                    }
                    return Ok(Some(running));
                }
            }
        }
        Ok(None)
    }

    /// The next events, with a report every ten seconds until they come.
    async fn next_initial(
        &self,
        running: &mut Running<K>,
    ) -> Option<Result<Vec<WatchItem<K>>, Error>> {
        loop {
            // Nothing is lost when the time is up: the stream keeps what it has read.
            match tokio::time::timeout(SLOW, running.next()).await {
                Ok(next) => return next,
                Err(_) => self.report(ReflectorError::InitialListSlow {
                    resource: self.resource.clone(),
                    waited: running.started.elapsed(),
                }),
            }
        }
    }

    /// Takes one initial event; true if it was the closing bookmark.
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
            WatchItem::Deleted(object) => {
                let gone = ObjectKey::of(&object);
                partial.objects.retain(|(key, _)| *key != gone);
            }
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
                partial.objects.retain(|(held, _)| *held != key);
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
        self.version_unavailable = false;
        self.last_version.clone_from(&version);
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
