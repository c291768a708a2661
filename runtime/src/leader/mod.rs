//! Leader election on a Lease: of several processes one works, and the others take over when it stops.
//!
//! The protocol is client-go's `tools/leaderelection`, and both can contend for one Lease. What differs:
//!
//! - The Lease is watched, so that a released one is taken at once instead of at the next poll; polling goes on beside it.
//! - Every write carries the resourceVersion that it was decided on, the release too.
//! - The work is *fenced*: before each step that the runtime gives it, its leadership is checked against the monotonic clock.
//!   A process that was paused past its deadline does nothing more when it wakes up, whatever its timers say.
//! - The work has stopped before the Lease is released and before anybody is told that leadership has ended.
//! - A process that finds its own identity on the Lease without leading takes it at once, and counts a transition: each
//!   term of office has its own [epoch](Leadership::epoch).
//! - A leader that sees another holder stops at once instead of trying until its deadline.
//!
//! What no election can give: a call that is under way when a process is paused may still reach its target afterwards. Where
//! that matters, the target must compare the [epoch](Leadership::epoch). The monotonic clock stands still while a machine is
//! suspended; a leader that is suspended with its machine finds out by the conflict of its next write.
//!
//! Start reading at [`LeaderElector::run`].

mod config;
mod election;
mod elector;
mod lead;
mod leadership;
mod record;
mod watch;

pub use self::config::{LeaderElectionConfig, LeaderElectionConfigError};
pub use self::elector::{LeaderElector, LeaseExpired, Stopped};
pub use self::leadership::{Fenced, Leadership, LeadershipLost};
