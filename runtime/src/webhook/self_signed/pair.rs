//! A certificate, its key, and the CA that signed it.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose, date_time_ymd,
};
use rustls::RootCertStore;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};

/// How far clients' clocks may be behind; client-go's own certificates allow for the same.
const SKEW: Duration = Duration::from_secs(3600);

/// A certificate and its key, in PEM.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) certificate: String,
    pub(super) key: String,
}

/// A pair and its CA certificate.
pub(super) struct Made {
    pub(super) pair: Pair,
    pub(super) authority: String,
}

/// Creates a pair for these names, with a CA that signs nothing else: its key is discarded.
pub(super) fn make(
    names: &[String],
    now: SystemTime,
    validity: Duration,
) -> Result<Made, rcgen::Error> {
    let params = |names: Vec<String>, called: &str| {
        let mut params = CertificateParams::new(names)?;
        let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        params.not_before = date_time_ymd(1970, 1, 1) + since.saturating_sub(SKEW);
        params.not_after = date_time_ymd(1970, 1, 1) + since + validity;
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, called);
        Ok::<_, rcgen::Error>(params)
    };
    let mut authority = params(Vec::new(), "webhook-authority")?;
    authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let authority_key = KeyPair::generate()?;
    let signed = authority.self_signed(&authority_key)?;
    let issuer = Issuer::new(authority, authority_key);
    let mut serving = params(names.to_vec(), "webhook")?;
    serving.use_authority_key_identifier_extension = true;
    serving.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    serving.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    let key = KeyPair::generate()?;
    Ok(Made {
        pair: Pair {
            certificate: serving.signed_by(&key, &issuer)?.pem(),
            key: key.serialize_pem(),
        },
        authority: signed.pem(),
    })
}

/// Returns a root store with only this CA, if it is a valid one.
pub(super) fn trusted(authority: &str) -> Option<RootCertStore> {
    let mut roots = RootCertStore::empty();
    let authority = CertificateDer::from_pem_slice(authority.as_bytes()).ok()?;
    roots.add(authority).ok()?;
    Some(roots)
}

impl Pair {
    /// Whether a client that trusts only this CA accepts the certificate for all these names at a
    /// point in time.
    pub(super) fn is_valid(&self, authority: &str, names: &[String], at: SystemTime) -> bool {
        let chain = CertificateDer::pem_slice_iter(self.certificate.as_bytes());
        let Ok(chain) = chain.collect::<Result<Vec<_>, _>>() else {
            return false;
        };
        let (Some((own, rest)), Some(roots)) = (chain.split_first(), trusted(authority)) else {
            return false;
        };
        let provider = Arc::new(ring::default_provider());
        let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider);
        let Ok(verifier) = verifier.build() else {
            return false;
        };
        let at = UnixTime::since_unix_epoch(at.duration_since(UNIX_EPOCH).unwrap_or_default());
        names.iter().all(|name| {
            ServerName::try_from(name.as_str()).is_ok_and(|name| {
                let verified = verifier.verify_server_cert(own, rest, &name, &[], at);
                verified.is_ok()
            })
        })
    }
}
