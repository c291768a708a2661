//! Writes events in the background.

use std::fmt;
use std::time::Duration;

use k8s_openapi::api::events::v1::Event;
use kube::Client;
use kube::api::{Patch, PatchParams, PostParams};
use rand::RngExt;
use serde_json::json;
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep};
use tokio_util::sync::CancellationToken;

use super::correlator::Correlator;
use super::series::{SeriesCache, Write};
use super::{EventRecorder, Reporter};
use crate::client::{TypedClient, retry_after};
use crate::error::chain;
use crate::lru::Lru;
use crate::metrics::{EventMetrics, EventOutcome, Metrics};
use crate::tasks::{Progress, Task};

/// client-go's values.
const TRIES: u32 = 12;
const PAUSE: Duration = Duration::from_secs(10);

/// The number of reasons of refused events to remember.
const REASONS: usize = 256;

/// The interval at which series are checked.
const UPKEEP: Duration = Duration::from_secs(60);

/// The options of a broadcaster.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct EventOptions {
    /// The maximum number of events that wait to be written; more are dropped. Defaults to 1,000.
    pub queue: usize,
    /// The time to write the waiting events when the broadcaster is asked to stop. Defaults to 5 s.
    pub flush: Duration,
    /// The metrics that count the outcomes of events.
    pub metrics: Option<Metrics>,
}

impl Default for EventOptions {
    fn default() -> Self {
        Self {
            queue: 1000,
            flush: Duration::from_secs(5),
            metrics: None,
        }
    }
}

impl EventOptions {
    /// Sets the maximum number of events that wait to be written; more are dropped. Defaults to
    /// 1,000.
    #[must_use]
    pub fn queue(mut self, queue: usize) -> Self {
        self.queue = queue;
        self
    }

    /// Sets the time to write the waiting events when the broadcaster is asked to stop. Defaults to
    /// 5 s.
    #[must_use]
    pub fn flush(mut self, flush: Duration) -> Self {
        self.flush = flush;
        self
    }

    /// Counts the outcomes of events in `metrics`.
    #[must_use]
    pub fn metrics(mut self, metrics: &Metrics) -> Self {
        self.metrics = Some(metrics.clone());
        self
    }
}

/// Writes the events of its recorders. Create one per process, and run it until all other work has
/// ended.
pub struct EventBroadcaster {
    client: Client,
    options: EventOptions,
    sender: mpsc::Sender<Box<Event>>,
    queue: Queue,
    metrics: EventMetrics,
    progress: Progress,
}

/// The waiting events. Those left when it is dropped are counted.
struct Queue {
    events: mpsc::Receiver<Box<Event>>,
    metrics: EventMetrics,
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.events.close();
        while self.events.try_recv().is_ok() {
            self.metrics.count(EventOutcome::Dropped);
        }
    }
}

impl EventBroadcaster {
    /// Creates a broadcaster with the default options.
    pub fn new(client: Client) -> Self {
        Self::with_options(client, EventOptions::default())
    }

    /// Creates a broadcaster with `options`.
    pub fn with_options(client: Client, options: EventOptions) -> Self {
        let (sender, events) = mpsc::channel(options.queue.max(1));
        let metrics = options.metrics.clone().unwrap_or_default().events();
        let queue = Queue {
            events,
            metrics: metrics.clone(),
        };
        let progress = Progress::new(Task::Events, "events.k8s.io");
        if let Some(metrics) = &options.metrics {
            progress.report_to(metrics);
        }
        Self {
            client,
            options,
            sender,
            queue,
            metrics,
            progress,
        }
    }

    pub(crate) fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Creates a recorder for `reporter`. Events are queued immediately, and written once the
    /// broadcaster runs.
    pub fn recorder(&self, reporter: Reporter) -> EventRecorder {
        EventRecorder::new(reporter, self.sender.clone(), self.metrics.clone())
    }

    /// Writes events until `stop` is cancelled; then writes the remaining ones, without retries,
    /// within the flush time. Events not written by then are counted: the one in progress as
    /// failed, the waiting ones as dropped.
    ///
    /// Stop it last, since the end of other work may be worth an event.
    pub async fn run(self, stop: &CancellationToken) {
        let Self {
            client,
            options,
            mut queue,
            metrics,
            progress,
            ..
        } = self;
        let mut writer = Writer {
            client,
            metrics,
            progress,
            refused: Lru::new(REASONS),
            correlator: Correlator::new(),
            series: SeriesCache::new(),
            stop: stop.clone(),
        };
        let mut upkeep = interval_at(Instant::now() + UPKEEP, UPKEEP);
        upkeep.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let write = async {
            loop {
                tokio::select! {
                    biased;
                    () = stop.cancelled() => break,
                    Some(event) = queue.events.recv() => writer.record(*event).await,
                    _ = upkeep.tick() => writer.keep_up().await,
                }
            }
            queue.events.close();
            while let Ok(event) = queue.events.try_recv() {
                writer.record(*event).await;
            }
            writer.flush().await;
        };
        let overdue = async {
            stop.cancelled().await;
            sleep(options.flush).await;
        };
        tokio::select! {
            biased;
            () = write => {}
            () = overdue => tracing::warn!("some events were not written in time"),
        }
    }
}

impl fmt::Debug for EventBroadcaster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventBroadcaster")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

