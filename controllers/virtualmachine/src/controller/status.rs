//! The status of a machine.

use codegen_runtime::condition;
use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use codegen_runtime::quantity::Amount;
use jiff::Timestamp;

use crate::apis::cloudnative::v1alpha1::{
    ServerStatus, ServerUsage, VirtualMachine, VirtualMachinePhase, VirtualMachineStatus,
};
use crate::driver::{Server, ServerRef, Usage};

/// The outcome of a reconciliation, from which the status is derived.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Finding {
    /// The phase.
    pub(super) phase: VirtualMachinePhase,
    /// The reason for conditions and events, in UpperCamelCase.
    pub(super) reason: &'static str,
    /// A human-readable explanation; empty if the machine matches its spec.
    pub(super) message: String,
    /// Whether the machine matches its spec.
    pub(super) ready: bool,
    /// Whether a change is in progress.
    pub(super) progressing: bool,
}

impl Finding {
    /// The machine matches its spec.
    pub(super) fn ready(phase: VirtualMachinePhase, reason: &'static str) -> Self {
        Self {
            phase,
            reason,
            message: String::new(),
            ready: true,
            progressing: false,
        }
    }

    /// A change is in progress.
    pub(super) fn progressing(
        phase: VirtualMachinePhase,
        reason: &'static str,
        message: impl Into<String>,
    ) -> Self {
        Self {
            phase,
            reason,
            message: message.into(),
            ready: false,
            progressing: true,
        }
    }

    /// The machine does not match its spec, and nothing is done until something changes.
    pub(super) fn wrong(
        phase: VirtualMachinePhase,
        reason: &'static str,
        message: impl Into<String>,
    ) -> Self {
        Self {
            phase,
            reason,
            message: message.into(),
            ready: false,
            progressing: false,
        }
    }
}

/// Returns the status of `machine` after `finding`; `None` if it does not change.
///
/// In the phases Unknown and Terminating, the last known status of a server that could not be read
/// is kept.
pub(super) fn changed_status(
    machine: &VirtualMachine,
    finding: &Finding,
    server: Option<&Server>,
    now: Timestamp,
) -> Option<VirtualMachineStatus> {
    let old = machine.status.clone().unwrap_or_default();
    let mut new = VirtualMachineStatus {
        phase: finding.phase,
        reason: finding.message.clone(),
        server: match (server, finding.phase) {
            (Some(server), _) => Some(server_status(&ServerRef::of(machine), server)),
            (None, VirtualMachinePhase::Unknown | VirtualMachinePhase::Terminating) => {
                old.server.clone()
            }
            (None, _) => None,
        },
        last_update_time: old.last_update_time.clone(),
        observed_generation: machine.metadata.generation,
        conditions: old.conditions.clone(),
    };
    for (type_, is) in [
        ("Ready", finding.ready),
        ("Progressing", finding.progressing),
    ] {
        let condition = Condition {
            last_transition_time: Time(now),
            ..condition::new(
                type_,
                is,
                finding.reason,
                &finding.message,
                machine.metadata.generation,
            )
        };
        condition::set(&mut new.conditions, condition);
    }
    if new == old {
        return None;
    }
    new.last_update_time = Some(Time(now));
    Some(new)
}

/// Returns the status of `machine` with a different usage; `None` if it does not change.
pub(super) fn changed_usage(
    machine: &VirtualMachine,
    server: &Server,
    now: Timestamp,
) -> Option<VirtualMachineStatus> {
    let mut status = machine.status.clone()?;
    let new = Some(server_status(&ServerRef::of(machine), server));
    if status.server == new {
        return None;
    }
    status.server = new;
    status.last_update_time = Some(Time(now));
    Some(status)
}

/// Returns the status of a server.
pub(super) fn server_status(id: &ServerRef, server: &Server) -> ServerStatus {
    ServerStatus {
        id: id.id(),
        state: server.state.as_str().to_owned(),
        usage: server.usage.map(server_usage),
    }
}

/// Formats processors as `350m` and memory as `96Mi`: in whole mebibytes, so that a single page is
/// not a change.
fn server_usage(usage: Usage) -> ServerUsage {
    const MEBIBYTE: u64 = 1 << 20;
    let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let memory = usage.memory.div_ceil(MEBIBYTE) * MEBIBYTE;
    ServerUsage {
        cpu: Amount::from_millis(whole(usage.millicpus)).to_decimal(),
        memory: Amount::from_units(whole(memory)).to_binary(),
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;
    use crate::driver::{Resources, ServerState};

    fn running() -> Server {
        Server {
            state: ServerState::Running,
            resources: Resources {
                cpus: 2,
                memory: 1 << 30,
                disk: 1 << 30,
            },
            usage: Some(Usage {
                millicpus: 350,
                memory: (96 << 20) - 5,
            }),
            message: String::new(),
        }
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_secs(seconds)
    }

    #[test]
    fn a_status_changes_only_when_something_did() {
        let mut machine = VirtualMachine::default();
        machine.metadata.uid = Some("1".to_owned());
        machine.metadata.generation = Some(3);
        let finding = Finding::ready(VirtualMachinePhase::Active, "Running");
        let status = changed_status(&machine, &finding, Some(&running()), at(1));
        machine.status = status.clone();
        let Some(status) = status else {
            panic!("the first status is a change")
        };
        assert_eq!(status.last_update_time, Some(Time(at(1))));
        assert_eq!(status.observed_generation, Some(3));
        let usage = status.server.and_then(|it| it.usage);
        assert_eq!(
            usage.map(|it| (it.cpu.to_string(), it.memory.to_string())),
            Some(("350m".to_owned(), "96Mi".to_owned()))
        );
        assert_eq!(
            changed_status(&machine, &finding, Some(&running()), at(2)),
            None
        );
        assert_eq!(changed_usage(&machine, &running(), at(2)), None);
    }

    #[test]
    fn a_condition_keeps_its_time_of_transition_while_its_status_stays() {
        let mut machine = VirtualMachine::default();
        let starting = Finding::progressing(VirtualMachinePhase::Creating, "Creating", "");
        machine.status = changed_status(&machine, &starting, None, at(1));
        let waiting = Finding::progressing(VirtualMachinePhase::Creating, "Starting", "soon");
        machine.status = changed_status(&machine, &waiting, None, at(2));
        let active = Finding::ready(VirtualMachinePhase::Active, "Running");
        machine.status = changed_status(&machine, &active, None, at(3));
        let conditions = machine.status.map(|it| it.conditions).unwrap_or_default();
        let times: Vec<_> = conditions
            .iter()
            .map(|it| {
                (
                    it.type_.as_str(),
                    it.status.as_str(),
                    it.last_transition_time.0,
                )
            })
            .collect();
        assert_eq!(
            times,
            [("Ready", "True", at(3)), ("Progressing", "False", at(3))]
        );
    }

    #[test]
    fn what_was_known_of_a_server_is_kept_while_it_cannot_be_seen() {
        let mut machine = VirtualMachine::default();
        let active = Finding::ready(VirtualMachinePhase::Active, "Running");
        machine.status = changed_status(&machine, &active, Some(&running()), at(1));
        let known = machine.status.as_ref().and_then(|it| it.server.clone());
        let lost = Finding::wrong(VirtualMachinePhase::Unknown, "DriverError", "no answer");
        let status = changed_status(&machine, &lost, None, at(2));
        assert_eq!(status.and_then(|it| it.server), known);
    }
}
