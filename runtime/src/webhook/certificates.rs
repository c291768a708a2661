//! The certificate of a webhook server: from a folder, as cert-manager's secrets are mounted, or one that the program makes itself.

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

/// How often the files are looked at. A secret that changes is mounted anew within a minute or two.
const EVERY: Duration = Duration::from_secs(10);

/// Why a certificate cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CertificateError {
    /// A file cannot be read.
    #[error("cannot read {path}: {source}", path = path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file is not what its name says.
    #[error("{path}: {source}", path = path.display())]
    Pem {
        /// Which.
        path: PathBuf,
        /// Why.
        source: rustls::pki_types::pem::Error,
    },
    /// The key is not that of the certificate, or of a kind that is not known.
    #[error("the certificate cannot be used: {0}")]
    Tls(#[from] rustls::Error),
}

/// A certificate and its key, which change while the server runs. Clones share them.
#[derive(Clone, Debug)]
pub struct Certificates {
    source: Source,
    current: Arc<RwLock<Loaded>>,
}

#[derive(Clone, Debug)]
enum Source {
    /// `tls.crt` and `tls.key` in PEM.
    Folder(PathBuf),
    #[cfg(feature = "self-signed")]
    Kept(Arc<dyn Keep>),
}

/// Renews certificates by itself.
#[cfg(feature = "self-signed")]
pub(super) trait Keep: fmt::Debug + Send + Sync {
    /// Puts new pairs in force until `stop` is cancelled.
    fn keep<'k>(
        &'k self,
        certificates: &'k Certificates,
        stop: CancellationToken,
    ) -> BoxFuture<'k, ()>;
}

pub(super) struct Loaded {
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

    /// Reads a pair, whose files errors name.
    pub(super) fn new(
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
        // The key belongs into no log.
        f.debug_struct("Loaded").finish_non_exhaustive()
    }
}

impl Certificates {
    /// Reads the certificate of a folder.
    ///
    /// # Errors
    /// When there is none, or its key does not fit.
    pub fn from_folder(folder: impl Into<PathBuf>) -> Result<Self, CertificateError> {
        let folder = folder.into();
        let current = Arc::new(RwLock::new(Loaded::read(&folder)?));
        let source = Source::Folder(folder);
        Ok(Self { source, current })
    }

    #[cfg(feature = "self-signed")]
    pub(super) fn kept(keeper: impl Keep + 'static, loaded: Loaded) -> Self {
        Self {
            source: Source::Kept(Arc::new(keeper)),
            current: Arc::new(RwLock::new(loaded)),
        }
    }

    /// The configuration for a connection that starts now.
    pub(super) fn config(&self) -> Arc<ServerConfig> {
        self.current.read().config.clone()
    }

    /// Reads the files of the folder again, if they changed, and tells whether a new certificate is in force. Where the program makes its
    /// certificates itself, that is not here to be done.
    ///
    /// # Errors
    /// When what is there now cannot be used: the old one stays in force.
    pub fn reload(&self) -> Result<bool, CertificateError> {
        match &self.source {
            Source::Folder(folder) => Ok(self.install(Loaded::read(folder)?)),
            #[cfg(feature = "self-signed")]
            Source::Kept(_) => Ok(false),
        }
    }

    /// Puts a pair in force, and tells whether it is a new one.
    pub(super) fn install(&self, loaded: Loaded) -> bool {
        let mut current = self.current.write();
        let is_new = loaded.certificate != current.certificate || loaded.key != current.key;
        *current = loaded;
        is_new
    }

    /// Keeps the pair up to date until `stop` is cancelled.
    pub(super) async fn follow(&self, stop: CancellationToken) {
        match &self.source {
            Source::Folder(_) => self.follow_files(stop).await,
            #[cfg(feature = "self-signed")]
            Source::Kept(keeper) => keeper.keep(self, stop).await,
        }
    }

    async fn follow_files(&self, stop: CancellationToken) {
        let mut is_faulty = false;
        while stop
            .run_until_cancelled(tokio::time::sleep(EVERY))
            .await
            .is_some()
        {
            let own = self.clone();
            let outcome = tokio::task::spawn_blocking(move || own.reload()).await;
            match outcome {
                Ok(Ok(true)) => tracing::info!("the certificate of the webhooks was renewed"),
                // The two files of a folder that is not a mount change one after the other.
                Ok(Err(ref error)) if !is_faulty => {
                    tracing::warn!(%error, "the certificate of the webhooks is not renewed");
                }
                _ => {}
            }
            is_faulty = matches!(outcome, Ok(Err(_)));
        }
    }
}
