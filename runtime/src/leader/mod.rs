//! Leader election on a Lease: of several processes one works, and the others take over when it stops.
//!
//! The protocol is client-go's `tools/leaderelection`, and both can contend for one Lease. What differs:
//!
//! - The Lease is watched, so that a released one is taken at once instead of at the next poll; polling goes on beside it.
//! - Every write carries the resourceVersion that it was decided on, the release too.
//! - The work is *fenced*: before each step that the runtime gives it, its leadership is checked against the monotonic clock.
//!   A process that was paused past its deadline does nothing more when it wakes up, whatever its timers say.
//! - The work has stopped before the Lease is released and before anybody is told that leadership has ended.
//! - Work that blocks its thread can't be stopped: then the Lease is not released ([`Stopped::RunsOn`]).
//! - Each term of office has its own [epoch](Leadership::epoch), in an annotation of the Lease: it goes on if the Lease is deleted.
//! - A contender signs the Lease with an instance of its own. One that finds its own signature without leading, or its identity
//!   without a signature, takes the Lease at once. Under another signature its identity is another process: the Lease has to expire,
//!   as if somebody else had it, and a process that is seen alive there is [reported](LeaderElector::check_identity).
//! - A leader that sees another holder stops at once instead of trying until its deadline.
//!
//! The limit of any election: a call that is under way when a process is paused may still reach its target afterwards. Where
//! that matters, the target must compare the [epoch](Leadership::epoch). The monotonic clock stands still while a machine is
//! suspended; a leader that is suspended with its machine finds out by the conflict of its next write.
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
pub use self::elector::{DuplicateIdentity, LeaderElector, LeaseExpired};
pub use self::env::LeaderElectionEnvError;
pub use self::leadership::{Fenced, Leadership, LeadershipLost, LeadingStep};
pub use self::stopped::{LossReason, Stopped};
