//! Reads the parts of an X.509 certificate that decide whether it is trusted.
//!
//! rustls accepts no certificate of an authority as a server's own, and does not tell the parts of
//! a certificate, so they are read here. What is signed is checked by rustls's algorithms.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 0x02;
const BOOLEAN: u8 = 0x01;
const BIT_STRING: u8 = 0x03;
const OCTET_STRING: u8 = 0x04;
const OID: u8 = 0x06;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

/// The contents of the object identifiers of extensions, and of what these contain.
mod oid {
    pub(super) const KEY_USAGE: &[u8] = &[0x55, 0x1d, 15];
    pub(super) const SUBJECT_ALT_NAME: &[u8] = &[0x55, 0x1d, 17];
    pub(super) const BASIC_CONSTRAINTS: &[u8] = &[0x55, 0x1d, 19];
    pub(super) const EXTENDED_KEY_USAGE: &[u8] = &[0x55, 0x1d, 37];
    pub(super) const ANY_USAGE: &[u8] = &[0x55, 0x1d, 37, 0];
    pub(super) const SERVER_AUTH: &[u8] = &[0x2b, 6, 1, 5, 5, 7, 3, 1];
    pub(super) const CLIENT_AUTH: &[u8] = &[0x2b, 6, 1, 5, 5, 7, 3, 2];
    pub(super) const AUTHORITY_INFORMATION: &[u8] = &[0x2b, 6, 1, 5, 5, 7, 1, 1];
    pub(super) const COMMON_NAME: &[u8] = &[0x55, 0x04, 3];
    pub(super) const ORGANIZATION: &[u8] = &[0x55, 0x04, 10];
}

/// The last arcs of the standard extensions (2.5.29) that Go understands.
const UNDERSTOOD: &[u8] = &[14, 15, 17, 19, 30, 31, 32, 33, 35, 36, 37];

/// An element of DER.
#[derive(Clone, Copy, Debug)]
struct Element<'a> {
    tag: u8,
    content: &'a [u8],
    /// With tag and length.
    whole: &'a [u8],
}

impl<'a> Element<'a> {
    fn of(self, tag: u8) -> Option<&'a [u8]> {
        (self.tag == tag).then_some(self.content)
    }
}

/// Iterates over the elements of DER; ends at a malformed one.
#[derive(Clone, Debug)]
struct Elements<'a>(&'a [u8]);

impl<'a> Iterator for Elements<'a> {
    type Item = Element<'a>;

    fn next(&mut self) -> Option<Element<'a>> {
        let (&tag, rest) = self.0.split_first()?;
        let (&first, rest) = rest.split_first()?;
        let (length, rest) = match first {
            ..=0x7f => (usize::from(first), rest),
            0x81..=0x84 => {
                let (bytes, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
                let length = bytes.iter().fold(0, |n, b| n << 8 | usize::from(*b));
                (length, rest)
            }
            _ => return None,
        };
        let (content, rest) = rest.split_at_checked(length)?;
        let (whole, _) = self.0.split_at_checked(self.0.len() - rest.len())?;
        self.0 = rest;
        Some(Element {
            tag,
            content,
            whole,
        })
    }
}

/// An extension.
#[derive(Clone, Copy, Debug)]
struct Extension<'a> {
    id: &'a [u8],
    is_critical: bool,
    value: &'a [u8],
}

/// The basic constraints of a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Constraints {
    pub(super) is_authority: bool,
    /// How many authorities may stand between this one and a server's certificate.
    pub(super) path: Option<usize>,
}

/// What a certificate is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Usage {
    Server,
    Client,
}

/// The parts of a certificate.
#[derive(Clone, Debug)]
pub(super) struct Certificate<'a> {
    pub(super) der: &'a [u8],
    /// What the issuer signed.
    pub(super) signed: &'a [u8],
    pub(super) is_v3: bool,
    serial: &'a [u8],
    pub(super) issuer: &'a [u8],
    pub(super) subject: &'a [u8],
    pub(super) not_before: Timestamp,
    pub(super) not_after: Timestamp,
    /// The key, with its algorithm.
    pub(super) key_info: &'a [u8],
    /// The content of the key's `AlgorithmIdentifier`.
    pub(super) key_algorithm: &'a [u8],
    pub(super) key: &'a [u8],
    /// The content of the signature's `AlgorithmIdentifier`.
    pub(super) signature_algorithm: &'a [u8],
    pub(super) signature: &'a [u8],
    extensions: Vec<Extension<'a>>,
}

