//! The writes of one reconciliation, with the deployment before and after.

use std::sync::Arc;

use codegen_runtime::client::TypedClient;
use codegen_runtime::controller::Action;
use codegen_runtime::event::EventRecorder;
use codegen_runtime::k8s_openapi::api::apps::v1::{Deployment, DeploymentStatus, ReplicaSet};
use codegen_runtime::k8s_openapi::api::core::v1::Pod;
use codegen_runtime::kube::api::{DeleteParams, PostParams};
use codegen_runtime::kube::{Client, Error};
use codegen_runtime::lister::Lister;
use codegen_runtime::store::ObjectKey;
use jiff::Timestamp;

use super::conditions::{self, PROGRESSING, reason};
use super::limits::{Limits, is_rolling};
use super::revision::{DESIRED_REPLICAS, REVISION, annotate, next, number, set_replicas};
use super::sets::{Set, active_or_latest, actual, available, size, total};
use super::template::find_new;
use super::{history, proportional, rolling, status};
use crate::caches::owned;
use crate::own_writes::OwnWrites;
use crate::pods::is_finished;
use crate::status_write::update_status;

/// What all rollouts share.
pub(super) struct Context {
    pub(super) client: Client,
    pub(super) pods: Lister<Pod>,
    pub(super) own_status: OwnWrites,
    pub(super) own_sets: OwnWrites,
    pub(super) recorder: EventRecorder,
}

/// One reconciliation of a deployment.
pub(super) struct Rollout<'a> {
    pub(super) cx: &'a Context,
    pub(super) key: &'a ObjectKey,
    /// The deployment in the cache.
    before: Arc<Deployment>,
    /// The deployment with the revision and conditions that this reconciliation sets.
    pub(super) draft: Deployment,
    pub(super) limits: Limits,
    pub(super) new: Option<Set>,
    /// All replica sets except the new one, oldest first.
    pub(super) old: Vec<Set>,
    pub(super) now: Timestamp,
}

impl<'a> Rollout<'a> {
    pub(super) fn new(
        cx: &'a Context,
        key: &'a ObjectKey,
        before: Arc<Deployment>,
        sets: Vec<Set>,
    ) -> Self {
        let new = find_new(&before, &sets).cloned();
        let is_new = |set: &Set| {
            new.as_ref()
                .is_some_and(|new| new.metadata.uid == set.metadata.uid)
        };
        let old = sets.into_iter().filter(|set| !is_new(set)).collect();
        let limits = Limits::of(&before);
        Self {
            cx,
            key,
            draft: (*before).clone(),
            before,
            limits,
            new,
            old,
            now: Timestamp::now(),
        }
    }

    pub(super) async fn run(mut self) -> Result<Action, Error> {
        if self.before.metadata.deletion_timestamp.is_some() {
            return self.finish(status::counts).await;
        }
        self.note_pause();
        self.update_new().await?;
        let paused = self.before.spec.paused == Some(true);
        if paused || self.is_scaling() {
            self.scale().await?;
            if paused {
                self.clean_up().await?;
            }
            return self.finish(status::counts).await;
        }
        let stopped = if is_rolling(&self.before) {
            self.roll().await?
        } else {
            self.recreate().await?
        };
        match stopped {
            Some(action) => Ok(action),
            None => self.finish(status::rollout).await,
        }
    }

    /// Sets the condition that suspends the deadline while the deployment is paused.
    fn note_pause(&mut self) {
        let paused = self.before.spec.paused == Some(true);
        let status = self.draft.status.get_or_insert_default();
        let known = conditions::reason_of(status, PROGRESSING);
        let (reason, message) = match known {
            Some(reason::TIMED_OUT) => return,
            Some(reason::PAUSED) if !paused => (reason::RESUMED, "Deployment is resumed"),
            Some(reason::PAUSED) => return,
            _ if paused => (reason::PAUSED, "Deployment is paused"),
            _ => return,
        };
        if status::deadline(&self.before).is_some() {
            conditions::set(
                status,
                conditions::new(PROGRESSING, "Unknown", reason, message, self.now),
            );
        }
    }

