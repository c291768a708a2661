//! Self-signed certificates, for clusters without cert-manager.
//!
//! A Secret holds the state shared by all replicas: a serving certificate with its key, and the CAs
//! for clients to trust. Each replica reads it every few seconds, serves the pair, and writes the
//! CAs into the webhook configurations and CRDs that reference the service. Any replica that finds
//! a step due performs it; the Secret's resourceVersion resolves races.
//!
//! A CA signs one certificate, and its key is discarded, so that a reader of the Secret cannot sign
//! anything. A renewal also creates a new CA, in three steps that do not disturb any review
//! ([`state::State::next`]):
//!
//! 1. The new pair waits in the Secret, and clients are configured to trust both CAs.
//! 2. A minute after all clients trust them, or before the old pair expires, the new pair replaces
//!    it, and replicas serve it as soon as they see it.
//! 3. An hour later, the old CA is removed from the clients.
//!
//! Each replica measures the duration of a step itself, so that clocks need not agree.
//!
//! Start reading at [`SelfSigned`]; [`state`] decides, [`pair`] creates certificates, [`bundle`]
//! configures clients.

mod bundle;
mod pair;
mod state;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures::future::BoxFuture;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use kube::Client;
use kube::api::{Api, ObjectMeta, PostParams};
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use self::state::State;
use super::{CertificateError, Certificates, Webhooks};
use crate::certificates::{Keep, Loaded};
use crate::client::single_attempts;
use crate::error::chain;
use crate::tasks::{self, Task};

/// The interval at which the Secret and the configurations are checked.
const EVERY: Duration = Duration::from_secs(10);

/// The default validity of a certificate: that of cert-manager.
const VALIDITY: Duration = Duration::from_secs(90 * 24 * 3600);

/// The maximum validity of a certificate, so that its end is a date that a certificate can contain.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

/// The number of tries of a write to the Secret that conflicts with other replicas.
const TRIES: usize = 10;

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SelfSignedError {
    /// The API server refuses a request, or does not answer.
    #[error("cannot {what}: {source}")]
    Api {
        /// The failed operation.
        what: String,
        /// The cause.
        source: Box<kube::Error>,
    },
    /// No certificate can be created for this service.
    #[error("cannot create a certificate for {service}: {why}")]
    Make {
        /// The DNS name of the service, as the API server uses it.
        service: String,
        /// The cause.
        why: String,
    },
    /// The Secret's certificate cannot be served.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    /// Other writers change the Secret constantly.
    #[error("gave up writing the secret {name}: other writers keep changing it")]
    Contended {
        /// The Secret's namespace and name.
        name: String,
    },
}

type Clock = Arc<dyn Fn() -> SystemTime + Send + Sync>;

/// Creates the certificate of a webhook server, shares it with other replicas through a Secret,
/// renews it, and keeps its CA in the webhook configurations and CRDs that reference the service.
///
/// ```no_run
/// # async fn example(client: codegen_runtime::kube::Client, webhooks: codegen_runtime::webhook::Webhooks) -> Result<(), Box<dyn std::error::Error>> {
/// use codegen_runtime::webhook::{SelfSigned, WebhookServer};
///
/// let certificates = SelfSigned::new(&client, "my-operator-system", "my-operator-webhook-service")
///     .conversions_of(&webhooks)
///     .certificates()
///     .await?;
/// let server = WebhookServer::bind("[::]:9443", certificates, webhooks).await?;
/// # Ok(())
/// # }
/// ```
///
/// docs/webhooks.md lists the permissions that it needs.
#[must_use]
#[derive(Clone)]
pub struct SelfSigned {
    client: Client,
    namespace: String,
    service: String,
    secret: String,
    definitions: Vec<String>,
    validity: Duration,
    clock: Clock,
}

impl SelfSigned {
    /// Creates certificates for the service through which the API server calls the webhooks. The
    /// Secret is `SERVICE-cert`, in the same namespace.
    pub fn new(client: &Client, namespace: impl Into<String>, service: impl Into<String>) -> Self {
        let service = service.into();
        Self {
            client: single_attempts(client),
            namespace: namespace.into(),
            secret: format!("{service}-cert"),
            service,
            definitions: Vec::new(),
            validity: VALIDITY,
            clock: Arc::new(SystemTime::now),
        }
    }

