//! How long a list or watch may be silent, so that a connection that only seems to be there does not freeze a cache.

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use kube::Error;
use tokio::time::sleep;

use super::source::{ListEnd, ListRequest, ListWatch, Listed};

/// The longest silence of each phase of a list and watch. It holds over any client and any [`ListWatch`]; what is given up is
/// dropped, which closes an HTTP/1.1 connection. Over HTTP/2 the connection stays: such a client needs pings of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Deadlines {
    /// Until the first object of a page of a list; 65 s by default, longer than an API server takes for any request.
    pub list_response: Duration,
    /// Between two objects of a list, or two events of a streamed list until its closing bookmark; 30 s by default. A stall is
    /// found after this at the earliest, and after twice this at the latest.
    pub list_progress: Duration,
    /// Until the head of a watch's answer; 30 s by default.
    pub watch_response: Duration,
    /// Between two events of a watch, once the server is known to send bookmarks; 95 s by default, where Kubernetes sends a
    /// bookmark a minute. Where they come less often it is one and a half of their interval. A silent watch is opened anew.
    /// Without bookmarks a watch may be silent until its end.
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

/// A server fell silent for longer than the [`Deadlines`] allow: the cause in a [`ReflectorError`](super::ReflectorError).
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{what} within {} s", limit.as_secs_f32())]
pub struct Stalled {
    /// The thing that did not arrive.
    what: &'static str,
    limit: Duration,
}

impl Stalled {
    pub(super) fn error(what: &'static str, limit: Duration) -> Error {
        Error::Service(Box::new(Self { what, limit }))
    }
}

/// The outcome of `call`, or [`Stalled`] if it takes longer than `limit`.
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

/// Lists one page, as long as objects come.
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

/// The bookmarks that a reflector has seen from its server.
#[derive(Debug, Default)]
pub(super) struct Bookmarks {
    /// The times between the last three. The last bookmark of a watch comes early, so one interval alone is not enough.
    intervals: [Duration; 2],
    /// Whether there was one at all.
    seen: bool,
    /// How many watches in a row were silent for longer than bookmarks would have let them.
    missed: u32,
}

/// So many silent watches in a row, over a server that answers otherwise, say that no bookmarks come.
const ENOUGH: u32 = 2;

impl Bookmarks {
    /// One came, this long after the one before.
    pub(super) fn came_after(&mut self, interval: Duration) {
        (self.intervals, self.seen, self.missed) = ([interval, self.intervals[0]], true, 0);
    }

    /// One closed a streamed list: servers that can do this send others too, as far as is known.
    pub(super) fn closed_a_list(&mut self) {
        self.seen = true;
    }

    /// A watch was silent for longer than [`Self::limit`], and the server answers.
    pub(super) fn missed(&mut self) {
        self.missed += 1;
    }

    /// How long a watch may be silent; `None` for ever.
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
