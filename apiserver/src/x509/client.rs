//! Verifies the certificates of clients as kube-apiserver's authenticator does
//! (`k8s.io/apiserver/pkg/authentication/request/x509`).
//!
//! The handshake takes any certificate whose key the client has. One that is not trusted makes a
//! request unauthorized, as it does on the real server; rustls's own verifier would end the
//! connection.

use jiff::Timestamp;
use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{DigitallySignedStruct, DistinguishedName, SignatureScheme};

use super::certificate::Usage;
use super::trust::{self, Anchors, Distrust, verify_signatures};

/// Whom a certificate names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Subject {
    pub(crate) common_name: String,
    pub(crate) organizations: Vec<String>,
}

/// The authorities that sign the certificates of clients.
#[derive(Debug)]
pub(crate) struct Authorities {
    anchors: Anchors,
    hints: Vec<DistinguishedName>,
}

impl Authorities {
    pub(crate) fn new(
        certificates: Vec<CertificateDer<'static>>,
        provider: &CryptoProvider,
    ) -> Self {
        let anchors = Anchors::new(certificates, provider);
        let hints = anchors
            .subjects()
            .map(|subject| DistinguishedName::in_sequence(&subject))
            .collect();
        Self { anchors, hints }
    }

    /// Returns whom a client's certificates name, of which the first is its own.
    ///
    /// # Errors
    /// If no authority vouches for the certificate.
    pub(crate) fn subject(
        &self,
        chain: &[CertificateDer<'_>],
        now: Timestamp,
    ) -> Result<Subject, Distrust> {
        let Some((own, sent)) = chain.split_first() else {
            return Err(Distrust::none());
        };
        let own = trust::read(own)?;
        trust::check_validity(&own, now)?;
        self.anchors.verify(&own, sent, Usage::Client, now)?;
        Ok(Subject {
            common_name: own.common_name().unwrap_or_default().to_owned(),
            organizations: own.organizations().map(str::to_owned).collect(),
        })
    }
}

impl ClientCertVerifier for Authorities {
    fn client_auth_mandatory(&self) -> bool {
        false
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &self.hints
    }

    fn verify_client_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _now: UnixTime,
    ) -> Result<ClientCertVerified, rustls::Error> {
        Ok(ClientCertVerified::assertion())
    }

    verify_signatures!(anchors);
}
