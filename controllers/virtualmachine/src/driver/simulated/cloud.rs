//! The servers, and the effects of calls on them.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::Latency;
use super::faults::Operation;
use crate::driver::{
    DriverError, Power, Resources, Server, ServerRef, ServerSpec, ServerState, Usage,
};

/// All servers of a simulation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cloud {
    /// The newest epoch that has called.
    pub epoch: u64,
    /// The newest epoch that has called for each shard.
    #[serde(default)]
    pub shards: BTreeMap<usize, u64>,
    /// How many servers were created in total.
    pub created: u64,
    /// The servers by their ids.
    pub servers: BTreeMap<String, SimulatedServer>,
}

/// One simulated server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SimulatedServer {
    /// The namespace of the object that it belongs to.
    #[serde(default)]
    pub namespace: String,
    /// The name of that object.
    #[serde(default)]
    pub name: String,
    /// The processors with which it runs, or would start.
    pub cpus: u32,
    /// Memory in bytes.
    pub memory: u64,
    /// Disk in bytes.
    pub disk: u64,
    /// Processors and memory from the next start on.
    pub next: Option<(u32, u64)>,
    /// Whether it should run.
    pub on: bool,
    /// Whether it died.
    pub dead: bool,
    /// Its load in percent; derived from its id if `None`.
    pub load: Option<u64>,
    /// Until when it is starting or stopping.
    pub busy_until: Timestamp,
}

/// A call that changes a server.
pub(super) enum Change {
    Create(ServerSpec),
    SetPower(Power),
    Resize(Resources),
    Delete,
}

impl Change {
    pub(super) fn operation(&self) -> Operation {
        match self {
            Self::Create(_) => Operation::Create,
            Self::SetPower(_) => Operation::SetPower,
            Self::Resize(_) => Operation::Resize,
            Self::Delete => Operation::Delete,
        }
    }
}

impl Cloud {
    /// Returns the newest epoch that has called for `shard`.
    pub(super) fn epoch_of(&mut self, shard: Option<usize>) -> &mut u64 {
        match shard {
            None => &mut self.epoch,
            Some(shard) => self.shards.entry(shard).or_default(),
        }
    }

    pub(super) fn apply(
        &mut self,
        of: &ServerRef,
        change: Change,
        latency: Latency,
        now: Timestamp,
    ) -> Result<(), DriverError> {
        let id = &of.id();
        let after = |delay| {
            let delay = SignedDuration::try_from(delay).unwrap_or(SignedDuration::MAX);
            now.checked_add(delay).unwrap_or(Timestamp::MAX)
        };
        match change {
            Change::Create(ServerSpec { resources, power }) => {
                self.created += u64::from(!self.servers.contains_key(id));
                self.servers
                    .entry(id.to_owned())
                    .or_insert(SimulatedServer {
                        namespace: of.namespace.clone(),
                        name: of.name.clone(),
                        cpus: resources.cpus,
                        memory: resources.memory,
                        disk: resources.disk,
                        next: None,
                        on: power == Power::On,
                        dead: false,
                        load: None,
                        busy_until: after(latency.start),
                    });
            }
            Change::SetPower(power) => {
                let on = power == Power::On;
                let server = self.server(id)?;
                if server.on == on && !server.dead {
                    return Ok(());
                }
                if let Some((cpus, memory)) = server.next.take_if(|_| on) {
                    (server.cpus, server.memory) = (cpus, memory);
                }
                (server.on, server.dead) = (on, false);
                server.busy_until = after(if on { latency.start } else { latency.stop });
            }
            Change::Resize(wanted) => {
                let server = self.server(id)?;
                if wanted.disk < server.disk {
                    return Err(DriverError::Refused("a disk can only grow".to_owned()));
                }
                server.disk = wanted.disk;
                if server.on && !server.dead {
                    server.next = Some((wanted.cpus, wanted.memory));
                } else {
                    (server.cpus, server.memory, server.next) = (wanted.cpus, wanted.memory, None);
                }
            }
            Change::Delete => drop(self.servers.remove(id)),
        }
        Ok(())
    }

    /// Returns all servers, identified by their objects.
    pub(super) fn list(&self) -> Vec<ServerRef> {
        let named = |(id, server): (&String, &SimulatedServer)| {
            let of = ServerRef::from_id(id)?;
            Some(ServerRef {
                namespace: server.namespace.clone(),
                name: server.name.clone(),
                ..of
            })
        };
        self.servers.iter().filter_map(named).collect()
    }

    fn server(&mut self, id: &str) -> Result<&mut SimulatedServer, DriverError> {
        let missing = || DriverError::Failed(format!("server {id} does not exist"));
        self.servers.get_mut(id).ok_or_else(missing)
    }

    pub(super) fn kill(&mut self, id: &str) -> bool {
        self.servers
            .get_mut(id)
            .map(|server| server.dead = true)
            .is_some()
    }

    pub(super) fn load(&mut self, id: &str, percent: u64) -> bool {
        self.servers
            .get_mut(id)
            .map(|server| server.load = Some(percent))
            .is_some()
    }

    pub(super) fn lose(&mut self, id: &str) -> bool {
        self.servers.remove(id).is_some()
    }
}

impl SimulatedServer {
    /// Returns the state that a caller sees at `now`.
    pub(super) fn status(&self, id: &str, now: Timestamp) -> Server {
        let state = match (self.dead, self.on, now < self.busy_until) {
            (true, ..) => ServerState::Failed,
            (_, true, true) => ServerState::Creating,
            (_, true, false) => ServerState::Running,
            (_, false, true) => ServerState::Stopping,
            (_, false, false) => ServerState::Stopped,
        };
        Server {
            state,
            resources: Resources {
                cpus: self.cpus,
                memory: self.memory,
                disk: self.disk,
            },
            usage: (state == ServerState::Running).then(|| self.usage(id)),
            message: if self.dead {
                "the server died".to_owned()
            } else {
                String::new()
            },
        }
    }

    /// Uses the configured load, or else a constant one derived from the id, from 5 to 44 percent.
    fn usage(&self, id: &str) -> Usage {
        let by_id = || 5 + id.bytes().map(u64::from).sum::<u64>() % 40;
        let percent = self.load.unwrap_or_else(by_id);
        Usage {
            millicpus: u64::from(self.cpus) * 10 * percent,
            memory: self.memory / 100 * percent,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_start_may_take_longer_than_timestamps_count() {
        let spec = ServerSpec {
            resources: Resources {
                cpus: 1,
                memory: 1,
                disk: 1,
            },
            power: Power::On,
        };
        let server = ServerRef {
            namespace: "default".into(),
            name: "a".into(),
            uid: "u".into(),
        };
        for start in [Duration::MAX, Duration::from_secs(i64::MAX.unsigned_abs())] {
            let latency = Latency {
                start,
                ..Latency::default()
            };
            let mut cloud = Cloud::default();
            let change = Change::Create(spec.clone());
            assert!(
                cloud
                    .apply(&server, change, latency, Timestamp::now())
                    .is_ok()
            );
            assert_eq!(cloud.servers[&server.id()].busy_until, Timestamp::MAX);
        }
    }
}
