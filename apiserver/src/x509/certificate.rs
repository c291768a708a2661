//! The parts of an X.509 certificate that decide whether it is trusted.
//!
//! rustls accepts no certificate of an authority as a server's own, and does not tell the parts of
//! a certificate.

use std::net::IpAddr;

use jiff::Timestamp;
use x509_parser::asn1_rs::{Any, FromDer, Oid};
use x509_parser::certificate::X509Certificate;
use x509_parser::error::X509Error;
use x509_parser::extensions::{GeneralName, ParsedExtension};
use x509_parser::oid_registry::{
    OID_PKCS1_RSAENCRYPTION, OID_PKCS1_SHA1WITHRSA, OID_PKIX_AUTHORITY_INFO_ACCESS,
    OID_SHA1_WITH_RSA, OID_SIG_ED25519, OID_X509_EXT_SUBJECT_ALT_NAME,
};
use x509_parser::time::ASN1Time;
use x509_parser::x509::{AttributeTypeAndValue, X509Version};

/// The last arcs of the standard extensions (2.5.29) that Go understands.
const UNDERSTOOD: [u64; 11] = [14, 15, 17, 19, 30, 31, 32, 33, 35, 36, 37];

/// The basic constraints of a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Constraints {
    pub(super) is_authority: bool,
    /// How many authorities may stand between this one and a server's certificate.
    pub(super) path: Option<u32>,
}

/// What a certificate is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Usage {
    Server,
    Client,
}

/// A certificate.
#[derive(Clone, Debug)]
pub(super) struct Certificate<'a>(X509Certificate<'a>);

impl<'a> Certificate<'a> {
    /// Reads a certificate in DER; `None` if it is malformed.
    pub(super) fn read(der: &'a [u8]) -> Option<Self> {
        let (rest, read) = X509Certificate::from_der(der).ok()?;
        let is_malformed =
            |parsed: &ParsedExtension<'_>| matches!(parsed, ParsedExtension::ParseError { .. });
        let mut extensions = read.extensions().iter();
        let is_malformed = extensions.any(|it| is_malformed(it.parsed_extension()));
        (rest.is_empty() && !is_malformed).then_some(Self(read))
    }

