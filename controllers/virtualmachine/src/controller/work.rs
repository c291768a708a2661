//! One machine at work: from one step to the next, with the reports in between.
//!
//! [`reconcile`](super::reconcile) documents the order of writes.

use std::time::Duration;

use codegen_runtime::finalizer;
use codegen_runtime::kube::{Api, ResourceExt};
use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use super::machine::server_spec;
use super::plan::{Step, next_step, shrinks};
use super::reconcile::{FINALIZER, Next, ReconcileError, Reconciler, api};
use super::status::{Finding, changed_status};
use crate::apis::cloudnative::v1alpha1::{VirtualMachine, VirtualMachinePhase as Phase};
use crate::driver::{DriverError, Power, Server, ServerRef, ServerSpec, ServerState};
use crate::generated::clientset::typed::cloudnative::v1alpha1::VirtualMachines;

/// Steps in one go, so that a machine that never settles doesn't hold a worker.
const MAX_STEPS: usize = 8;

/// Consecutive failures before a server counts as unknown: one lost answer is not enough.
const UNKNOWN_AFTER: u32 = 2;

/// How soon to look again at a server that gives no answer.
const UNRESPONSIVE: Duration = Duration::from_secs(5);

/// One machine at work.
pub(super) struct Work<'a> {
    cx: &'a Reconciler,
    machines: VirtualMachines,
    server: ServerRef,
    /// The machine as last read or written.
    machine: VirtualMachine,
    /// Whether the API server confirmed in this call that the machine is as it is here.
    fresh: bool,
    /// How often this failed in a row.
    retries: u32,
    /// Whether a server that is only starting was asked to stop.
    asked_to_stop: bool,
}

/// Whether there is a next step now.
enum Flow {
    Continue,
    End(Next),
}

impl<'a> Work<'a> {
    /// `machine` as the cache shows it.
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

    /// Brings the machine to what its spec says, or removes it if it is being deleted.
    pub(super) async fn run(
        &mut self,
        retries: u32,
        stop: &CancellationToken,
    ) -> Result<Next, ReconcileError> {
        self.retries = retries;
        if finalizer::is_deleting(&self.machine) {
            self.tear_down().await
        } else {
            self.bring_up(stop).await
        }
    }

    async fn bring_up(&mut self, stop: &CancellationToken) -> Result<Next, ReconcileError> {
        let wanted = match server_spec(&self.machine.spec) {
            Ok(wanted) => wanted,
            Err(error) => return self.invalid(&error.to_string()).await,
        };
        self.add_finalizer().await?;
        for _ in 0..MAX_STEPS {
            if stop.is_cancelled() {
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

    /// An existing server is left alone until the spec is valid.
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
                // A cache of a new leader may still show a machine that is gone: nobody would ever delete its server.
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

    /// The machine is as wanted, but for a disk that can't shrink.
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

    /// A server that is being made or started is asked to stop, once in this call: it may never get there by itself.
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

    /// Stopping needs no answer from the server: one of which nothing can be learned is stopped all the same.
    async fn stop_unseen(&self) {
        let stopped = self.cx.servers.set_power(&self.server, Power::Off).await;
        if let Err(error) = stopped {
            tracing::debug!(server = %self.server, %error, "not asked to stop");
        }
    }

    /// The server gives no answer. A single lost answer is not reported.
    async fn unresponsive(&mut self, server: Option<&Server>) -> Result<Flow, ReconcileError> {
        if self.retries < UNKNOWN_AFTER && self.phase() != Phase::Unknown {
            return Ok(Flow::End(Next::BackOff));
        }
        let cause = server.map_or("", |server| &server.message);
        let finding = Finding::wrong(Phase::Unknown, "NotResponding", cause);
        self.report(finding, server).await?;
        Ok(Flow::End(Next::After(UNRESPONSIVE)))
    }

    /// A server that died is started again, the later the more often it did.
    async fn restart(&mut self, server: Option<&Server>) -> Result<Flow, ReconcileError> {
        let wait = self.cx.crashes.wait(&self.server);
        if !wait.is_zero() {
            let cause = server.map_or("", |server| &server.message);
            let text = format!("{cause}; it is started again");
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

    /// Reports a failed step in the status, and tries it again if that can help.
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
            let text = format!("{source}; a higher one is taken");
            let finding = Finding {
                progressing: true,
                ..Finding::wrong(phase, "StaleEpoch", text)
            };
            self.report(finding, server).await?;
            return Ok(Flow::End(Next::BackOff));
        }
        let retriable = source.is_retriable();
        let (text, next) = if retriable {
            (format!("{source}; it is tried again"), Next::BackOff)
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

    /// The driver does not say what the server does.
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

    /// Removes the server, then the finalizer, in any phase of the machine.
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
                // Deleting needs no answer from the server. That it is gone has to be seen, though.
                Err(error) => {
                    let deleted = self.cx.servers.delete(&self.server).await;
                    deleted.and(Err(error))
                }
            };
            if let Flow::End(_) = self
                .done(deleted, Phase::Terminating, "FailedDelete", None)
                .await?
            {
                // Refusals of the driver are retried too: otherwise the machine would stay.
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

    /// Whether the API server still has the machine, and nobody has deleted it.
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

    /// The phase of a machine that is about to start: one that failed stays so until it has.
    fn starting(&self) -> Phase {
        match self.phase() {
            Phase::Failed => Phase::Failed,
            _ => Phase::Creating,
        }
    }

    /// Tells that a step begins. A machine that failed says why until it has succeeded.
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

    /// Writes the status, and an event, if there is something new.
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

    /// The reason of the last finding.
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
