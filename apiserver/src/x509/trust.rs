//! Verifies certificates as Go's `crypto/x509` does: a webhook's with the pool of its `caBundle`, a
//! client's with the authorities of the listener.
//!
//! Go takes every certificate of the pool as an anchor, the verified one included, and accepts an
//! authority's certificate as a server's; envtest and many operators rely on that, and rustls's own
//! verifier does not. Unlike Go, the name constraints of authorities are not checked.

use std::net::IpAddr;
use std::sync::Arc;

use jiff::Timestamp;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, DigitallySignedStruct, OtherError, SignatureScheme};

use super::certificate::{Certificate, Usage};
use crate::types::scalars::rfc3339;

/// The methods in which both verifiers of rustls check a handshake's signatures, with the anchors
/// of a field.
macro_rules! verify_signatures {
    ($anchors:tt) => {
        fn verify_tls12_signature(
            &self,
            message: &[u8],
            cert: &CertificateDer<'_>,
            dss: &DigitallySignedStruct,
        ) -> Result<HandshakeSignatureValid, rustls::Error> {
            rustls::crypto::verify_tls12_signature(message, cert, dss, &self.$anchors.algorithms)
        }

        fn verify_tls13_signature(
            &self,
            message: &[u8],
            cert: &CertificateDer<'_>,
            dss: &DigitallySignedStruct,
        ) -> Result<HandshakeSignatureValid, rustls::Error> {
            rustls::crypto::verify_tls13_signature(message, cert, dss, &self.$anchors.algorithms)
        }

        fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
            self.$anchors.algorithms.supported_schemes()
        }
    };
}
pub(super) use verify_signatures;

/// The maximum number of signatures that are checked for one certificate.
const MOST_SIGNATURES: usize = 100;

/// The maximum number of names in a message.
const MOST_NAMES: usize = 100;

/// Why a certificate is not trusted, in Go's words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Distrust(String);

impl Distrust {
    pub(super) fn none() -> Self {
        Self("x509: no certificate".to_owned())
    }
}

fn refuse<T>(why: impl Into<String>) -> Result<T, Distrust> {
    Err(Distrust(why.into()))
}

/// Returns Go's message if a TLS handshake failed because the certificate is not trusted.
pub(crate) fn distrust(error: &std::io::Error) -> Option<String> {
    let cause = error.get_ref()?.downcast_ref::<rustls::Error>()?;
    match cause {
        rustls::Error::InvalidCertificate(CertificateError::Other(OtherError(why))) => {
            Some(format!("tls: failed to verify certificate: {why}"))
        }
        _ => None,
    }
}

/// The certificates that are trusted.
#[derive(Debug)]
pub(super) struct Anchors {
    certificates: Vec<CertificateDer<'static>>,
    pub(super) algorithms: WebPkiSupportedAlgorithms,
}

impl Anchors {
    pub(super) fn new(
        certificates: Vec<CertificateDer<'static>>,
        provider: &CryptoProvider,
    ) -> Self {
        Self {
            certificates,
            algorithms: provider.signature_verification_algorithms,
        }
    }

    /// The contents of the subjects of the certificates.
    pub(super) fn subjects(&self) -> impl Iterator<Item = Vec<u8>> {
        let read = self.certificates.iter();
        read.filter_map(|it| Certificate::read(it)?.subject_content())
    }

