//! Derives the state of a server from KubeVirt's status.
//!
//! | `deletionTimestamp` | `runStrategy` | `printableStatus` | [`ServerState`] |
//! |---|---|---|---|
//! | set | any | any | [`Deleting`](ServerState::Deleting) |
//! | | `Halted` | any, if there is an instance | [`Stopping`](ServerState::Stopping) |
//! | | `Halted` | unset | [`Creating`](ServerState::Creating) |
//! | | `Halted` | any other | [`Stopped`](ServerState::Stopped) |
//! | | other | `Running`, `Migrating` | [`Running`](ServerState::Running) |
//! | | other | `Stopping` | [`Stopping`](ServerState::Stopping) |
//! | | other | `Terminating` | [`Deleting`](ServerState::Deleting) |
//! | | other | unset, `Stopped`, `Provisioning`, `Starting`, `WaitingForVolumeBinding`, `WaitingForReceiver` | [`Creating`](ServerState::Creating) |
//! | | other | `Paused`, `CrashLoopBackOff`, `DataVolumeError`, `ErrImagePull`, `ImagePullBackOff`, `Error…` | [`Failed`](ServerState::Failed) |
//! | | other | `Unknown`, or an unrecognized value | by the phase of the instance: `Running`; `Failed`, `Succeeded`, `Unknown` are [`Failed`](ServerState::Failed); else [`Creating`](ServerState::Creating) |
//!
//! `runStrategy` comes first because it was written last: KubeVirt's status lags behind, with
//! `Running` after a stop and `Stopped` after a start. KubeVirt itself keeps trying to start a
//! `Failed` machine.

use codegen_runtime::k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use codegen_runtime::kube::{Resource, ResourceExt};
use codegen_runtime::quantity::Amount;
use serde_json::Value;

use super::api::apis::kubevirt::v1::{
    VirtualMachine as Vm, VirtualMachineConditions, VirtualMachineInstance as Vmi,
    VirtualMachineInstanceSpec,
};
use super::object::root_volume;
use crate::driver::{Resources, Server, ServerState};

/// Builds the server from a KubeVirt machine and its instance.
pub(super) fn server(vm: &Vm, vmi: Option<&Vmi>) -> Server {
    let state = state(vm, vmi);
    Server {
        state,
        resources: resources(vm, vmi),
        usage: None,
        message: message(vm, state),
    }
}

/// Builds the server for an instance that outlived its machine.
pub(super) fn remains(vmi: &Vmi) -> Server {
    let (cpus, memory) = sizes(&vmi.spec);
    Server {
        // Without a deletion timestamp nothing removes it: the caller has to delete it.
        state: if vmi.meta().deletion_timestamp.is_some() {
            ServerState::Deleting
        } else {
            ServerState::Failed
        },
        resources: Resources {
            cpus,
            memory: memory.unwrap_or(0),
            disk: 0,
        },
        usage: None,
        message: "only the KubeVirt instance is left".to_owned(),
    }
}

/// Whether the machine should run.
pub(super) fn is_on(vm: &Vm) -> bool {
    match &vm.spec.run_strategy {
        Some(strategy) => strategy != "Halted",
        None => vm.spec.running == Some(true),
    }
}

fn state(vm: &Vm, vmi: Option<&Vmi>) -> ServerState {
    if vm.meta().deletion_timestamp.is_some() {
        return ServerState::Deleting;
    }
    let created = vm.status.as_ref().and_then(|status| status.created);
    match (is_on(vm), printable(vm)) {
        (false, _) if vmi.is_some() || created == Some(true) => ServerState::Stopping,
        (false, None) => ServerState::Creating,
        (false, Some(_)) => ServerState::Stopped,
        (true, Some("Running" | "Migrating")) => ServerState::Running,
        (true, Some("Stopping")) => ServerState::Stopping,
        (true, Some("Terminating")) => ServerState::Deleting,
        (
            true,
            None
            | Some(
                "Stopped"
                | "Provisioning"
                | "Starting"
                | "WaitingForVolumeBinding"
                | "WaitingForReceiver",
            ),
        ) => ServerState::Creating,
        (
            true,
            Some(
                "Paused" | "CrashLoopBackOff" | "DataVolumeError" | "ErrImagePull"
                | "ImagePullBackOff",
            ),
        ) => ServerState::Failed,
        (true, Some(status)) if status.starts_with("Error") => ServerState::Failed,
        (true, Some(_)) => match vmi.and_then(phase) {
            Some("Running") => ServerState::Running,
            Some("Failed" | "Succeeded" | "Unknown") => ServerState::Failed,
            _ => ServerState::Creating,
        },
    }
}

