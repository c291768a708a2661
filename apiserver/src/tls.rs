//! TLS of a listener.

use std::io;
use std::sync::Arc;

use jiff::Timestamp;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::rbac::user::User;
use crate::service::authentication::{Authentication, Certified};
use crate::x509::client::Authorities;
use crate::x509::pem::{TlsError, read_certificates};

/// The protocols that a listener offers, the preferred one first.
const PROTOCOLS: &[&[u8]] = &[b"h2", b"http/1.1"];

/// A certificate with those that signed it, and its key.
#[derive(Debug)]
pub(crate) struct Identity {
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
}

impl Identity {
    pub(crate) fn read(chain: &[u8], key: &[u8]) -> Result<Self, TlsError> {
        Ok(Self {
            chain: read_certificates(chain)?,
            key: PrivateKeyDer::from_pem_slice(key)?,
        })
    }
}

/// Takes the connections of a listener.
#[derive(Clone)]
pub(crate) struct Acceptor {
    tls: TlsAcceptor,
    authorities: Option<Arc<Authorities>>,
}

impl Acceptor {
    pub(crate) fn new(
        identity: &Identity,
        authentication: Option<&Authentication>,
    ) -> Result<Self, TlsError> {
        let authorities = authentication
            .and_then(Authentication::authorities)
            .cloned();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?;
        let builder = match &authorities {
            Some(authorities) => builder.with_client_cert_verifier(authorities.clone()),
            None => builder.with_no_client_auth(),
        };
        let mut config =
            builder.with_single_cert(identity.chain.clone(), identity.key.clone_key())?;
        config.alpn_protocols = PROTOCOLS.iter().map(|it| it.to_vec()).collect();
        Ok(Self {
            tls: TlsAcceptor::from(Arc::new(config)),
            authorities,
        })
    }

    /// Shakes hands; returns what the client's certificate says.
    pub(crate) async fn accept(
        &self,
        stream: TcpStream,
    ) -> io::Result<(TlsStream<TcpStream>, Certified)> {
        let stream = self.tls.accept(stream).await?;
        let chain = stream.get_ref().1.peer_certificates().unwrap_or_default();
        let certified = self.certified(chain);
        Ok((stream, certified))
    }

    fn certified(&self, chain: &[CertificateDer<'_>]) -> Certified {
        let Some(authorities) = self.authorities.as_ref().filter(|_| !chain.is_empty()) else {
            return Certified::No;
        };
        match authorities.subject(chain, Timestamp::now()) {
            Ok(subject) if subject.common_name.is_empty() => Certified::No,
            Ok(subject) => Certified::User(User {
                groups: subject.organizations,
                ..User::named(subject.common_name)
            }),
            Err(why) => {
                tracing::debug!(%why, "the client's certificate is not trusted");
                Certified::Refused
            }
        }
    }
}
