//! The flags that every controller has.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use jiff::SignedDuration;

use crate::leader::{LeaderElectionConfig, LeaderElectionConfigError};

/// The flags that every controller has; [`App`](super::App) adds a program's own beside them.
///
/// The help's words on namespaces and threads are general; a program that has better ones sets them with
/// [`App::adjust_command`](super::App::adjust_command).
#[derive(Clone, Debug, Args)]
#[group(skip)]
pub struct Flags {
    /// The kubeconfig to use.
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
    /// The address of the API server, in place of the kubeconfig's.
    #[arg(long, value_name = "URL")]
    pub master: Option<String>,
    /// The namespace whose objects are worked on; all of them unless set.
    #[arg(
        long,
        value_name = "NAMESPACE",
        default_value = "",
        hide_default_value = true
    )]
    pub namespace: String,
    /// How many objects are worked on at a time.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: u16,
    /// How often every object is looked at, whether or not something changed.
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = parse_duration)]
    pub resync_period: Duration,
    /// Who leads.
    #[command(flatten)]
    pub election: ElectionFlags,
    /// Where to serve metrics over HTTP, such as 0.0.0.0:8080; "0" serves none.
    #[arg(long, value_name = "ADDRESS", default_value = "0", value_parser = parse_address)]
    pub metrics_bind_address: Bind,
    /// Where to serve /healthz and /readyz over HTTP; "0" serves none.
    #[arg(long, value_name = "ADDRESS", default_value = "0", value_parser = parse_address)]
    pub health_probe_bind_address: Bind,
    /// Where webhooks are served; only in a program that [has some](super::App::webhooks).
    #[cfg(feature = "webhooks")]
    #[arg(skip)]
    pub webhooks: Option<WebhookFlags>,
    /// The log's level and format.
    #[command(flatten)]
    pub log: LogFlags,
}

/// The flags of webhooks.
#[cfg(feature = "webhooks")]
#[derive(Clone, Debug, Args)]
#[group(skip)]
pub struct WebhookFlags {
    /// Where to serve webhooks over HTTPS; "0" serves none.
    #[arg(long, value_name = "ADDRESS", default_value = ":9443", value_parser = parse_address)]
    pub webhook_bind_address: Bind,
    /// The folder of their certificate, tls.crt and tls.key; without a certificate none are served.
    #[arg(long, value_name = "FOLDER")]
    pub webhook_cert_path: Option<PathBuf>,
    /// The service through which they are called, NAMESPACE/NAME: the program makes their certificate itself, in the Secret NAME-cert.
    #[cfg(feature = "self-signed")]
    #[arg(long, value_name = "SERVICE", value_parser = parse_service, conflicts_with = "webhook_cert_path")]
    pub webhook_self_signed: Option<ServiceName>,
}

#[cfg(feature = "webhooks")]
impl WebhookFlags {
    /// Whether there is, or will be, a certificate.
    pub(super) fn has_certificate(&self) -> bool {
        #[cfg(feature = "self-signed")]
        if self.webhook_self_signed.is_some() {
            return true;
        }
        self.webhook_cert_path.is_some()
    }
}

/// A service's place.
#[cfg(feature = "self-signed")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceName {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
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
    /// Whether controllers elect a leader, so that one works and the others wait.
    #[arg(long, value_name = "BOOL", default_value_t = true, num_args = 0..=1, require_equals = true, default_missing_value = "true", action = clap::ArgAction::Set)]
    pub leader_elect: bool,
    /// This controller's name in the election: $POD_NAME, else the host's name and a random suffix.
    #[arg(long, value_name = "NAME", env = "POD_NAME", hide_env_values = true)]
    pub holder_identity: Option<String>,
    // The default is the program's name; `App` sets it.
    /// The name of the Lease that the leader holds.
    #[arg(long, value_name = "NAME")]
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
#[group(skip)]
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

    /// The name of this process; where no flag sets it, each call makes a new one.
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

/// A flag's duration, written as in Go: `15s`, `1m30s`, `500ms`. For `value_parser`.
///
/// # Errors
///
/// With what to write instead, if it is not one, or not positive.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
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
    fn addresses_are_written_as_in_controller_runtime() {
        assert_eq!(parse_address("0"), Ok(Bind(None)));
        let all = SocketAddr::from(([0, 0, 0, 0], 8080));
        assert_eq!(parse_address(":8080"), Ok(Bind(Some(all))));
        assert_eq!(parse_address("0.0.0.0:8080"), Ok(Bind(Some(all))));
        assert!(parse_address("metrics").is_err());
    }
}