impl<'a> Certificate<'a> {
    /// Reads a certificate in DER; `None` if it is malformed.
    pub(super) fn read(der: &'a [u8]) -> Option<Self> {
        let mut parts = Elements(Elements(der).next()?.of(SEQUENCE)?);
        let signed = parts.next()?;
        let signature_algorithm = parts.next()?.of(SEQUENCE)?;
        let signature = bits(parts.next()?)?;
        let mut fields = Elements(signed.of(SEQUENCE)?).peekable();
        let version = fields.next_if(|field| field.tag == 0xa0);
        let serial = fields.next()?.of(INTEGER)?;
        fields.next()?.of(SEQUENCE)?;
        let issuer = fields.next()?.whole;
        let mut validity = Elements(fields.next()?.of(SEQUENCE)?);
        let subject = fields.next()?.whole;
        let key_info = fields.next()?;
        let mut key = Elements(key_info.of(SEQUENCE)?);
        let extensions = match fields.find(|field| field.tag == 0xa3) {
            Some(list) => Elements(Elements(list.content).next()?.of(SEQUENCE)?)
                .map(read_extension)
                .collect::<Option<_>>()?,
            None => Vec::new(),
        };
        Some(Self {
            der,
            signed: signed.whole,
            is_v3: version.is_some_and(|it| it.content.last() == Some(&2)),
            serial,
            issuer,
            subject,
            not_before: read_time(validity.next()?)?,
            not_after: read_time(validity.next()?)?,
            key_info: key_info.whole,
            key_algorithm: key.next()?.of(SEQUENCE)?,
            key: bits(key.next()?)?,
            signature_algorithm,
            signature,
            extensions,
        })
    }

