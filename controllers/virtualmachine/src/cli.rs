//! The flags of `virtualmachine-controller`, in addition to those that every controller has.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Command, ValueEnum};
use codegen_runtime::app::parse_duration;

/// The flags of this controller.
#[derive(Clone, Debug, Args)]
pub struct Flags {
    /// The driver that runs the servers.
    #[arg(long, value_name = "DRIVER", value_enum, default_value_t = DriverName::Simulated)]
    pub vm_driver: DriverName,
    /// The flags of the drivers.
    #[command(flatten)]
    pub driver: DriverFlags,
}

/// The name of a driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DriverName {
    /// Simulated servers in this process.
    Simulated,
    /// Virtual machines on this host, run by qemu-system-x86_64.
    #[cfg(target_os = "linux")]
    Qemu,
    /// Virtual machines in the cluster, run by KubeVirt.
    Kubevirt,
}

/// The flags of the drivers.
#[derive(Clone, Debug, Args)]
pub struct DriverFlags {
    /// Keep simulated servers in this directory, which several controllers may share.
    #[arg(long, value_name = "DIR")]
    pub simulated_dir: Option<PathBuf>,
    /// The probability, from 0 to 1, that a call of the simulated driver fails; half of the
    /// failures only lose the response.
    #[arg(long, value_name = "CHANCE", default_value_t = 0.0, value_parser = parse_chance, hide = true)]
    pub simulated_faults: f64,
    /// Keep QEMU machines in this directory.
    #[arg(
        long,
        value_name = "DIR",
        default_value = "/var/lib/virtualmachine-controller"
    )]
    pub qemu_dir: PathBuf,
    /// The image for new root disks: a disk image for qemu, a URL such as docker://… for kubevirt.
    /// Blank disks unless set.
    #[arg(long, value_name = "IMAGE")]
    pub image: Option<String>,
    /// The storage class of KubeVirt's root disks; the cluster's default unless set.
    #[arg(long, value_name = "NAME")]
    pub storage_class: Option<String>,
    /// How long a guest may take to shut down before it is powered off.
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = parse_duration)]
    pub shutdown_grace: Duration,
    /// Remove a server, with its disk, once its VirtualMachine has been gone for this long; such
    /// servers are only reported unless set. Use a duration longer than restoring the cluster from
    /// a backup takes.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub remove_orphans_after: Option<Duration>,
}

impl Flags {
    /// Checks that no flag of another driver is set.
    ///
    /// # Errors
    ///
    /// The first such flag.
    pub fn check(&self) -> Result<(), UnusedFlag> {
        let (driver, of) = (self.vm_driver, &self.driver);
        let is_simulated = driver == DriverName::Simulated;
        let flags = [
            (
                "--simulated-dir",
                of.simulated_dir.is_some(),
                is_simulated,
                "simulated",
            ),
            (
                "--simulated-faults",
                of.simulated_faults > 0.0,
                is_simulated,
                "simulated",
            ),
            (
                "--image",
                of.image.is_some(),
                !is_simulated,
                "qemu or kubevirt",
            ),
            (
                "--storage-class",
                of.storage_class.is_some(),
                driver == DriverName::Kubevirt,
                "kubevirt",
            ),
        ];
        let unused = flags
            .into_iter()
            .find(|(_, is_set, is_used, _)| *is_set && !*is_used);
        unused.map_or(Ok(()), |(flag, _, _, drivers)| {
            Err(UnusedFlag { flag, drivers })
        })
    }
}

/// A flag has no effect with the selected driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{flag} needs --vm-driver={drivers}")]
pub struct UnusedFlag {
    flag: &'static str,
    drivers: &'static str,
}

fn parse_chance(text: &str) -> Result<f64, String> {
    let chance = text.parse().ok().filter(|it| (0.0..=1.0).contains(it));
    chance.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

/// Adapts the help of the flags that every controller has.
pub(crate) fn help(command: Command) -> Command {
    command
        .mut_arg("namespaces", |arg| {
            arg.help("The namespaces whose machines are managed, separated by commas; all namespaces unless set")
        })
        .mut_arg("threads", |arg| {
            arg.help("The number of machines reconciled concurrently")
        })
        .mut_arg("resync_period", |arg| {
            arg.help(
                "How often every machine is reconciled even without a change, and servers without a machine are searched \
                 for",
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::app;

    #[test]
    fn the_flags_are_consistent() {
        app().command::<Flags>().debug_assert();
    }

    #[test]
    fn flags_of_another_driver_are_refused() {
        let check = |args: &[&str], expected: Option<&str>| {
            let all = [&["virtualmachine-controller"], args].concat();
            let flags = app().try_parse_from::<Flags>(all).expect("flags").own;
            let found = flags.check().err().map(|it| it.to_string());
            assert_eq!(found.as_deref(), expected, "{args:?}");
        };
        check(&[], None);
        check(&["--simulated-dir=a"], None);
        check(
            &["--image=a"],
            Some("--image needs --vm-driver=qemu or kubevirt"),
        );
        check(
            &["--vm-driver=kubevirt", "--image=a", "--storage-class=b"],
            None,
        );
        check(
            &["--vm-driver=kubevirt", "--simulated-dir=a"],
            Some("--simulated-dir needs --vm-driver=simulated"),
        );
    }

    #[test]
    fn leader_election_is_on_unless_switched_off() {
        let parse = |args: &[&str]| {
            app()
                .try_parse_from::<Flags>([&["virtualmachine-controller"], args].concat())
                .map(|it| it.flags.election.leader_elect)
        };
        assert!(matches!(parse(&[]), Ok(true)));
        assert!(matches!(parse(&["--leader-elect"]), Ok(true)));
        assert!(matches!(parse(&["--leader-elect=false"]), Ok(false)));
    }
}
