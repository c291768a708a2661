//! Why a program ended other than by being asked to.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use kube::config::{InferConfigError, KubeconfigError};

use super::BoxError;
use crate::leader::LeaderElectionConfigError;
use crate::manager::{ManagerBuildError, ManagerError};
#[cfg(feature = "webhooks")]
use crate::webhook::CertificateError;

/// Why a program ended other than by being asked to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AppError {
    /// The async runtime or the handlers of signals can't be started.
    #[error("cannot start")]
    Start(#[source] io::Error),
    /// The process logs already.
    #[error("logging has been started before")]
    Logging,
    /// `--kubeconfig` names a file that cannot be read as a kubeconfig.
    #[error("cannot read the kubeconfig {}", .path.display())]
    ReadKubeconfig {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: KubeconfigError,
    },
    /// The kubeconfig that `--kubeconfig` names has no usable cluster or user.
    #[error("cannot use the kubeconfig {}", .path.display())]
    Kubeconfig {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: KubeconfigError,
    },
    /// Neither the flags nor the environment name a cluster.
    #[error("no cluster: give --kubeconfig or --master, set $KUBECONFIG, or run in a pod")]
    NoCluster(#[source] InferConfigError),
    /// `--master` is not a URL.
    #[error("--master: invalid URL {0:?}: expected a URL such as https://127.0.0.1:6443")]
    Master(String),
    /// No client can be made for the cluster.
    #[error("cannot make a client for the cluster")]
    Client(#[source] kube::Error),
    /// An address can't be listened on.
    #[error("cannot serve {what} on {address}")]
    Listen {
        /// For what.
        what: &'static str,
        /// Where.
        address: SocketAddr,
        /// Why not.
        source: io::Error,
    },
    /// The certificate of the webhooks can't be used.
    #[cfg(feature = "webhooks")]
    #[error("--webhook-cert-path")]
    Certificate(#[from] CertificateError),
    /// The program cannot make the certificate of the webhooks.
    #[cfg(feature = "self-signed")]
    #[error("--webhook-self-signed")]
    SelfSigned(#[from] crate::webhook::SelfSignedError),
    /// The election's times don't fit.
    #[error("leader election")]
    Election(#[from] LeaderElectionConfigError),
    /// The program's own code could not build its controllers.
    #[error(transparent)]
    Setup(BoxError),
    /// The manager can't be built.
    #[error(transparent)]
    Build(#[from] ManagerBuildError),
    /// The manager ended: leadership lost, say.
    #[error(transparent)]
    Manager(#[from] ManagerError),
    /// The demo can't go on.
    #[cfg(feature = "demo")]
    #[error("demo: {what}")]
    Demo {
        /// With what.
        what: String,
        /// Why.
        source: BoxError,
    },
}