fn printable(vm: &Vm) -> Option<&str> {
    let status = vm.status.as_ref()?;
    let printable = status.printable_status.as_deref();
    printable.filter(|status| !status.is_empty())
}

/// Returns the phase of an instance.
pub(super) fn phase(vmi: &Vmi) -> Option<&str> {
    vmi.status.as_ref()?.phase.as_deref()
}

/// Returns the sizes with which the machine runs, or would start.
pub(super) fn resources(vm: &Vm, vmi: Option<&Vmi>) -> Resources {
    let next = vm.spec.template.spec.as_ref().map(sizes);
    let running = vmi.filter(|vmi| !matches!(phase(vmi), Some("Failed" | "Succeeded")));
    let running = running.filter(|vmi| vmi.meta().deletion_timestamp.is_none());
    let running = running.map(|vmi| sizes(&vmi.spec));
    let (cpus, memory) = running.or(next).unwrap_or_default();
    let memory = memory.or_else(|| next.and_then(|(_, memory)| memory));
    Resources {
        cpus,
        memory: memory.unwrap_or(0),
        disk: disk(vm),
    }
}

fn sizes(spec: &VirtualMachineInstanceSpec) -> (u32, Option<u64>) {
    let cpus = spec.domain.cpu.as_ref().map_or(1, |cpu| {
        let counts = [cpu.cores, cpu.sockets, cpu.threads];
        let count = |count: Option<i32>| u32::try_from(count.unwrap_or(1)).map_or(1, |n| n.max(1));
        counts.into_iter().map(count).fold(1, u32::saturating_mul)
    });
    let memory = spec.domain.memory.as_ref();
    (
        cpus,
        memory.and_then(|memory| bytes(memory.guest.as_ref()?)),
    )
}

/// Returns the requested size of the root disk; 0 if the machine has none.
pub(super) fn disk(vm: &Vm) -> u64 {
    let root = root_volume(&vm.name_any());
    let templates = vm.spec.data_volume_templates.iter().flatten().flatten();
    let request = templates
        .filter(|template| {
            let metadata = template.metadata.as_ref().and_then(Option::as_ref);
            metadata.and_then(|metadata| metadata.get("name")) == Some(&Value::from(root.as_str()))
        })
        .find_map(|template| {
            let resources = template.spec.storage.as_ref()?.resources.as_ref()?;
            resources.requests.as_ref()?.get("storage")
        });
    request.and_then(bytes).unwrap_or(0)
}

fn bytes(quantity: &Quantity) -> Option<u64> {
    let amount: Amount = quantity.0.trim().parse().ok()?;
    u64::try_from(amount.value()).ok()
}

/// Returns KubeVirt's own state where it is more specific than ours, with its explanation.
fn message(vm: &Vm, state: ServerState) -> String {
    let word = match (state, printable(vm)) {
        (
            ServerState::Running | ServerState::Stopping | ServerState::Deleting,
            Some("Running" | "Stopping" | "Terminating"),
        )
        | (_, None | Some("Stopped" | "Starting")) => return String::new(),
        (ServerState::Stopping | ServerState::Deleting, _) => return String::new(),
        (_, Some(word)) => word,
    };
    let conditions = vm.status.as_ref().and_then(|vm| vm.conditions.as_deref());
    let told = (state == ServerState::Failed)
        .then(|| complaint(conditions.unwrap_or_default()))
        .flatten();
    match told {
        Some(told) => format!("KubeVirt: {word}: {told}"),
        None => format!("KubeVirt: {word}"),
    }
}

