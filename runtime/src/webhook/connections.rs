//! The open connections of the webhook server: limited in number, and no client can keep others out
//! by doing nothing.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use http_body::{Body, Frame, SizeHint};
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Instant;

/// The connections, at most `most` at a time.
pub(super) struct Connections {
    most: usize,
    tasks: JoinSet<()>,
    open: Vec<Open>,
    answered: Arc<Notify>,
}

struct Open {
    task: AbortHandle,
    activity: Activity,
}

/// Whether a connection waits for its client. Clones belong to the same connection.
#[derive(Clone)]
pub(super) struct Activity {
    /// Since when the server waits for the client; `None` from the end of a request until its
    /// answer has been sent.
    waits_since: Arc<Mutex<Option<Instant>>>,
    answered: Arc<Notify>,
}

impl Connections {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            tasks: JoinSet::new(),
            open: Vec::new(),
            answered: Arc::default(),
        }
    }

    /// Runs a connection.
    pub(super) fn spawn<F>(&mut self, connection: impl FnOnce(Activity) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let activity = Activity::new(self.answered.clone());
        let task = self.tasks.spawn(connection(activity.clone()));
        self.open.push(Open { task, activity });
    }

    /// Makes room for one more connection. If there are too many, closes the one that has waited
    /// longest for its client, be it for a handshake, a request or the rest of one. While all are
    /// answering, waits. May be dropped and called again.
    pub(super) async fn make_room(&mut self) {
        loop {
            self.reap();
            if self.open.len() < self.most || self.close_idlest() {
                return;
            }
            tokio::select! {
                _ = self.tasks.join_next() => {}
                () = self.answered.notified() => {}
            }
        }
    }

    /// Waits for the end of all connections.
    pub(super) async fn drain(&mut self) {
        while self.tasks.join_next().await.is_some() {}
    }

    /// Forgets the connections that have ended.
    fn reap(&mut self) {
        while self.tasks.try_join_next().is_some() {}
        self.open.retain(|open| !open.task.is_finished());
    }

    fn close_idlest(&mut self) -> bool {
        let open = self.open.iter().enumerate();
        let waiting =
            open.filter_map(|(at, open)| Some(((*open.activity.waits_since.lock())?, at)));
        let Some((_, at)) = waiting.min() else {
            return false;
        };
        self.open.remove(at).task.abort();
        true
    }
}

impl Activity {
    pub(super) fn new(answered: Arc<Notify>) -> Self {
        Self {
            waits_since: Arc::new(Mutex::new(Some(Instant::now()))),
            answered,
        }
    }

    /// Returns the `body` of a request; its end means that the server has to answer.
    pub(super) fn reading<B>(&self, body: B) -> Reading<B> {
        Reading {
            body,
            activity: self.clone(),
        }
    }

    /// Records that an answer has been sent.
    pub(super) fn answered(&self) {
        *self.waits_since.lock() = Some(Instant::now());
        self.answered.notify_one();
    }
}

/// The body of a request.
pub(super) struct Reading<B> {
    body: B,
    activity: Activity,
}

impl<B: Body + Unpin> Body for Reading<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        if frame.is_none() {
            *self.activity.waits_since.lock() = None;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use http_body_util::{BodyExt, Full};
    use tokio::time::{sleep, timeout};

    use super::*;

    const LONG: Duration = Duration::from_secs(1);

    /// Adds a connection that does nothing more.
    fn open(connections: &mut Connections) -> (Activity, AbortHandle) {
        let mut activity = None;
        connections.spawn(|of| {
            activity = Some(of);
            std::future::pending()
        });
        let task = connections.open.last().map(|open| open.task.clone());
        (activity.unwrap(), task.unwrap())
    }

    /// Reads a request to its end.
    async fn read(activity: &Activity) {
        let body = activity.reading(Full::new(&b"{}"[..]));
        body.collect().await.unwrap();
    }

    async fn is_closed(task: &AbortHandle) -> bool {
        sleep(Duration::from_millis(1)).await;
        task.is_finished()
    }

    #[tokio::test(start_paused = true)]
    async fn the_connection_that_has_waited_longest_for_its_client_gives_way() {
        let mut connections = Connections::new(3);
        let (busy, one) = open(&mut connections);
        sleep(LONG).await;
        let (_, two) = open(&mut connections);
        sleep(LONG).await;
        let (_, three) = open(&mut connections);
        connections.make_room().await;
        assert!(is_closed(&one).await, "the oldest, which sent no request");
        let (reads, four) = open(&mut connections);
        read(&reads).await;
        sleep(LONG).await;
        for gone in [&two, &three] {
            connections.make_room().await;
            assert!(is_closed(gone).await);
            open(&mut connections);
        }
        assert!(!is_closed(&four).await, "an answer is due");
        busy.answered();
    }

    #[tokio::test(start_paused = true)]
    async fn connections_that_are_answering_are_waited_for() {
        let mut connections = Connections::new(2);
        let (first, one) = open(&mut connections);
        let (second, two) = open(&mut connections);
        read(&first).await;
        read(&second).await;
        let full = timeout(LONG, connections.make_room()).await;
        assert!(full.is_err());
        second.answered();
        connections.make_room().await;
        assert!(is_closed(&two).await && !one.is_finished());
        let (third, _) = open(&mut connections);
        read(&third).await;
        // A client that disconnects makes room, too.
        one.abort();
        timeout(LONG, connections.make_room()).await.unwrap();
    }
}