    fn extension(&self, id: &[u8]) -> Option<&'a [u8]> {
        let found = self.extensions.iter().find(|it| it.id == id);
        found.map(|it| it.value)
    }

    /// Whether an extension is critical that Go does not understand.
    pub(super) fn has_unknown_demands(&self) -> bool {
        self.extensions.iter().any(|it| {
            let is_understood = match it.id {
                [0x55, 0x1d, arc] => UNDERSTOOD.contains(arc),
                id => id == oid::AUTHORITY_INFORMATION,
            };
            it.is_critical && !is_understood
        })
    }

    pub(super) fn constraints(&self) -> Option<Constraints> {
        let value = self.extension(oid::BASIC_CONSTRAINTS)?;
        let fields = Elements(Elements(value).next()?.of(SEQUENCE)?);
        let path = fields.clone().find_map(|field| field.of(INTEGER));
        Some(Constraints {
            is_authority: fields
                .filter_map(|field| field.of(BOOLEAN))
                .any(|it| it != [0]),
            path: path.map(|it| it.iter().fold(0, |n, b| n << 8 | usize::from(*b))),
        })
    }

    /// Whether the key may sign certificates, as far as the usage of the key tells.
    pub(super) fn may_sign(&self) -> bool {
        let usage = self.extension(oid::KEY_USAGE);
        let usage = usage
            .and_then(|value| Elements(value).next())
            .and_then(bits);
        // Bit 5, counted from the highest. A usage without any bit counts as none.
        usage.is_none_or(|bits| {
            bits.iter().all(|byte| *byte == 0) || bits.first().is_some_and(|byte| byte & 0x04 != 0)
        })
    }

    /// Whether the certificate may be used so, as far as the extended usage of the key tells.
    pub(super) fn is_for(&self, usage: Usage) -> bool {
        let wanted = match usage {
            Usage::Server => oid::SERVER_AUTH,
            Usage::Client => oid::CLIENT_AUTH,
        };
        let usages = self.extension(oid::EXTENDED_KEY_USAGE);
        let usages = usages
            .and_then(|value| Elements(value).next()?.of(SEQUENCE))
            .map(Elements);
        usages.is_none_or(|mut usages| {
            usages.any(|it| {
                it.of(OID)
                    .is_some_and(|id| id == wanted || id == oid::ANY_USAGE)
            })
        })
    }

    /// The raw alternative names, to compare certificates.
    pub(super) fn names(&self) -> Option<&'a [u8]> {
        self.extension(oid::SUBJECT_ALT_NAME)
    }

    fn alternatives(&self) -> impl Iterator<Item = Element<'a>> {
        let list = self.names().and_then(|value| Elements(value).next());
        Elements(list.and_then(|it| it.of(SEQUENCE)).unwrap_or_default())
    }

    pub(super) fn host_names(&self) -> Vec<&'a str> {
        self.alternatives()
            .filter_map(|name| std::str::from_utf8(name.of(0x82)?).ok())
            .collect()
    }

    pub(super) fn addresses(&self) -> Vec<std::net::IpAddr> {
        self.alternatives()
            .filter_map(|name| {
                let bytes = name.of(0x87)?;
                let v4 = <[u8; 4]>::try_from(bytes).map(Into::into);
                v4.or_else(|_| <[u8; 16]>::try_from(bytes).map(Into::into))
                    .ok()
            })
            .collect()
    }

    /// The subject without its tag and length.
    pub(super) fn subject_content(&self) -> Option<&'a [u8]> {
        Elements(self.subject).next()?.of(SEQUENCE)
    }

    pub(super) fn common_name(&self) -> Option<&'a str> {
        self.attribute(oid::COMMON_NAME)
    }

    /// A name for messages.
    pub(super) fn label(&self) -> String {
        let name = self.common_name().filter(|name| !name.is_empty());
        let name = name.or_else(|| self.attribute(oid::ORGANIZATION));
        let serial = || {
            let number = self.serial.iter().skip_while(|byte| **byte == 0);
            let number: String = number.map(|byte| format!("{byte:02x}")).collect();
            format!("serial:{number}")
        };
        name.map_or_else(serial, str::to_owned)
    }

    /// The organizations of the subject: a user's groups.
    pub(super) fn organizations(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.attributes(oid::ORGANIZATION)
    }

    fn attribute(&self, id: &'static [u8]) -> Option<&'a str> {
        self.attributes(id).next()
    }

    fn attributes(&self, id: &'static [u8]) -> impl Iterator<Item = &'a str> + use<'a> {
        let sets = Elements(self.subject_content().unwrap_or_default());
        let pairs = sets.flat_map(|set| Elements(set.content));
        pairs.filter_map(move |pair| {
            let mut pair = Elements(pair.of(SEQUENCE)?);
            (pair.next()?.of(OID)? == id).then_some(())?;
            std::str::from_utf8(pair.next()?.content).ok()
        })
    }
}

/// Returns the bytes of a bit string.
fn bits(element: Element<'_>) -> Option<&[u8]> {
    element.of(BIT_STRING)?.split_first().map(|(_, bits)| bits)
}

fn read_extension(element: Element<'_>) -> Option<Extension<'_>> {
    let mut fields = Elements(element.of(SEQUENCE)?).peekable();
    let id = fields.next()?.of(OID)?;
    let critical = fields.next_if(|field| field.tag == BOOLEAN);
    Some(Extension {
        id,
        is_critical: critical.is_some_and(|it| it.content != [0]),
        value: fields.next()?.of(OCTET_STRING)?,
    })
}

fn read_time(element: Element<'_>) -> Option<Timestamp> {
    let text = std::str::from_utf8(element.content).ok()?;
    let (year, rest) = match element.tag {
        UTC_TIME => {
            let (year, rest) = text.split_at_checked(2)?;
            let year: i16 = year.parse().ok()?;
            (year + if year < 50 { 2000 } else { 1900 }, rest)
        }
        GENERALIZED_TIME => {
            let (year, rest) = text.split_at_checked(4)?;
            (year.parse().ok()?, rest)
        }
        _ => return None,
    };
    let part = |at: usize| rest.get(at..at + 2)?.parse::<i8>().ok();
    let time = DateTime::new(year, part(0)?, part(2)?, part(4)?, part(6)?, part(8)?, 0).ok()?;
    (rest.get(10..) == Some("Z")).then_some(())?;
    let time = time.to_zoned(TimeZone::UTC).ok()?;
    Some(time.timestamp())
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
