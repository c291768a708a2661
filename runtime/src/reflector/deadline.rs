//! Limits the silence of a list or watch, so that a dead connection does not freeze a cache.

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use kube::Error;
use tokio::time::sleep;

use super::source::{ListEnd, ListRequest, ListWatch, Listed};

/// The longest silence in each phase of a list and watch. The deadlines apply to any client and any
/// [`ListWatch`]. A call past its deadline is dropped, which closes an HTTP/1.1 connection. An
/// HTTP/2 connection stays open: such a client needs its own pings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Deadlines {
    /// The time until the first object of a page of a list; defaults to 65 s, longer than an API
    /// server takes for any request.
    pub list_response: Duration,
    /// The time between two objects of a list, or between two objects of a streamed list that are
    /// new in it, until its closing bookmark; defaults to 30 s. After the first change in a
    /// streamed list, new objects do not count any more. A stall of a list is detected after this
    /// time at the earliest and twice this time at the latest.
    pub list_progress: Duration,
    /// The time until the head of a watch's answer; defaults to 30 s.
    pub watch_response: Duration,
    /// The time between two events of a watch, once the server is known to send bookmarks; defaults
    /// to 95 s, as Kubernetes sends a bookmark per minute. If they arrive less often, it is one and
    /// a half times their interval. A silent watch is reopened. Without bookmarks a watch may be
    /// silent until its end.
    pub watch_silence: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            list_response: Duration::from_secs(65),
            list_progress: Duration::from_secs(30),
            watch_response: Duration::from_secs(30),
            watch_silence: Duration::from_secs(95),
        }
    }
}

/// A server was silent for longer than the [`Deadlines`] allow: the cause in a
/// [`ReflectorError`](super::ReflectorError).
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{what} within {} s", limit.as_secs_f32())]
pub struct Stalled {
    /// The missing event, as a message.
    what: &'static str,
    limit: Duration,
}

impl Stalled {
    pub(super) fn error(what: &'static str, limit: Duration) -> Error {
        Error::Service(Box::new(Self { what, limit }))
    }
}

/// Returns the outcome of `call`, or [`Stalled`] if it takes longer than `limit`.
pub(super) async fn within<T>(
    limit: Duration,
    what: &'static str,
    call: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    match tokio::time::timeout(limit, call).await {
        Ok(result) => result,
        Err(_) => Err(Stalled::error(what, limit)),
    }
}

/// Lists one page, as long as objects arrive.
pub(super) async fn list<K: 'static>(
    source: &dyn ListWatch<K>,
    deadlines: &Deadlines,
    request: ListRequest,
    each: &mut (dyn FnMut(Listed<K>) + Send),
) -> Result<ListEnd, Error> {
    let count = AtomicUsize::new(0);
    let mut counted = |listed| {
        count.fetch_add(1, Ordering::Relaxed);
        each(listed);
    };
    let stalled = async {
        let (mut seen, mut limit) = (0, deadlines.list_response);
        loop {
            sleep(limit).await;
            let now = count.load(Ordering::Relaxed);
            match (now == seen, now) {
                (true, 0) => return Stalled::error("no answer to the list", limit),
                (true, _) => return Stalled::error("no more of the list", limit),
                (false, _) => (seen, limit) = (now, deadlines.list_progress),
            }
        }
    };
    tokio::select! {
        biased;
        end = source.list(request, &mut counted) => end,
        error = stalled => Err(error),
    }
}

/// The bookmarks that a reflector has received from its server.
#[derive(Debug, Default)]
pub(super) struct Bookmarks {
    /// The two intervals between the last three. The last bookmark of a watch comes early, so one
    /// interval is not enough.
    intervals: [Duration; 2],
    /// Whether there was any.
    seen: bool,
    /// The number of consecutive watches that were silent for longer than the bookmark interval
    /// allows.
    missed: u32,
}

/// After this many silent watches in a row, on a server that answers otherwise, bookmarks are
/// assumed not to come.
const ENOUGH: u32 = 2;

impl Bookmarks {
    /// Records a bookmark, `interval` after the previous one.
    pub(super) fn came_after(&mut self, interval: Duration) {
        (self.intervals, self.seen, self.missed) = ([interval, self.intervals[0]], true, 0);
    }

    /// Records a bookmark that closed a streamed list: known servers that support this send
    /// periodic ones too.
    pub(super) fn closed_a_list(&mut self) {
        self.seen = true;
    }

    /// Records that a watch was silent for longer than [`Self::limit`] though the server answers.
    pub(super) fn missed(&mut self) {
        self.missed += 1;
    }

    /// Returns how long a watch may be silent; `None` for no limit.
    pub(super) fn limit(&self, least: Duration) -> Option<Duration> {
        let come = self.seen && self.missed < ENOUGH;
        let interval = self.intervals[0].max(self.intervals[1]);
        come.then(|| least.max(interval + interval / 2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAST: Duration = Duration::from_secs(95);

    #[test]
    fn silence_means_nothing_before_a_bookmark_came() {
        assert_eq!(Bookmarks::default().limit(LEAST), None);
    }

    #[test]
    fn the_limit_follows_the_interval_of_the_bookmarks() {
        let mut bookmarks = Bookmarks::default();
        bookmarks.closed_a_list();
        assert_eq!(bookmarks.limit(LEAST), Some(LEAST));
        bookmarks.came_after(Duration::from_secs(60));
        assert_eq!(bookmarks.limit(LEAST), Some(LEAST));
        bookmarks.came_after(Duration::from_secs(600));
        assert_eq!(bookmarks.limit(LEAST), Some(Duration::from_secs(900)));
    }

    #[test]
    fn a_server_that_stops_sending_them_is_left_alone_until_one_comes() {
        let mut bookmarks = Bookmarks::default();
        bookmarks.came_after(Duration::from_secs(60));
        bookmarks.missed();
        assert_eq!(bookmarks.limit(LEAST), Some(LEAST));
        bookmarks.missed();
        assert_eq!(bookmarks.limit(LEAST), None);
        bookmarks.closed_a_list();
        assert_eq!(bookmarks.limit(LEAST), None);
        bookmarks.came_after(Duration::from_secs(60));
        assert_eq!(bookmarks.limit(LEAST), Some(LEAST));
    }
}
