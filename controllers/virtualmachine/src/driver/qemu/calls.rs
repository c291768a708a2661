//! The driver's calls that change machines.
//!
//! Every change requires the machine's lock, and the definition is written before the change that
//! it describes.

use std::time::Duration;

use codegen_runtime::error::chain;
use jiff::Timestamp;
use serde_json::json;
use tokio::time::{Instant, sleep, timeout};

use super::Shared;
use super::command::{disk_is_held, whole_sectors};
use super::guest::broken;
use super::machine::{DISK, Definition, Locked, Machine};
use crate::driver::{DriverError, Power, Resources, ServerRef, ServerSpec, Term};

/// The polling interval for a process that is ending.
const LOOK: Duration = Duration::from_millis(10);

impl Shared {
    pub(super) async fn create(
        &self,
        term: &Term,
        server: &ServerRef,
        spec: &ServerSpec,
    ) -> Result<(), DriverError> {
        let machine = Machine::of(&self.directory, server)?;
        self.check(&spec.resources)?;
        self.epoch.admit(term).await?;
        let locked = machine.make_and_lock().await?;
        self.epoch.check(term)?;
        let mut definition = match machine.definition()? {
            Some(definition) => definition,
            None => {
                let new = Definition::new(server, spec);
                locked.write(&new)?;
                new
            }
        };
        refuse_deleted(&machine, &definition)?;
        if definition.created {
            return Ok(());
        }
        self.complete(Some(term), &locked, &mut definition).await
    }

    pub(super) async fn set_power(
        &self,
        term: &Term,
        server: &ServerRef,
        power: Power,
    ) -> Result<(), DriverError> {
        let machine = Machine::of(&self.directory, server)?;
        if power == Power::Off {
            self.end_hung_start(term, &machine).await?;
        }
        let (locked, mut definition) = self.change(term, server).await?;
        let on = power == Power::On;
        if definition.on != on {
            definition.on = on;
            locked.write(&definition)?;
        }
        if locked.machine.process()?.is_none() {
            return self.complete(Some(term), &locked, &mut definition).await;
        }
        match power {
            // It is restarted once it has stopped: a guest cannot cancel a shutdown.
            Power::On if definition.stopping_since.is_some() => Ok(()),
            Power::On => {
                if broken(&self.query_status(&locked.machine).await?).is_some() {
                    end_all(&locked.machine).await?;
                    return self.complete(Some(term), &locked, &mut definition).await;
                }
                finish(&locked, &mut definition)
            }
            Power::Off => self.stop(&locked, &mut definition).await,
        }
    }

    pub(super) async fn resize(
        &self,
        term: &Term,
        server: &ServerRef,
        resources: &Resources,
    ) -> Result<(), DriverError> {
        let (locked, mut definition) = self.change(term, server).await?;
        let machine = &locked.machine;
        if resources.disk < definition.disk {
            return Err(DriverError::Refused("a disk can only grow".to_owned()));
        }
        self.check(resources)?;
        let grows = resources.disk > definition.disk;
        if grows && (definition.created || machine.path(DISK).exists()) {
            if machine.process()?.is_some() {
                let size = whole_sectors(resources.disk);
                let arguments = json!({ "node-name": "disk0", "size": size });
                self.ask(machine, "block_resize", arguments)
                    .await
                    .map_err(|error| machine.failed(error))?;
            } else {
                let grow = || self.programs.grow_disk(&locked, resources.disk);
                self.once_let_go(Some(term), grow).await?;
            }
        }
        let wanted = Definition {
            cpus: resources.cpus,
            memory: resources.memory,
            disk: resources.disk,
            ..definition.clone()
        };
        if wanted != definition {
            definition = wanted;
            locked.write(&definition)?;
        }
        Ok(())
    }