/// Returns why the server, or kube before it sends anything, refuses an event: a retry would be
/// refused in the same way.
fn refusal(error: &kube::Error) -> Option<String> {
    match error {
        kube::Error::Api(status) if retry_after(error).is_none() => {
            Some(format!("{} {}", status.code, status.reason))
        }
        kube::Error::BuildRequest(error) => Some(error.to_string()),
        _ => None,
    }
}

struct Writer {
    client: Client,
    metrics: EventMetrics,
    progress: Progress,
    /// The reasons of events that were refused, with the server's reason.
    refused: Lru<(String, String), ()>,
    correlator: Correlator,
    series: SeriesCache,
    /// Cancelled when no time is left for retries.
    stop: CancellationToken,
}

/// Counts an event as failed if it is dropped before it is disarmed.
struct InHand<'a>(Option<&'a EventMetrics>);

impl InHand<'_> {
    fn ended(mut self, outcome: EventOutcome) {
        if let Some(metrics) = self.0.take() {
            metrics.count(outcome);
        }
    }
}

impl Drop for InHand<'_> {
    fn drop(&mut self) {
        if let Some(metrics) = self.0 {
            metrics.count(EventOutcome::Failed);
        }
    }
}

impl Writer {
    async fn record(&mut self, mut event: Event) {
        let Some(key) = self.correlator.admit(&mut event) else {
            return self.metrics.count(EventOutcome::Filtered);
        };
        let writes = self.series.observe(&key, event);
        if writes.is_empty() {
            self.metrics.count(EventOutcome::Counted);
        }
        for write in writes {
            self.write(write).await;
        }
    }

    async fn keep_up(&mut self) {
        for write in self.series.due() {
            self.write(write).await;
        }
    }

    async fn flush(&mut self) {
        for write in self.series.unwritten() {
            self.write(write).await;
        }
    }

    /// Retries until the server answers other than with a request to try later; after a request to
    /// stop, only once more.
    async fn write(&mut self, write: Write) {
        let metrics = self.metrics.clone();
        let in_hand = InHand(Some(&metrics));
        // Spreads the retries of processes that lost the server at the same moment.
        let mut pause = PAUSE.mul_f64(rand::rng().random_range(0.0..=1.0));
        let mut last = self.stop.is_cancelled();
        for rest in (0..TRIES).rev() {
            let error = match self.try_write(&write).await {
                Ok(outcome) => {
                    self.progress.works();
                    return in_hand.ended(outcome);
                }
                Err(error) => error,
            };
            let asked = retry_after(&error);
            let refusal = refusal(&error);
            if refusal.is_some() || rest == 0 || last {
                self.report(&write, refusal, &error);
                return in_hand.ended(EventOutcome::Failed);
            }
            let pause = std::mem::replace(&mut pause, PAUSE);
            let pause = sleep(asked.map_or(pause, |asked| pause.max(asked)));
            last = self.stop.run_until_cancelled(pause).await.is_none();
        }
    }

    /// Reports an event that is given up. Of refused ones, the first of each reason is logged: the
    /// others look the same.
    fn report(&mut self, write: &Write, refusal: Option<String>, error: &kube::Error) {
        let Some(refusal) = refusal else {
            return self.progress.failed(chain(error));
        };
        let (Write::Create(event) | Write::Update(event)) = write;
        let reason = event.reason.clone().unwrap_or_default();
        let mut is_new = false;
        let known = (reason.clone(), refusal);
        self.refused.get_or_insert_with(&known, || is_new = true);
        if is_new {
            let regarding = event.regarding.as_ref();
            let kind = regarding
                .and_then(|it| it.kind.as_deref())
                .unwrap_or_default();
            let name = regarding
                .and_then(|it| it.name.as_deref())
                .unwrap_or_default();
            tracing::warn!(reason, kind, name, error = %chain(error), "event refused; further ones of this reason are not logged");
        }
        self.progress.failed_and_told(chain(error));
    }

    async fn try_write(&self, write: &Write) -> Result<EventOutcome, kube::Error> {
        match write {
            Write::Create(event) => match self.create(event).await {
                // An earlier try succeeded, but its answer was lost.
                Err(kube::Error::Api(status)) if status.is_already_exists() => {
                    Ok(EventOutcome::Created)
                }
                result => result.map(|()| EventOutcome::Created),
            },
            Write::Update(event) => {
                let patch = Patch::Merge(json!({"series": event.series}));
                let name = event.metadata.name.as_deref().unwrap_or_default();
                match self
                    .api(event)
                    .patch(name, &PatchParams::default(), &patch)
                    .await
                {
                    Ok(_) => Ok(EventOutcome::Updated),
                    // The event has expired, or was never written.
                    Err(kube::Error::Api(status)) if status.is_not_found() => {
                        self.create(event).await.map(|()| EventOutcome::Created)
                    }
                    Err(error) => Err(error),
                }
            }
        }
    }

    async fn create(&self, event: &Event) -> Result<(), kube::Error> {
        self.api(event)
            .create(event, &PostParams::default())
            .await
            .map(drop)
    }

    fn api(&self, event: &Event) -> TypedClient<Event> {
        TypedClient::namespaced(
            self.client.clone(),
            event.metadata.namespace.as_deref().unwrap_or("default"),
        )
    }
}
