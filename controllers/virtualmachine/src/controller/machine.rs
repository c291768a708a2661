//! Converts the spec of an object to the spec of a server.

use codegen_runtime::quantity::{Amount, Quantity};

use crate::apis::cloudnative::v1alpha1::{VirtualMachineAction, VirtualMachineSpec};
use crate::driver::{Power, Resources, ServerSpec};

/// The maximum number of processors of a machine.
pub const MAX_CPUS: u32 = 1024;

/// The minimum and maximum memory, in bytes: 1 MiB and 64 TiB.
pub const MEMORY: (u64, u64) = (1 << 20, 64 << 40);

/// The minimum and maximum disk size, in bytes: 1 MiB and 1 PiB.
pub const DISK: (u64, u64) = (1 << 20, 1 << 50);

/// A spec is invalid. The message names the field and the valid values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("spec.resource.{0}")]
pub struct InvalidSpec(String);

/// Returns the server that `spec` requests.
///
/// # Errors
///
/// All invalid sizes, in one message.
pub fn server_spec(spec: &VirtualMachineSpec) -> Result<ServerSpec, InvalidSpec> {
    let resource = &spec.resource;
    let cpus = cpus(&resource.cpu).map_err(|error| format!("cpu: {error}"));
    let memory = bytes(&resource.memory, MEMORY).map_err(|error| format!("memory: {error}"));
    let disk = bytes(&resource.root_disk, DISK).map_err(|error| format!("rootDisk: {error}"));
    match (cpus, memory, disk) {
        (Ok(cpus), Ok(memory), Ok(disk)) => Ok(ServerSpec {
            resources: Resources { cpus, memory, disk },
            power: match spec.action {
                VirtualMachineAction::Active => Power::On,
                VirtualMachineAction::Stopped => Power::Off,
            },
        }),
        (cpus, memory, disk) => {
            let errors = [cpus.err(), memory.err(), disk.err()];
            let errors: Vec<String> = errors.into_iter().flatten().collect();
            Err(InvalidSpec(errors.join("; spec.resource.")))
        }
    }
}

/// Returns an integer number of processors. `1500m` is rejected rather than rounded: a machine
/// cannot have one and a half.
fn cpus(quantity: &Quantity) -> Result<u32, String> {
    let amount = quantity.amount().map_err(|error| error.to_string())?;
    let cpus = u32::try_from(amount.value()).unwrap_or(0);
    if (1..=MAX_CPUS).contains(&cpus) && Amount::from_units(amount.value()) == amount {
        return Ok(cpus);
    }
    Err(format!(
        "{quantity} is not a number of processors: write a whole number from 1 to {MAX_CPUS}"
    ))
}

/// Returns a number of bytes, rounded up.
fn bytes(quantity: &Quantity, (least, most): (u64, u64)) -> Result<u64, String> {
    let amount = quantity.amount().map_err(|error| error.to_string())?;
    let bytes = u64::try_from(amount.value()).unwrap_or(0);
    if (least..=most).contains(&bytes) {
        return Ok(bytes);
    }
    let written =
        |bytes: u64| Amount::from_units(i64::try_from(bytes).unwrap_or(i64::MAX)).to_binary();
    Err(format!(
        "{quantity} is not a size that a machine can have: write one from {} to {}",
        written(least),
        written(most)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apis::cloudnative::v1alpha1::VirtualMachineResource;

    #[track_caller]
    fn check(sizes: [&str; 3], expected: Result<(u32, u64, u64), &str>) {
        let [cpu, memory, root_disk] = sizes.map(Quantity::new);
        let spec = VirtualMachineSpec {
            action: VirtualMachineAction::Active,
            resource: VirtualMachineResource {
                cpu,
                memory,
                root_disk,
            },
        };
        let found = server_spec(&spec)
            .map(|it| it.resources)
            .map(|it| (it.cpus, it.memory, it.disk))
            .map_err(|error| error.to_string());
        assert_eq!(found, expected.map_err(str::to_owned));
    }

    #[test]
    fn sizes_are_whole_processors_and_bytes() {
        check(["2", "4G", "40G"], Ok((2, 4_000_000_000, 40_000_000_000)));
        check(["2000m", "64Mi", "1.5Gi"], Ok((2, 64 << 20, 3 << 29)));
        check(["1024", "64Ti", "1Pi"], Ok((1024, 64 << 40, 1 << 50)));
    }

    #[test]
    fn what_no_machine_can_be_is_refused_field_by_field() {
        let cpu = |text| {
            format!(
                "spec.resource.cpu: {text} is not a number of processors: write a whole number from 1 to 1024"
            )
        };
        for text in ["0", "-2", "1500m", "1025", "2e9", "1E", "1n"] {
            check([text, "4G", "40G"], Err(&cpu(text)));
        }
        let memory = |text| {
            format!(
                "spec.resource.memory: {text} is not a size that a machine can have: write one from 1Mi to 64Ti"
            )
        };
        for text in ["0", "-4G", "4", "4m", "65Ti", "9E", "1e400"] {
            check(["2", text, "40G"], Err(&memory(text)));
        }
        check(
            ["0", "4G", "2Pi"],
            Err(
                "spec.resource.cpu: 0 is not a number of processors: write a whole number from 1 to 1024; spec.resource.rootDisk: 2Pi is not a size that a machine can have: write one from 1Mi to 1Pi",
            ),
        );
    }

    #[test]
    fn a_malformed_size_says_how_to_write_one() {
        let spec = VirtualMachineSpec {
            resource: VirtualMachineResource {
                cpu: Quantity::new("two"),
                memory: Quantity::new("4G"),
                root_disk: Quantity::new("40G"),
            },
            ..VirtualMachineSpec::default()
        };
        let error = server_spec(&spec).map_err(|it| it.to_string());
        assert!(error.is_err_and(|it| {
            it.starts_with("spec.resource.cpu: \"two\" is not a quantity: write a number")
        }));
    }
}
