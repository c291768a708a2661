//! The certificate of an HTTPS server: from a folder, such as a mounted Secret of cert-manager,
//! self-signed and registered with its clients, or one that clients cannot verify.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

#[cfg(feature = "self-signed")]
use futures::future::BoxFuture;
use parking_lot::RwLock;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_util::sync::CancellationToken;

use crate::tasks::{Progress, Task};

/// The interval at which the files are checked. Kubernetes updates a mounted Secret within a minute
/// or two.
const EVERY: Duration = Duration::from_secs(10);

/// Why a certificate cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CertificateError {
    /// A file cannot be read.
    #[error("cannot read {path}: {source}", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A file does not contain the expected PEM.
    #[error("{path}: {source}", path = path.display())]
    Pem {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: rustls::pki_types::pem::Error,
    },
    /// The key does not belong to the certificate, or has an unsupported type.
    #[error("the certificate cannot be used: {0}")]
    Tls(#[from] rustls::Error),
    /// No certificate could be made.
    #[cfg(feature = "secure-metrics")]
    #[error("no certificate can be made: {0}")]
    Make(#[from] rcgen::Error),
}

/// A certificate and its key, which may be replaced while the server runs. Clones share them.
#[derive(Clone, Debug)]
pub struct Certificates {
    source: Source,
    current: Arc<RwLock<Loaded>>,
    /// Of the renewal.
    progress: Progress,
}

#[derive(Clone, Debug)]
enum Source {
    /// `tls.crt` and `tls.key` in PEM.
    Folder(PathBuf),
    #[cfg(feature = "self-signed")]
    Kept(Arc<dyn Keep>),
    /// Made for this process.
    #[cfg(feature = "secure-metrics")]
    Own,
}

/// Renews certificates on its own.
#[cfg(feature = "self-signed")]
pub(crate) trait Keep: fmt::Debug + Send + Sync {
    /// Returns the state of the registration of certificates with the clients.
    fn registration(&self) -> &Progress;

    /// Installs new pairs until `stop` is cancelled.
    fn keep<'k>(
        &'k self,
        certificates: &'k Certificates,
        stop: CancellationToken,
    ) -> BoxFuture<'k, ()>;
}

pub(crate) struct Loaded {
    certificate: Vec<u8>,
    key: Vec<u8>,
    config: Arc<ServerConfig>,
}

impl Loaded {
    fn read(folder: &Path) -> Result<Self, CertificateError> {
        let read = |name: &str| {
            let path = folder.join(name);
            fs::read(&path).map_err(|source| CertificateError::Read { path, source })
        };
        Self::new(folder, read("tls.crt")?, read("tls.key")?)
    }

    /// Parses a pair; errors name its files.
    pub(crate) fn new(
        folder: &Path,
        certificate: Vec<u8>,
        key: Vec<u8>,
    ) -> Result<Self, CertificateError> {
        let pem = |name: &str| {
            let path = folder.join(name);
            move |source| CertificateError::Pem { path, source }
        };
        let chain = CertificateDer::pem_slice_iter(&certificate).collect::<Result<Vec<_>, _>>();
        let private = PrivateKeyDer::from_pem_slice(&key).map_err(pem("tls.key"))?;
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(chain.map_err(pem("tls.crt"))?, private)?;
        Ok(Self {
            certificate,
            key,
            config: Arc::new(config),
        })
    }
}

impl fmt::Debug for Loaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The key must not appear in logs.
        f.debug_struct("Loaded").finish_non_exhaustive()
    }
}

impl Certificates {
    /// Reads the certificate from a folder.
    ///
    /// # Errors
    /// The files are missing, or the key does not belong to the certificate.
    pub fn from_folder(folder: impl Into<PathBuf>) -> Result<Self, CertificateError> {
        let folder = folder.into();
        let current = Arc::new(RwLock::new(Loaded::read(&folder)?));
        Ok(Self {
            source: Source::Folder(folder),
            current,
            progress: Progress::new(Task::Certificate, "tls.crt"),
        })
    }

    /// Makes a certificate for this process, which encrypts, but which clients cannot verify.
    ///
    /// # Errors
    /// The system has no random numbers.
    #[cfg(feature = "secure-metrics")]
    pub fn unverified() -> Result<Self, CertificateError> {
        Ok(Self::of_host("localhost")?.0)
    }

