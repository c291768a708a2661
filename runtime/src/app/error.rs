//! Errors that end a program.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use kube::config::{InferConfigError, KubeconfigError};

use super::BoxError;
use crate::leader::LeaderElectionConfigError;
use crate::manager::{ManagerBuildError, ManagerError};
use crate::shard::ShardsConfigError;
#[cfg(feature = "webhooks")]
use crate::webhook::CertificateError;

/// Why a program ended without being asked to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AppError {
    /// The async runtime or the signal handlers could not be started.
    #[error("cannot start")]
    Start(#[source] io::Error),
    /// The process has already set up logging.
    #[error("logging is already set up")]
    Logging,
    /// The file of `--kubeconfig` cannot be read as a kubeconfig.
    #[error("cannot read the kubeconfig {}", .path.display())]
    ReadKubeconfig {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: KubeconfigError,
    },
    /// The kubeconfig of `--kubeconfig` has no usable cluster or user.
    #[error("cannot use the kubeconfig {}", .path.display())]
    Kubeconfig {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: KubeconfigError,
    },
    /// Neither the flags nor the environment specify a cluster.
    #[error("no cluster: give --kubeconfig or --master, set $KUBECONFIG, or run in a pod")]
    NoCluster(#[source] InferConfigError),
    /// `--master` is not a URL.
    #[error("--master: invalid URL {0:?}: expected a URL such as https://127.0.0.1:6443")]
    Master(String),
    /// No client could be created for the cluster.
    #[error("cannot create a client for the cluster")]
    Client(#[source] kube::Error),
    /// Two flags have the same address.
    #[error(
        "{address} is given twice: --metrics-bind-address and --health-probe-bind-address need different ones"
    )]
    SameAddress {
        /// The address.
        address: SocketAddr,
    },
    /// An address could not be bound.
    #[error("{flag}: cannot serve {what} on {address}")]
    Listen {
        /// The flag of the address.
        flag: &'static str,
        /// The service to listen for.
        what: &'static str,
        /// The address.
        address: SocketAddr,
        /// The reason.
        source: io::Error,
    },
    /// The certificate of the metrics is not usable.
    #[error("--metrics-cert-path")]
    MetricsCertificate(#[source] crate::manager::CertificateError),
    /// The certificate of the webhooks is not usable.
    #[cfg(feature = "webhooks")]
    #[error("--webhook-cert-path")]
    Certificate(#[from] CertificateError),
    /// The program could not create the certificate of the webhooks.
    #[cfg(feature = "self-signed")]
    #[error("--webhook-self-signed")]
    SelfSigned(#[from] crate::webhook::SelfSignedError),
    /// The durations of the election are inconsistent.
    #[error("leader election")]
    Election(#[from] LeaderElectionConfigError),
    /// The group of the shards is misconfigured.
    #[error("--shard-by")]
    Shards(#[from] ShardsConfigError),
    /// The program's `setup` failed.
    #[error(transparent)]
    Setup(BoxError),
    /// The manager could not be built.
    #[error(transparent)]
    Build(#[from] ManagerBuildError),
    /// A controller of the program's own cannot be built.
    #[error("cannot build a controller")]
    Controller(#[from] crate::controller::BuildError),
    /// The manager stopped, for example because leadership was lost.
    #[error(transparent)]
    Manager(#[from] ManagerError),
    /// The cluster cannot be prepared for `dev`.
    #[cfg(feature = "demo")]
    #[error("dev: {what}")]
    Dev {
        /// The failed step.
        what: String,
        /// The reason.
        source: BoxError,
    },
    /// The demo failed.
    #[cfg(feature = "demo")]
    #[error("demo: {what}")]
    Demo {
        /// The failed step.
        what: String,
        /// The reason.
        source: BoxError,
    },
}
