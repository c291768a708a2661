//! The flags that every controller has.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use jiff::SignedDuration;

use crate::leader::{LeaderElectionConfig, LeaderElectionConfigError};

/// The flags that every controller has; [`App`](super::App) adds a program's own flags to them.
///
/// The help strings about namespaces and threads are general; a program replaces them with
/// [`App::adjust_command`](super::App::adjust_command).
#[derive(Clone, Debug, Args)]
#[group(skip)]
pub struct Flags {
    /// The kubeconfig to use.
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
    /// The address of the API server, overriding the kubeconfig's.
    #[arg(long, value_name = "URL")]
    pub master: Option<String>,
    /// The namespaces whose objects to reconcile, separated by commas; all namespaces unless set.
    #[arg(
        long,
        alias = "namespace",
        value_name = "NAMESPACES",
        value_delimiter = ',',
        value_parser = parse_namespace
    )]
    pub namespaces: Vec<String>,
    /// The number of objects to reconcile concurrently.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: u16,
    /// The interval at which every object is reconciled, even without changes.
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = parse_duration)]
    pub resync_period: Duration,
    /// The leader election.
    #[command(flatten)]
    pub election: ElectionFlags,
    /// The address to serve metrics on, such as :8443; "0" disables them.
    #[arg(long, value_name = "ADDRESS", default_value = "0", value_parser = parse_address)]
    pub metrics_bind_address: Bind,
    /// Whether to serve metrics over HTTPS, to clients with a bearer token whose roles allow to get
    /// the path /metrics; otherwise over HTTP, to everyone who reaches the address.
    #[arg(long, value_name = "BOOL", default_value_t = false, num_args = 0..=1, require_equals = true, default_missing_value = "true", action = clap::ArgAction::Set)]
    pub metrics_secure: bool,
    /// The folder of the metrics certificate, tls.crt and tls.key; without it, the program makes
    /// one that clients cannot verify.
    #[arg(long, value_name = "FOLDER", requires = "metrics_secure")]
    pub metrics_cert_path: Option<PathBuf>,
    /// The address to serve /healthz and /readyz on over HTTP; "0" disables them.
    #[arg(long, value_name = "ADDRESS", default_value = "0", value_parser = parse_address)]
    pub health_probe_bind_address: Bind,
    /// The flags of webhooks; only in a program that [has some](super::App::webhooks).
    #[cfg(feature = "webhooks")]
    #[arg(skip)]
    pub webhooks: Option<WebhookFlags>,
    /// The flags of sharded controllers; only in a program that [has some](super::App::sharded).
    #[arg(skip)]
    pub shards: Option<ShardFlags>,
    /// The log's level and format.
    #[command(flatten)]
    pub log: LogFlags,
}

/// The flags of sharded controllers.
#[derive(Clone, Debug, Args)]
#[group(skip)]
pub struct ShardFlags {
    /// Let every replica work, each on a part of the objects by the hash of this field; without it,
    /// only the leader works.
    #[arg(long, value_name = "FIELD", value_enum)]
    pub shard_by: Option<ShardBy>,
    /// The part of this replica in proportion to the others'.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub shard_weight: u32,
}

/// The field by which objects are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ShardBy {
    /// The namespace: an object and those that it owns are reconciled by one replica.
    Namespace,
    /// The uid: evenly, whatever the namespaces.
    Uid,
}

/// The flags of webhooks.
#[cfg(feature = "webhooks")]
#[derive(Clone, Debug, Args)]
#[group(skip)]
pub struct WebhookFlags {
    /// The address to serve webhooks on over HTTPS; "0" disables them.
    #[arg(long, value_name = "ADDRESS", default_value = ":9443", value_parser = parse_address)]
    pub webhook_bind_address: Bind,
    /// The folder of the webhook certificate, tls.crt and tls.key; without a certificate webhooks
    /// are disabled.
    #[arg(long, value_name = "FOLDER")]
    pub webhook_cert_path: Option<PathBuf>,
    /// The service of the webhooks, NAMESPACE/NAME: creates a self-signed certificate for it, in a
    /// Secret.
    #[cfg(feature = "self-signed")]
    #[arg(long, value_name = "SERVICE", value_parser = parse_service, conflicts_with = "webhook_cert_path")]
    pub webhook_self_signed: Option<ServiceName>,
    /// The Secret of the self-signed certificate, in the service's namespace; the service's name
    /// with -cert unless set.
    #[cfg(feature = "self-signed")]
    #[arg(long, value_name = "NAME", value_parser = parse_secret, requires = "webhook_self_signed")]
    pub webhook_secret: Option<String>,
    /// How long to serve webhooks after SIGTERM, with /readyz failing, while nodes still route
    /// requests to this process.
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = parse_delay)]
    pub shutdown_delay: Duration,
}

