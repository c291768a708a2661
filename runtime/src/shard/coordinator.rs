//! One member's part in the assignment: reads the record and the members' Leases, and does what is
//! its turn to do.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use kube::api::{DeleteParams, ListParams, PostParams, Preconditions, WatchParams};
use kube::core::ObjectMeta;
use tokio::time::{Instant, sleep_until, timeout};

use super::Shared;
use super::holdings::Orders;
use super::record::{Record, Turn};
use super::sightings::Sightings;
use crate::error::chain;
use crate::keys::{SHARD_GROUP, SHARD_RECORD};
use crate::leader::{Hint, Leadership, LeaseWatch, jittered};

/// The pause after a lost race.
const AGAIN: Duration = Duration::from_millis(20);

/// A member at work. When it is dropped, its terms have ended.
pub(super) struct Coordinator<'a> {
    shared: &'a Shared,
    me: &'a str,
    leadership: Leadership,
    watch: LeaseWatch,
    sightings: Sightings,
    /// The unsettled record, and since when it is known.
    unsettled: Option<(String, Instant)>,
    /// Whether a record was ever read.
    knows_record: bool,
    /// The version of the record that was read or written last.
    version: String,
    /// When work on slots to be given up has to end.
    ends: Option<Instant>,
}

/// What a turn came to.
enum Outcome {
    /// There is nothing to do for now.
    Waits,
    /// Another member was faster.
    Again,
    /// The member has left.
    Left,
}

/// The Leases of a group, at one moment.
struct View {
    record: Option<Lease>,
    members: Vec<Lease>,
    /// When they were requested.
    sent: Instant,
}

impl Drop for Coordinator<'_> {
    fn drop(&mut self) {
        self.shared.holdings.end();
    }
}

impl<'a> Coordinator<'a> {
    pub(super) fn new(shared: &'a Shared, me: &'a str, leadership: Leadership) -> Self {
        let params = WatchParams::default().labels(&shared.selector());
        let pause = shared.config.lease.retry_period;
        Self {
            shared,
            me,
            leadership,
            watch: LeaseWatch::start_selected(shared.api.clone(), params, pause),
            sightings: Sightings::default(),
            unsettled: None,
            knows_record: false,
            version: String::new(),
            ends: None,
        }
    }

    /// Takes part until the member was asked to leave, and has.
    pub(super) async fn run(mut self) {
        loop {
            let call = self.shared.config.lease.call_timeout() * 2;
            let pause = match timeout(call, self.turn()).await {
                Ok(Ok(Outcome::Left)) => return,
                Ok(Ok(outcome)) => {
                    self.shared.progress.works();
                    match outcome {
                        Outcome::Again => AGAIN,
                        _ => self.shared.config.lease.retry_period,
                    }
                }
                Ok(Err(error)) => {
                    self.shared.progress.failed(chain(&error));
                    self.shared.config.lease.retry_period
                }
                Err(_) => {
                    self.shared
                        .progress
                        .failed("the API server did not answer in time");
                    self.shared.config.lease.retry_period
                }
            };
            self.wait(Instant::now() + jittered(pause)).await;
        }
    }

    async fn turn(&mut self) -> Result<Outcome, kube::Error> {
        let view = self.read().await?;
        let (lease_duration, me) = (self.shared.config.lease.lease_duration, self.me);
        let record = self.record_of(&view);
        self.follow(&record, view.sent);
        let leases: BTreeMap<&str, &Lease> = view
            .members
            .iter()
            .filter_map(|lease| Some((self.shared.member_of(lease)?, lease)))
            .collect();
        let mut names = record.names();
        names.remove(me);
        self.sightings.update(&names, &leases, Instant::now());
        let dead = self.sightings.dead(view.sent, lease_duration);
        let (works_on, wanted) = (
            self.shared.holdings.works_on(),
            self.shared.holdings.wanted(),
        );
        let since = self.unsettled.as_ref().map(|(_, since)| *since);
        let turn = Turn {
            me,
            weight: self.shared.config.weight,
            leaves: self.leadership.token().is_cancelled(),
            works_on: &works_on,
            wanted: &wanted,
            dead: &dead,
            highest: self.shared.highest(),
            may_settle: since.is_some_and(|since| since + lease_duration <= view.sent),
        };
        let leaves = turn.leaves;
        let next = record.after(&turn);
        if next != record || view.record.is_none() {
            let sent = Instant::now();
            match self.write(view.record, &next).await {
                Ok(lease) => self.version = lease.metadata.resource_version.unwrap_or_default(),
                Err(error) if is_race(&error) => return Ok(Outcome::Again),
                Err(error) => return Err(error),
            }
            self.shared.told(me, &record, &next);
            self.follow(&next, sent);
            self.bury(&dead, &leases).await;
        }
        Ok(match leaves && !next.names().contains(me) {
            true => Outcome::Left,
            false => Outcome::Waits,
        })
    }

    async fn read(&mut self) -> Result<View, kube::Error> {
        let sent = Instant::now();
        let params = ListParams::default().labels(&self.shared.selector());
        let leases = self.shared.api.list(&params).await?.items;
        let is_record =
            |lease: &Lease| lease.metadata.name.as_ref() == Some(&self.shared.config.lease.name);
        let (mut records, members): (Vec<_>, Vec<_>) = leases.into_iter().partition(is_record);
        Ok(View {
            record: records.pop(),
            members,
            sent,
        })
    }

