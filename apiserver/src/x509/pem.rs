//! Certificates in PEM.

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::{self, PemObject};

use super::client::Authorities;

/// Why certificates or a key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The text is no PEM, or not with this content.
    #[error("expected certificates and private keys in PEM: {0}")]
    Pem(#[from] pem::Error),
    /// There are no certificates.
    #[error("expected at least one certificate in PEM")]
    Empty,
    /// The key does not fit the certificate, or its kind is not supported.
    #[error(transparent)]
    Unusable(#[from] rustls::Error),
}

/// Reads the authorities of client certificates.
///
/// # Errors
/// If the PEM is malformed or has no certificates.
pub(crate) fn read_authorities(pem: &[u8]) -> Result<Authorities, TlsError> {
    let provider = rustls::crypto::ring::default_provider();
    Ok(Authorities::new(read_certificates(pem)?, &provider))
}

pub(crate) fn read_certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let read = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>()?;
    match read.is_empty() {
        true => Err(TlsError::Empty),
        false => Ok(read),
    }
}
