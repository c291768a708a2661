//! Leader election with a Lease: one of several processes works, and another takes over when it
//! stops.
//!
//! The protocol is client-go's `tools/leaderelection`, and contenders of both can share a Lease.
//! Differences:
//!
//! - The Lease is watched, so that a released one is taken immediately instead of at the next poll;
//!   polling continues as well.
//! - Every write, including the release, carries the resourceVersion that it is based on.
//! - The work is *fenced*: before each poll of the work, its leadership is checked against the
//!   monotonic clock. A process that was paused past its deadline does no more work when it
//!   resumes, whatever its timers report.
//! - The work has stopped before the Lease is released and before the end of leadership is
//!   reported.
//! - Work that blocks its thread cannot be stopped: then the Lease is not released
//!   ([`Stopped::RunsOn`]).
//! - Each term has its own [epoch](Leadership::epoch), in an annotation of the Lease; epochs
//!   continue if the Lease is deleted.
//! - A contender adds its own instance ID to the Lease. A contender that finds its own instance ID
//!   without leading, or its identity without an instance ID, takes the Lease immediately. Its
//!   identity with another instance ID belongs to another process: then the Lease has to expire
//!   like any other, and that process, if seen alive, is [reported](LeaderElector::check_identity).
//! - A leader that sees another holder stops immediately instead of retrying until its deadline.
//! - A leader that sees another holder stops at once instead of trying until its deadline.
//!
//! The limit of any election: a call in progress when a process is paused may still reach its
//! target afterwards. Where that matters, the target must compare the [epoch](Leadership::epoch).
//! The monotonic clock does not advance while a machine is suspended; a leader that is suspended
//! with its machine notices by the conflict of its next write.
//!
//! Start reading at [`LeaderElector::run`].

mod config;
mod election;
mod elector;
mod env;
mod lead;
mod leadership;
mod record;
mod stopped;
mod watch;

pub use self::config::{LeaderElectionConfig, LeaderElectionConfigError};
pub(crate) use self::elector::jittered;
pub use self::elector::{DuplicateIdentity, LeaderElector, LeaseExpired};
pub use self::env::LeaderElectionEnvError;
pub use self::leadership::{Fenced, Leadership, LeadershipLost, LeadingStep};
pub use self::stopped::{LossReason, Stopped};
pub(crate) use self::watch::{Hint, LeaseWatch};
