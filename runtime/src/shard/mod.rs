//! Sharded controllers: every replica works, each on its part of the objects.
//!
//! The 64-bit FNV-1a hash of an object's namespace or uid decides which of 256 slots it belongs to,
//! and each slot has one owner. [`Shards`] is a process's membership of a group of replicas:
//!
//! - A member is a Lease, held and renewed as a leader's is; each process, and each term, is
//!   another member.
//! - One more Lease has the *record*: who the members are, and which slots each should own and
//!   does. It changes by compare-and-swap, and any member does what is due, so that no coordinator
//!   can be missing.
//! - A slot is handed over by release and take: its owner finishes the work on it, or drops it in
//!   the end, and only then frees it; the next one takes it with a higher epoch.
//! - The work on a slot is fenced like a leader's, by a deadline of the monotonic clock that the
//!   member's Lease and the record both extend: a process that was paused does no more work when it
//!   resumes.
//! - The slots of a dead member are freed after its lease duration, when it has certainly stopped.
//!
//! Shares are a function of the record and its members that moves as little as possible: see
//! `plan`. Limits are those of an election: a call in progress may reach its target late, so that
//! targets should compare epochs.

mod config;
mod coordinator;
mod filter;
mod holdings;
mod plan;
mod record;
mod sightings;
mod slots;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use k8s_openapi::api::coordination::v1::Lease;
use kube::Client;
use kube::api::DeleteParams;
use parking_lot::Mutex;
use rand::RngExt;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

pub use self::config::{ShardsConfig, ShardsConfigError};
use self::coordinator::Coordinator;
pub(crate) use self::filter::ShardFilter;
pub use self::filter::Sharding;
use self::holdings::Holdings;
pub use self::holdings::ShardPermit;
use self::record::Record;
pub(crate) use self::slots::SlotSet;
#[doc(no_inline)]
pub use kube_names::shard::hash;

use crate::client::TypedClient;
use crate::keys::SHARD_GROUP;
use crate::leader::{LeaderElectionConfig, LeaderElector, jittered};
use crate::metrics::{Metrics, ShardMetrics};
use crate::tasks::{Progress, Task};

/// The longest beginning of a member's name, so that the names of Leases stay valid.
const LONGEST_IDENTITY: usize = 150;

/// A process's membership of a group of replicas that share work. Clones are handles of the same
/// membership.
#[derive(Clone)]
pub struct Shards {
    shared: Arc<Shared>,
}

pub(crate) struct Shared {
    config: ShardsConfig,
    client: Client,
    api: TypedClient<Lease>,
    progress: Progress,
    holdings: Holdings,
    /// The largest epoch ever seen.
    highest: AtomicU64,
    status: Mutex<ShardsStatus>,
    metrics: OnceLock<ShardMetrics>,
    /// Serializes runs.
    running: tokio::sync::Mutex<()>,
}

/// The state of a group as its member last saw it.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct ShardsStatus {
    /// This process's name among the members; empty while it is none.
    pub member: String,
    /// The number of slots that each member holds and should hold.
    pub members: BTreeMap<String, Share>,
    /// The ranges that this process holds, as a shard selector writes them.
    pub ranges: Vec<String>,
    /// The number of slots that this process took and gave up or lost.
    pub moves: u64,
}

/// The part of one member, of 256 slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Share {
    /// The slots that it holds.
    pub holds: usize,
    /// The slots that it should hold.
    pub target: usize,
}

impl Shards {
    /// Creates a membership. It sends no requests before [`run`](Self::run).
    ///
    /// # Errors
    ///
    /// The configuration is invalid.
    pub fn new(client: Client, config: impl Into<ShardsConfig>) -> Result<Self, ShardsConfigError> {
        let config = config.into();
        config.validate()?;
        let progress = Progress::new(Task::Shards, &config.lease.name);
        let metrics = config.lease.metrics.clone();
        let shared = Shared {
            api: TypedClient::namespaced(client.clone(), &config.lease.namespace),
            client,
            progress,
            config,
            holdings: Holdings::default(),
            highest: AtomicU64::new(0),
            status: Mutex::default(),
            metrics: OnceLock::new(),
            running: tokio::sync::Mutex::default(),
        };
        let shards = Self {
            shared: Arc::new(shared),
        };
        if let Some(metrics) = &metrics {
            shards.report_to(metrics);
        }
        Ok(shards)
    }

    /// Reports to `metrics`, unless the configuration specified others.
    pub(crate) fn report_to(&self, metrics: &Metrics) {
        let shared = &self.shared;
        shared
            .metrics
            .get_or_init(|| metrics.shards(&shared.config.lease.name));
        shared.progress.report_to(metrics);
    }

    /// Takes part in the group until `stop` is cancelled, and leaves it then: the work in progress
    /// is finished, or dropped after the hand-over timeout, and the slots are given to others. A
    /// process that lost its membership becomes another member.
    ///
    /// Dropping the future ends all work at once and lets the Lease expire.
    pub async fn run(&self, stop: &CancellationToken) {
        let Some(_running) = stop.run_until_cancelled(self.shared.running.lock()).await else {
            return;
        };
        let shared = &self.shared;
        while !stop.is_cancelled() {
            let me = shared.new_member();
            let elector = LeaderElector::new(shared.client.clone(), shared.lease_of(&me));
            // The configuration has been validated.
            let Ok(elector) = elector else { return };
            let lead = |leadership| {
                let (shared, me) = (Arc::clone(shared), me.clone());
                async move { Coordinator::new(&shared, &me, leadership).run().await }
            };
            let stopped = elector.run(stop, lead).await;
            shared.holdings.end();
            shared.holdings.ended().await;
            shared.forget(&me).await;
            if !stop.is_cancelled() {
                tracing::warn!(
                    group = shared.config.lease.name,
                    member = me,
                    ?stopped,
                    "no member any more; joining again"
                );
                stop.run_until_cancelled(sleep(jittered(shared.config.lease.retry_period)))
                    .await;
            }
        }
    }

