//! Backends: what makes the networks.
//!
//! [`Backend`] is the one interface; [`simulated`] keeps networks in memory, [`neutron`] asks OpenStack Networking.

pub mod neutron;
pub mod simulated;

use std::fmt;
use std::net::IpAddr;

use codegen_runtime::kube::ResourceExt;
use futures::future::BoxFuture;
use ipnet::IpNet;

use crate::apis::samplecrd::v1::Network;

/// The result of a backend's call.
pub type BackendFuture<'a, T> = BoxFuture<'a, Result<T, BackendError>>;

/// The object that a network belongs to. The backend keeps the uid with the network, and finds it by that: a call that was cut off
/// leaves nothing that the next one doesn't find.
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
    /// The owner that `network` is.
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

/// Addresses of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addresses {
    /// The range, without host bits.
    pub cidr: IpNet,
    /// The gateway, an address of the range.
    pub gateway: IpAddr,
}

/// A network at a backend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    /// The backend's id of it.
    pub id: String,
    /// Its range; `None` of a network whose creation was cut off.
    pub cidr: Option<IpNet>,
    /// Its gateway, if it has one.
    pub gateway: Option<IpAddr>,
}

/// Why a call of a backend failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BackendError {
    /// The backend could not be reached, or can't serve now. Tried again.
    #[error("the backend is not available: {0}")]
    Unavailable(String),
    /// The backend refuses what the spec says, and will again: the spec has to change.
    #[error("the backend refuses this: {0}")]
    Refused(String),
    /// The network can't be deleted while something uses it. Tried again.
    #[error("the network is in use: {0}")]
    InUse(String),
    /// The credentials are not accepted. Tried again: they may be corrected meanwhile.
    #[error("the backend does not accept the credentials: {0}")]
    Unauthorized(String),
}

impl BackendError {
    /// In one word in UpperCamelCase: the reason of conditions and events.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Unavailable(_) => "BackendUnavailable",
            Self::Refused(_) => "BackendRefused",
            Self::InUse(_) => "NetworkInUse",
            Self::Unauthorized(_) => "BackendUnauthorized",
        }
    }
}

/// Makes networks.
///
/// Every call is idempotent: called again after it was cut off at any point it completes what was begun, and makes nothing twice.
pub trait Backend: Send + Sync + 'static {
    /// The backend's name.
    fn name(&self) -> &'static str;

    /// The network of `owner`, if there is one.
    fn get<'a>(&'a self, owner: &'a Owner) -> BackendFuture<'a, Option<Observed>>;

    /// Makes the network of `owner`, or what is missing of it.
    fn create<'a>(&'a self, owner: &'a Owner, addresses: Addresses) -> BackendFuture<'a, Observed>;

    /// Changes the gateway of `owner`'s network.
    fn set_gateway<'a>(&'a self, owner: &'a Owner, gateway: IpAddr) -> BackendFuture<'a, ()>;

    /// Deletes all that there is of `owner`'s network; nothing is not an error.
    fn delete<'a>(&'a self, owner: &'a Owner) -> BackendFuture<'a, ()>;
}
