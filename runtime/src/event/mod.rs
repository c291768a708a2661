//! Events: short, human-readable notes about objects, in `events.k8s.io/v1`.
//!
//! An [`EventRecorder`] records events without waiting, and an [`EventBroadcaster`] writes them in
//! the background. Events must neither delay the actual work nor flood the API server. Therefore:
//!
//! 1. events beyond a bounded queue are dropped;
//! 2. more than ten events within ten minutes that differ only in their note become one event,
//!    "(combined from similar events)";
//! 3. an object with more than 25 events from one source is limited to one event in five minutes;
//! 4. equal events become one event with a series, whose count is written at its start, every half
//!    hour, and at its end;
//! 5. a write that does not reach the server, or that the server wants later (`Retry-After`), is
//!    tried twelve times, ten seconds apart or as long as the server asks; an event that the server
//!    refuses, or whose request cannot be built, is dropped, and logged at WARN if it is the first
//!    one of its reason.
//!
//! Rules and limits are client-go's. It implements steps 2 and 3 in `tools/record` and step 4 in
//! `tools/events`; here one recorder does all. Unlike in `tools/events`, events with different
//! notes are different, so that each note is visible until step 2 combines them. The metric
//! `event_recorder_events_total` counts the outcomes. Start reading at [`EventRecorder`].
//!
//! ```no_run
//! # use codegen_runtime::event::{EventBroadcaster, EventOptions, Reporter};
//! # use codegen_runtime::{k8s_openapi::api::core::v1::ConfigMap, kube::Client};
//! # use tokio_util::sync::CancellationToken;
//! # async fn example(client: Client, map: ConfigMap, stop: CancellationToken) {
//! let events = EventBroadcaster::with_options(client, EventOptions::default().queue(500));
//! let recorder = events.recorder(Reporter::new("example.com/map-controller", "pod-0"));
//! recorder.warning(&map, "OverQuota", "Remove", "removed 2 keys"); // never waits
//! events.run(&stop).await;
//! # }
//! ```

mod broadcaster;
mod correlator;
mod recorder;
mod series;

pub use self::broadcaster::{EventBroadcaster, EventOptions};
pub use self::recorder::{EventRecorder, EventType, NewEvent, Reporter};