    /// Returns the state of the group as it was last seen.
    pub fn status(&self) -> ShardsStatus {
        self.shared.status.lock().clone()
    }

    /// Returns the right to work on the objects with this [hash]; `None` if another member has it,
    /// nobody, or this process is about to give it up. A
    /// [sharded controller](crate::controller::Builder::sharded) does this by itself.
    pub fn enter(&self, hash: u64) -> Option<ShardPermit> {
        self.shared.holdings.enter(slots::slot_of(hash))
    }

    /// Returns the group's name.
    pub fn name(&self) -> &str {
        &self.shared.config.lease.name
    }

    /// Whether both are handles of the same membership.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    pub(crate) fn holdings(&self) -> &Holdings {
        &self.shared.holdings
    }

    pub(crate) fn progress(&self) -> &Progress {
        &self.shared.progress
    }
}

impl Shared {
    /// Returns a name that no member ever had.
    fn new_member(&self) -> String {
        let is_valid = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        let identity = self.config.lease.identity.to_lowercase();
        let identity = identity.replace(|c| !is_valid(c), "-");
        let identity: String = identity
            .trim_matches('-')
            .chars()
            .take(LONGEST_IDENTITY)
            .collect();
        format!("m-{identity}-{:08x}", rand::rng().random::<u32>())
    }

    /// Returns the settings of a member's Lease.
    fn lease_of(&self, member: &str) -> LeaderElectionConfig {
        let group = &self.config.lease;
        let mut lease = group.clone();
        lease.name = format!("{}.{member}", group.name);
        lease.identity = member.to_owned();
        lease
            .labels
            .insert(SHARD_GROUP.to_owned(), group.name.clone());
        lease.stop_timeout = self.config.hand_over_timeout + group.renew_deadline;
        // Each term is a Lease of its own: its series would be, too.
        lease.metrics = None;
        lease
    }

    /// Returns the member whose Lease this is; `None` for the record.
    fn member_of<'a>(&self, lease: &'a Lease) -> Option<&'a str> {
        let name = lease.metadata.name.as_deref()?;
        name.strip_prefix(&self.config.lease.name)?
            .strip_prefix('.')
    }

    fn selector(&self) -> String {
        format!("{SHARD_GROUP}={}", self.config.lease.name)
    }

    fn highest(&self) -> u64 {
        self.highest.load(Ordering::Relaxed)
    }

    fn saw(&self, epoch: u64) {
        self.highest.fetch_max(epoch, Ordering::Relaxed);
    }

    /// Notes the state of the group for those who ask.
    fn note(&self, me: &str, record: &Record) {
        let share = |name: &str| Share {
            holds: record.held_by(name).len(),
            target: record.meant_for(name).len(),
        };
        let members = record
            .names()
            .into_iter()
            .map(|name| (name.to_owned(), share(name)));
        let held = record.held_by(me);
        let ranges = held.ranges();
        if let Some(metrics) = self.metrics.get() {
            metrics.note(record.members.len(), held.len(), ranges.len());
        }
        let mut status = self.status.lock();
        status.members = members.collect();
        status.ranges = ranges.iter().map(ToString::to_string).collect();
        me.clone_into(&mut status.member);
    }

    /// Logs and counts what a member's turn changed.
    fn told(&self, me: &str, old: &Record, new: &Record) {
        let (before, after) = (old.held_by(me), new.held_by(me));
        let (taken, freed) = (after.minus(before).len(), before.minus(after).len());
        let moved = u64::try_from(taken + freed).unwrap_or(u64::MAX);
        self.status.lock().moves += moved;
        if let Some(metrics) = self.metrics.get() {
            metrics.moved(moved);
        }
        let buried: Vec<_> = old.names().difference(&new.names()).copied().collect();
        if taken + freed > 0 || new.members != old.members {
            tracing::info!(
                group = self.config.lease.name,
                member = me,
                members = new.members.len(),
                taken,
                freed,
                ?buried,
                holds = after.len(),
                epoch = new.epoch,
                "shards moved"
            );
        }
    }

    /// Deletes the Lease of a term that is over.
    async fn forget(&self, member: &str) {
        if let Some(metrics) = self.metrics.get() {
            metrics.note(0, 0, 0);
        }
        {
            let mut status = self.status.lock();
            let moves = status.moves;
            *status = ShardsStatus {
                moves,
                ..ShardsStatus::default()
            };
        }
        let name = self.lease_of(member).name;
        let params = DeleteParams::default();
        let delete = self.api.delete(&name, &params);
        // Otherwise it expires, and others delete it.
        drop(timeout(self.config.lease.call_timeout(), delete).await);
    }
}

impl fmt::Debug for Shards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shards")
            .field("group", &self.shared.config.lease.name)
            .field("status", &self.status())
            .finish_non_exhaustive()
    }
}