/// Returns the problem that the conditions report: a failure first, then a condition that is not
/// ready.
fn complaint(conditions: &[VirtualMachineConditions]) -> Option<&str> {
    let told = |wanted: &str, status: &str| {
        let mut found = conditions
            .iter()
            .filter(|condition| condition.r#type == wanted && condition.status == status);
        found.find_map(|condition| condition.message.as_deref().filter(|text| !text.is_empty()))
    };
    told("Failure", "True")
        .or_else(|| told("DataVolumesReady", "False"))
        .or_else(|| told("Ready", "False"))
}

#[cfg(test)]
mod tests {
    use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
    use serde_json::json;

    use super::ServerState::{Creating, Deleting, Failed, Running, Stopped, Stopping};
    use super::*;
    use crate::driver::kubevirt::api::apis::kubevirt::v1::VirtualMachineStatus;

    fn vm(strategy: &str, printable: Option<&str>) -> Vm {
        let vm = json!({
            "apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "vm-1"},
            "spec": {
                "runStrategy": strategy,
                "dataVolumeTemplates": [
                    {"metadata": {"name": "other"}, "spec": {"storage": {"resources": {"requests": {"storage": "1Gi"}}}}},
                    {"metadata": {"name": "vm-1-root"}, "spec": {"storage": {"resources": {"requests": {"storage": "2Gi"}}}}},
                ],
                "template": {"spec": {"domain": {"devices": {}, "cpu": {"cores": 2, "threads": 2}, "memory": {"guest": "4G"}}}},
            },
            "status": printable.map(|printable| json!({
                "printableStatus": printable,
                "conditions": [
                    {"type": "Ready", "status": "False", "message": "not ready"},
                    {"type": "Failure", "status": "True", "message": "broken"},
                ],
            })),
        });
        serde_json::from_value(vm).expect("a machine")
    }

    fn vmi(phase: &str) -> Vmi {
        let vmi = json!({
            "apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstance", "metadata": {"name": "vm-1"},
            "spec": {"domain": {"devices": {}, "cpu": {"sockets": 3}, "memory": {"guest": 1024}}},
            "status": {"phase": phase},
        });
        serde_json::from_value(vmi).expect("an instance")
    }

    #[test]
    fn every_row_of_the_table_holds() {
        let check = |strategy, printable, phase: Option<&str>, expected| {
            let (vm, vmi) = (vm(strategy, printable), phase.map(vmi));
            assert_eq!(
                state(&vm, vmi.as_ref()),
                expected,
                "{strategy} {printable:?} {phase:?}"
            );
            let mut leaving = vm;
            leaving.metadata.deletion_timestamp = Some(Time(jiff::Timestamp::UNIX_EPOCH));
            assert_eq!(state(&leaving, vmi.as_ref()), Deleting);
        };
        for printable in ["Stopped", "Running", "DataVolumeError", "Unknown"] {
            check("Halted", Some(printable), None, Stopped);
            check("Halted", Some(printable), Some("Running"), Stopping);
        }
        check("Halted", None, None, Creating);
        check("Always", None, None, Creating);
        for (printable, expected) in [
            ("Running", Running),
            ("Migrating", Running),
            ("Stopping", Stopping),
            ("Terminating", Deleting),
            ("Stopped", Creating),
            ("Provisioning", Creating),
            ("Starting", Creating),
            ("WaitingForVolumeBinding", Creating),
            ("WaitingForReceiver", Creating),
            ("Paused", Failed),
            ("CrashLoopBackOff", Failed),
            ("DataVolumeError", Failed),
            ("ErrImagePull", Failed),
            ("ImagePullBackOff", Failed),
            ("ErrorUnschedulable", Failed),
            ("ErrorPvcNotFound", Failed),
            ("ErrorDataVolumeNotFound", Failed),
            ("ErrorOfTheFuture", Failed),
        ] {
            check("Always", Some(printable), None, expected);
            check("RerunOnFailure", Some(printable), Some("Running"), expected);
        }
        for printable in ["Unknown", "OfTheFuture"] {
            check("Always", Some(printable), Some("Running"), Running);
            check("Always", Some(printable), Some("Failed"), Failed);
            check("Always", Some(printable), Some("Succeeded"), Failed);
            check("Always", Some(printable), Some("Unknown"), Failed);
            check("Always", Some(printable), Some("Scheduling"), Creating);
            check("Always", Some(printable), None, Creating);
        }
    }

    #[test]
    fn a_machine_that_is_stopped_without_status_of_its_instance_is_stopping() {
        let mut vm = vm("Halted", Some("Stopped"));
        vm.status = vm.status.map(|status| VirtualMachineStatus {
            created: Some(true),
            ..status
        });
        assert_eq!(state(&vm, None), Stopping);
    }

    #[test]
    fn sizes_are_those_of_the_instance_while_it_runs() {
        let vm = vm("Always", Some("Running"));
        let disk = 2 << 30;
        let next = Resources {
            cpus: 4,
            memory: 4_000_000_000,
            disk,
        };
        let running = Resources {
            cpus: 3,
            memory: 1024,
            disk,
        };
        assert_eq!(resources(&vm, None), next);
        assert_eq!(resources(&vm, Some(&vmi("Running"))), running);
        assert_eq!(resources(&vm, Some(&vmi("Failed"))), next);
    }

    #[test]
    fn messages_say_what_kubevirt_says() {
        let check = |printable, expected: &str| {
            assert_eq!(server(&vm("Always", printable), None).message, expected);
        };
        check(None, "");
        check(Some("Running"), "");
        check(Some("Starting"), "");
        check(Some("Provisioning"), "KubeVirt: Provisioning");
        check(Some("Migrating"), "KubeVirt: Migrating");
        check(
            Some("CrashLoopBackOff"),
            "KubeVirt: CrashLoopBackOff: broken",
        );
    }
}
