//! Brings one machine to what its spec says.
//!
//! Nothing is remembered between two calls but what the API server and the driver say: a process may end after any call, and
//! the next one goes on from there. The order of writes is what makes that safe:
//!
//! 1. the finalizer, before anything is created;
//! 2. the status that announces a step, before the step;
//! 3. the step;
//! 4. the status that tells its result.
//!
//! When a machine is deleted, the finalizer goes last, once the driver says that nothing is left.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use codegen_runtime::event::EventRecorder;
use codegen_runtime::kube::api::PostParams;
use codegen_runtime::kube::{self, Api, ResourceExt};
use codegen_runtime::store::{ObjectKey, WaitError};
use codegen_runtime::{finalizer, retry};
use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use super::crashes::Crashes;
use super::machine::server_spec;
use super::plan::{Step, next_step, shrinks};
use super::status::{Finding, changed_status, changed_usage};
use crate::apis::cloudnative::v1alpha1::{VirtualMachine, VirtualMachinePhase as Phase};
use crate::driver::{DriverError, Power, Server, ServerRef, ServerSpec, ServerState, Servers};
use crate::generated::clientset::Clientset;
use crate::generated::clientset::typed::cloudnative::v1alpha1::virtual_machines::VirtualMachines;
use crate::generated::listers::cloudnative::v1alpha1::virtual_machines::VirtualMachineLister;

/// What holds a machine until its server is gone.
pub const FINALIZER: &str = "cloudnative.czs/virtualmachine";

/// Steps in one go, so that a machine that never settles doesn't hold a worker.
const MAX_STEPS: usize = 8;

/// For how long a cache may lag behind this process's own writes.
const CACHE_LAG: Duration = Duration::from_secs(5);

/// Failures in a row before a server counts as unknown: one lost answer is no reason to alarm anybody.
const UNKNOWN_AFTER: u32 = 2;

/// What to do with a machine's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Nothing until something changes.
    Done,
    /// Look again after that time.
    After(Duration),
    /// Try again after the key's back-off. What failed is in the status.
    BackOff,
}

/// Why a machine could not be reconciled.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReconcileError {
    /// A call of the API server failed.
    #[error("{what}: {source}")]
    Api {
        /// What was tried.
        what: &'static str,
        /// What the server said.
        source: Box<kube::Error>,
    },
    /// A call of the driver failed.
    #[error("{what}: {source}")]
    Driver {
        /// What was tried.
        what: &'static str,
        /// What the driver said.
        source: DriverError,
    },
    /// The cache does not show this process's last write.
    #[error(transparent)]
    Cache(#[from] WaitError),
}

impl ReconcileError {
    /// Whether somebody else changed the machine meanwhile: no error, but a reason to look again.
    pub fn is_conflict(&self) -> bool {
        matches!(self, Self::Api { source, .. } if retry::is_conflict(source))
    }

    /// Whether the machine is gone.
    fn is_not_found(&self) -> bool {
        match self {
            Self::Api { source, .. } => {
                matches!(&**source, kube::Error::Api(status) if status.is_not_found())
            }
            _ => false,
        }
    }
}

fn api(what: &'static str) -> impl FnOnce(kube::Error) -> ReconcileError {
    move |source| ReconcileError::Api {
        what,
        source: Box::new(source),
    }
}

/// The reconciler: machines in, calls of the API server and the driver out.
pub struct Reconciler {
    clientset: Clientset,
    lister: VirtualMachineLister,
    servers: Servers,
    events: EventRecorder,
    poll: Duration,
    crashes: Crashes,
    /// The version of this process's last write to each machine that the cache has not shown yet.
    written: Mutex<BTreeMap<ObjectKey, String>>,
}

impl Reconciler {
    /// A reconciler that reads machines from `lister`, and looks after what is under way every `poll`.
    pub fn new(
        clientset: Clientset,
        lister: VirtualMachineLister,
        servers: Servers,
        events: EventRecorder,
        poll: Duration,
    ) -> Self {
        Self {
            clientset,
            lister,
            servers,
            events,
            poll,
            crashes: Crashes::default(),
            written: Mutex::default(),
        }
    }

    /// The machines.
    pub fn lister(&self) -> &VirtualMachineLister {
        &self.lister
    }

    /// The driver, as this process may use it.
    pub fn servers(&self) -> &Servers {
        &self.servers
    }

    /// Brings the machine `key` to what its spec says, as far as it goes without waiting. `retries` says how often this
    /// failed in a row. When `stop` is cancelled no further step begins.
    ///
    /// A machine that is gone is no error: nothing is left of it, or its finalizer would have kept it.
    ///
    /// # Errors
    ///
    /// If the API server or the driver fails. What concerns the machine rather than this process is in its status then.
    pub async fn reconcile(
        &self,
        key: &ObjectKey,
        retries: u32,
        stop: &CancellationToken,
    ) -> Result<Next, ReconcileError> {
        self.see_own_writes(key).await?;
        let Ok(machine) = self.lister.lister().get(key) else {
            return Ok(Next::Done);
        };
        let machine = VirtualMachine::clone(&machine);
        let mut work = Work {
            server: ServerRef::of(&machine),
            machines: self.machines(key),
            machine,
            fresh: false,
            cx: self,
        };
        let result = if finalizer::is_deleting(&work.machine) {
            work.tear_down().await
        } else {
            work.bring_up(retries, stop).await
        };
        match result {
            Err(error) if error.is_not_found() => Ok(Next::Done),
            result => result,
        }
    }

