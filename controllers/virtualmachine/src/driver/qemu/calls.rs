//! The calls of the driver that change machines.
//!
//! Every change is made by whoever holds the machine's lock, and the definition is written before what it says is done.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::json;
use tokio::time::{Instant, sleep, timeout};

use super::Shared;
use super::command::{disk_is_held, whole_sectors};
use super::guest::{ask, broken, query_status};
use super::machine::{DISK, Definition, Locked, Machine};
use crate::driver::{DriverError, Power, Resources, ServerRef, ServerSpec, Term};

/// After this long without the lock, whoever deletes ends the programs that hold it.
const DELETE_PATIENCE: Duration = Duration::from_secs(2);

/// How long QEMU may take to quit before it is killed.
const QUIT: Duration = Duration::from_secs(2);

/// How long it may take at least, also if nobody looked after it when the grace was over.
const LEAST_QUIT: Duration = Duration::from_millis(500);

/// How long a QEMU that has ended may keep the disk: while a process dies its arguments are gone before its files are closed, so
/// that it isn't found any more and still has the disk's lock.
const LETS_GO: Duration = Duration::from_secs(2);

/// Between two looks at a process that ends.
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
            // It is started again once it has stopped: a guest cannot cancel a shutdown.
            Power::On if definition.stopping_since.is_some() => Ok(()),
            Power::On => {
                if broken(&query_status(&locked.machine).await?).is_some() {
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
                ask(machine, "block_resize", arguments)
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
        let locked = match timeout(DELETE_PATIENCE, machine.lock()).await {
            Ok(locked) => locked?,
            Err(_) => {
                // Such as a QEMU that hangs while it starts, and was given the lock.
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

    /// Kills a QEMU that has been starting for longer than the grace, if there is one. Until it has started the machine's lock is its
    /// standard input.
    async fn end_hung_start(&self, term: &Term, machine: &Machine) -> Result<(), DriverError> {
        self.epoch.admit(term).await?;
        if !machine.exists() || machine.try_lock()?.is_some() {
            return Ok(());
        }
        let all = machine.processes()?;
        for process in &all {
            let age = process.age().map_err(|error| machine.failed(error))?;
            if age >= self.grace + QUIT && process.reads_from(&machine.lock_file()) {
                tracing::warn!(
                    machine = machine.id,
                    ?age,
                    "QEMU doesn't finish to start, and is killed"
                );
                process.kill().map_err(|error| machine.failed(error))?;
            }
        }
        Ok(())
    }

    /// Refuses sizes of which no machine can be made.
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

    /// The machine for a change in `term`.
    async fn change(
        &self,
        term: &Term,
        server: &ServerRef,
    ) -> Result<(Locked, Definition), DriverError> {
        let machine = Machine::of(&self.directory, server)?;
        self.epoch.admit(term).await?;
        let missing = || DriverError::Failed(format!("there is no server {}", machine.id));
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

    /// Does what is missing for a machine that doesn't run to be as its definition says.
    async fn complete(
        &self,
        term: Option<&Term>,
        locked: &Locked,
        definition: &mut Definition,
    ) -> Result<(), DriverError> {
        let machine = &locked.machine;
        if !machine.path(DISK).exists() {
            if definition.created {
                // Never an empty one in its place without being asked.
                return Err(DriverError::Failed("the disk is gone".to_owned()));
            }
            self.programs.make_disk(locked, definition.disk).await?;
        }
        if definition.on && machine.process()?.is_none() {
            definition.stopping_since = None;
            definition.started_with = Some((definition.cpus, definition.memory));
            locked.write(definition)?;
            // One that has lost its pid file would have the disk.
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

    /// Runs a program on the disk, again while a QEMU that has ended has not let go of it.
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
                Err(error) if disk_is_held(&error) && begun.elapsed() < LETS_GO => {
                    sleep(LOOK).await;
                }
                ended => return ended,
            }
        }
    }

    /// Asks the guest to power down, and the longer it takes the less politely.
    async fn stop(&self, locked: &Locked, definition: &mut Definition) -> Result<(), DriverError> {
        let machine = &locked.machine;
        let Some(time) = definition.stopping_for() else {
            // A guest, or a QEMU, that doesn't listen is what the grace is for.
            if let Err(error) = ask(machine, "system_powerdown", json!({})).await {
                tracing::debug!(machine = machine.id, %error, "not asked to power down");
            }
            definition.stopping_since = Some(Timestamp::now());
            return locked.write(definition);
        };
        if time < self.grace {
            return Ok(());
        }
        // By the clock, not by this call alone: it may be cut off, and the next one must not begin with asking again.
        let may_quit = (self.grace + QUIT).saturating_sub(time).max(LEAST_QUIT);
        let quits = async {
            // QEMU writes out what it holds of the disk.
            if let Err(error) = ask(machine, "quit", json!({})).await {
                tracing::debug!(machine = machine.id, %error, "QEMU may not have understood");
            }
            ended(machine).await
        };
        if timeout(may_quit, quits).await.is_err() {
            tracing::warn!(machine = machine.id, "QEMU doesn't quit, and is killed");
            end_all(machine).await?;
        }
        finish(locked, definition)
    }

    /// Whether a power-down that was asked for goes on: until the process is gone, not only its pid file. One that has lost the file, or
    /// removed it, and doesn't exit can't be asked again: it is killed when its time is over.
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
        if time >= self.grace + QUIT {
            end_all(machine).await?;
        }
        Ok(!machine.processes()?.is_empty())
    }

    /// Goes on with a power-down that was asked for, and with the start that was asked for after it.
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

/// Writes that what was under way has been done.
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

/// Kills all processes of the machine, also those that its pid file doesn't name, and waits until they are gone.
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
