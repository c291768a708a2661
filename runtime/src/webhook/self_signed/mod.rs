//! Certificates of the program's own making, for clusters without cert-manager.
//!
//! A Secret holds what all replicas share: a serving certificate with its key, and the authorities that clients are to trust. Each replica
//! reads it every few seconds, serves the pair, and writes the authorities into the webhook configurations and definitions that name the
//! service. Whoever finds that something is to be done does it: the Secret's resourceVersion decides between two.
//!
//! An authority signs one certificate, and its key is thrown away: who reads the Secret can sign nothing. A renewal makes a new authority, too,
//! in three steps, none of which a review notices ([`state::State::next`]):
//!
//! 1. The new pair waits in the Secret, and clients are told to trust both authorities.
//! 2. A minute after they have been, or before the end of the old one, the new pair takes its place, and replicas serve it as they see it.
//! 3. An hour later, nobody trusts the old authority any more.
//!
//! How long a step lasts each replica measures for itself, so that clocks need not agree.
//!
//! Start reading at [`SelfSigned`]; [`state`] decides, [`pair`] makes certificates, [`bundle`] tells clients.

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
use super::certificates::{Keep, Loaded};
use super::{CertificateError, Certificates, Webhooks};
use crate::client::single_attempts;

/// How often the Secret and the configurations are looked at.
const EVERY: Duration = Duration::from_secs(10);

/// How long a certificate is valid, unless said otherwise: that of cert-manager.
const VALIDITY: Duration = Duration::from_secs(90 * 24 * 3600);

/// The longest that a certificate may be valid, so that its end is a date that certificates can have.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

/// How often a write of the Secret is tried against those of other replicas.
const TRIES: usize = 10;

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SelfSignedError {
    /// The API server refuses something, or does not answer.
    #[error("cannot {what}: {source}")]
    Api {
        /// What was tried.
        what: String,
        /// Why it failed.
        source: Box<kube::Error>,
    },
    /// No certificate can be made for this service.
    #[error("cannot make a certificate for {service}: {why}")]
    Make {
        /// The name of the service, as the API server calls it.
        service: String,
        /// Why.
        why: String,
    },
    /// What is in the Secret cannot be served.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    /// Others write the Secret all the time.
    #[error("the secret {name} changes all the time")]
    Contended {
        /// Its namespace and name.
        name: String,
    },
}

type Clock = Arc<dyn Fn() -> SystemTime + Send + Sync>;

/// Makes the certificate of a webhook server, shares it with other replicas through a Secret, renews it, and keeps its authority in the
/// webhook configurations and definitions that name the service.
///
/// ```no_run
/// # async fn example(client: codegen_runtime::kube::Client, webhooks: codegen_runtime::webhook::Webhooks) -> Result<(), Box<dyn std::error::Error>> {
/// use codegen_runtime::webhook::{SelfSigned, WebhookServer};
///
/// let certificates = SelfSigned::new(&client, "my-operator-system", "my-operator-webhook-service")
///     .conversions_of(&webhooks)
///     .certificates()
///     .await?;
/// let server = WebhookServer::bind("0.0.0.0:9443", certificates, webhooks).await?;
/// # Ok(())
/// # }
/// ```
///
/// docs/webhooks.md has the permissions that it needs.
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
    /// For the service of this name, through which the API server calls the webhooks. The Secret is `SERVICE-cert`, in the same namespace.
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

    /// The name of the Secret. One that is there already is used, if its certificate is for the service, and filled if not.
    pub fn secret(mut self, name: impl Into<String>) -> Self {
        self.secret = name.into();
        self
    }

    /// Keeps the authority also in the definitions of the kinds that these webhooks convert.
    pub fn conversions_of(mut self, webhooks: &Webhooks) -> Self {
        self.definitions.extend(webhooks.definitions());
        self
    }

    /// How long a certificate is valid; 90 days unless set, and a hundred years at most. It is renewed when a third of that is left.
    pub fn validity(mut self, validity: Duration) -> Self {
        self.validity = validity.min(LONGEST);
        self
    }

    /// What time it is, in place of the system's clock: for tests.
    pub fn clock(mut self, clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Reads the Secret, or makes it, and tells clients whom to trust, as far as they are there yet. The server that gets the certificates
    /// keeps all of it up to date while it runs.
    ///
    /// # Errors
    /// When the Secret can be neither read nor made. Configurations that cannot be written are logged, and tried again.
    pub async fn certificates(self) -> Result<Certificates, SelfSignedError> {
        let mut progress = Progress::default();
        let loaded = self.agree(&mut progress).await?;
        if let Err(error) = self.tell(&mut progress).await {
            tracing::warn!(%error, "the authority of the webhooks is not known everywhere");
        }
        let keeper = Keeper {
            settings: self,
            progress: Mutex::new(progress),
        };
        Ok(Certificates::kept(keeper, loaded))
    }

    /// Agrees with other replicas on the content of the Secret, and gives the pair to serve.
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
                        // Another replica was first, or somebody deleted it.
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

    /// What the Secret is to hold, if not what it does.
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

    /// The names by which the service is called.
    fn names(&self) -> Vec<String> {
        let name = format!("{}.{}.svc", self.service, self.namespace);
        vec![name.clone(), format!("{name}.cluster.local")]
    }

    /// The Secret with a state in it, and with what else it holds.
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

    /// Tells clients whom to trust.
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

/// What a replica knows.
#[derive(Default)]
struct Progress {
    /// The content of the Secret, as it last was in order.
    state: Option<State>,
    /// Since when all clients have been told of it.
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
    settings: SelfSigned,
    progress: Mutex<Progress>,
}

impl fmt::Debug for Keeper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.settings.fmt(f)
    }
}

impl Keep for Keeper {
    fn keep<'k>(
        &'k self,
        certificates: &'k Certificates,
        stop: CancellationToken,
    ) -> BoxFuture<'k, ()> {
        Box::pin(self.follow(certificates, stop))
    }
}

impl Keeper {
    /// Looks at the Secret and at the clients, again and again, until `stop` is cancelled.
    async fn follow(&self, certificates: &Certificates, stop: CancellationToken) {
        let mut is_faulty = false;
        let look = async {
            loop {
                sleep(EVERY).await;
                let outcome = self.look(certificates).await;
                if let (Err(error), false) = (&outcome, is_faulty) {
                    tracing::warn!(%error, "the certificate of the webhooks is not kept up to date");
                }
                is_faulty = outcome.is_err();
            }
        };
        stop.run_until_cancelled(look).await;
    }

    async fn look(&self, certificates: &Certificates) -> Result<(), SelfSignedError> {
        let mut progress = self.progress.lock().await;
        let loaded = self.settings.agree(&mut progress).await?;
        if certificates.install(loaded) {
            tracing::info!("the certificate of the webhooks was renewed");
        }
        self.settings.tell(&mut progress).await
    }
}