    /// Writes the usage of `machine`'s server to its status, if it changed. Tells whether the server is in a state that the
    /// machine's phase does not expect: then the machine should be reconciled.
    ///
    /// # Errors
    ///
    /// If the driver fails, or the API server does. A conflict is none: the next round will do.
    pub async fn refresh_usage(&self, machine: &VirtualMachine) -> Result<bool, ReconcileError> {
        let status = self.servers.status(&ServerRef::of(machine)).await;
        let server = status.map_err(|source| ReconcileError::Driver {
            what: "status",
            source,
        })?;
        let phase = machine.status.as_ref().map(|status| status.phase);
        let expected = match phase {
            Some(Phase::Active) => ServerState::Running,
            Some(Phase::Stopped) => ServerState::Stopped,
            _ => return Ok(false),
        };
        let Some(server) = server.filter(|server| server.state == expected) else {
            return Ok(true);
        };
        let Some(status) = changed_usage(machine, &server, Timestamp::now()) else {
            return Ok(false);
        };
        let mut changed = machine.clone();
        changed.status = Some(status);
        let key = ObjectKey::of(machine);
        match self.write_status(&self.machines(&key), &changed).await {
            Err(error) if error.is_conflict() || error.is_not_found() => Ok(false),
            result => result.map(|_| false),
        }
    }

    fn machines(&self, key: &ObjectKey) -> VirtualMachines {
        let namespace = key.namespace().unwrap_or_default();
        self.clientset
            .cloudnative_v1alpha1()
            .virtual_machines(namespace)
    }

    async fn write_status(
        &self,
        machines: &VirtualMachines,
        machine: &VirtualMachine,
    ) -> Result<VirtualMachine, ReconcileError> {
        let written = machines
            .update_status(machine, &PostParams::default())
            .await
            .map_err(api("cannot write the status"))?;
        self.wrote(&written);
        Ok(written)
    }

    /// Remembers the version of a write.
    fn wrote(&self, machine: &VirtualMachine) {
        if let Some(version) = machine.resource_version() {
            self.written().insert(ObjectKey::of(machine), version);
        }
    }

    /// Waits until the cache shows what this process wrote last: deciding on less would undo or repeat it.
    async fn see_own_writes(&self, key: &ObjectKey) -> Result<(), WaitError> {
        let Some(version) = self.written().get(key).cloned() else {
            return Ok(());
        };
        let lister = self.lister.lister();
        lister
            .wait_for_resource_version(&version, CACHE_LAG)
            .await?;
        let mut written = self.written();
        if written.get(key) == Some(&version) {
            written.remove(key);
        }
        Ok(())
    }

    fn written(&self) -> MutexGuard<'_, BTreeMap<ObjectKey, String>> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Reconciler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reconciler")
            .field("servers", &self.servers)
            .finish_non_exhaustive()
    }
}

/// One machine at work.
struct Work<'a> {
    cx: &'a Reconciler,
    machines: VirtualMachines,
    server: ServerRef,
    /// The machine as last read or written.
    machine: VirtualMachine,
    /// Whether the API server confirmed in this call that the machine is as it is here.
    fresh: bool,
}

/// Whether there is a next step now.
enum Flow {
    Continue,
    End(Next),
}

impl Work<'_> {
    async fn bring_up(
        &mut self,
        retries: u32,
        stop: &CancellationToken,
    ) -> Result<Next, ReconcileError> {
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
                Err(error) => return self.unknown(error, retries).await,
            };
            let step = next_step(&wanted, server.as_ref());
            if let Flow::End(next) = self.take(step, &wanted, server.as_ref()).await? {
                return Ok(next);
            }
        }
        Ok(Next::After(self.cx.poll))
    }

    /// What exists is left as it is until the spec makes sense.
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
        self.machines.typed().api()
    }

    /// Announces a step, takes it, and tells how it went.
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

    /// A step that failed is told in the status, and tried again if that can help.
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
        if matches!(
            source,
            DriverError::LeadershipLost | DriverError::Stale { .. }
        ) {
            return Err(ReconcileError::Driver {
                what: reason,
                source,
            });
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
    async fn unknown(&mut self, source: DriverError, retries: u32) -> Result<Next, ReconcileError> {
        let lost = matches!(
            source,
            DriverError::LeadershipLost | DriverError::Stale { .. }
        );
        if lost || retries < UNKNOWN_AFTER {
            return Err(ReconcileError::Driver {
                what: "status",
                source,
            });
        }
        let finding = Finding::wrong(Phase::Unknown, "DriverError", source.to_string());
        self.report(finding, None).await?;
        Ok(Next::BackOff)
    }

    /// Removes the server, and then the finalizer: in whatever phase the machine is.
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
                Err(error) => Err(error),
            };
            if let Flow::End(_) = self
                .done(deleted, Phase::Terminating, "FailedDelete", None)
                .await?
            {
                // Also what the driver refuses is tried again: the machine must not stay for ever.
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
