//! Networks of OpenStack Networking (Neutron), through its API v2.0.
//!
//! A Network corresponds to a network with one subnet, both tagged with the object's uid. Tagging
//! is a separate request, so the uid is the description, too: a network that was created but not
//! tagged is found by its description, and tagged. The HTTP client is kube's, which the controller
//! links anyway: TLS, keep-alive and timeouts are the same as for requests to the API server.

mod calls;
mod http;
mod keystone;
mod session;

use std::net::IpAddr;
use std::path::PathBuf;

use clap::Args;

use self::calls::{NetworkBody, SubnetBody};
use self::http::Transport;
use self::keystone::{Keystone, KeystoneFlags};
use self::session::Http;
use super::{Addresses, Backend, BackendError, BackendFuture, Observed, Owner};

/// The OpenStack endpoints and credentials. Secrets come from the environment: `OS_PASSWORD`,
/// `OS_APPLICATION_CREDENTIAL_SECRET`.
#[derive(Clone, Debug, Default, Args)]
#[group(skip)]
pub struct NeutronFlags {
    /// The address of OpenStack Networking, such as `https://network.example.com:9696`; taken from
    /// Keystone's catalog by default.
    #[arg(long, value_name = "URL")]
    pub neutron_url: Option<String>,
    /// The project to create networks in, if authentication does not determine it.
    #[arg(long, value_name = "ID")]
    pub neutron_project: Option<String>,
    /// A file of trusted CA certificates, instead of the system's.
    #[arg(long, value_name = "FILE", env = "OS_CACERT", hide_env_values = true)]
    pub os_cacert: Option<PathBuf>,
    /// Permit `http://`, by which everybody on the way reads tokens and passwords.
    #[arg(long)]
    pub os_allow_http: bool,
    /// The credentials; no authentication unless --os-auth-url is set.
    #[command(flatten)]
    pub keystone: KeystoneFlags,
}

/// Networks of OpenStack Networking.
#[derive(Debug)]
pub struct Neutron {
    http: Http,
    project: Option<String>,
}

