//! Writes events in the background.

use std::fmt;
use std::time::Duration;

use k8s_openapi::api::events::v1::Event;
use kube::Client;
use kube::api::{Patch, PatchParams, PostParams};
use rand::RngExt;
use serde_json::json;
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::correlator::Correlator;
use super::series::{SeriesCache, Write};
use super::{EventRecorder, Reporter};
use crate::client::TypedClient;
use crate::metrics::{EventMetrics, EventOutcome, Metrics};

/// client-go's figures.
const TRIES: u32 = 12;
const PAUSE: Duration = Duration::from_secs(10);

/// How often series are looked at.
const UPKEEP: Duration = Duration::from_secs(60);

/// How a broadcaster works.
#[derive(Debug, Clone)]
pub struct EventOptions {
    /// Notes that wait to be written; further ones are dropped. 1,000 unless set.
    pub queue: usize,
    /// Time for what still waits when the broadcaster is asked to stop. 5 s unless set.
    pub flush: Duration,
    /// Where to count what became of events.
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

/// Writes what its recorders note. Make one a process, and run it as long as there is work.
pub struct EventBroadcaster {
    client: Client,
    options: EventOptions,
    sender: mpsc::Sender<Box<Event>>,
    queue: mpsc::Receiver<Box<Event>>,
    metrics: EventMetrics,
}

impl EventBroadcaster {
    /// A broadcaster with the default options.
    pub fn new(client: Client) -> Self {
        Self::with_options(client, EventOptions::default())
    }

    /// A broadcaster with `options`.
    pub fn with_options(client: Client, options: EventOptions) -> Self {
        let (sender, queue) = mpsc::channel(options.queue.max(1));
        let metrics = options.metrics.clone().unwrap_or_default().events();
        Self {
            client,
            options,
            sender,
            queue,
            metrics,
        }
    }

    /// A recorder for `reporter`. Notes are kept from now on, and written once the broadcaster runs.
    pub fn recorder(&self, reporter: Reporter) -> EventRecorder {
        EventRecorder::new(reporter, self.sender.clone(), self.metrics.clone())
    }

    /// Writes events until `stop` is cancelled; then writes what is left, without further tries, within the time for it.
    ///
    /// Stop it last: the end of the work is worth an event too.
    pub async fn run(mut self, stop: &CancellationToken) {
        let mut writer = Writer {
            client: self.client,
            metrics: self.metrics,
            correlator: Correlator::new(),
            series: SeriesCache::new(),
            tries: TRIES,
        };
        let mut upkeep = interval_at(Instant::now() + UPKEEP, UPKEEP);
        upkeep.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let write = async {
            loop {
                tokio::select! {
                    Some(event) = self.queue.recv() => writer.record(*event).await,
                    _ = upkeep.tick() => writer.keep_up().await,
                }
            }
        };
        let _: Option<()> = stop.run_until_cancelled(write).await;
        writer.tries = 1;
        self.queue.close();
        let flush = async {
            while let Ok(event) = self.queue.try_recv() {
                writer.record(*event).await;
            }
            writer.flush().await;
        };
        if timeout(self.options.flush, flush).await.is_err() {
            tracing::debug!("some events were not written in time");
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

struct Writer {
    client: Client,
    metrics: EventMetrics,
    correlator: Correlator,
    series: SeriesCache,
    tries: u32,
}

impl Writer {
    async fn record(&mut self, mut event: Event) {
        let Some(key) = self.correlator.admit(&mut event) else {
            return self.metrics.count(EventOutcome::Filtered);
        };
        match self.series.observe(&key, event) {
            Some(write) => self.write(write).await,
            None => self.metrics.count(EventOutcome::Counted),
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

    /// Tries until the server answers, whatever it answers.
    async fn write(&self, write: Write) {
        // Spread the tries of processes that lost the server at the same moment.
        let mut pause = PAUSE.mul_f64(rand::rng().random_range(0.0..=1.0));
        for rest in (0..self.tries).rev() {
            let error = match self.try_write(&write).await {
                Ok(outcome) => return self.metrics.count(outcome),
                Err(error) => error,
            };
            if matches!(error, kube::Error::Api(_)) || rest == 0 {
                tracing::debug!(%error, "event not written");
                return self.metrics.count(EventOutcome::Failed);
            }
            sleep(std::mem::replace(&mut pause, PAUSE)).await;
        }
    }

    async fn try_write(&self, write: &Write) -> Result<EventOutcome, kube::Error> {
        match write {
            Write::Create(event) => match self.create(event).await {
                // An earlier try got through, and its answer didn't.
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
                    // It has expired, or was never written.
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