    pub(super) async fn delete(&self, term: &Term, server: &ServerRef) -> Result<(), DriverError> {
        let machine = Machine::of(&self.directory, server)?;
        self.epoch.admit(term).await?;
        if !machine.exists() {
            return Ok(());
        }
        let locked = match timeout(self.timeouts.lock, machine.lock()).await {
            Ok(locked) => locked?,
            Err(_) => {
                // For example a QEMU that hangs while starting, and inherited the lock.
                end_all(&machine).await?;
                machine.lock().await?
            }
        };
        let Some(locked) = locked else {
            return Ok(());
        };
        self.epoch.check(term)?;
        if let Some(definition) = machine.definition().unwrap_or_default()
            && !definition.deleting
        {
            let deleting = true;
            locked.write(&Definition {
                deleting,
                ..definition
            })?;
        }
        end_all(&machine).await?;
        self.epoch.check(term)?;
        locked.remove().await?;
        self.meter.forget(&machine.id);
        Ok(())
    }

    /// Kills a QEMU that has been starting for longer than the grace period, if there is one. Until
    /// it has started, the machine's lock file is its standard input.
    async fn end_hung_start(&self, term: &Term, machine: &Machine) -> Result<(), DriverError> {
        self.epoch.admit(term).await?;
        if !machine.exists() || machine.try_lock()?.is_some() {
            return Ok(());
        }
        let all = machine.processes()?;
        for process in &all {
            let age = process.age().map_err(|error| machine.failed(error))?;
            if age >= self.may_stop() && process.reads_from(&machine.lock_file()) {
                tracing::warn!(
                    machine = machine.id,
                    ?age,
                    "QEMU does not finish starting; killing it"
                );
                process.kill().map_err(|error| machine.failed(error))?;
            }
        }
        Ok(())
    }

    /// How long a machine may take to stop before it is killed.
    fn may_stop(&self) -> Duration {
        self.grace.saturating_add(self.timeouts.quit)
    }

    /// Rejects sizes that no machine can have.
    fn check(&self, resources: &Resources) -> Result<(), DriverError> {
        let Resources { cpus, memory, disk } = *resources;
        if cpus == 0 || memory == 0 || disk == 0 {
            let message = "a machine needs processors, memory and a disk";
            return Err(DriverError::Refused(message.to_owned()));
        }
        if let Some(image) = &self.programs.image
            && disk < image.size
        {
            let message = format!(
                "the disk must have at least the image's {} bytes",
                image.size
            );
            return Err(DriverError::Refused(message));
        }
        Ok(())
    }

    /// Locks the machine for a change in `term`.
    async fn change(
        &self,
        term: &Term,
        server: &ServerRef,
    ) -> Result<(Locked, Definition), DriverError> {
        let machine = Machine::of(&self.directory, server)?;
        self.epoch.admit(term).await?;
        let missing = || DriverError::Failed(format!("server {} does not exist", machine.id));
        let locked = if machine.exists() {
            machine.lock().await?
        } else {
            None
        };
        let locked = locked.ok_or_else(missing)?;
        self.epoch.check(term)?;
        let definition = machine.definition()?.ok_or_else(missing)?;
        refuse_deleted(&machine, &definition)?;
        Ok((locked, definition))
    }

    /// Completes what is missing for a stopped machine to match its definition.
    async fn complete(
        &self,
        term: Option<&Term>,
        locked: &Locked,
        definition: &mut Definition,
    ) -> Result<(), DriverError> {
        let machine = &locked.machine;
        if !machine.path(DISK).exists() {
            if definition.created {
                // Never silently replace a lost disk by an empty one.
                return Err(DriverError::Failed("the disk is gone".to_owned()));
            }
            self.programs.make_disk(locked, definition.disk).await?;
        }
        if definition.on && machine.process()?.is_none() {
            definition.stopping_since = None;
            definition.started_with = Some((definition.cpus, definition.memory));
            locked.write(definition)?;
            // A QEMU that lost its pid file would still use the disk.
            end_all(machine).await?;
            let (cpus, memory) = (definition.cpus, definition.memory);
            let start = || self.programs.start(locked, cpus, memory);
            self.once_let_go(term, start).await?;
        }
        if self.is_stopping(machine, definition).await? {
            return Ok(());
        }
        finish(locked, definition)
    }

