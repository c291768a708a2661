//! The reconciliation of one machine: a sequence of steps, with status updates in between.
//!
//! [`reconcile`](super::reconcile) documents the order of writes.

use std::time::Duration;

use codegen_runtime::error::chain;
use codegen_runtime::finalizer;
use codegen_runtime::kube::{Api, ResourceExt};
use jiff::Timestamp;

use super::machine::server_spec;
use super::plan::{Step, next_step, shrinks};
use super::reconciler::{FINALIZER, Next, ReconcileError, Reconciler, api};
use super::status::{Finding, changed_status};
use crate::apis::cloudnative::v1alpha1::{VirtualMachine, VirtualMachinePhase as Phase};
use crate::driver::{DriverError, Power, Server, ServerRef, ServerSpec, ServerState};
use crate::generated::clientset::typed::cloudnative::v1alpha1::VirtualMachines;

/// The maximum number of steps per reconciliation, so that a machine that never settles does not
/// occupy a worker.
const MAX_STEPS: usize = 8;

/// Consecutive failures before the phase becomes Unknown: one lost response is not enough.
const UNKNOWN_AFTER: u32 = 2;

/// How soon to check a server that does not respond.
const UNRESPONSIVE: Duration = Duration::from_secs(5);

/// The reconciliation of one machine.
pub(super) struct Work<'a> {
    cx: &'a Reconciler,
    machines: VirtualMachines,
    server: ServerRef,
    /// The machine as last read or written.
    machine: VirtualMachine,
    /// Whether this reconciliation has confirmed with the API server that the machine is current.
    fresh: bool,
    /// The number of consecutive failures.
    retries: u32,
    /// Whether a server that is still starting was asked to stop.
    asked_to_stop: bool,
}

/// Whether to continue with the next step.
enum Flow {
    Continue,
    End(Next),
}

impl<'a> Work<'a> {
    /// Creates the work for `machine` from the cache.
    pub(super) fn new(
        cx: &'a Reconciler,
        machines: VirtualMachines,
        machine: VirtualMachine,
    ) -> Self {
        Self {
            server: ServerRef::of(&machine),
            machines,
            machine,
            fresh: false,
            retries: 0,
            asked_to_stop: false,
            cx,
        }
    }

