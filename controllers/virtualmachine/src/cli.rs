//! The flags of `virtualmachine-controller`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use codegen_runtime::leader::{LeaderElectionConfig, LeaderElectionConfigError};
use jiff::SignedDuration;

/// Runs virtual machines that are declared as Kubernetes objects.
///
/// Without a kubeconfig it uses the one of $KUBECONFIG or ~/.kube/config, and in a pod the pod's service account.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "virtualmachine-controller",
    version,
    about,
    max_term_width = 120
)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Cli {
    /// Something other than the controller.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// The controller's flags.
    #[command(flatten)]
    pub flags: Flags,
}

/// Other things to run.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Starts an API server of its own and the controller with the simulated driver, to try with kubectl.
    #[cfg(feature = "demo")]
    Demo(DemoFlags),
}

/// The flags of `virtualmachine-controller demo`.
#[derive(Clone, Debug, Args)]
pub struct DemoFlags {
    /// Plays the life of one machine, prints it, and exits.
    #[arg(long)]
    pub once: bool,
    /// Where the API server listens.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8001")]
    pub listen: SocketAddr,
    /// Where to write the kubeconfig.
    #[arg(
        long,
        value_name = "FILE",
        default_value = "virtualmachine-demo.kubeconfig"
    )]
    pub kubeconfig: PathBuf,
    /// The log's level and format.
    #[command(flatten)]
    pub log: LogFlags,
}

/// The flags of the controller.
#[derive(Clone, Debug, Args)]
pub struct Flags {
    /// The kubeconfig to use.
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
    /// The address of the API server, in place of the kubeconfig's.
    #[arg(long, value_name = "URL")]
    pub master: Option<String>,
    /// The namespace whose machines are run; all of them unless set.
    #[arg(
        long,
        value_name = "NAMESPACE",
        default_value = "",
        hide_default_value = true
    )]
    pub namespace: String,
    /// How many machines are worked on at a time.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: u16,
    /// How often every machine is looked at, whether or not something changed, and servers without a machine are looked for.
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = parse_duration)]
    pub resync_period: Duration,
    /// Where servers run.
    #[arg(long, value_name = "DRIVER", value_enum, default_value_t = DriverName::Simulated)]
    pub vm_driver: DriverName,
    /// The drivers' own flags.
    #[command(flatten)]
    pub driver: DriverFlags,
    /// Who leads.
    #[command(flatten)]
    pub election: ElectionFlags,
    /// Where to serve metrics over HTTP, such as 0.0.0.0:8080; "0" serves none.
    #[arg(long, value_name = "ADDRESS", default_value = "0", value_parser = parse_address)]
    pub metrics_bind_address: Bind,
    /// Where to serve /healthz and /readyz over HTTP; "0" serves none.
    #[arg(long, value_name = "ADDRESS", default_value = "0", value_parser = parse_address)]
    pub health_probe_bind_address: Bind,
    /// The log's level and format.
    #[command(flatten)]
    pub log: LogFlags,
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
    /// What is on a new root disk: a disk image for qemu, a URL such as docker://… for kubevirt. Empty unless set.
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

/// The flags of leader election.
#[derive(Clone, Debug, Args)]
pub struct ElectionFlags {
    /// Whether controllers elect a leader, so that one works and the others wait.
    #[arg(long, value_name = "BOOL", default_value_t = true, num_args = 0..=1, require_equals = true, default_missing_value = "true", action = clap::ArgAction::Set)]
    pub leader_elect: bool,
    /// This controller's name in the election: $POD_NAME, else the host's name and a random suffix.
    #[arg(long, value_name = "NAME", env = "POD_NAME", hide_env_values = true)]
    pub holder_identity: Option<String>,
    /// The name of the Lease that the leader holds.
    #[arg(long, value_name = "NAME", default_value = "virtualmachine-controller")]
    pub lease_lock_name: String,
    /// The namespace of the Lease: $POD_NAMESPACE, else default.
    #[arg(
        long,
        value_name = "NAMESPACE",
        env = "POD_NAMESPACE",
        hide_env_values = true,
        default_value = "default"
    )]
    pub lease_lock_namespace: String,
    /// How long the others wait for a leader that is silent.
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = parse_duration)]
    pub lease_duration: Duration,
    /// How long a leader that can't renew goes on.
    #[arg(long, alias = "renew-duration", value_name = "DURATION", default_value = "15s", value_parser = parse_duration)]
    pub renew_deadline: Duration,
    /// How often the leader renews, and the others try.
    #[arg(long, alias = "retry-duration", value_name = "DURATION", default_value = "5s", value_parser = parse_duration)]
    pub retry_period: Duration,
}

