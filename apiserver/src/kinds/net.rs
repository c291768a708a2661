//! Validation of addresses, address ranges, ports and names of ports, worded as
//! `k8s.io/apimachinery/pkg/util/validation` does.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use serde_json::Value;

use super::check::one_of;
use crate::field::FieldError;

/// The longest name of a port.
const NAME_LIMIT: usize = 15;

/// Why a text is not an IP address, or `None` when it is one.
pub(super) fn ip_fault(text: &str) -> Option<&'static str> {
    match text.parse::<IpAddr>() {
        Ok(address) if is_mapped(address) => Some("must not be an IPv4-mapped IPv6 address"),
        Ok(_) => None,
        Err(_) if without_zeros(text).is_some() => Some("must not have leading 0s"),
        Err(_) => Some("must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"),
    }
}

/// An address range: its first address and the length of its prefix in bits.
pub(super) type Range = (IpAddr, u32);

/// Reads an address range, such as `10.0.0.0/8`.
///
/// # Errors
/// Why the text is not one.
pub(super) fn read_cidr(text: &str) -> Result<Range, &'static str> {
    const INVALID: &str = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
    let (address, length) = text.split_once('/').ok_or(INVALID)?;
    let parsed = address.parse::<IpAddr>().ok();
    let (ip, bits) = parsed
        .or_else(|| without_zeros(address).map(IpAddr::V4))
        .zip(prefix_length(length))
        .ok_or(INVALID)?;
    if bits > width(ip) {
        return Err(INVALID);
    }
    if parsed.is_none() || (length.len() > 1 && length.starts_with('0')) {
        return Err("must not have leading 0s in IP or prefix length");
    }
    if is_mapped(ip) {
        return Err("must not have an IPv4-mapped IPv6 address");
    }
    if first_address(ip, bits) != ip {
        return Err("must not have bits set beyond the prefix length");
    }
    Ok((ip, bits))
}

/// Whether a range contains an address.
pub(super) fn contains((first, bits): Range, address: IpAddr) -> bool {
    first.is_ipv4() == address.is_ipv4()
        && first_address(first, bits) == first_address(address, bits)
}

/// Returns an address without the bits beyond the prefix.
fn first_address(address: IpAddr, bits: u32) -> IpAddr {
    match address {
        IpAddr::V4(ip) => {
            let mask = u32::MAX.checked_shl(32 - bits).unwrap_or(0);
            Ipv4Addr::from_bits(ip.to_bits() & mask).into()
        }
        IpAddr::V6(ip) => {
            let mask = u128::MAX.checked_shl(128 - bits).unwrap_or(0);
            Ipv6Addr::from_bits(ip.to_bits() & mask).into()
        }
    }
}

fn width(address: IpAddr) -> u32 {
    if address.is_ipv4() { 32 } else { 128 }
}

fn prefix_length(text: &str) -> Option<u32> {
    let is_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

fn is_mapped(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(ip) if ip.to_ipv4_mapped().is_some())
}

/// Reads an IPv4 address whose numbers may have leading zeros, which Go once ignored.
fn without_zeros(text: &str) -> Option<Ipv4Addr> {
    let parts: Vec<&str> = text.split('.').collect();
    if parts.iter().any(|part| part.is_empty()) {
        return None;
    }
    let trimmed = parts.iter().map(|part| match part.trim_start_matches('0') {
        "" => "0",
        digits => digits,
    });
    trimmed.collect::<Vec<_>>().join(".").parse().ok()
}

/// Checks that traffic can be sent to an address from anywhere in the cluster.
pub(super) fn reachable_ip(path: &str, text: &str, errors: &mut Vec<FieldError>) {
    let Ok(address) = text.parse::<IpAddr>() else {
        errors.push(FieldError::invalid(
            path,
            text,
            "must be a valid IP address",
        ));
        return;
    };
    let (link_local, group) = match address {
        IpAddr::V4(ip) => (
            ip.is_link_local(),
            ip.is_multicast() && ip.octets()[..3] == [224, 0, 0],
        ),
        IpAddr::V6(ip) => (
            ip.is_unicast_link_local(),
            ip.is_multicast() && ip.segments()[0] & 0xf == 2,
        ),
    };
    let faults = [
        (
            address.is_unspecified(),
            format!("may not be unspecified ({text})"),
        ),
        (
            address.is_loopback(),
            "may not be in the loopback range (127.0.0.0/8, ::1/128)".to_owned(),
        ),
        (
            link_local,
            "may not be in the link-local range (169.254.0.0/16, fe80::/10)".to_owned(),
        ),
        (
            group,
            "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)".to_owned(),
        ),
    ];
    for (_, detail) in faults.into_iter().filter(|(applies, _)| *applies) {
        errors.push(FieldError::invalid(path, text, detail));
    }
}

