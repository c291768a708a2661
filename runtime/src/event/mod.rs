//! Events: short notes about objects for people, in `events.k8s.io/v1`.
//!
//! An [`EventRecorder`] takes notes without waiting, and an [`EventBroadcaster`] writes them in the background. Writing events
//! must never get in the way of the work, nor flood the API server, so that on the way
//!
//! 1. notes beyond a bounded queue are dropped;
//! 2. more than ten notes that differ in their text only, within ten minutes, become one event, "(combined from similar
//!    events)";
//! 3. an object that draws more than 25 events from one source is held to one in five minutes;
//! 4. equal events become one event with a series, whose count is written when it starts, every half hour, and when it ends;
//! 5. a write that doesn't reach the server is tried twelve times, ten seconds apart; what the server refuses, or what is no request, is dropped.
//!
//! Figures and rules are client-go's. It has steps 2 and 3 in `tools/record` and step 4 in `tools/events`; here one recorder has
//! all. Unlike in `tools/events`, the text distinguishes two events, so that each text is seen until step 2 combines them. What
//! became of events is counted in `event_recorder_events_total`. Start reading at [`EventRecorder`].
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
mod lru;
mod recorder;
mod series;

pub use self::broadcaster::{EventBroadcaster, EventOptions};
pub(crate) use self::lru::Lru;
pub use self::recorder::{EventRecorder, EventType, NewEvent, Reporter};