    /// Sets the name of the Secret. An existing Secret is used if its certificate is for the
    /// service, and filled otherwise.
    pub fn secret(mut self, name: impl Into<String>) -> Self {
        self.secret = name.into();
        self
    }

    /// Also keeps the CA in the CRDs of the kinds that these webhooks convert.
    pub fn conversions_of(mut self, webhooks: &Webhooks) -> Self {
        self.definitions.extend(webhooks.definitions());
        self
    }

    /// Sets the validity of a certificate; defaults to 90 days, and is at most a hundred years. It
    /// is renewed when a third of it is left.
    pub fn validity(mut self, validity: Duration) -> Self {
        self.validity = validity.min(LONGEST);
        self
    }

    /// Replaces the system's clock, for tests.
    pub fn clock(mut self, clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Reads or creates the Secret, and configures the existing clients to trust its CAs. The
    /// server that receives the certificates keeps everything up to date while it runs.
    ///
    /// # Errors
    /// The Secret can be neither read nor created. Failed writes to configurations are logged and
    /// retried.
    pub async fn certificates(self) -> Result<Certificates, SelfSignedError> {
        let mut progress = Progress::default();
        let loaded = self.agree(&mut progress).await?;
        let registration = tasks::Progress::new(Task::Registration, &self.service);
        if let Err(error) = self.tell(&mut progress).await {
            registration.failed(chain(&error));
        }
        let keeper = Keeper {
            registration,
            settings: self,
            progress: Mutex::new(progress),
        };
        Ok(Certificates::kept(keeper, loaded))
    }

    /// Agrees with other replicas on the content of the Secret, and returns the pair to serve.
    async fn agree(&self, progress: &mut Progress) -> Result<Loaded, SelfSignedError> {
        let secrets = Api::<Secret>::namespaced(self.client.clone(), &self.namespace);
        let named = format!("the secret {}/{}", self.namespace, self.secret);
        let failed = |verb: &str, source: kube::Error| SelfSignedError::Api {
            what: format!("{verb} {named}"),
            source: Box::new(source),
        };
        for _ in 0..TRIES {
            let now = (self.clock)();
            let found = secrets.get_opt(&self.secret).await;
            let found = found.map_err(|error| failed("read", error))?;
            let data = found.as_ref().and_then(|secret| secret.data.as_ref());
            let state = data.and_then(|data| State::read(data, &self.names(), now));
            let wanted = self.wanted(state.as_ref(), progress, now)?;
            let state = match (wanted, state) {
                (None, Some(state)) => state,
                (None, None) => continue,
                (Some(state), _) => {
                    let params = PostParams::default();
                    let is_new = found.is_none();
                    let secret = self.filled(found.unwrap_or_default(), &state);
                    let written = match is_new {
                        true => secrets.create(&params, &secret).await,
                        false => secrets.replace(&self.secret, &params, &secret).await,
                    };
                    match written {
                        Ok(_) => state,
                        // Another replica was first, or the Secret was deleted.
                        Err(kube::Error::Api(status))
                            if status.code == 409 || status.code == 404 && !is_new =>
                        {
                            continue;
                        }
                        Err(error) => return Err(failed("write", error)),
                    }
                }
            };
            let path = format!("secret {}/{}", self.namespace, self.secret);
            let (certificate, key) = (&state.pair.certificate, &state.pair.key);
            let loaded = Loaded::new(
                Path::new(&path),
                certificate.clone().into_bytes(),
                key.clone().into_bytes(),
            )?;
            progress.adopt(state);
            return Ok(loaded);
        }
        Err(SelfSignedError::Contended {
            name: format!("{}/{}", self.namespace, self.secret),
        })
    }

    /// Returns the desired content of the Secret, if it differs from the current one.
    fn wanted(
        &self,
        found: Option<&State>,
        progress: &Progress,
        now: SystemTime,
    ) -> Result<Option<State>, SelfSignedError> {
        let names = self.names();
        let make = || pair::make(&names, now, self.validity);
        let settled = match found == progress.state.as_ref() {
            true => progress.settled.map(|since| since.elapsed()),
            false => None,
        };
        let late = now + self.validity / 3;
        let last = progress.state.as_ref();
        let next = match found {
            None => State::anew(
                last.filter(|last| last.is_sound(&names, now)),
                make,
                &names,
                now,
            ),
            Some(state) => state.after(settled, late, make, &names, now),
        };
        next.map_err(|error| SelfSignedError::Make {
            service: names.first().cloned().unwrap_or_default(),
            why: error.to_string(),
        })
    }

    /// Returns the DNS names of the service.
    fn names(&self) -> Vec<String> {
        let name = format!("{}.{}.svc", self.service, self.namespace);
        vec![name.clone(), format!("{name}.cluster.local")]
    }

    /// Returns the Secret with a state added to its other data.
    fn filled(&self, mut secret: Secret, state: &State) -> Secret {
        if secret.metadata.name.is_none() {
            secret.metadata = ObjectMeta {
                name: Some(self.secret.clone()),
                namespace: Some(self.namespace.clone()),
                ..ObjectMeta::default()
            };
            secret.type_ = Some("kubernetes.io/tls".to_owned());
        }
        let data: &mut BTreeMap<String, ByteString> = secret.data.get_or_insert_default();
        state.write(data);
        secret
    }

    /// Configures clients with the CAs to trust.
    async fn tell(&self, progress: &mut Progress) -> Result<(), SelfSignedError> {
        let Some(state) = &progress.state else {
            return Ok(());
        };
        match bundle::tell(self, &state.bundle()).await {
            Ok(()) => {
                progress.settled.get_or_insert_with(Instant::now);
                Ok(())
            }
            Err(error) => {
                progress.settled = None;
                Err(error)
            }
        }
    }
}

impl fmt::Debug for SelfSigned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SelfSigned")
            .field("namespace", &self.namespace)
            .field("service", &self.service)
            .field("secret", &self.secret)
            .finish_non_exhaustive()
    }
}