    /// Runs a program that uses the disk, and retries while an exited QEMU still holds it: the
    /// kernel clears the arguments of a dying process before it closes its files, so QEMU is no
    /// longer found while it still holds the disk's lock.
    async fn once_let_go<F>(
        &self,
        term: Option<&Term>,
        run: impl Fn() -> F,
    ) -> Result<(), DriverError>
    where
        F: Future<Output = Result<(), DriverError>>,
    {
        let begun = Instant::now();
        loop {
            if let Some(term) = term {
                self.epoch.check(term)?;
            }
            match run().await {
                Err(error) if disk_is_held(&error) && begun.elapsed() < self.timeouts.disk => {
                    sleep(LOOK).await;
                }
                ended => return ended,
            }
        }
    }

    /// Asks the guest to power down, then QEMU to quit, and finally kills QEMU.
    async fn stop(&self, locked: &Locked, definition: &mut Definition) -> Result<(), DriverError> {
        let machine = &locked.machine;
        let Some(time) = definition.stopping_for() else {
            // The grace period covers a guest, or a QEMU, that does not respond.
            if let Err(error) = self.ask(machine, "system_powerdown", json!({})).await {
                tracing::debug!(machine = machine.id, error = %chain(&error), "cannot ask the guest to power down");
            }
            definition.stopping_since = Some(Timestamp::now());
            return locked.write(definition);
        };
        if time < self.grace {
            return Ok(());
        }
        // Computed from the clock, not from this call: the call may be cancelled, and the next one
        // must not start over.
        let left = self.may_stop().saturating_sub(time);
        let may_quit = left.max(self.timeouts.least_quit);
        let quits = async {
            // QEMU flushes the disk before it quits.
            if let Err(error) = self.ask(machine, "quit", json!({})).await {
                tracing::debug!(machine = machine.id, error = %chain(&error), "cannot ask QEMU to quit");
            }
            ended(machine).await
        };
        if timeout(may_quit, quits).await.is_err() {
            tracing::warn!(machine = machine.id, "QEMU does not quit; killing it");
            end_all(machine).await?;
        }
        finish(locked, definition)
    }

    /// Whether a requested power-down is in progress: until the process is gone, not only its pid
    /// file. A process that has lost or removed the file and does not exit cannot be asked again:
    /// it is killed when its time is up.
    async fn is_stopping(
        &self,
        machine: &Machine,
        definition: &Definition,
    ) -> Result<bool, DriverError> {
        let Some(time) = definition.stopping_for() else {
            return Ok(false);
        };
        if machine.process()?.is_some() {
            return Ok(true);
        }
        if time >= self.may_stop() {
            end_all(machine).await?;
        }
        Ok(!machine.processes()?.is_empty())
    }

    /// Continues a requested power-down, and the start that was requested after it.
    pub(super) async fn carry_on(
        &self,
        locked: &Locked,
        definition: &mut Definition,
    ) -> Result<(), DriverError> {
        let machine = &locked.machine;
        let was_stopping = definition.stopping_since.is_some();
        if machine.process()?.is_some() && (was_stopping || !definition.on) {
            self.stop(locked, definition).await?;
        }
        if !was_stopping || self.is_stopping(machine, definition).await? {
            return Ok(());
        }
        finish(locked, definition)?;
        if definition.on {
            self.complete(None, locked, definition).await?;
        }
        Ok(())
    }
}

/// Records that the change in progress is complete.
fn finish(locked: &Locked, definition: &mut Definition) -> Result<(), DriverError> {
    let finished = Definition {
        created: true,
        stopping_since: None,
        ..definition.clone()
    };
    if finished != *definition {
        *definition = finished;
        locked.write(definition)?;
    }
    Ok(())
}

fn refuse_deleted(machine: &Machine, definition: &Definition) -> Result<(), DriverError> {
    if definition.deleting {
        return Err(machine.failed("it is being deleted"));
    }
    Ok(())
}

async fn ended(machine: &Machine) -> Result<(), DriverError> {
    while machine.process()?.is_some() || !machine.processes()?.is_empty() {
        sleep(LOOK).await;
    }
    Ok(())
}

/// Kills all processes of the machine, including those not named by its pid file, and waits until
/// they are gone.
async fn end_all(machine: &Machine) -> Result<(), DriverError> {
    loop {
        let all = machine.processes()?;
        if all.is_empty() {
            return Ok(());
        }
        for process in &all {
            process.kill().map_err(|error| machine.failed(error))?;
        }
        sleep(LOOK).await;
    }
}
