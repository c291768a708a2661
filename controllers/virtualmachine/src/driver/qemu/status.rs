//! Reports the state of machines.

use super::Shared;
use super::guest::broken;
use super::machine::{DISK, Definition, Machine};
use super::process::Process;
use crate::driver::{DriverError, Resources, Server, ServerRef, ServerState};

impl Shared {
    /// Returns all machines that have a folder.
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
                // The definition is unreadable: the owner is unknown.
                Err(_) => servers.push(server),
                // The machine is just being created, or was just removed.
                Ok(None) => {}
            }
        }
        Ok(servers)
    }

    pub(super) async fn status(&self, server: &ServerRef) -> Result<Option<Server>, DriverError> {
        let machine = Machine::of(&self.directory, server)?;
        if !machine.exists() {
            return Ok(None);
        }
        let locked = machine.try_lock()?;
        let Some(mut definition) = machine.definition()? else {
            return match locked {
                // The remains of an interrupted creation or removal.
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
        let mut state = state_of(machine, definition, process.as_ref(), busy);
        if state == ServerState::Running {
            match self.query_status(machine).await {
                Ok(word) => {
                    if let Some(failed) = broken(&word) {
                        state = ServerState::Failed;
                        failed.clone_into(&mut message);
                    } else if word == "prelaunch" {
                        state = ServerState::Creating;
                    } else if word != "running" {
                        message = format!("QEMU status: {word}");
                    }
                }
                Err(_) if machine.process()?.is_none() => state = ServerState::Failed,
                // QEMU has only just started to listen.
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
}

/// The state as far as definition, files and process show it. `busy` is whether another call
/// changes the machine.
fn state_of(
    machine: &Machine,
    definition: &Definition,
    process: Option<&Process>,
    busy: bool,
) -> ServerState {
    match process {
        _ if definition.deleting => ServerState::Deleting,
        Some(_) if !definition.on || definition.stopping_since.is_some() => ServerState::Stopping,
        Some(_) => ServerState::Running,
        None if definition.stopping_since.is_some() => ServerState::Stopping,
        None if busy && (definition.on || !definition.created) => ServerState::Creating,
        None if busy => ServerState::Stopping,
        None if !definition.created => ServerState::Failed,
        None if !machine.path(DISK).exists() => ServerState::Failed,
        None if definition.on => ServerState::Failed,
        None => ServerState::Stopped,
    }
}

/// A machine whose definition is not written yet.
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

/// Returns why the machine does not run.
fn failure(machine: &Machine, definition: &Definition) -> String {
    let what = if !machine.path(DISK).exists() && definition.created {
        "the disk is gone"
    } else if definition.created {
        "QEMU exited unexpectedly"
    } else {
        "the machine was not fully created"
    };
    let log = machine.log_end();
    if log.is_empty() {
        what.to_owned()
    } else {
        format!("{what}: {log}")
    }
}