    /// Updates the annotations and `minReadySeconds` of the new replica set, and the deployment's
    /// revision.
    async fn update_new(&mut self) -> Result<(), Error> {
        let Some(new) = self.new.clone() else {
            return Ok(());
        };
        let mut changed = (*new).clone();
        let annotated = annotate(&self.before, &mut changed, next(&self.old));
        let min_ready = self.before.spec.min_ready_seconds.unwrap_or(0);
        if annotated || changed.spec.min_ready_seconds.unwrap_or(0) != min_ready {
            changed.spec.min_ready_seconds = Some(min_ready);
            self.new = Some(self.write(&changed).await?);
        }
        self.adopt_revision();
        if status::deadline(&self.before).is_some() {
            let status = self.draft.status.get_or_insert_default();
            if conditions::get(status, PROGRESSING).is_none() {
                let message = format!("Found new replica set {:?}", name(&new));
                conditions::set(
                    status,
                    conditions::new(PROGRESSING, "True", reason::FOUND, message, self.now),
                );
            }
        }
        Ok(())
    }

    /// Sets the deployment's revision to that of its new replica set.
    pub(super) fn adopt_revision(&mut self) {
        let new = self
            .new
            .as_ref()
            .and_then(|new| new.metadata.annotations.as_ref());
        if let Some(revision) = new.and_then(|annotations| annotations.get(REVISION)) {
            let annotations = self.draft.metadata.annotations.get_or_insert_default();
            annotations.insert(REVISION.to_owned(), revision.clone());
        }
    }

    /// Whether the deployment was scaled since its replica sets were last sized.
    fn is_scaling(&self) -> bool {
        self.all().iter().filter(|set| size(set) > 0).any(|set| {
            number(set, DESIRED_REPLICAS).is_some_and(|desired| desired != self.limits.replicas)
        })
    }

    /// Sizes the replica sets without advancing the rollout.
    async fn scale(&mut self) -> Result<(), Error> {
        if let Some(only) = active_or_latest(self.new.as_ref(), &self.old).cloned() {
            self.resize(&only, self.limits.replicas).await?;
            return Ok(());
        }
        if self.is_saturated() {
            for set in self.active_old() {
                self.resize(&set, 0).await?;
            }
            return Ok(());
        }
        if !is_rolling(&self.before) {
            return Ok(());
        }
        let active: Vec<Set> = self.all().into_iter().filter(|set| size(set) > 0).collect();
        let pods = self
            .before
            .status
            .as_ref()
            .and_then(|status| status.replicas)
            .unwrap_or(0);
        for (index, to) in proportional::sizes(self.limits, pods, &active) {
            self.resize(&active[index], to).await?;
        }
        Ok(())
    }

    /// Whether the new replica set has all its pods, and they are available.
    fn is_saturated(&self) -> bool {
        let wanted = self.limits.replicas;
        self.new.as_ref().is_some_and(|new| {
            size(new) == wanted
                && available(new) == wanted
                && number(new, DESIRED_REPLICAS) == Some(wanted)
        })
    }

    /// Takes one step of a rolling update: grows the new replica set, or else shrinks old ones.
    async fn roll(&mut self) -> Result<Option<Action>, Error> {
        let new = match self.ensure_new().await? {
            Ok(new) => new,
            Err(stopped) => return Ok(Some(stopped)),
        };
        let grown = rolling::new_size(self.limits, total(&self.all()), size(&new));
        if grown != size(&new) {
            self.resize(&new, grown).await?;
            return Ok(None);
        }
        let old = self.active_old();
        let shrunk = rolling::old_sizes(self.limits, &new, &old);
        for (index, to) in &shrunk {
            self.resize(&old[*index], *to).await?;
        }
        if shrunk.is_empty() {
            self.clean_up_if_complete().await?;
        }
        Ok(None)
    }

    /// Takes one step of Recreate: scales old pods to zero, and creates the new ones when none is
    /// left.
    async fn recreate(&mut self) -> Result<Option<Action>, Error> {
        let old = self.active_old();
        for set in &old {
            self.resize(set, 0).await?;
        }
        if !old.is_empty() || self.old_pods_run() {
            return Ok(None);
        }
        let new = match self.ensure_new().await? {
            Ok(new) => new,
            Err(stopped) => return Ok(Some(stopped)),
        };
        if size(&new) != self.limits.replicas {
            self.resize(&new, self.limits.replicas).await?;
        }
        self.clean_up_if_complete().await?;
        Ok(None)
    }

    fn old_pods_run(&self) -> bool {
        let pods = |set: &Set| {
            owned(
                &self.cx.pods,
                set.metadata.uid.as_deref().unwrap_or_default(),
            )
        };
        let runs = |set: &Set| actual(set) > 0 || pods(set).iter().any(|pod| !is_finished(pod));
        self.old.iter().any(runs)
    }