    /// Returns the record of a view. One that is missing, or was edited so that it cannot be read,
    /// is begun anew.
    fn record_of(&mut self, view: &View) -> Record {
        let metadata = view.record.as_ref().map(|lease| &lease.metadata);
        self.version = metadata
            .and_then(|it| it.resource_version.clone())
            .unwrap_or_default();
        let text = metadata.and_then(|it| it.annotations.as_ref()?.get(SHARD_RECORD));
        let record = text
            .and_then(|text| Record::parse(text))
            .unwrap_or_else(|| {
                let is_own = |lease: &Lease| self.shared.member_of(lease) == Some(self.me);
                // The first member of a group need not wait for others.
                let is_first =
                    view.record.is_none() && !self.knows_record && view.members.iter().all(is_own);
                Record::new(self.shared.highest(), is_first)
            });
        self.knows_record = true;
        self.shared.saw(record.epoch);
        if record.settled {
            self.unsettled = None;
        } else {
            let uid = metadata.and_then(|it| it.uid.clone()).unwrap_or_default();
            if self
                .unsettled
                .as_ref()
                .is_none_or(|(known, _)| *known != uid)
            {
                self.unsettled = Some((uid, Instant::now()));
            }
        }
        record
    }

    /// Follows a record that was current when a request was sent at `sent`.
    fn follow(&mut self, record: &Record, sent: Instant) {
        let config = &self.shared.config;
        // Neither later than the Lease allows, nor than the record was seen.
        let deadline = self
            .leadership
            .deadline()
            .min(sent + config.lease.renew_deadline);
        self.ends = self.shared.holdings.follow(&Orders {
            record,
            me: self.me,
            deadline,
            grace: config.hand_over_timeout,
            leaves: self.leadership.token().is_cancelled(),
        });
        self.shared.note(self.me, record);
    }

    async fn write(&self, lease: Option<Lease>, record: &Record) -> Result<Lease, kube::Error> {
        let config = &self.shared.config.lease;
        let is_new = lease.is_none();
        let mut lease = lease.unwrap_or_else(|| Lease {
            metadata: ObjectMeta {
                name: Some(config.name.clone()),
                namespace: Some(config.namespace.clone()),
                ..ObjectMeta::default()
            },
            spec: None,
        });
        let metadata = &mut lease.metadata;
        metadata
            .labels
            .get_or_insert_default()
            .insert(SHARD_GROUP.to_owned(), config.name.clone());
        metadata
            .annotations
            .get_or_insert_default()
            .insert(SHARD_RECORD.to_owned(), record.to_text());
        let params = PostParams::default();
        match is_new {
            true => self.shared.api.create(&lease, &params).await,
            // With the version that was read.
            false => self.shared.api.update(&lease, &params).await,
        }
    }

    /// Deletes the Leases of the dead. Whether that succeeds does not matter: nobody reads them
    /// again.
    async fn bury(&self, dead: &BTreeSet<String>, leases: &BTreeMap<&str, &Lease>) {
        for lease in dead.iter().filter_map(|name| leases.get(name.as_str())) {
            let metadata = &lease.metadata;
            let params = DeleteParams {
                preconditions: Some(Preconditions {
                    resource_version: metadata.resource_version.clone(),
                    uid: metadata.uid.clone(),
                }),
                ..DeleteParams::default()
            };
            if let Err(error) = self
                .shared
                .api
                .delete(metadata.name.as_deref().unwrap_or_default(), &params)
                .await
            {
                tracing::debug!(error = %chain(&error), "cannot delete the lease of a dead member");
            }
        }
    }

    /// Waits until `poll`, or until there may be something to do.
    async fn wait(&mut self, poll: Instant) {
        let lease_duration = self.shared.config.lease.lease_duration;
        let mut is_asked = self.leadership.token().is_cancelled();
        loop {
            let settles = self
                .unsettled
                .as_ref()
                .map(|(_, since)| *since + lease_duration);
            let due = [
                self.sightings.next_death(lease_duration),
                settles,
                self.ends,
            ];
            // What was due already was done, or failed.
            let due = due
                .into_iter()
                .flatten()
                .filter(|due| *due > Instant::now());
            let at = due.chain([poll]).min().unwrap_or(poll);
            let hint = tokio::select! {
                biased;
                () = self.leadership.token().cancelled(), if !is_asked => return,
                () = sleep_until(at) => return,
                () = self.shared.holdings.idle() => return,
                hint = self.watch.next() => hint,
            };
            is_asked = self.leadership.token().is_cancelled();
            let Hint::Seen(lease) = hint else { return };
            match self.shared.member_of(&lease) {
                Some(name) if self.sightings.knows(name) => {
                    self.sightings.see(name, Some(&lease), Instant::now())
                }
                Some(_) => {}
                None if lease.metadata.resource_version.as_ref() != Some(&self.version) => return,
                None => {}
            }
        }
    }
}

/// Whether another client was faster: it wrote, created or deleted the record.
fn is_race(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if matches!(status.code, 404 | 409))
}