/// Why the flags do not configure a usable OpenStack.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NeutronFlagsError {
    /// A flag is missing.
    #[error("--backend=neutron needs {0}")]
    Missing(&'static str),
    /// An address is invalid.
    #[error("{flag}: {given:?} is not a URL such as https://network.example.com:9696")]
    Url {
        /// The flag.
        flag: &'static str,
        /// The address.
        given: String,
    },
    /// An address is not encrypted.
    #[error(
        "{flag}: {given:?} is not encrypted, and tokens and passwords are sent to it: use https://, or set --os-allow-http"
    )]
    Plain {
        /// The flag.
        flag: &'static str,
        /// The address.
        given: String,
    },
    /// A flag has no effect with another backend.
    #[error("{0} needs --backend=neutron")]
    Unused(&'static str),
    /// No client can be created, for example because the certificates are invalid.
    #[error("cannot create a client for OpenStack")]
    Client(#[source] codegen_runtime::kube::Error),
}

impl NeutronFlags {
    /// Checks that no flag of this backend is set, because another one is in use. What the
    /// environment may set is not checked.
    ///
    /// # Errors
    ///
    /// If one is set.
    pub fn check_unused(&self) -> Result<(), NeutronFlagsError> {
        let flags = [
            ("--neutron-url", self.neutron_url.is_some()),
            ("--neutron-project", self.neutron_project.is_some()),
            ("--os-allow-http", self.os_allow_http),
        ];
        match flags.into_iter().find(|(_, is_set)| *is_set) {
            Some((flag, _)) => Err(NeutronFlagsError::Unused(flag)),
            None => Ok(()),
        }
    }
}

impl Neutron {
    /// Configures a backend from the flags. No request is sent before the first call.
    ///
    /// # Errors
    ///
    /// If a flag is missing, or an address is invalid.
    ///
    /// # Panics
    ///
    /// If called outside a tokio runtime.
    pub fn new(flags: &NeutronFlags) -> Result<Self, NeutronFlagsError> {
        Self::with_environment(flags, |name| std::env::var(name).ok())
    }

    /// Like [`new`](Self::new), with secrets from `secret` instead of the process environment.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    ///
    /// # Panics
    ///
    /// As [`new`](Self::new).
    pub fn with_environment(
        flags: &NeutronFlags,
        secret: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, NeutronFlagsError> {
        let transport = Transport {
            cacert: flags.os_cacert.clone(),
            allow_http: flags.os_allow_http,
        };
        let keystone = Keystone::new(&flags.keystone, &transport, secret)?;
        if keystone.is_none() && flags.neutron_url.is_none() {
            return Err(NeutronFlagsError::Missing("--neutron-url or --os-auth-url"));
        }
        Ok(Self {
            http: Http::new(flags.neutron_url.as_deref(), transport, keystone)?,
            project: flags.neutron_project.clone(),
        })
    }

    /// Returns the owner's networks, the one to keep first: those with its tag, or else those
    /// created for it that are not tagged yet.
    async fn networks(&self, owner: &Owner) -> Result<Vec<NetworkBody>, BackendError> {
        let mut found = self.http.networks("tags", &owner.uid).await?;
        if found.is_empty() {
            found = self.http.networks("description", &owner.uid).await?;
        }
        found.sort_by(|one, other| {
            let key = |it: &NetworkBody| (it.created_at.clone(), it.id.clone());
            key(one).cmp(&key(other))
        });
        Ok(found)
    }

    async fn find_or_make_network(&self, owner: &Owner) -> Result<NetworkBody, BackendError> {
        let mut networks = self.networks(owner).await?.into_iter();
        let network = match networks.next() {
            Some(network) => network,
            None => {
                self.http
                    .create_network(owner, self.project.as_deref())
                    .await?
            }
        };
        for double in networks {
            tracing::warn!(network = %owner, id = double.id, "two networks for one object; deleting the newer one");
            self.delete_network(&double.id).await?;
        }
        if !network.tags.contains(&owner.uid) {
            self.http.tag("networks", &network.id, &owner.uid).await?;
        }
        Ok(network)
    }

    async fn delete_network(&self, id: &str) -> Result<(), BackendError> {
        for subnet in self.http.subnets(id).await? {
            self.http.delete("subnets", &subnet.id).await?;
        }
        self.http.delete("networks", id).await
    }

    /// Returns the network's subnet; the oldest if there are several.
    async fn subnet(&self, network: &str) -> Result<Option<SubnetBody>, BackendError> {
        let mut subnets = self.http.subnets(network).await?;
        subnets.sort_by(|one, other| {
            let key = |it: &SubnetBody| (it.created_at.clone(), it.id.clone());
            key(one).cmp(&key(other))
        });
        Ok(subnets.into_iter().next())
    }
}

fn observed(network: NetworkBody, subnet: Option<SubnetBody>) -> Observed {
    Observed {
        id: network.id,
        cidr: subnet.as_ref().and_then(|it| it.cidr.parse().ok()),
        gateway: subnet.and_then(|it| it.gateway_ip?.parse().ok()),
    }
}

impl Backend for Neutron {
    fn name(&self) -> &'static str {
        "neutron"
    }

    fn get<'a>(&'a self, owner: &'a Owner) -> BackendFuture<'a, Option<Observed>> {
        Box::pin(async move {
            let Some(network) = self.networks(owner).await?.into_iter().next() else {
                return Ok(None);
            };
            let subnet = self.subnet(&network.id).await?;
            // Without its tag the network is incomplete as well.
            let is_tagged = network.tags.contains(&owner.uid)
                && subnet
                    .as_ref()
                    .is_none_or(|it| it.tags.contains(&owner.uid));
            let subnet = subnet.filter(|_| is_tagged);
            Ok(Some(observed(network, subnet)))
        })
    }

    fn create<'a>(&'a self, owner: &'a Owner, addresses: Addresses) -> BackendFuture<'a, Observed> {
        Box::pin(async move {
            let network = self.find_or_make_network(owner).await?;
            let subnet = match self.subnet(&network.id).await? {
                Some(subnet) => subnet,
                None => {
                    let project = self.project.as_deref();
                    self.http
                        .create_subnet(owner, &network.id, addresses, project)
                        .await?
                }
            };
            if !subnet.tags.contains(&owner.uid) {
                self.http.tag("subnets", &subnet.id, &owner.uid).await?;
            }
            Ok(observed(network, Some(subnet)))
        })
    }

    fn set_gateway<'a>(&'a self, owner: &'a Owner, gateway: IpAddr) -> BackendFuture<'a, ()> {
        Box::pin(async move {
            let gone = || BackendError::Unavailable(format!("the network of {owner} is gone"));
            let network = self.networks(owner).await?.into_iter().next();
            let network = network.ok_or_else(gone)?;
            let subnet = self.subnet(&network.id).await?.ok_or_else(gone)?;
            self.http.set_gateway(&subnet, gateway).await
        })
    }

    fn delete<'a>(&'a self, owner: &'a Owner) -> BackendFuture<'a, ()> {
        Box::pin(async move {
            for by in ["tags", "description"] {
                for network in self.http.networks(by, &owner.uid).await? {
                    self.delete_network(&network.id).await?;
                }
            }
            Ok(())
        })
    }
}