    /// Reconciles the machine, or removes its server if it is being deleted.
    pub(super) async fn run(
        &mut self,
        retries: u32,
        must_stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Next, ReconcileError> {
        self.retries = retries;
        if finalizer::is_deleting(&self.machine) {
            self.tear_down().await
        } else {
            self.bring_up(must_stop).await
        }
    }

    async fn bring_up(
        &mut self,
        must_stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Next, ReconcileError> {
        let wanted = match server_spec(&self.machine.spec) {
            Ok(wanted) => wanted,
            Err(error) => return self.invalid(&error.to_string()).await,
        };
        self.add_finalizer().await?;
        for _ in 0..MAX_STEPS {
            if must_stop() {
                return Ok(Next::Done);
            }
            let server = match self.cx.servers.status(&self.server).await {
                Ok(server) => server,
                Err(error) => {
                    if wanted.power == Power::Off && !error.is_over() {
                        self.stop_unseen().await;
                    }
                    return self.unknown(error).await;
                }
            };
            let step = next_step(&wanted, server.as_ref());
            if let Flow::End(next) = self.take(step, &wanted, server.as_ref()).await? {
                return Ok(next);
            }
        }
        Ok(Next::After(self.cx.poll))
    }

    /// Reports an invalid spec. An existing server stays unchanged until the spec is valid.
    async fn invalid(&mut self, error: &str) -> Result<Next, ReconcileError> {
        let server = if finalizer::contains(&self.machine, FINALIZER) {
            self.cx.servers.status(&self.server).await.ok().flatten()
        } else {
            None
        };
        let finding = Finding::wrong(Phase::Failed, "InvalidSpec", error);
        self.report(finding, server.as_ref()).await?;
        Ok(Next::Done)
    }

    async fn add_finalizer(&mut self) -> Result<(), ReconcileError> {
        if finalizer::contains(&self.machine, FINALIZER) {
            return Ok(());
        }
        self.machine = finalizer::ensure(self.objects(), &self.machine, FINALIZER)
            .await
            .map_err(api("cannot add the finalizer"))?;
        self.fresh = true;
        self.cx.wrote(&self.machine);
        Ok(())
    }

    fn objects(&self) -> &Api<VirtualMachine> {
        self.machines.api()
    }

    /// Announces a step, takes it, and reports the outcome.
    async fn take(
        &mut self,
        step: Step,
        wanted: &ServerSpec,
        server: Option<&Server>,
    ) -> Result<Flow, ReconcileError> {
        let cx = self.cx;
        let servers = &cx.servers;
        match step {
            Step::Nothing => self.settled(wanted, server).await,
            Step::Wait => self.wait(wanted, server).await,
            Step::Unresponsive => self.unresponsive(server).await,
            Step::Create(spec) => {
                self.announce(self.starting(), "Creating", "", server)
                    .await?;
                // A new leader's cache may still show a deleted machine, whose server would never
                // be deleted.
                if !self.is_still_there().await? {
                    return Ok(Flow::End(Next::Done));
                }
                let created = servers.create(&self.server, &spec).await;
                self.done(created, Phase::Failed, "FailedCreate", server)
                    .await
            }
            Step::Start => {
                self.announce(self.starting(), "Starting", "", server)
                    .await?;
                let started = servers.set_power(&self.server, Power::On).await;
                self.done(started, Phase::Failed, "FailedStart", server)
                    .await
            }
            Step::Restart => self.restart(server).await,
            Step::Stop if server.is_some_and(|it| it.state == ServerState::Creating) => {
                self.stop_starting(wanted, server).await
            }
            Step::Stop => {
                self.announce(self.phase(), "Stopping", "", server).await?;
                let stopped = servers.set_power(&self.server, Power::Off).await;
                self.done(stopped, self.phase(), "FailedStop", server).await
            }
            Step::StopToResize => {
                let text = format!(
                    "restarting with {} processors and {} bytes of memory",
                    wanted.resources.cpus, wanted.resources.memory
                );
                self.announce(Phase::Creating, "Resizing", &text, server)
                    .await?;
                let stopped = servers.set_power(&self.server, Power::Off).await;
                self.done(stopped, self.phase(), "FailedStop", server).await
            }
            Step::Resize(resources) => {
                self.announce(self.phase(), "Resizing", "", server).await?;
                let resized = servers.resize(&self.server, &resources).await;
                self.done(resized, self.phase(), "FailedResize", server)
                    .await
            }
        }
    }

    /// Reports that the machine is in the desired state, except for a disk that cannot shrink.
    async fn settled(
        &mut self,
        wanted: &ServerSpec,
        server: Option<&Server>,
    ) -> Result<Flow, ReconcileError> {
        let (phase, reason) = match wanted.power {
            Power::On => (Phase::Active, "Running"),
            Power::Off => (Phase::Stopped, "Stopped"),
        };
        let too_large = server.filter(|server| shrinks(&wanted.resources, server));
        let finding = match too_large {
            None => Finding::ready(phase, reason),
            Some(server) => Finding::wrong(
                phase,
                "DiskCannotShrink",
                format!(
                    "spec.resource.rootDisk: a disk can only grow, and it has {} bytes",
                    server.resources.disk
                ),
            ),
        };
        self.report(finding, server).await?;
        Ok(Flow::End(Next::Done))
    }

    async fn wait(
        &mut self,
        wanted: &ServerSpec,
        server: Option<&Server>,
    ) -> Result<Flow, ReconcileError> {
        let state = server.map(|server| server.state);
        let (phase, reason) = match (state, wanted.power) {
            (Some(ServerState::Stopping), Power::Off) => (self.phase(), "Stopping"),
            (Some(ServerState::Stopping), Power::On) => (Phase::Creating, "Resizing"),
            (Some(ServerState::Deleting), _) => (Phase::Creating, "WaitingForRemoval"),
            _ => (Phase::Creating, "Starting"),
        };
        let finding = Finding::progressing(phase, reason, server.map_or("", |it| &it.message));
        self.report(finding, server).await?;
        Ok(Flow::End(Next::After(self.cx.poll)))
    }

    /// Stops a server that is being created or started, once per reconciliation: it may never
    /// finish starting by itself.
    async fn stop_starting(
        &mut self,
        wanted: &ServerSpec,
        server: Option<&Server>,
    ) -> Result<Flow, ReconcileError> {
        if std::mem::replace(&mut self.asked_to_stop, true) {
            return self.wait(wanted, server).await;
        }
        let stopped = self.cx.servers.set_power(&self.server, Power::Off).await;
        self.done(stopped, self.phase(), "FailedStop", server).await
    }

    /// Stops a server whose status cannot be read: stopping does not depend on its response.
    async fn stop_unseen(&self) {
        let stopped = self.cx.servers.set_power(&self.server, Power::Off).await;
        if let Err(error) = stopped {
            tracing::debug!(server = %self.server, error = %chain(&error), "cannot stop the server");
        }
    }

    /// Handles a server that does not respond. A single lost response is not reported.
    async fn unresponsive(&mut self, server: Option<&Server>) -> Result<Flow, ReconcileError> {
        if self.retries < UNKNOWN_AFTER && self.phase() != Phase::Unknown {
            return Ok(Flow::End(Next::BackOff));
        }
        let cause = server.map_or("", |server| &server.message);
        let finding = Finding::wrong(Phase::Unknown, "NotResponding", cause);
        self.report(finding, server).await?;
        Ok(Flow::End(Next::After(UNRESPONSIVE)))
    }

    /// Restarts a dead server, with a back-off that grows with each crash.
    async fn restart(&mut self, server: Option<&Server>) -> Result<Flow, ReconcileError> {
        let wait = self.cx.crashes.wait(&self.server);
        if !wait.is_zero() {
            let cause = server.map_or("", |server| &server.message);
            let text = format!("{cause}; it will be restarted");
            let finding = Finding::progressing(Phase::Failed, "ServerDied", text);
            self.report(finding, server).await?;
            return Ok(Flow::End(Next::After(wait)));
        }
        let started = self.cx.servers.set_power(&self.server, Power::On).await;
        if started.is_ok() {
            self.cx.crashes.restarted(&self.server);
        }
        self.done(started, Phase::Failed, "FailedStart", server)
            .await
    }

    /// Reports a failed step in the status, and retries it if that can help.
    async fn done(
        &mut self,
        result: Result<(), DriverError>,
        phase: Phase,
        reason: &'static str,
        server: Option<&Server>,
    ) -> Result<Flow, ReconcileError> {
        let Err(source) = result else {
            return Ok(Flow::Continue);
        };
        if source == DriverError::LeadershipLost {
            return Err(ReconcileError::Driver {
                what: reason,
                source,
            });
        }
        if let DriverError::Stale { .. } = source {
            let text = format!("{source}; taking a higher one");
            let finding = Finding {
                progressing: true,
                ..Finding::wrong(phase, "StaleEpoch", text)
            };
            self.report(finding, server).await?;
            return Ok(Flow::End(Next::BackOff));
        }
        let retriable = source.is_retriable();
        let (text, next) = if retriable {
            (format!("{source}; retrying"), Next::BackOff)
        } else {
            (source.to_string(), Next::Done)
        };
        let finding = Finding {
            progressing: retriable,
            ..Finding::wrong(phase, reason, text)
        };
        self.report(finding, server).await?;
        Ok(Flow::End(next))
    }

    /// Handles a driver that does not report the server's status.
    async fn unknown(&mut self, source: DriverError) -> Result<Next, ReconcileError> {
        if source.is_over() || self.retries < UNKNOWN_AFTER {
            return Err(ReconcileError::Driver {
                what: "status",
                source,
            });
        }
        let finding = Finding::wrong(Phase::Unknown, "DriverError", source.to_string());
        self.report(finding, None).await?;
        Ok(Next::BackOff)
    }

    /// Deletes the server, then removes the finalizer, in any phase of the machine.
    async fn tear_down(&mut self) -> Result<Next, ReconcileError> {
        if !finalizer::contains(&self.machine, FINALIZER) {
            return Ok(Next::Done);
        }
        for _ in 0..MAX_STEPS {
            let status = self.cx.servers.status(&self.server).await;
            let deleted = match status {
                Ok(None) => return self.release().await,
                Ok(server) => {
                    self.announce(Phase::Terminating, "Deleting", "", server.as_ref())
                        .await?;
                    let is_deleting =
                        server.is_some_and(|server| server.state == ServerState::Deleting);
                    if is_deleting {
                        return Ok(Next::After(self.cx.poll));
                    }
                    self.cx.servers.delete(&self.server).await
                }
                Err(error) if error.is_over() => Err(error),
                // Deletion does not depend on the server's response, but its result has to be
                // confirmed.
                Err(error) => {
                    let deleted = self.cx.servers.delete(&self.server).await;
                    deleted.and(Err(error))
                }
            };
            if let Flow::End(_) = self
                .done(deleted, Phase::Terminating, "FailedDelete", None)
                .await?
            {
                // Errors that are not retriable are retried as well: otherwise the machine would
                // never go away.
                return Ok(Next::BackOff);
            }
        }
        Ok(Next::After(self.cx.poll))
    }

    async fn release(&mut self) -> Result<Next, ReconcileError> {
        finalizer::release(self.objects(), &self.machine, FINALIZER)
            .await
            .map_err(api("cannot remove the finalizer"))?;
        self.cx.crashes.forget(&self.server);
        self.cx.written().remove(&self.server.key());
        self.cx.events.normal(
            &self.machine,
            "Deleted",
            "Delete",
            format!("server {} is gone", self.server.id()),
        );
        tracing::info!(machine = %self.server.key(), server = self.server.id(), "deleted");
        Ok(Next::Done)
    }

    /// Whether the API server still has the machine, and it is not being deleted.
    async fn is_still_there(&mut self) -> Result<bool, ReconcileError> {
        if self.fresh {
            return Ok(true);
        }
        let live = self
            .machines
            .get_opt(&self.server.name)
            .await
            .map_err(api("cannot read the machine"))?;
        Ok(live.is_some_and(|live| {
            live.uid().as_deref() == Some(&self.server.uid) && !finalizer::is_deleting(&live)
        }))
    }

    fn phase(&self) -> Phase {
        self.machine
            .status
            .as_ref()
            .map_or(Phase::None, |status| status.phase)
    }

    /// Returns the phase of a machine that is about to start: a failed machine stays Failed until
    /// it has started.
    fn starting(&self) -> Phase {
        match self.phase() {
            Phase::Failed => Phase::Failed,
            _ => Phase::Creating,
        }
    }

    /// Reports the start of a step. A failed machine keeps its reason until it succeeds.
    async fn announce(
        &mut self,
        phase: Phase,
        reason: &'static str,
        text: &str,
        server: Option<&Server>,
    ) -> Result<(), ReconcileError> {
        if phase == Phase::Failed {
            return Ok(());
        }
        self.report(Finding::progressing(phase, reason, text), server)
            .await
    }

    /// Writes the status if it changed, with an event if phase or reason changed.
    async fn report(
        &mut self,
        finding: Finding,
        server: Option<&Server>,
    ) -> Result<(), ReconcileError> {
        let Some(status) = changed_status(&self.machine, &finding, server, Timestamp::now()) else {
            return Ok(());
        };
        let is_news = self.phase() != finding.phase || self.reason() != Some(finding.reason);
        let mut changed = self.machine.clone();
        changed.status = Some(status);
        self.machine = self.cx.write_status(&self.machines, &changed).await?;
        self.fresh = true;
        if is_news {
            self.tell(&finding);
        }
        Ok(())
    }

    /// Returns the reason of the last finding.
    fn reason(&self) -> Option<&str> {
        let conditions = &self.machine.status.as_ref()?.conditions;
        let ready = conditions.iter().find(|it| it.type_ == "Ready")?;
        Some(&ready.reason)
    }

    fn tell(&self, finding: &Finding) {
        let (machine, server) = (self.server.key(), self.server.id());
        let note = match finding.message.as_str() {
            "" => format!("server {server}"),
            message => format!("server {server}: {message}"),
        };
        let phase = finding.phase;
        if finding.ready || (finding.progressing && phase != Phase::Failed) {
            tracing::info!(%machine, server, ?phase, reason = finding.reason, message = finding.message, "transition");
            self.cx
                .events
                .normal(&self.machine, finding.reason, "Reconcile", note);
        } else {
            tracing::warn!(%machine, server, ?phase, reason = finding.reason, message = finding.message, "transition");
            self.cx
                .events
                .warning(&self.machine, finding.reason, "Reconcile", note);
        }
    }
}
