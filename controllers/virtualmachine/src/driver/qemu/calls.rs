//! The calls of the driver.
//!
//! Every change is made by whoever holds the machine's lock, and the definition is written before what it says is done.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::Shared;
use super::command::whole_sectors;
use super::machine::{DISK, Definition, Locked, Machine, SOCKET};
use super::process::Process;
use super::qmp::{self, QmpError};
use crate::driver::{
    DriverError, Power, Resources, Server, ServerRef, ServerSpec, ServerState, Term,
};

/// After this long without the lock, whoever deletes ends the programs that hold it.
const DELETE_PATIENCE: Duration = Duration::from_secs(2);

/// How long QEMU may take to quit before it is killed.
const QUIT: Duration = Duration::from_secs(2);

/// How long it may take at least, also if nobody looked after it when the grace was over.
const LEAST_QUIT: Duration = Duration::from_millis(500);

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
        let Some(process) = locked.machine.process()? else {
            return self.complete(Some(term), &locked, &mut definition).await;
        };
        match power {
            // It is started again once it has stopped: a guest can't be told to go on after all.
            Power::On if definition.stopping_since.is_some() => Ok(()),
            Power::On => {
                if broken(&query_status(&locked.machine).await?).is_some() {
                    end(&locked.machine, &process).await?;
                    return self.complete(Some(term), &locked, &mut definition).await;
                }
                finish(&locked, &mut definition)
            }
            Power::Off => self.stop(&locked, &mut definition, &process).await,
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
                self.programs.grow_disk(&locked, resources.disk).await?;
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
        if let Some(process) = machine.process()? {
            end(&machine, &process).await?;
        }
        end_all(&machine).await?;
        self.epoch.check(term)?;
        locked.remove().await?;
        self.meter.forget(&machine.id);
        Ok(())
    }

    /// All machines that have a folder.
    pub(super) fn list(&self) -> Result<Vec<ServerRef>, DriverError> {
        let failed = |error| DriverError::failed(self.directory.display(), error);
        let mut servers = Vec::new();
        for machine in Machine::all(&self.directory).map_err(failed)? {
            let Some(server) = ServerRef::from_id(&machine.id) else {
                continue;
            };
            match machine.definition() {
                Ok(Some(definition)) => servers.push(ServerRef {
                    namespace: definition.namespace,
                    name: definition.name,
                    ..server
                }),
                // It can't be read: whose it was is not known.
                Err(_) => servers.push(server),
                // It is only being made, or has just been removed.
                Ok(None) => {}
            }
        }
        Ok(servers)
    }

    /// Kills a QEMU that has been starting for longer than the grace, if there is one. Until it has started the machine's lock is its
    /// standard input.
    async fn end_hung_start(&self, term: &Term, machine: &Machine) -> Result<(), DriverError> {
        self.epoch.admit(term).await?;
        if !machine.exists() || machine.try_lock()?.is_some() {
            return Ok(());
        }
        let all = Process::all_of(&machine.pid_file()).map_err(|error| machine.failed(error))?;
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

    pub(super) async fn status(&self, server: &ServerRef) -> Result<Option<Server>, DriverError> {
        let machine = Machine::of(&self.directory, server)?;
        if !machine.exists() {
            return Ok(None);
        }
        let locked = machine.try_lock()?;
        let Some(mut definition) = machine.definition()? else {
            return match locked {
                // The remains of a call that had only begun, or had nearly ended.
                Some(locked) => locked.remove().await.map(|()| None),
                None if machine.exists() => Ok(Some(beginning())),
                None => Ok(None),
            };
        };
        let mut message = String::new();
        if let Some(locked) = &locked
            && !definition.deleting
            && let Err(error) = self.carry_on(locked, &mut definition).await
        {
            message = error.to_string();
        }
        let busy = locked.is_none();
        drop(locked);
        self.describe(&machine, &definition, busy, message)
            .await
            .map(Some)
    }

    async fn describe(
        &self,
        machine: &Machine,
        definition: &Definition,
        busy: bool,
        mut message: String,
    ) -> Result<Server, DriverError> {
        let process = machine.process()?;
        let mut state = match &process {
            _ if definition.deleting => ServerState::Deleting,
            Some(_) if !definition.on || definition.stopping_since.is_some() => {
                ServerState::Stopping
            }
            Some(_) => ServerState::Running,
            None if busy && (definition.on || !definition.created) => ServerState::Creating,
            None if busy => ServerState::Stopping,
            None if !definition.created => ServerState::Failed,
            None if !machine.path(DISK).exists() => ServerState::Failed,
            None if definition.on => ServerState::Failed,
            None => ServerState::Stopped,
        };
        if state == ServerState::Running {
            match query_status(machine).await {
                Ok(word) => {
                    if let Some(failed) = broken(&word) {
                        state = ServerState::Failed;
                        failed.clone_into(&mut message);
                    } else if word == "prelaunch" {
                        state = ServerState::Creating;
                    } else if word != "running" {
                        message = format!("QEMU says: {word}");
                    }
                }
                Err(_) if machine.process()?.is_none() => state = ServerState::Failed,
                // It has just begun to listen.
                Err(_) if busy => state = ServerState::Creating,
                Err(error) => {
                    state = ServerState::Unknown;
                    message = error.to_string();
                }
            }
        }
        if state == ServerState::Failed && message.is_empty() {
            message = failure(machine, definition);
        }
        let alive = machine.process()?;
        let usage = match &alive {
            Some(process) if state == ServerState::Running => Some(
                self.meter
                    .measure(&machine.id, process)
                    .map_err(|error| machine.failed(error))?,
            ),
            _ => None,
        };
        Ok(Server {
            state,
            resources: definition.resources(alive.is_some()),
            usage,
            message,
        })
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
            if let Some(term) = term {
                self.epoch.check(term)?;
            }
            let (cpus, memory) = (definition.cpus, definition.memory);
            self.programs.start(locked, cpus, memory).await?;
        }
        finish(locked, definition)
    }

    /// Asks the guest to power down, and the longer it takes the less politely.
    async fn stop(
        &self,
        locked: &Locked,
        definition: &mut Definition,
        process: &Process,
    ) -> Result<(), DriverError> {
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
            end(machine, process).await?;
        }
        finish(locked, definition)
    }

    /// Goes on with a power-down that was asked for, and with the start that was asked for after it.
    async fn carry_on(
        &self,
        locked: &Locked,
        definition: &mut Definition,
    ) -> Result<(), DriverError> {
        let machine = &locked.machine;
        let stopping = definition.stopping_since.is_some();
        if let Some(process) = machine.process()?
            && (stopping || !definition.on)
        {
            self.stop(locked, definition, &process).await?;
        }
        if !stopping || machine.process()?.is_some() {
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

/// A machine of which nothing is written yet.
fn beginning() -> Server {
    Server {
        state: ServerState::Creating,
        resources: Resources {
            cpus: 0,
            memory: 0,
            disk: 0,
        },
        usage: None,
        message: String::new(),
    }
}

/// Why it doesn't run.
fn failure(machine: &Machine, definition: &Definition) -> String {
    let what = if !machine.path(DISK).exists() && definition.created {
        "the disk is gone"
    } else if definition.created {
        "QEMU has ended, though nobody asked it to"
    } else {
        "the machine was not completed"
    };
    let log = machine.log_end();
    if log.is_empty() {
        what.to_owned()
    } else {
        format!("{what}: {log}")
    }
}

/// The problem, if QEMU's state of the guest is one that cannot continue.
fn broken(word: &str) -> Option<&'static str> {
    match word {
        "internal-error" => Some("QEMU can't run the guest any further"),
        "io-error" => Some("the disk can't be read or written"),
        "guest-panicked" => Some("the guest panicked"),
        "shutdown" => Some("the guest has powered down"),
        _ => None,
    }
}

async fn ask(machine: &Machine, command: &str, arguments: Value) -> Result<Value, QmpError> {
    qmp::execute(&machine.folder, SOCKET, command, arguments).await
}

async fn query_status(machine: &Machine) -> Result<String, DriverError> {
    let answer = ask(machine, "query-status", json!({})).await;
    let answer = answer.map_err(|error| machine.failed(error))?;
    let word = answer.get("status").and_then(Value::as_str);
    Ok(word.unwrap_or_default().to_owned())
}

/// Kills the process, and waits until it is gone.
async fn end(machine: &Machine, process: &Process) -> Result<(), DriverError> {
    process.kill().map_err(|error| machine.failed(error))?;
    ended(machine).await
}

async fn ended(machine: &Machine) -> Result<(), DriverError> {
    while machine.process()?.is_some() {
        sleep(LOOK).await;
    }
    Ok(())
}

/// Kills all processes of the machine, also those that its pid file doesn't name, and waits until they are gone.
async fn end_all(machine: &Machine) -> Result<(), DriverError> {
    loop {
        let all = Process::all_of(&machine.pid_file()).map_err(|error| machine.failed(error))?;
        if all.is_empty() {
            return Ok(());
        }
        for process in &all {
            process.kill().map_err(|error| machine.failed(error))?;
        }
        sleep(LOOK).await;
    }
}