/// The flags of logging.
#[derive(Clone, Debug, Args)]
pub struct LogFlags {
    /// Logs more: -v for debug, -vv for trace. $RUST_LOG sets more than that.
    #[arg(short, action = clap::ArgAction::Count)]
    pub verbosity: u8,
    /// How log lines look.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,
}

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// An object a line.
    Json,
}

/// An address to listen on, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bind(pub Option<SocketAddr>);

impl ElectionFlags {
    /// The election's configuration, for the process `identity`.
    ///
    /// # Errors
    ///
    /// If the times don't fit.
    pub fn config(
        &self,
        identity: &str,
    ) -> Result<LeaderElectionConfig, LeaderElectionConfigError> {
        let config =
            LeaderElectionConfig::new(&self.lease_lock_namespace, &self.lease_lock_name, identity)
                .times(self.lease_duration, self.renew_deadline, self.retry_period);
        config.validate()?;
        Ok(config)
    }

    /// The name of this process.
    pub fn identity(&self) -> String {
        match self.holder_identity.as_deref() {
            Some(identity) if !identity.is_empty() => identity.to_owned(),
            _ => format!("{}_{:08x}", host_name(), rand::random::<u32>()),
        }
    }
}

fn host_name() -> String {
    let of_kernel = || std::fs::read_to_string("/proc/sys/kernel/hostname");
    let name = std::env::var("HOSTNAME").or_else(|_| of_kernel());
    match name.as_deref().map(str::trim) {
        Ok(name) if !name.is_empty() => name.to_owned(),
        _ => "localhost".to_owned(),
    }
}

/// Durations as Go writes them: `15s`, `1m30s`, `500ms`.
fn parse_duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("write a positive duration such as 15s or 1m30s, not {text:?}");
    let duration: SignedDuration = text.parse().map_err(|_| wrong())?;
    let duration = Duration::try_from(duration).map_err(|_| wrong())?;
    if duration.is_zero() {
        return Err(wrong());
    }
    Ok(duration)
}

/// `0`, `:8080` and `127.0.0.1:8080`, as controller-runtime's flags take them.
fn parse_address(text: &str) -> Result<Bind, String> {
    if matches!(text, "0" | "") {
        return Ok(Bind(None));
    }
    let full = if text.starts_with(':') {
        format!("0.0.0.0{text}")
    } else {
        text.to_owned()
    };
    full.parse()
        .map(|address| Bind(Some(address)))
        .map_err(|_| format!("write an address such as 0.0.0.0:8080, or 0 for none, not {text:?}"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_flags_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn durations_are_written_as_in_go() {
        assert_eq!(parse_duration("60s"), Ok(Duration::from_secs(60)));
        assert_eq!(parse_duration("1m30s"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_duration("500ms"), Ok(Duration::from_millis(500)));
        for text in ["", "0s", "-1s", "15", "soon"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn addresses_are_written_as_in_controller_runtime() {
        assert_eq!(parse_address("0"), Ok(Bind(None)));
        let all = SocketAddr::from(([0, 0, 0, 0], 8080));
        assert_eq!(parse_address(":8080"), Ok(Bind(Some(all))));
        assert_eq!(parse_address("0.0.0.0:8080"), Ok(Bind(Some(all))));
        assert!(parse_address("metrics").is_err());
    }

    #[test]
    fn leader_election_is_on_unless_switched_off() {
        let parse = |args: &[&str]| {
            Cli::try_parse_from([&["virtualmachine-controller"], args].concat())
                .map(|cli| cli.flags.election.leader_elect)
        };
        assert!(matches!(parse(&[]), Ok(true)));
        assert!(matches!(parse(&["--leader-elect"]), Ok(true)));
        assert!(matches!(parse(&["--leader-elect=false"]), Ok(false)));
    }
}
