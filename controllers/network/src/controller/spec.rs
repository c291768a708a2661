//! Parses and validates the addresses of a spec.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

use crate::apis::samplecrd::v1::NetworkSpec;
use crate::backend::Addresses;

/// The maximum length of a value quoted in a message.
const QUOTED: usize = 64;

/// Why a spec cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSpec {
    /// The range is malformed.
    #[error(
        "spec.cidr: {0:?} is not an address range: write one such as 192.168.0.0/16 or fd00::/64"
    )]
    Cidr(String),
    /// The range has host bits.
    #[error("spec.cidr: {given} has host bits: write {network}")]
    HostBits {
        /// The range in the spec.
        given: IpNet,
        /// The enclosing range without host bits.
        network: IpNet,
    },
    /// The range overlaps one that is reserved for another purpose.
    #[error("spec.cidr: {cidr} overlaps {reserved} ({purpose}): take another range")]
    Reserved {
        /// The range in the spec.
        cidr: IpNet,
        /// The reserved range.
        reserved: IpNet,
        /// What it is reserved for.
        purpose: &'static str,
    },
    /// The range has no room for a gateway and a host.
    #[error("spec.cidr: {0} is too small: a network needs 4 addresses at least")]
    TooSmall(IpNet),
    /// The gateway is not an address.
    #[error("spec.gateway: {0:?} is not an IP address: write one such as 192.168.0.1 or fd00::1")]
    Gateway(String),
    /// The gateway lies outside the range.
    #[error("spec.gateway: {gateway} is not in {cidr}")]
    GatewayOutside {
        /// The gateway.
        gateway: IpAddr,
        /// The range.
        cidr: IpNet,
    },
    /// The gateway is the range's own address or its broadcast address.
    #[error(
        "spec.gateway: {gateway} is the {what} address of {cidr}: take another of its addresses"
    )]
    GatewayReserved {
        /// The gateway.
        gateway: IpAddr,
        /// The range.
        cidr: IpNet,
        /// `network` or `broadcast`.
        what: &'static str,
    },
}

impl InvalidSpec {
    /// The reason for conditions and events, in UpperCamelCase.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Cidr(_) | Self::HostBits { .. } | Self::Reserved { .. } | Self::TooSmall(_) => {
                "InvalidCIDR"
            }
            Self::Gateway(_) => "InvalidGateway",
            Self::GatewayOutside { .. } => "GatewayOutsideCIDR",
            Self::GatewayReserved { .. } => "InvalidGateway",
        }
    }
}

/// Returns the addresses that `spec` requests.
///
/// # Errors
///
/// If the spec is invalid; the message contains the correction.
pub fn addresses(spec: &NetworkSpec) -> Result<Addresses, InvalidSpec> {
    let cidr = check_range(&spec.cidr)?;
    if cidr.max_prefix_len() - cidr.prefix_len() < 2 {
        return Err(InvalidSpec::TooSmall(cidr));
    }
    let gateway: IpAddr = spec
        .gateway
        .parse()
        .map_err(|_| InvalidSpec::Gateway(quoted(&spec.gateway)))?;
    let reserved = |what| InvalidSpec::GatewayReserved {
        gateway,
        cidr,
        what,
    };
    if !cidr.contains(&gateway) {
        return Err(InvalidSpec::GatewayOutside { gateway, cidr });
    }
    if gateway == cidr.network() {
        return Err(reserved("network"));
    }
    // IPv6 has no broadcast address.
    if gateway.is_ipv4() && gateway == cidr.broadcast() {
        return Err(reserved("broadcast"));
    }
    Ok(Addresses { cidr, gateway })
}

/// Ranges that no network can have, by the registries of IANA.
const RESERVED: [(IpNet, &str); 10] = [
    (four([0, 0, 0, 0], 8), "this network"),
    (four([127, 0, 0, 0], 8), "loopback"),
    (four([169, 254, 0, 0], 16), "link-local"),
    (four([224, 0, 0, 0], 4), "multicast"),
    (four([255, 255, 255, 255], 32), "broadcast"),
    (six(0, 128), "the unspecified address"),
    (six(1, 128), "loopback"),
    (six(0xffff_0000_0000, 96), "IPv4-mapped addresses"),
    (six(0xfe80 << 112, 10), "link-local"),
    (six(0xff00 << 112, 8), "multicast"),
];

const fn four(address: [u8; 4], prefix: u8) -> IpNet {
    let [a, b, c, d] = address;
    IpNet::V4(Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix))
}

const fn six(address: u128, prefix: u8) -> IpNet {
    IpNet::V6(Ipv6Net::new_assert(Ipv6Addr::from_bits(address), prefix))
}

fn check_purpose(cidr: IpNet) -> Result<(), InvalidSpec> {
    let reserved = RESERVED.iter().find(|(range, _)| overlap(range, &cidr));
    reserved.map_or(Ok(()), |&(reserved, purpose)| {
        Err(InvalidSpec::Reserved {
            cidr,
            reserved,
            purpose,
        })
    })
}

/// Parses a range. Leading zeros are refused, as in Go: some programs read `010` as octal.
pub fn parse_range(text: &str) -> Option<IpNet> {
    let (address, prefix) = text.split_once('/')?;
    let address: IpAddr = address.parse().ok()?;
    let length: u8 = prefix.parse().ok()?;
    let range = IpNet::new(address, length).ok()?;
    (prefix == length.to_string()).then_some(range)
}