    /// Checks that a chain leads from a certificate to an anchor.
    ///
    /// # Errors
    /// Go's message.
    pub(super) fn verify(
        &self,
        certificate: &Certificate<'_>,
        sent: &[CertificateDer<'_>],
        usage: Usage,
        now: Timestamp,
    ) -> Result<(), Distrust> {
        let mut search = Search {
            anchors: read_all(&self.certificates),
            sent: read_all(sent),
            usage,
            now,
            signatures: 0,
        };
        if search
            .anchors
            .iter()
            .any(|it| it.der() == certificate.der())
        {
            return check_usage(certificate, usage);
        }
        search.extend(std::slice::from_ref(certificate))
    }
}

/// Reads a certificate.
///
/// # Errors
/// If it is malformed.
pub(super) fn read<'a>(der: &'a CertificateDer<'_>) -> Result<Certificate<'a>, Distrust> {
    Certificate::read(der).ok_or_else(|| Distrust("x509: malformed certificate".to_owned()))
}

/// The verifier for the certificates of a `caBundle`.
#[derive(Debug)]
pub(crate) struct Verifier(Anchors);

impl Verifier {
    pub(crate) fn new(anchors: Vec<CertificateDer<'static>>, provider: &CryptoProvider) -> Self {
        Self(Anchors::new(anchors, provider))
    }

    fn verify(
        &self,
        server: &CertificateDer<'_>,
        sent: &[CertificateDer<'_>],
        name: &str,
        now: Timestamp,
    ) -> Result<(), Distrust> {
        let server = read(server)?;
        check_validity(&server, now)?;
        check_name(&server, name)?;
        self.0.verify(&server, sent, Usage::Server, now)
    }
}

fn read_all<'a>(list: &'a [CertificateDer<'_>]) -> Vec<Certificate<'a>> {
    list.iter().filter_map(|it| Certificate::read(it)).collect()
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let seconds = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
        let now = Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX);
        self.verify(end_entity, intermediates, &server_name.to_str(), now)
            .map(|()| ServerCertVerified::assertion())
            .map_err(|why| CertificateError::Other(OtherError(Arc::new(why))).into())
    }

    verify_signatures!(0);
}

/// The search for a chain from a certificate to an anchor.
struct Search<'a> {
    anchors: Vec<Certificate<'a>>,
    /// What the peer sent besides its own certificate.
    sent: Vec<Certificate<'a>>,
    usage: Usage,
    now: Timestamp,
    signatures: usize,
}