    /// Whether two certificates are the same in a chain: of one name and key.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let names = |it: &Self| it.names().map(<[u8]>::to_vec);
        self.subject() == other.subject()
            && self.0.public_key().raw == other.0.public_key().raw
            && names(self) == names(other)
    }

    pub(super) fn der(&self) -> &'a [u8] {
        self.0.as_raw()
    }

    pub(super) fn is_v3(&self) -> bool {
        self.0.version() == X509Version::V3
    }

    pub(super) fn issuer(&self) -> &[u8] {
        self.0.issuer().as_raw()
    }

    pub(super) fn subject(&self) -> &[u8] {
        self.0.subject().as_raw()
    }

    /// The subject without its tag and length.
    pub(super) fn subject_content(&self) -> Option<Vec<u8>> {
        let (_, sequence) = Any::from_der(self.subject()).ok()?;
        Some(sequence.data.to_vec())
    }

    pub(super) fn not_before(&self) -> Timestamp {
        timestamp(self.0.validity().not_before)
    }

    pub(super) fn not_after(&self) -> Timestamp {
        timestamp(self.0.validity().not_after)
    }

    /// Checks the signature with the key of another certificate.
    ///
    /// # Errors
    /// Go's message.
    pub(super) fn check_signature(&self, signer: &Self) -> Result<(), &'static str> {
        let legacy = [OID_PKCS1_SHA1WITHRSA, OID_SHA1_WITH_RSA];
        if legacy.contains(&self.0.signature_algorithm.algorithm) {
            return Err("x509: cannot verify signature: insecure algorithm SHA1-RSA");
        }
        let key = signer.0.public_key();
        self.0.verify_signature(Some(key)).map_err(|why| {
            let kind = &key.algorithm.algorithm;
            match why {
                X509Error::SignatureUnsupportedAlgorithm => {
                    "x509: cannot verify signature: algorithm unimplemented"
                }
                _ if *kind == OID_PKCS1_RSAENCRYPTION => "crypto/rsa: verification error",
                _ if *kind == OID_SIG_ED25519 => "x509: Ed25519 verification failure",
                _ => "x509: ECDSA verification failure",
            }
        })
    }

    /// Whether an extension is critical that Go does not understand.
    pub(super) fn has_unknown_demands(&self) -> bool {
        let is_understood = |id: &Oid<'_>| {
            let arcs: Option<Vec<u64>> = id.iter().map(Iterator::collect);
            match arcs.as_deref() {
                Some([2, 5, 29, arc]) => UNDERSTOOD.contains(arc),
                _ => *id == OID_PKIX_AUTHORITY_INFO_ACCESS,
            }
        };
        let mut extensions = self.0.extensions().iter();
        extensions.any(|it| it.critical && !is_understood(&it.oid))
    }

    pub(super) fn constraints(&self) -> Option<Constraints> {
        let found = self.0.basic_constraints().ok()??;
        Some(Constraints {
            is_authority: found.value.ca,
            path: found.value.path_len_constraint,
        })
    }

    /// Whether the key may sign certificates, as far as the usage of the key tells.
    pub(super) fn may_sign(&self) -> bool {
        let usage = self.0.key_usage().ok().flatten();
        // A usage without any bit counts as none.
        usage.is_none_or(|it| it.value.flags == 0 || it.value.key_cert_sign())
    }

    /// Whether the certificate may be used so, as far as the extended usage of the key tells.
    pub(super) fn is_for(&self, usage: Usage) -> bool {
        let usages = self.0.extended_key_usage().ok().flatten();
        usages.is_none_or(|it| {
            it.value.any
                || match usage {
                    Usage::Server => it.value.server_auth,
                    Usage::Client => it.value.client_auth,
                }
        })
    }

    /// Whether there are alternative names of the subject.
    pub(super) fn has_names(&self) -> bool {
        self.names().is_some()
    }

    fn names(&self) -> Option<&[u8]> {
        let found = self.0.get_extension_unique(&OID_X509_EXT_SUBJECT_ALT_NAME);
        found.ok().flatten().map(|it| it.value)
    }

    fn alternatives(&self) -> &[GeneralName<'a>] {
        let found = self.0.subject_alternative_name().ok().flatten();
        found.map_or(&[], |it| &it.value.general_names)
    }

    pub(super) fn host_names(&self) -> Vec<&str> {
        let names = self.alternatives().iter();
        names
            .filter_map(|name| match name {
                GeneralName::DNSName(name) => Some(*name),
                _ => None,
            })
            .collect()
    }

    pub(super) fn addresses(&self) -> Vec<IpAddr> {
        let names = self.alternatives().iter();
        names
            .filter_map(|name| match name {
                GeneralName::IPAddress(bytes) => {
                    let v4 = <[u8; 4]>::try_from(*bytes).map(IpAddr::from);
                    v4.or_else(|_| <[u8; 16]>::try_from(*bytes).map(IpAddr::from))
                        .ok()
                }
                _ => None,
            })
            .collect()
    }

    pub(super) fn common_name(&self) -> Option<&str> {
        self.0.subject().iter_common_name().find_map(text)
    }

    /// The organizations of the subject: a user's groups.
    pub(super) fn organizations(&self) -> impl Iterator<Item = &str> {
        self.0.subject().iter_organization().filter_map(text)
    }

    /// A name for messages.
    pub(super) fn label(&self) -> String {
        let name = self.common_name().filter(|name| !name.is_empty());
        let name = name.or_else(|| self.organizations().next());
        let serial = || format!("serial:{}", self.0.serial);
        name.map_or_else(serial, str::to_owned)
    }
}

fn text<'n>(attribute: &'n AttributeTypeAndValue<'_>) -> Option<&'n str> {
    std::str::from_utf8(attribute.as_slice()).ok()
}

/// Returns a time; the end of the year 9999, which means never, is out of range.
fn timestamp(time: ASN1Time) -> Timestamp {
    Timestamp::from_second(time.timestamp()).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_that_is_cut_off_is_malformed() {
        let whole = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let der = whole.cert.der();
        let read = Certificate::read(der).unwrap();
        assert_eq!(read.host_names(), ["localhost"]);
        for length in 0..der.len() {
            assert!(Certificate::read(&der[..length]).is_none(), "{length}");
        }
    }
}