/// The state of a replica.
#[derive(Default)]
struct Progress {
    /// The last valid content of the Secret.
    state: Option<State>,
    /// The time at which all clients had been configured with it.
    settled: Option<Instant>,
}

impl Progress {
    fn adopt(&mut self, state: State) {
        if self.state.as_ref() != Some(&state) {
            self.settled = None;
            self.state = Some(state);
        }
    }
}

/// Keeps certificates up to date.
struct Keeper {
    registration: tasks::Progress,
    settings: SelfSigned,
    progress: Mutex<Progress>,
}

impl fmt::Debug for Keeper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.settings.fmt(f)
    }
}

impl Keep for Keeper {
    fn registration(&self) -> &tasks::Progress {
        &self.registration
    }

    fn keep<'k>(
        &'k self,
        certificates: &'k Certificates,
        stop: CancellationToken,
    ) -> BoxFuture<'k, ()> {
        Box::pin(self.follow(certificates, stop))
    }
}

impl Keeper {
    /// Checks the Secret and the clients repeatedly, until `stop` is cancelled.
    async fn follow(&self, certificates: &Certificates, stop: CancellationToken) {
        let look = async {
            loop {
                sleep(EVERY).await;
                self.look(certificates).await;
            }
        };
        stop.run_until_cancelled(look).await;
    }

    async fn look(&self, certificates: &Certificates) {
        let mut progress = self.progress.lock().await;
        match self.settings.agree(&mut progress).await {
            Ok(loaded) => {
                certificates.renewal().works();
                if certificates.install(loaded) {
                    tracing::info!("renewed the webhook certificate");
                }
            }
            Err(error) => return certificates.renewal().failed(chain(&error)),
        }
        match self.settings.tell(&mut progress).await {
            Ok(()) => self.registration.works(),
            Err(error) => self.registration.failed(chain(&error)),
        }
    }
}
