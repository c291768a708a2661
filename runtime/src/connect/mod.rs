//! Clients for processes that run for months: [`kube::Client`]s whose connections end when the server does not answer.
//!
//! [`try_default`] is what a generated `Clientset::try_default` calls; [`ClientOptions`] has the settings. What differs from
//! [`kube::Client::try_from`]:
//!
//! - A request is sent once. kube's retry layer ([`kube::Config::default_retry`]) is left out: callers in this crate have
//!   back-offs of their own, and a caller that has none is told.
//! - A User-Agent, which the API server also writes into `managedFields`.
//! - Every answer must begin within [`ClientOptions::response_timeout`], and a connection whose peer is gone is closed
//!   (TCP keep-alive, and `TCP_USER_TIMEOUT` where there is one). An answer that stops half-way is found by its reader: typed
//!   clients give it up after 65 s, and the reflector has deadlines for each phase of a list and watch.
//! - `rest_client_*` metrics, if asked for.
//! - No spans and logs of kube's: one debug line a request.
//!
//! Everything else is kube's and its `Config`'s: TLS, credentials and their renewal, impersonation, headers, time-outs. A proxy
//! is served by kube's own connector, without keep-alive. [`kube::Client::valid_until`] is not set: it would tell when a
//! certificate of a credential plug-in expires. HTTP/2 is not spoken (kube's TLS does not offer it), so that every watch has a
//! connection of its own, and closing a stalled one stalls nothing else.

mod observe;
mod stack;

use std::time::Duration;

use http::header::{HeaderValue, USER_AGENT};
use kube::{Client, Config, Error};

pub use self::observe::ResponseTimeout;
use crate::metrics::Metrics;

/// Longer than the 60 s after which the API server gives a request up by itself.
const RESPONSE: Duration = Duration::from_secs(65);

/// A client for the cluster that the environment names: the kubeconfig, else the Pod's service account.
///
/// # Errors
///
/// The configuration is missing or not usable.
///
/// # Panics
///
/// Outside a tokio runtime.
pub async fn try_default() -> Result<Client, Error> {
    ClientOptions::new().try_default().await
}

/// Makes clients.
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

/// When a connection without traffic is probed, and given up.
#[derive(Clone, Copy, Debug)]
struct KeepAlive {
    idle: Duration,
    interval: Duration,
    probes: u32,
}

impl KeepAlive {
    /// How long a peer may leave data without acknowledgement.
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
    /// The [default User-Agent](default_user_agent), no metrics, probes after 30 s without traffic, 65 s for an answer to begin.
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

    /// The `User-Agent` of requests. The API server takes its text before the first `/` as the manager in
    /// `managedFields`, for requests that name none.
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Self {
        self.user_agent = user_agent.into();
        self
    }

    /// Reports `rest_client_*` to `metrics`.
    pub fn metrics(mut self, metrics: &Metrics) -> Self {
        self.metrics = Some(metrics.clone());
        self
    }

    /// How long the head of an answer may take, before the call fails with a [`ResponseTimeout`] as cause; 65 s unless set,
    /// which is longer than an API server takes for anything.
    pub fn response_timeout(mut self, timeout: Duration) -> Self {
        self.response_timeout = timeout;
        self
    }

    /// After how long without traffic a connection is probed, three times, at `interval`; 30 s and 10 s unless set. A peer
    /// that has not answered by then is gone.
    pub fn keep_alive(mut self, idle: Duration, interval: Duration) -> Self {
        (self.keep_alive.idle, self.keep_alive.interval) = (idle, interval);
        self
    }

    /// A client for the cluster that the environment names: the kubeconfig, else the Pod's service account.
    ///
    /// # Errors
    ///
    /// The configuration is missing or not usable.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime.
    pub async fn try_default(&self) -> Result<Client, Error> {
        self.connect(Config::infer().await.map_err(Error::InferConfig)?)
    }

    /// A client by `config`. A `User-Agent` among the headers of `config` goes before the one set here.
    ///
    /// # Errors
    ///
    /// `config` is not usable, or the User-Agent is not a valid header value.
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

/// `program/version (os/arch) codegen-runtime/version`, as client-go's default: the program's file name, and this crate's
/// version, since the program's own is not known here.
pub fn default_user_agent() -> String {
    let path = std::env::args_os().next().map(std::path::PathBuf::from);
    let name = path.as_deref().and_then(|path| path.file_name());
    let name = name.map(|name| name.to_string_lossy()).unwrap_or_default();
    // Bytes that a header or a manager's name must not have.
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