/// Parses a range that networks can have.
///
/// # Errors
///
/// If it is malformed, has host bits, or is reserved for another purpose.
pub fn check_range(text: &str) -> Result<IpNet, InvalidSpec> {
    let cidr = parse_range(text).ok_or_else(|| InvalidSpec::Cidr(quoted(text)))?;
    if cidr.trunc() != cidr {
        return Err(InvalidSpec::HostBits {
            given: cidr,
            network: cidr.trunc(),
        });
    }
    check_purpose(cidr)?;
    Ok(cidr)
}

/// Whether two ranges overlap.
pub fn overlap(one: &IpNet, other: &IpNet) -> bool {
    one.contains(other) || other.contains(one)
}

fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(cidr: &str, gateway: &str, expected: Result<(), &str>) {
        let spec = NetworkSpec {
            cidr: cidr.to_owned(),
            gateway: gateway.to_owned(),
        };
        let found = addresses(&spec).map(drop);
        assert_eq!(
            found.map_err(|error| error.reason()),
            expected,
            "{cidr} {gateway}"
        );
    }

    #[test]
    fn addresses_of_both_families_are_checked() {
        check("192.168.0.0/16", "192.168.0.1", Ok(()));
        check("fd00::/64", "fd00::1", Ok(()));
        check("fd00::/64", "fd00::ffff:ffff:ffff:ffff", Ok(()));
        check("10.0.0.0/30", "10.0.0.1", Ok(()));
        for cidr in [
            "",
            "10.0.0.0",
            "10.0.0.0/33",
            "10.0.0.1/8",
            "fd00::/129",
            "/8",
            "10.0.0.0/31",
            "10.0.0.0/-1",
            "１０.0.0.0/8",
            "010.6.0.0/16",
            "10.6.0.0/016",
            "10.6.0.0/+16",
            "fd00::%1/64",
        ] {
            check(cidr, "10.0.0.1", Err("InvalidCIDR"));
        }
        for gateway in [
            "",
            "10.0.0.256",
            "gateway",
            "10.0.0.1/8",
            "10.0.0.0",
            "10.255.255.255",
            "010.0.0.1",
        ] {
            check("10.0.0.0/8", gateway, Err("InvalidGateway"));
        }
        for gateway in ["11.0.0.1", "fd00::1", "::ffff:10.0.0.1"] {
            check("10.0.0.0/8", gateway, Err("GatewayOutsideCIDR"));
        }
    }

    #[test]
    fn reserved_ranges_are_no_networks() {
        let check = |cidr: &str, expected: Option<&str>| {
            let found = check_purpose(parse_range(cidr).expect("a range"));
            let found = found.err().map(|error| error.to_string());
            let told =
                |expected| format!("spec.cidr: {cidr} overlaps {expected}: take another range");
            assert_eq!(found, expected.map(told), "{cidr}");
        };
        check("0.0.0.0/0", Some("0.0.0.0/8 (this network)"));
        check("127.1.0.0/16", Some("127.0.0.0/8 (loopback)"));
        check("169.254.0.0/16", Some("169.254.0.0/16 (link-local)"));
        check("239.0.0.0/8", Some("224.0.0.0/4 (multicast)"));
        check("255.255.255.0/24", Some("255.255.255.255/32 (broadcast)"));
        check("::/0", Some("::/128 (the unspecified address)"));
        check("::1/128", Some("::1/128 (loopback)"));
        check(
            "::ffff:10.0.0.0/104",
            Some("::ffff:0.0.0.0/96 (IPv4-mapped addresses)"),
        );
        check("fe80::/64", Some("fe80::/10 (link-local)"));
        check("ff02::/16", Some("ff00::/8 (multicast)"));
        for cidr in [
            "10.0.0.0/8",
            "100.64.0.0/10",
            "240.0.0.0/8",
            "fd00::/8",
            "2001:db8::/32",
        ] {
            check(cidr, None);
        }
    }

    #[test]
    fn a_range_with_host_bits_is_refused_with_the_one_that_it_lies_in() {
        let spec = NetworkSpec {
            cidr: "10.1.2.3/8".to_owned(),
            gateway: "10.0.0.1".to_owned(),
        };
        let error = addresses(&spec).expect_err("it has host bits").to_string();
        assert_eq!(
            error,
            "spec.cidr: 10.1.2.3/8 has host bits: write 10.0.0.0/8"
        );
    }

    #[test]
    fn a_long_text_is_quoted_in_part() {
        let long = "ä".repeat(100_000);
        assert!(quoted(&long).len() < 200);
    }

    #[test]
    fn ranges_overlap_if_one_lies_in_the_other() {
        let check = |one: &str, other: &str, expected| {
            let [one, other]: [IpNet; 2] = [one, other].map(|it| it.parse().expect("a range"));
            assert_eq!(overlap(&one, &other), expected, "{one} {other}");
            assert_eq!(overlap(&other, &one), expected, "{other} {one}");
        };
        check("10.0.0.0/8", "10.1.0.0/16", true);
        check("10.0.0.0/8", "10.0.0.0/8", true);
        check("10.0.0.0/16", "10.1.0.0/16", false);
        check("0.0.0.0/0", "::/0", false);
        check("fd00::/8", "fd12::/64", true);
    }
}
