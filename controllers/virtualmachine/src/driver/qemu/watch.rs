//! Watches for changes of machines that no call caused.

use std::collections::BTreeMap;
use std::time::Duration;

use codegen_runtime::error::chain;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use super::Shared;
use super::machine::{Definition, Machine};
use crate::driver::{Changed, DriverError};

/// The polling interval.
const EVERY: Duration = Duration::from_millis(500);

/// The observed state of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    /// It runs as the process with this pid.
    Running(i32),
    /// It does not run.
    Down,
    /// It should have powered down by now. The next status call ends it.
    Overdue,
}

/// Polls all machines, without changing any.
pub(super) async fn run(
    shared: &Shared,
    changed: Changed,
    stop: CancellationToken,
) -> Result<(), DriverError> {
    let mut every = interval(EVERY);
    every.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut before = BTreeMap::new();
    loop {
        tokio::select! {
            () = stop.cancelled() => return Ok(()),
            _ = every.tick() => {}
        }
        let mut now = BTreeMap::new();
        let machines = match Machine::all(&shared.directory) {
            Ok(machines) => machines,
            Err(error) => {
                tracing::warn!(error = %chain(&error), "cannot list the machines");
                continue;
            }
        };
        for machine in machines {
            match look(shared, &machine) {
                Ok(Some((definition, seen))) => {
                    if is_news(before.get(&machine.id).copied(), seen, &definition) {
                        changed(definition.key());
                    }
                    now.insert(machine.id, seen);
                }
                Ok(None) => {}
                Err(error) => {
                    tracing::warn!(machine = machine.id, error = %chain(&error), "cannot inspect the machine")
                }
            }
        }
        before = now;
    }
}

fn look(shared: &Shared, machine: &Machine) -> Result<Option<(Definition, Seen)>, DriverError> {
    let Some(definition) = machine.definition()? else {
        return Ok(None);
    };
    let seen = match machine.process()? {
        None => Seen::Down,
        Some(process) => match definition.stopping_for() {
            Some(time) if time >= shared.grace => Seen::Overdue,
            _ => Seen::Running(process.pid),
        },
    };
    Ok(Some((definition, seen)))
}

fn is_news(before: Option<Seen>, now: Seen, definition: &Definition) -> bool {
    match (before, now) {
        // It died before it was first observed, perhaps before the controller started.
        (None, Seen::Down) => definition.on && definition.created,
        (None, Seen::Running(_)) => false,
        (_, Seen::Overdue) => true,
        (Some(before), now) => before != now,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::{Power, ServerRef, ServerSpec};

    #[test]
    fn news() {
        let server = ServerRef {
            namespace: "a".to_owned(),
            name: "b".to_owned(),
            uid: "1".to_owned(),
        };
        let resources = crate::driver::Resources {
            cpus: 1,
            memory: 1,
            disk: 1,
        };
        let power = Power::On;
        let mut definition = Definition::new(&server, &ServerSpec { resources, power });
        definition.created = true;
        let check = |before, now, expected| {
            assert_eq!(
                is_news(before, now, &definition),
                expected,
                "{before:?} {now:?}"
            );
        };
        check(None, Seen::Running(1), false);
        check(None, Seen::Down, true);
        check(Some(Seen::Running(1)), Seen::Running(1), false);
        check(Some(Seen::Running(1)), Seen::Running(2), true);
        check(Some(Seen::Running(1)), Seen::Down, true);
        check(Some(Seen::Down), Seen::Down, false);
        check(Some(Seen::Overdue), Seen::Overdue, true);
    }
}
