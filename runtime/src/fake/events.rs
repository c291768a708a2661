//! Recorded events, for tests that wait for them.

use std::fmt;

use k8s_openapi::api::events::v1::Event;
use tokio::sync::mpsc;

use crate::event::{EventRecorder, Reporter};
use crate::metrics::Metrics;

/// The number of events that can wait to be taken; a recorder drops further ones.
const CAPACITY: usize = 10_000;

/// Creates a recorder whose events a test takes one by one, instead of a broadcaster that writes
/// them: client-go's `FakeRecorder`.
///
/// Events arrive as they were recorded, in order and without being combined or limited.
///
/// ```
/// use codegen_runtime::fake;
/// use k8s_openapi::api::core::v1::ConfigMap;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let (recorder, mut events) = fake::recorder();
/// recorder.warning(&ConfigMap::default(), "OverQuota", "Remove", "removed 2 keys");
/// let event = events.of_reason("OverQuota").await.unwrap();
/// assert_eq!(event.note.as_deref(), Some("removed 2 keys"));
/// # }
/// ```
pub fn recorder() -> (EventRecorder, Events) {
    let (sender, events) = mpsc::channel(CAPACITY);
    let recorder = EventRecorder::new(
        Reporter::new("test", "test"),
        sender,
        Metrics::new().events(),
    );
    (recorder, Events(events))
}

/// The events of a [`recorder`].
pub struct Events(mpsc::Receiver<Box<Event>>);

impl Events {
    /// Waits for the next event; `None` once all clones of the recorder are dropped and all events
    /// are taken.
    ///
    /// There is no deadline: use `tokio::time::timeout`.
    pub async fn next(&mut self) -> Option<Event> {
        self.0.recv().await.map(|event| *event)
    }

    /// Waits for the next event with this reason, and discards others before it.
    pub async fn of_reason(&mut self, reason: &str) -> Option<Event> {
        loop {
            let event = self.next().await?;
            if event.reason.as_deref() == Some(reason) {
                return Some(event);
            }
        }
    }

    /// Takes the events recorded so far, without waiting.
    pub fn take(&mut self) -> Vec<Event> {
        std::iter::from_fn(|| self.0.try_recv().ok())
            .map(|event| *event)
            .collect()
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events")
            .field("waiting", &self.0.len())
            .finish()
    }
}