/// Checks the number of a port.
pub(super) fn port_number(path: impl Into<String>, number: i64, errors: &mut Vec<FieldError>) {
    if !(1..=65535).contains(&number) {
        let detail = "must be between 1 and 65535, inclusive";
        errors.push(FieldError::invalid(path, number, detail));
    }
}

/// Checks the protocol of a port; `path` is the port's.
pub(super) fn protocol(path: &str, port: &Value, errors: &mut Vec<FieldError>) {
    let path = format!("{path}.protocol");
    one_of(path, &port["protocol"], &["SCTP", "TCP", "UDP"], errors);
}

/// Checks a reference to a port: its number or its name.
pub(super) fn port_or_name(path: &str, port: &Value, errors: &mut Vec<FieldError>) {
    match port {
        Value::String(name) => {
            for fault in port_name_faults(name) {
                errors.push(FieldError::invalid(path, name.as_str(), fault));
            }
        }
        number => port_number(path, number.as_i64().unwrap_or_default(), errors),
    }
}

/// Why a text cannot be the name of a port.
pub(super) fn port_name_faults(name: &str) -> Vec<&'static str> {
    let is_allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    let faults = [
        (
            name.len() > NAME_LIMIT,
            "must be no more than 15 characters",
        ),
        (
            name.is_empty() || !name.bytes().all(is_allowed),
            "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
        ),
        (
            !name.bytes().any(|b| b.is_ascii_lowercase()),
            "must contain at least one letter (a-z)",
        ),
        (name.contains("--"), "must not contain consecutive hyphens"),
        (
            name.starts_with('-') || name.ends_with('-'),
            "must not begin or end with a hyphen",
        ),
    ];
    let applying = faults.into_iter().filter(|(applies, _)| *applies);
    applying.map(|(_, fault)| fault).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(address: &str, fault: Option<&str>) {
        let found = ip_fault(address);
        assert_eq!(found.is_some(), fault.is_some(), "{address}");
        assert!(
            found
                .unwrap_or_default()
                .contains(fault.unwrap_or_default())
        );
    }

    #[test]
    fn addresses_are_strict() {
        check("10.0.0.1", None);
        check("fd00::1", None);
        check("010.0.0.1", Some("leading 0s"));
        check("::ffff:1.2.3.4", Some("IPv4-mapped"));
        check("10.0.0", Some("valid IP address"));
        check("10..0.1", Some("valid IP address"));
        check("", Some("valid IP address"));
    }

    #[test]
    fn ranges_start_at_their_first_address() {
        for good in ["10.0.0.0/8", "0.0.0.0/0", "10.1.2.3/32", "fd00::/8", "::/0"] {
            assert!(read_cidr(good).is_ok(), "{good}");
        }
        for bad in [
            "text",
            "10.0.0.0",
            "10.0.0.0/33",
            "10.0.0.0/",
            "10.0.0.0/+8",
            "10.0.0.1/8",
            "10.0.0.0/08",
            "010.0.0.0/8",
            "::ffff:0.0.0.0/96",
        ] {
            assert!(read_cidr(bad).is_err(), "{bad}");
        }
        let range = read_cidr("10.0.0.0/16").unwrap();
        assert!(contains(range, "10.0.255.1".parse().unwrap()));
        assert!(!contains(range, "10.1.0.0".parse().unwrap()));
        assert!(!contains(range, "fd00::1".parse().unwrap()));
    }

    #[test]
    fn names_of_ports_are_short_and_have_a_letter() {
        for good in ["http", "a", "8a-b"] {
            assert!(port_name_faults(good).is_empty(), "{good}");
        }
        for (bad, count) in [
            ("", 2),
            ("80", 1),
            ("-a--b", 2),
            ("A", 2),
            ("sixteen-letters-", 2),
        ] {
            assert_eq!(port_name_faults(bad).len(), count, "{bad}");
        }
    }
}