#[cfg(feature = "webhooks")]
impl WebhookFlags {
    /// Whether a certificate exists or will be created.
    pub(super) fn has_certificate(&self) -> bool {
        #[cfg(feature = "self-signed")]
        if self.webhook_self_signed.is_some() {
            return true;
        }
        self.webhook_cert_path.is_some()
    }
}

/// The flags of `dev`.
#[cfg(feature = "demo")]
#[derive(Clone, Debug, Args)]
#[group(skip)]
#[non_exhaustive]
pub struct DevFlags {
    /// Where the API server calls webhooks.
    #[command(flatten)]
    pub reach: Reach,
    /// The log's level and format.
    #[command(flatten)]
    pub log: LogFlags,
    /// Flags of the controller, such as --kubeconfig.
    #[arg(last = true, value_name = "FLAG")]
    pub args: Vec<String>,
}

/// Where the API server of a cluster reaches webhooks on this machine.
#[cfg(feature = "demo")]
#[derive(Clone, Debug, Args)]
#[group(skip)]
#[non_exhaustive]
pub struct Reach {
    /// The name or the address of this machine, as the API server of the cluster reaches it.
    #[arg(long, value_name = "HOST", default_value = "localhost", value_parser = parse_host)]
    pub host: String,
    /// The port to serve webhooks on; 0 chooses one.
    #[arg(long, value_name = "PORT", default_value_t = 9443)]
    pub port: u16,
    /// Cancelled as soon as the cluster has all that the program needs.
    #[arg(skip)]
    pub(super) applied: tokio_util::sync::CancellationToken,
}

#[cfg(feature = "demo")]
impl Reach {
    /// Creates the address of this machine; port 0 chooses one.
    #[must_use]
    pub fn new(host: impl Into<String>, port: u16) -> Self {
        Self {
            host: host.into(),
            port,
            applied: tokio_util::sync::CancellationToken::new(),
        }
    }
}

#[cfg(feature = "demo")]
fn parse_host(text: &str) -> Result<String, String> {
    let is_address = text.parse::<std::net::IpAddr>().is_ok();
    match is_address || kube_names::subdomain_fault(text).is_none() {
        true => Ok(text.to_owned()),
        false => Err("expected a DNS name or an IP address".to_owned()),
    }
}

#[cfg(feature = "demo")]
impl DevFlags {
    pub(super) fn read(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
        <Self as clap::FromArgMatches>::from_arg_matches(matches)
    }

    pub(super) fn command() -> clap::Command {
        Self::augment_args(clap::Command::new("dev")).about(
            "Runs the controllers on this machine against the current cluster, which calls the webhooks here",
        )
    }
}

/// The namespace and name of a service.
#[cfg(feature = "self-signed")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceName {
    /// The service's namespace.
    pub namespace: String,
    /// The service's name.
    pub name: String,
}

#[cfg(feature = "self-signed")]
fn parse_service(text: &str) -> Result<ServiceName, String> {
    match text.split_once('/') {
        Some((namespace, name)) if [namespace, name].into_iter().all(kube_names::is_label) => {
            Ok(ServiceName {
                namespace: namespace.to_owned(),
                name: name.to_owned(),
            })
        }
        _ => Err("expected NAMESPACE/NAME".to_owned()),
    }
}

/// The flags of leader election.
#[derive(Clone, Debug, Args)]
#[group(skip)]
pub struct ElectionFlags {
    /// Whether to elect a leader among the replicas; only the leader works.
    #[arg(long, value_name = "BOOL", default_value_t = true, num_args = 0..=1, require_equals = true, default_missing_value = "true", action = clap::ArgAction::Set)]
    pub leader_elect: bool,
    /// The identity in the election: $POD_NAME, else the host's name with a random suffix.
    #[arg(long, value_name = "NAME", env = "POD_NAME", hide_env_values = true)]
    pub holder_identity: Option<String>,
    // The default is the program's name; `App` sets it.
    /// The name of the Lease used for the election.
    #[arg(long, value_name = "NAME", value_parser = parse_lease_name)]
    pub lease_lock_name: String,
    /// The namespace of the Lease: $POD_NAMESPACE, else default.
    #[arg(
        long,
        value_name = "NAMESPACE",
        env = "POD_NAMESPACE",
        hide_env_values = true,
        default_value = "default",
        value_parser = parse_label
    )]
    pub lease_lock_namespace: String,
    /// How long other replicas wait after the last renewal before they take over.
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = parse_duration)]
    pub lease_duration: Duration,
    /// How long a leader that cannot renew the Lease continues.
    #[arg(long, alias = "renew-duration", value_name = "DURATION", default_value = "15s", value_parser = parse_duration)]
    pub renew_deadline: Duration,
    /// The interval between renewals, and between attempts to acquire the Lease.
    #[arg(long, alias = "retry-duration", value_name = "DURATION", default_value = "5s", value_parser = parse_duration)]
    pub retry_period: Duration,
}