    /// Makes a certificate of a host for this process, and returns it in PEM for clients to trust.
    #[cfg(feature = "secure-metrics")]
    pub(crate) fn of_host(host: &str) -> Result<(Self, String), CertificateError> {
        let made = rcgen::generate_simple_self_signed([host.to_owned()])?;
        let (certificate, key) = (made.cert.pem(), made.signing_key.serialize_pem());
        let loaded = Loaded::new(Path::new(""), certificate.clone().into(), key.into())?;
        let certificates = Self {
            source: Source::Own,
            current: Arc::new(RwLock::new(loaded)),
            progress: Progress::new(Task::Certificate, "own"),
        };
        Ok((certificates, certificate))
    }

    /// Reports the renewal as another task: the certificate is not that of webhooks.
    #[cfg(feature = "secure-metrics")]
    pub(crate) fn of_task(mut self, task: Task) -> Self {
        self.progress = Progress::new(task, "tls.crt");
        self
    }

    #[cfg(feature = "self-signed")]
    pub(crate) fn kept(keeper: impl Keep + 'static, loaded: Loaded) -> Self {
        Self {
            source: Source::Kept(Arc::new(keeper)),
            current: Arc::new(RwLock::new(loaded)),
            progress: Progress::new(Task::Certificate, "self-signed"),
        }
    }

    /// Returns the state of the renewal.
    #[cfg(feature = "self-signed")]
    pub(crate) fn renewal(&self) -> &Progress {
        &self.progress
    }

    /// Returns the states of all tasks that keep the certificates up to date.
    pub(crate) fn progress(&self) -> Vec<&Progress> {
        match &self.source {
            Source::Folder(_) => vec![&self.progress],
            #[cfg(feature = "self-signed")]
            Source::Kept(keeper) => vec![&self.progress, keeper.registration()],
            #[cfg(feature = "secure-metrics")]
            Source::Own => Vec::new(),
        }
    }

    /// Returns the configuration for a new connection.
    pub(crate) fn config(&self) -> Arc<ServerConfig> {
        self.current.read().config.clone()
    }

    /// Reads the folder's files again if they changed; returns whether a new certificate is in use.
    /// Has no effect on certificates from elsewhere.
    ///
    /// # Errors
    /// The files are unusable: the old certificate stays in use.
    pub fn reload(&self) -> Result<bool, CertificateError> {
        match &self.source {
            Source::Folder(folder) => Ok(self.install(Loaded::read(folder)?)),
            #[cfg(feature = "self-signed")]
            Source::Kept(_) => Ok(false),
            #[cfg(feature = "secure-metrics")]
            Source::Own => Ok(false),
        }
    }

    /// Installs a pair; returns whether it is new.
    pub(crate) fn install(&self, loaded: Loaded) -> bool {
        let mut current = self.current.write();
        let is_new = loaded.certificate != current.certificate || loaded.key != current.key;
        *current = loaded;
        is_new
    }

    /// Keeps the pair up to date until `stop` is cancelled.
    pub(crate) async fn follow(&self, stop: CancellationToken) {
        match &self.source {
            Source::Folder(folder) => self.follow_files(folder, stop).await,
            #[cfg(feature = "self-signed")]
            Source::Kept(keeper) => keeper.keep(self, stop).await,
            #[cfg(feature = "secure-metrics")]
            Source::Own => stop.cancelled().await,
        }
    }

    async fn follow_files(&self, folder: &Path, stop: CancellationToken) {
        while stop
            .run_until_cancelled(tokio::time::sleep(EVERY))
            .await
            .is_some()
        {
            let own = self.clone();
            let outcome = tokio::task::spawn_blocking(move || own.reload()).await;
            match outcome {
                Ok(Ok(renewed)) => {
                    self.progress.works();
                    if renewed {
                        tracing::info!("reloaded the certificate in {}", folder.display());
                    }
                }
                // Outside of a mount, the two files are replaced one after the other, so that one
                // error may be temporary.
                Ok(Err(error)) => self.progress.failed(error),
                Err(_) => {}
            }
        }
    }
}
