//! Backends, which provide the networks.
//!
//! [`Backend`] is the interface; [`simulated`] keeps networks in memory, [`neutron`] calls
//! OpenStack Networking.

pub mod neutron;
pub mod simulated;

use std::fmt;
use std::net::IpAddr;

use codegen_runtime::kube::ResourceExt;
use futures::future::BoxFuture;
use ipnet::IpNet;

use crate::apis::samplecrd::v1::Network;

/// The result of a backend call.
pub type BackendFuture<'a, T> = BoxFuture<'a, Result<T, BackendError>>;

/// The object that a network belongs to. The backend stores the uid with the network and finds it
/// by the uid, so that a call finds what an interrupted one left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The object's namespace.
    pub namespace: String,
    /// The object's name.
    pub name: String,
    /// The object's uid.
    pub uid: String,
}

impl Owner {
    /// Returns the owner for `network`.
    pub fn of(network: &Network) -> Self {
        Self {
            namespace: network.namespace().unwrap_or_default(),
            name: network.name_any(),
            uid: network.uid().unwrap_or_default(),
        }
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

/// The addresses of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addresses {
    /// The range, without host bits.
    pub cidr: IpNet,
    /// The gateway, an address of the range.
    pub gateway: IpAddr,
}

/// A network as reported by the backend; empty by default, as one that does not exist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// The network's id at the backend.
    pub id: String,
    /// The range; `None` if the network does not exist, or its creation was interrupted.
    pub cidr: Option<IpNet>,
    /// The gateway, if any.
    pub gateway: Option<IpAddr>,
}

/// Why a backend call failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BackendError {
    /// The backend is unreachable or cannot serve the request now. Retried.
    #[error("the backend is not available: {0}")]
    Unavailable(String),
    /// The backend rejects the spec and will do so again: the spec has to change.
    #[error("the backend rejects the request: {0}")]
    Refused(String),
    /// The network cannot be deleted while it is in use. Retried.
    #[error("the network is in use: {0}")]
    InUse(String),
    /// The backend rejects the credentials. Retried, since they may be corrected.
    #[error("the backend does not accept the credentials: {0}")]
    Unauthorized(String),
}

impl BackendError {
    /// The reason of [`Refused`](Self::Refused).
    pub const REFUSED: &'static str = "BackendRefused";

    /// The reason for conditions and events, in UpperCamelCase.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Unavailable(_) => "BackendUnavailable",
            Self::Refused(_) => Self::REFUSED,
            Self::InUse(_) => "NetworkInUse",
            Self::Unauthorized(_) => "BackendUnauthorized",
        }
    }
}

/// Provides networks.
///
/// Every call is idempotent: repeating an interrupted call completes it and creates no duplicates.
pub trait Backend: Send + Sync + 'static {
    /// The backend's name.
    fn name(&self) -> &'static str;

    /// Returns the network of `owner`, if it exists.
    fn get<'a>(&'a self, owner: &'a Owner) -> BackendFuture<'a, Option<Observed>>;

    /// Creates the network of `owner`, or its missing parts.
    fn create<'a>(&'a self, owner: &'a Owner, addresses: Addresses) -> BackendFuture<'a, Observed>;

    /// Changes the gateway of `owner`'s network.
    fn set_gateway<'a>(&'a self, owner: &'a Owner, gateway: IpAddr) -> BackendFuture<'a, ()>;

    /// Deletes everything that belongs to `owner`'s network; succeeds if there is no such network.
    fn delete<'a>(&'a self, owner: &'a Owner) -> BackendFuture<'a, ()>;
}
