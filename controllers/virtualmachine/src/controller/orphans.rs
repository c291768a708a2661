//! Finds servers whose object is gone.
//!
//! The finalizer keeps an object until its server is gone. If the finalizer is removed by force, or
//! the API server loses its data, servers remain without an object. They are searched for at the
//! start of a term and once per period, reported by log, event and metric, and removed if the
//! [options](super::Options::remove_orphans_after) say so.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use codegen_runtime::client::Result;
use codegen_runtime::error::chain;
use codegen_runtime::kube::ResourceExt;
use codegen_runtime::kube::api::ListParams;
use codegen_runtime::kube::core::Selector;
use futures::StreamExt;
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::turn::{Turns, machine_of};
use super::{Options, Reconciler};
use crate::driver::ServerRef;

/// How many orphans a round reports individually; beyond that it only reports their number.
const TOLD: usize = 20;

/// The number of concurrent reads of objects, and of removals of servers.
const CONCURRENCY: usize = 16;

/// Searches for orphans, and records since when they exist.
pub(super) struct Orphans<'a> {
    turns: &'a Turns,
    cx: &'a Reconciler,
    namespaces: Vec<String>,
    period: Duration,
    remove_after: Option<Duration>,
    since: BTreeMap<ServerRef, Instant>,
}

impl<'a> Orphans<'a> {
    pub(super) fn new(turns: &'a Turns, options: &Options) -> Self {
        Self {
            turns,
            cx: &turns.reconciler,
            namespaces: options.namespaces.clone(),
            period: options.orphan_period,
            remove_after: options.remove_orphans_after,
            since: BTreeMap::new(),
        }
    }

    /// Searches immediately and then once per period; never returns.
    pub(super) async fn watch(mut self) {
        let mut ticks = interval(self.period);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            self.look().await;
        }
    }

    async fn look(&mut self) {
        let servers = match self.cx.servers.list().await {
            Ok(servers) => servers,
            Err(error) => {
                return tracing::warn!(error = %chain(&error), "cannot search for servers without an object");
            }
        };
        let suspects = self.without_object(servers);
        self.since.retain(|server, _| suspects.contains(server));
        let new: BTreeSet<ServerRef> = suspects
            .into_iter()
            .filter(|server| !self.since.contains_key(server))
            .collect();
        let new = self.confirmed(new).await;
        self.report(&new);
        let now = Instant::now();
        self.since
            .extend(new.into_iter().map(|server| (server, now)));
        let driver = self.cx.servers.driver().name();
        self.cx.servers.metrics().orphans(driver, self.since.len());
        if let Some(after) = self.remove_after {
            self.remove(after).await;
        }
    }

    /// Returns the servers in this controller's namespaces, and of this process's part, without an
    /// object in the cache.
    fn without_object(&self, servers: Vec<ServerRef>) -> BTreeSet<ServerRef> {
        let machines = self.cx.lister().list(&Selector::default());
        let uids: BTreeSet<String> = machines.iter().filter_map(|it| it.uid()).collect();
        self.cx.crashes.retain(&uids);
        let is_ours = |server: &ServerRef| {
            self.namespaces.is_empty() || self.namespaces.contains(&server.namespace)
        };
        let servers = servers.into_iter().filter(is_ours);
        servers
            .filter(|it| !uids.contains(&it.uid) && self.turns.of_server(it).is_some())
            .collect()
    }

    /// Returns the servers without an object in the API server either, since a cache may lag
    /// behind.
    async fn confirmed(&self, suspects: BTreeSet<ServerRef>) -> BTreeSet<ServerRef> {
        let (nameless, named): (Vec<_>, Vec<_>) =
            suspects.into_iter().partition(|it| it.name.is_empty());
        let mut confirmed: BTreeSet<ServerRef> = futures::stream::iter(named)
            .map(async |server| {
                let gone = self.is_gone(&server).await;
                (server, gone)
            })
            .buffer_unordered(CONCURRENCY)
            .filter_map(async |(server, gone)| match gone {
                Ok(gone) => gone.then_some(server),
                Err(error) => {
                    let error = chain(&error);
                    tracing::warn!(%server, %error, "cannot read the object of a server");
                    None
                }
            })
            .collect()
            .await;
        if nameless.is_empty() {
            return confirmed;
        }
        let all = self.cx.clientset().cloudnative_v1alpha1();
        match all.virtual_machines("").list(&ListParams::default()).await {
            Ok(machines) => {
                let uids: BTreeSet<_> = machines.items.iter().filter_map(|it| it.uid()).collect();
                let gone = nameless.into_iter().filter(|it| !uids.contains(&it.uid));
                confirmed.extend(gone);
            }
            Err(error) => {
                let error = chain(&error);
                tracing::warn!(%error, "cannot list objects to find those of unnamed servers");
            }
        }
        confirmed
    }

    async fn is_gone(&self, server: &ServerRef) -> Result<bool> {
        let machines = self.cx.clientset().cloudnative_v1alpha1();
        let machines = machines.virtual_machines(&server.namespace);
        let live = machines.get_opt(&server.name).await?;
        Ok(live.is_none_or(|live| live.uid().as_deref() != Some(&server.uid)))
    }

    fn report(&self, new: &BTreeSet<ServerRef>) {
        for server in new.iter().take(TOLD) {
            tracing::warn!(%server, "the object of a server is gone");
            let note = match self.remove_after {
                None => format!("server {} still exists without its object", server.id()),
                Some(after) => {
                    format!(
                        "server {} still exists without its object; it will be removed after {after:?}",
                        server.id()
                    )
                }
            };
            self.warn(server, "OrphanedServer", note);
        }
        if new.len() > TOLD {
            tracing::warn!(servers = new.len(), "the objects of many servers are gone");
        }
    }

    /// Removes servers that have been orphaned for at least `after`.
    async fn remove(&self, after: Duration) {
        let due = self
            .since
            .iter()
            .filter(|(_, since)| since.elapsed() >= after);
        let due: BTreeSet<ServerRef> = due.map(|(server, _)| server.clone()).collect();
        let due = self.confirmed(due).await;
        futures::stream::iter(due)
            .for_each_concurrent(CONCURRENCY, async |server| {
                let Some(turn) = self.turns.of_server(&server) else {
                    return;
                };
                match turn.cx.servers.delete(&server).await {
                    Ok(()) => {
                        tracing::warn!(%server, "removed a server without an object");
                        let driver = self.cx.servers.driver().name();
                        self.cx.servers.metrics().orphan_removed(driver);
                        let note =
                            format!("server {} was removed: its object is gone", server.id());
                        self.warn(&server, "OrphanRemoved", note);
                    }
                    Err(error) => {
                        tracing::warn!(%server, error = %chain(&error), "cannot remove a server without an object");
                    }
                }
            })
            .await;
    }

    /// Records an event about the deleted object.
    fn warn(&self, server: &ServerRef, reason: &str, note: String) {
        if server.name.is_empty() {
            return;
        }
        let machine = machine_of(server);
        self.cx.events.warning(&machine, reason, "Reconcile", note);
    }
}
