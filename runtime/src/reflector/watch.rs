//! Watching: from the last known version on, again and again, until a relist is needed.

use std::time::Duration;

use futures::StreamExt;
use kube::{Error, Resource};
use tokio::time::Instant;

use super::error::{
    is_connection_refused, is_expired, is_internal, is_too_large_version, is_too_many_requests,
    retry_after,
};
use super::source::{WatchItem, WatchRequest, WatchStream};
use super::{Change, Counters, Next, Reflector, ReflectorError, Sink, Undecodable};
use crate::store::ObjectKey;

/// A watch shorter than this without an event is an error.
const SHORT: Duration = Duration::from_secs(1);
/// How long past its time a watch is waited for.
const OVERTIME: Duration = Duration::from_secs(30);

/// A watch with what is needed to judge its end.
pub(super) struct Running<K> {
    pub(super) stream: WatchStream<K>,
    pub(super) started: Instant,
    pub(super) deadline: Instant,
    pub(super) events: usize,
    /// Started without a version: until the first change that is no ADDED the events are the existing objects in any order.
    from_any: bool,
    put_back: Option<Vec<WatchItem<K>>>,
}

impl<K> Running<K> {
    pub(super) fn new(stream: WatchStream<K>, started: Instant, request: &WatchRequest) -> Self {
        let deadline = started + Duration::from_secs(u64::from(request.timeout_seconds)) + OVERTIME;
        let from_any =
            matches!(request.resource_version.as_str(), "" | "0") && !request.send_initial_events;
        Self {
            stream,
            started,
            deadline,
            events: 0,
            from_any,
            put_back: None,
        }
    }

    /// Makes `items` the next events.
    pub(super) fn put_back(&mut self, items: Vec<WatchItem<K>>) {
        self.put_back = Some(items);
    }

    /// The next events; `None` when the watch is over or overdue.
    pub(super) async fn next(&mut self) -> Option<Result<Vec<WatchItem<K>>, Error>> {
        if let Some(items) = self.put_back.take() {
            return Some(Ok(items));
        }
        let next = tokio::time::timeout_at(self.deadline, self.stream.next())
            .await
            .ok()
            .flatten();
        if let Some(Ok(items)) = &next {
            self.events += items.len();
        }
        next
    }

    pub(super) fn was_short(&self) -> bool {
        self.events == 0 && self.started.elapsed() < SHORT
    }
}

/// How one watch ended.
enum End {
    /// The server closed it in order.
    Closed,
    Short,
    Failed(Error),
}

impl<K, S> Reflector<K, S>
where
    K: Resource + Clone + Send + Sync + 'static,
    S: Sink<K>,
{
    /// Watches, beginning with `running` if there is one, until something only a relist can mend.
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
            match self.follow(watch).await {
                End::Closed => {}
                End::Short => {
                    Counters::add(&self.counters.short_watches, 1);
                    self.report(ReflectorError::VeryShortWatch {
                        resource: self.resource.clone(),
                    });
                    return Next::BackOff;
                }
                End::Failed(error) if is_too_many_requests(&error) => {
                    self.wait_and_resume(error).await
                }
                End::Failed(error) if is_internal(&error) && self.may_retry(&mut retry_until) => {
                    self.report(ReflectorError::Watch {
                        resource: self.resource.clone(),
                        source: error,
                    });
                }
                End::Failed(error) => return self.after_failure(error),
            }
        }
    }

    async fn start_watch(&mut self) -> Result<Running<K>, Error> {
        let request = WatchRequest {
            resource_version: self.last_version.clone(),
            timeout_seconds: self.watch_timeout_seconds(),
            send_initial_events: false,
        };
        // The clock starts before the request, so that a slow answer counts.
        let started = Instant::now();
        Counters::add(&self.counters.watches, 1);
        let stream = self.source.watch(request.clone()).await?;
        Ok(Running::new(stream, started, &request))
    }

    async fn follow(&mut self, mut watch: Running<K>) -> End {
        let mut failed = None;
        while let Some(items) = watch.next().await {
            match items {
                Ok(items) => self.deliver(items, &mut watch.from_any),
                Err(error) => {
                    failed = Some(error);
                    break;
                }
            }
        }
        self.counters.watched(watch.events, watch.started.elapsed());
        if let Some(error) = failed {
            End::Failed(error)
        } else if watch.was_short() {
            End::Short
        } else {
            End::Closed
        }
    }

    /// Hands the changes of one group of events to the sink, in their order, and remembers the version they reach.
    fn deliver(&mut self, items: Vec<WatchItem<K>>, from_any: &mut bool) {
        Counters::add(&self.counters.events, items.len());
        self.expired_in_a_row = false;
        let mut changes = Vec::with_capacity(items.len());
        let mut reached = String::new();
        for item in items {
            *from_any &= matches!(item, WatchItem::Added(_) | WatchItem::Undecodable { .. });
            let before = changes.len();
            let version = match item {
                WatchItem::Added(object) | WatchItem::Modified(object) => {
                    changes.extend(
                        self.admit(object)
                            .map(|(key, object)| Change::Upsert { key, object }),
                    );
                    None
                }
                WatchItem::Deleted(object) => self.delete(object, &mut changes),
                WatchItem::Bookmark {
                    resource_version, ..
                } => Some(resource_version),
                WatchItem::Undecodable { deleted, object } => {
                    self.skip(deleted, object, &mut changes)
                }
            };
            let version = version.as_deref().or_else(|| match changes.get(before) {
                Some(Change::Upsert { object, .. }) => object.meta().resource_version.as_deref(),
                _ => None,
            });
            if let Some(version) = version.filter(|version| !version.is_empty() && !*from_any) {
                reached.clear();
                reached.push_str(version);
            }
        }
        if !reached.is_empty() {
            self.last_version.clone_from(&reached);
        }
        self.sink.apply(changes, &reached);
    }

    fn delete(&self, object: K, changes: &mut Vec<Change<K>>) -> Option<String> {
        let version = object.meta().resource_version.clone();
        let key = ObjectKey::of(&object);
        let object = self.admit(object).map(|(_, object)| object);
        changes.push(Change::Delete { key, object });
        version
    }

    /// Reports an object that cannot be used. Its deletion still counts, with what was known of it.
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

    /// 429 and a refused connection say nothing about the version: wait, then watch from where it was.
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
        self.report(ReflectorError::Watch {
            resource: self.resource.clone(),
            source: error,
        });
        if !expired {
            return Next::BackOff;
        }
        self.version_unavailable = true;
        if std::mem::replace(&mut self.expired_in_a_row, true) {
            Next::BackOff
        } else {
            Next::Relist
        }
    }

    fn may_retry(&self, until: &mut Option<Instant>) -> bool {
        let allowed = self.options.internal_error_retry;
        let now = Instant::now();
        // A minute without such an error starts the allowance anew.
        let stale = until.is_some_and(|until| now > until + Duration::from_secs(60));
        if until.is_none() || stale {
            *until = Some(now + allowed);
        }
        !allowed.is_zero() && until.is_some_and(|until| now < until)
    }
}
