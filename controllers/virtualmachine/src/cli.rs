//! The flags of `virtualmachine-controller` beside those that every controller has.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Command, ValueEnum};
use codegen_runtime::app::parse_duration;

/// The flags of this controller.
#[derive(Clone, Debug, Args)]
pub struct Flags {
    /// Where servers run.
    #[arg(long, value_name = "DRIVER", value_enum, default_value_t = DriverName::Simulated)]
    pub vm_driver: DriverName,
    /// The drivers' own flags.
    #[command(flatten)]
    pub driver: DriverFlags,
}

/// A driver's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DriverName {
    /// Servers that exist in this process only.
    Simulated,
    /// Real machines on this host, by qemu-system-x86_64.
    #[cfg(target_os = "linux")]
    Qemu,
    /// Real machines in the cluster, by KubeVirt.
    Kubevirt,
}

/// The flags of the drivers.
#[derive(Clone, Debug, Args)]
pub struct DriverFlags {
    /// Keeps simulated servers in this folder, which several controllers may share.
    #[arg(long, value_name = "DIR")]
    pub simulated_dir: Option<PathBuf>,
    /// Lets this part of the simulated driver's calls fail, from 0 to 1; of every other one only the answer is lost.
    #[arg(long, value_name = "CHANCE", default_value_t = 0.0, hide = true)]
    pub simulated_faults: f64,
    /// Keeps QEMU's machines in this folder.
    #[arg(
        long,
        value_name = "DIR",
        default_value = "/var/lib/virtualmachine-controller"
    )]
    pub qemu_dir: PathBuf,
    /// The image of a new root disk: a disk image for qemu, a URL such as docker://… for kubevirt. Empty unless set.
    #[arg(long, value_name = "IMAGE")]
    pub image: Option<String>,
    /// The storage class of KubeVirt's root disks; the cluster's default unless set.
    #[arg(long, value_name = "NAME")]
    pub storage_class: Option<String>,
    /// How long a guest may take to shut down before it is cut off.
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = parse_duration)]
    pub shutdown_grace: Duration,
    /// Removes a server, with its disk, once its VirtualMachine has been gone for this long; such servers are only reported unless
    /// set. Longer than it takes to restore a cluster from a backup.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub remove_orphans_after: Option<Duration>,
}

/// The help of the flags that every controller has, in this one's words.
pub(crate) fn help(command: Command) -> Command {
    command
        .mut_arg("namespace", |arg| {
            arg.help("The namespace whose machines are run; all of them unless set")
        })
        .mut_arg("threads", |arg| {
            arg.help("How many machines are worked on at a time")
        })
        .mut_arg("resync_period", |arg| {
            arg.help(
                "How often every machine is looked at, whether or not something changed, and servers without a machine are looked \
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
