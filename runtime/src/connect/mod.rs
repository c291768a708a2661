//! Clients for long-running processes: [`kube::Client`]s that give up connections to a server that
//! does not answer.
//!
//! A generated `Clientset::try_default` calls [`try_default`]; [`ClientOptions`] has the settings.
//! Differences from
//! [`kube::Client::try_from`]:
//!
//! - Each request is sent once. kube's retry layer ([`kube::Config::default_retry`]) is left out:
//!   callers in this crate have their own back-offs, and other callers see the error.
//! - A default User-Agent, which the API server also writes into `managedFields`.
//! - Every answer must begin within [`ClientOptions::response_timeout`], and a connection to a dead
//!   peer is closed (TCP keep-alive and, where available, `TCP_USER_TIMEOUT`). The reader detects
//!   an answer that stalls: typed clients give it up after 65 s, and the reflector has deadlines
//!   for each phase of a list and watch.
//! - `rest_client_*` metrics, if requested.
//! - kube's spans and logs are replaced by one debug line per request.
//!
//! Everything else is up to kube and its `Config`: TLS, credentials and their renewal,
//! impersonation, headers, time-outs. For a proxy, kube's own connector is used, without
//! keep-alive. [`kube::Client::valid_until`], the expiry of a credential plug-in's certificate, is
//! not set. HTTP/2 is not used (kube's TLS does not offer it), so that every watch has its own
//! connection, and closing a stalled one affects no other.

mod observe;
mod stack;

use std::time::Duration;

use http::header::{HeaderValue, USER_AGENT};
use kube::{Client, Config, Error};

pub use self::observe::ResponseTimeout;
use crate::metrics::Metrics;

/// Longer than the 60 s after which the API server ends a request by itself.
const RESPONSE: Duration = Duration::from_secs(65);

/// Creates a client for the cluster in the environment: the kubeconfig, else the Pod's service
/// account.
///
/// # Errors
///
/// The configuration is missing or unusable.
///
/// # Panics
///
/// Outside a tokio runtime.
pub async fn try_default() -> Result<Client, Error> {
    ClientOptions::new().try_default().await
}

/// Builds clients.
///
/// ```no_run
/// # async fn example() -> Result<(), codegen_runtime::kube::Error> {
/// use codegen_runtime::{connect::ClientOptions, metrics::Metrics};
///
/// let metrics = Metrics::new();
/// let options = ClientOptions::new().user_agent("my-controller/1.2").metrics(&metrics);
/// let client = options.try_default().await?;
/// # let _ = client;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct ClientOptions {
    user_agent: String,
    metrics: Option<Metrics>,
    keep_alive: KeepAlive,
    response_timeout: Duration,
}

/// When an idle connection is probed and given up.
#[derive(Clone, Copy, Debug)]
struct KeepAlive {
    idle: Duration,
    interval: Duration,
    probes: u32,
}

impl KeepAlive {
    /// Returns how long sent data may stay unacknowledged.
    fn limit(self) -> Duration {
        let probing = self.interval.saturating_mul(self.probes);
        self.idle.saturating_add(probing)
    }
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl ClientOptions {
    /// Returns the defaults: the [default User-Agent](default_user_agent), no metrics, probes after
    /// 30 s without traffic, 65 s for an answer to begin.
    pub fn new() -> Self {
        let keep_alive = KeepAlive {
            idle: Duration::from_secs(30),
            interval: Duration::from_secs(10),
            probes: 3,
        };
        Self {
            user_agent: default_user_agent(),
            metrics: None,
            keep_alive,
            response_timeout: RESPONSE,
        }
    }

    /// Sets the `User-Agent` of requests. The API server uses the part before the first `/` as the
    /// manager in `managedFields`, for requests that specify none.
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Self {
        self.user_agent = user_agent.into();
        self
    }

    /// Reports `rest_client_*` to `metrics`.
    pub fn metrics(mut self, metrics: &Metrics) -> Self {
        self.metrics = Some(metrics.clone());
        self
    }

    /// Sets the deadline for the head of an answer, after which the call fails with a
    /// [`ResponseTimeout`] as cause; defaults to 65 s, longer than an API server takes for any
    /// request.
    pub fn response_timeout(mut self, timeout: Duration) -> Self {
        self.response_timeout = timeout;
        self
    }

    /// Sets the idle time after which a connection is probed, three times, at `interval`; they
    /// default to 30 s and 10 s. A peer that has not answered by then is considered dead.
    pub fn keep_alive(mut self, idle: Duration, interval: Duration) -> Self {
        (self.keep_alive.idle, self.keep_alive.interval) = (idle, interval);
        self
    }

    /// Creates a client for the cluster in the environment: the kubeconfig, else the Pod's service
    /// account.
    ///
    /// # Errors
    ///
    /// The configuration is missing or unusable.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime.
    pub async fn try_default(&self) -> Result<Client, Error> {
        self.connect(Config::infer().await.map_err(Error::InferConfig)?)
    }

    /// Creates a client from `config`. A `User-Agent` among the headers of `config` overrides the
    /// one set here.
    ///
    /// # Errors
    ///
    /// `config` is unusable, or the User-Agent is not a valid header value.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime.
    pub fn connect(&self, mut config: Config) -> Result<Client, Error> {
        config.default_retry = false;
        if !config.headers.iter().any(|(name, _)| name == USER_AGENT) {
            let value = HeaderValue::from_str(&self.user_agent)
                .map_err(|error| Error::HttpError(error.into()))?;
            config.headers.push((USER_AGENT, value));
        }
        stack::build(self, config)
    }
}

/// Returns `program/version (os/arch) codegen-runtime/version`, like client-go's default: the
/// program's file name, and this crate's version, since the program's own is unknown here.
pub fn default_user_agent() -> String {
    let path = std::env::args_os().next().map(std::path::PathBuf::from);
    let name = path.as_deref().and_then(|path| path.file_name());
    let name = name.map(|name| name.to_string_lossy()).unwrap_or_default();
    // Excludes bytes that a header or a manager's name must not contain.
    let plain = |byte: &u8| byte.is_ascii_graphic() && *byte != b'/';
    let name = String::from_utf8(name.bytes().filter(plain).collect()).unwrap_or_default();
    let name = if name.is_empty() { "unknown" } else { &name };
    let (os, arch, version) = (
        std::env::consts::OS,
        std::env::consts::ARCH,
        env!("CARGO_PKG_VERSION"),
    );
    format!("{name}/{version} ({os}/{arch}) codegen-runtime/{version}")
}