impl<'a> Search<'a> {
    /// Extends a chain to an anchor (`buildChains`).
    fn extend(&mut self, chain: &[Certificate<'a>]) -> Result<(), Distrust> {
        let Some(last) = chain.last() else {
            return Ok(());
        };
        let mut hint: Option<(Distrust, String)> = None;
        let mut failure = None;
        let (anchors, sent) = (self.anchors.clone(), self.sent.clone());
        let issued = |it: &&Certificate<'a>| it.subject() == last.issuer();
        let anchors = anchors.iter().filter(issued).map(|it| (it, true));
        let sent = sent.iter().filter(issued).map(|it| (it, false));
        for (parent, is_anchor) in anchors.chain(sent) {
            self.signatures += 1;
            if self.signatures > MOST_SIGNATURES {
                return refuse(
                    "x509: signature check attempts limit reached while verifying certificate chain",
                );
            }
            if chain.iter().any(|it| it.is_same(parent)) {
                continue;
            }
            let mut consider = || {
                check_signature(last, parent)?;
                check_parent(parent, chain.len(), is_anchor, self.now)
                    .inspect_err(|why| failure = Some(why.clone()))
            };
            if let Err(why) = consider() {
                hint.get_or_insert_with(|| (why, parent.label()));
                continue;
            }
            let mut longer = chain.to_vec();
            longer.push(parent.clone());
            let found = if is_anchor {
                longer.iter().try_for_each(|it| check_usage(it, self.usage))
            } else {
                self.extend(&longer)
            };
            match found {
                Ok(()) => return Ok(()),
                Err(why) => failure = Some(why),
            }
        }
        if let Some(failure) = failure {
            return Err(failure);
        }
        let unknown = "x509: certificate signed by unknown authority";
        match hint {
            None => refuse(unknown),
            Some((why, name)) => refuse(format!(
                "{unknown} (possibly because of {:?} while trying to verify candidate authority certificate {name:?})",
                why.0
            )),
        }
    }
}

pub(super) fn check_validity(
    certificate: &Certificate<'_>,
    now: Timestamp,
) -> Result<(), Distrust> {
    if certificate.has_unknown_demands() {
        return refuse("x509: unhandled critical extension");
    }
    let (from, to) = (certificate.not_before(), certificate.not_after());
    let relation = match () {
        () if now < from => format!("is before {}", rfc3339(from)),
        () if now > to => format!("is after {}", rfc3339(to)),
        () => return Ok(()),
    };
    refuse(format!(
        "x509: certificate has expired or is not yet valid: current time {} {relation}",
        rfc3339(now)
    ))
}

/// Checks that a certificate may be an authority's in a chain of a length.
fn check_parent(
    parent: &Certificate<'_>,
    length: usize,
    is_anchor: bool,
    now: Timestamp,
) -> Result<(), Distrust> {
    check_validity(parent, now)?;
    let constraints = parent.constraints();
    if !is_anchor && constraints.is_none_or(|it| !it.is_authority) {
        return refuse("x509: certificate is not authorized to sign other certificates");
    }
    match constraints.and_then(|it| it.path) {
        Some(path) if length - 1 > path as usize => {
            refuse("x509: too many intermediates for path length constraint")
        }
        _ => Ok(()),
    }
}

/// Checks that an authority signed a certificate (`CheckSignatureFrom`).
fn check_signature(
    certificate: &Certificate<'_>,
    parent: &Certificate<'_>,
) -> Result<(), Distrust> {
    let may_sign = match parent.constraints() {
        Some(constraints) => constraints.is_authority,
        None => !parent.is_v3(),
    };
    if !may_sign || !parent.may_sign() {
        return refuse(
            "x509: invalid signature: parent certificate cannot sign this kind of certificate",
        );
    }
    certificate.check_signature(parent).or_else(refuse)
}

fn check_usage(certificate: &Certificate<'_>, usage: Usage) -> Result<(), Distrust> {
    match certificate.is_for(usage) {
        true => Ok(()),
        false => refuse("x509: certificate specifies an incompatible key usage"),
    }
}

/// Checks that a certificate is valid for a host (`VerifyHostname`).
fn check_name(certificate: &Certificate<'_>, host: &str) -> Result<(), Distrust> {
    if let Ok(address) = host.parse::<IpAddr>() {
        let addresses = certificate.addresses();
        if addresses.contains(&address) {
            return Ok(());
        }
        check_common_name(certificate, host)?;
        if addresses.is_empty() {
            return refuse(format!(
                "x509: cannot validate certificate for {host} because it doesn't contain any IP SANs"
            ));
        }
        let names: Vec<String> = addresses.iter().map(ToString::to_string).collect();
        return refuse(misses(&names, "IP SANs", host));
    }
    let names = certificate.host_names();
    if names.iter().any(|name| matches_host(name, host)) {
        return Ok(());
    }
    check_common_name(certificate, host)?;
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    refuse(misses(&names, "names", host))
}

fn check_common_name(certificate: &Certificate<'_>, host: &str) -> Result<(), Distrust> {
    let name = certificate.common_name().unwrap_or_default();
    match !certificate.has_names() && matches_host(name, host) {
        true => refuse("x509: certificate relies on legacy Common Name field, use SANs instead"),
        false => Ok(()),
    }
}

fn misses(names: &[String], what: &str, host: &str) -> String {
    match names.len() {
        0 => format!("x509: certificate is not valid for any names, but wanted to match {host}"),
        MOST_NAMES.. => format!(
            "x509: certificate is valid for {} {what}, but none matched {host}",
            names.len()
        ),
        _ => format!(
            "x509: certificate is valid for {}, not {host}",
            names.join(", ")
        ),
    }
}

/// Whether a name, whose first label may be a wildcard, stands for a host.
fn matches_host(name: &str, host: &str) -> bool {
    let (name, host) = (name.to_ascii_lowercase(), host.to_ascii_lowercase());
    let host = host.trim_end_matches('.');
    match name.strip_prefix("*.") {
        Some(rest) => host.split_once('.').is_some_and(|(_, after)| after == rest),
        None => !name.is_empty() && name == host,
    }
}