/// The flags of logging.
#[derive(Clone, Debug, Args)]
#[group(skip)]
pub struct LogFlags {
    /// Increases the log level: -v for debug, -vv for trace. $RUST_LOG overrides it.
    #[arg(short, action = clap::ArgAction::Count)]
    pub verbosity: u8,
    /// The format of log lines.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,
}

/// The format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Human-readable lines.
    Text,
    /// One JSON object per line.
    Json,
}

/// An address to listen on; `None` disables the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bind(pub Option<SocketAddr>);

impl ElectionFlags {
    /// Returns the election's configuration for the process `identity`.
    ///
    /// # Errors
    ///
    /// The durations are inconsistent.
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

    /// Returns the name of this process; if no flag sets it, each call generates a new one.
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

/// Parses a duration written as in Go: `15s`, `1m30s`, `500ms`. For clap's `value_parser`.
///
/// # Errors
///
/// The string is not a duration, or not a positive one.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let wrong =
        || format!("invalid duration {text:?}: expected a positive duration such as 15s or 1m30s");
    let duration: SignedDuration = text.parse().map_err(|_| wrong())?;
    let duration = Duration::try_from(duration).map_err(|_| wrong())?;
    if duration.is_zero() {
        return Err(wrong());
    }
    Ok(duration)
}

/// Like [`parse_duration`], but also parses `0s`.
#[cfg(feature = "webhooks")]
fn parse_delay(text: &str) -> Result<Duration, String> {
    match text {
        "0" | "0s" => Ok(Duration::ZERO),
        _ => parse_duration(text),
    }
}

fn parse_namespace(text: &str) -> Result<String, String> {
    match kube_names::is_label(text) {
        true => Ok(text.to_owned()),
        false => Err(format!(
            "invalid namespace {text:?}: expected lowercase letters, digits and '-'; leave the flag out for all namespaces"
        )),
    }
}

fn parse_label(text: &str) -> Result<String, String> {
    kube_names::label_fault(text).map_or_else(|| Ok(text.to_owned()), Err)
}

#[cfg(feature = "self-signed")]
fn parse_secret(text: &str) -> Result<String, String> {
    kube_names::subdomain_fault(text).map_or_else(|| Ok(text.to_owned()), Err)
}

fn parse_lease_name(text: &str) -> Result<String, String> {
    kube_names::subdomain_fault(text).map_or_else(|| Ok(text.to_owned()), Err)
}

/// Parses `0`, `:8080` and `127.0.0.1:8080`, as controller-runtime's flags do. Without a host the
/// address is all of IPv6 and IPv4, as in Go: the pods of some clusters have only IPv6 addresses.
fn parse_address(text: &str) -> Result<Bind, String> {
    if matches!(text, "0" | "") {
        return Ok(Bind(None));
    }
    let full = if text.starts_with(':') {
        format!("[::]{text}")
    } else {
        text.to_owned()
    };
    full.parse()
        .map(|address| Bind(Some(address)))
        .map_err(|_| format!("invalid address {text:?}: expected one such as :8080, or 0 for none"))
}

#[cfg(test)]
mod tests {
    use std::net::Ipv6Addr;

    use super::*;

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
    fn names_are_those_of_kubernetes() {
        assert_eq!(parse_namespace("shop"), Ok("shop".to_owned()));
        assert_eq!(parse_lease_name("a.b"), Ok("a.b".to_owned()));
        for text in ["a b", "Shop", "a,b", "-a", "a/b"] {
            assert!(parse_namespace(text).is_err(), "{text}");
            assert!(parse_lease_name(text).is_err(), "{text}");
        }
        assert!(parse_label("").is_err() && parse_namespace("").is_err());
    }

    #[test]
    fn addresses_are_written_as_in_controller_runtime() {
        assert_eq!(parse_address("0"), Ok(Bind(None)));
        let all = SocketAddr::from((Ipv6Addr::UNSPECIFIED, 8080));
        assert_eq!(parse_address(":8080"), Ok(Bind(Some(all))));
        let all_ipv4 = SocketAddr::from(([0, 0, 0, 0], 8080));
        assert_eq!(parse_address("0.0.0.0:8080"), Ok(Bind(Some(all_ipv4))));
        assert!(parse_address("metrics").is_err());
    }
}