    async fn clean_up_if_complete(&self) -> Result<(), Error> {
        let known = self.before.status.clone().unwrap_or_default();
        if status::is_complete(&self.before, &known) {
            self.clean_up().await
        } else {
            Ok(())
        }
    }

    /// Deletes the replica sets beyond the history limit.
    async fn clean_up(&self) -> Result<(), Error> {
        for set in history::surplus(&self.before, &self.old) {
            match self
                .sets()
                .delete(name(set), &DeleteParams::default())
                .await
            {
                Err(Error::Api(answer)) if answer.is_not_found() => {}
                result => drop(result?),
            }
        }
        Ok(())
    }

    /// Resizes `set` to `to`, and records on it the desired size of the deployment.
    async fn resize(&mut self, set: &Set, to: i32) -> Result<(), Error> {
        let from = size(set);
        let mut changed = (**set).clone();
        changed.spec.replicas = Some(to);
        if !set_replicas(&mut changed, self.limits) && from == to {
            return Ok(());
        }
        let written = self.write(&changed).await?;
        if from != to {
            self.note_scaling(&written, from, to);
        }
        let same = |other: &Set| other.metadata.uid == written.metadata.uid;
        if let Some(known) = self
            .old
            .iter_mut()
            .chain(&mut self.new)
            .find(|set| same(set))
        {
            *known = written;
        }
        Ok(())
    }

    pub(super) fn note_scaling(&self, set: &ReplicaSet, from: i32, to: i32) {
        let direction = if to > from { "up" } else { "down" };
        let note = format!(
            "Scaled {direction} replica set {} from {from} to {to}",
            name(set)
        );
        self.cx
            .recorder
            .normal(&*self.before, "ScalingReplicaSet", "Scale", note);
    }

    async fn write(&self, set: &ReplicaSet) -> Result<Set, Error> {
        let written = self.sets().update(set, &PostParams::default()).await?;
        self.cx.own_sets.record(self.key, &written);
        Ok(Arc::new(written))
    }

    /// Writes the status that `of` returns, if it or the revision changed.
    async fn finish(
        mut self,
        of: fn(&Deployment, Option<&Set>, &[Set], Timestamp) -> DeploymentStatus,
    ) -> Result<Action, Error> {
        let new = of(&self.draft, self.new.as_ref(), &self.all(), self.now);
        let next = status::next_check(&self.before, &new, self.now);
        self.draft.status = Some(new);
        self.write_status().await?;
        Ok(next.map_or(Action::done(), Action::requeue_after))
    }

    /// Writes the draft, if its status or revision differs from the cache.
    pub(super) async fn write_status(&self) -> Result<(), Error> {
        let status = self.draft.status.clone().unwrap_or_default();
        let annotated = self.draft.metadata.annotations != self.before.metadata.annotations;
        if !annotated && !status::differs(&self.before, &status) {
            return Ok(());
        }
        let namespace = self.namespace();
        let deployments = TypedClient::<Deployment>::namespaced(self.cx.client.clone(), namespace);
        let change = |fresh: &mut Deployment| {
            fresh.status.clone_from(&self.draft.status);
            let own = self.draft.metadata.annotations.as_ref();
            if let Some(revision) = own.and_then(|own| own.get(REVISION)) {
                let annotations = fresh.metadata.annotations.get_or_insert_default();
                annotations.insert(REVISION.to_owned(), revision.clone());
            }
        };
        if let Some(written) = update_status(&deployments, &self.draft, change).await? {
            self.cx.own_status.record(self.key, &written);
        }
        Ok(())
    }

    pub(super) fn sets(&self) -> TypedClient<ReplicaSet> {
        TypedClient::namespaced(self.cx.client.clone(), self.namespace())
    }

    pub(super) fn namespace(&self) -> &str {
        self.before
            .metadata
            .namespace
            .as_deref()
            .unwrap_or_default()
    }

    /// Returns all replica sets, the new one last.
    fn all(&self) -> Vec<Set> {
        self.old.iter().chain(&self.new).cloned().collect()
    }

    fn active_old(&self) -> Vec<Set> {
        self.old
            .iter()
            .filter(|set| size(set) > 0)
            .cloned()
            .collect()
    }
}

pub(super) fn name(set: &ReplicaSet) -> &str {
    set.metadata.name.as_deref().unwrap_or_default()
}
