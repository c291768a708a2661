//! Parses and validates the addresses of a spec.

use std::net::IpAddr;

use ipnet::IpNet;

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
            Self::Cidr(_) | Self::HostBits { .. } | Self::TooSmall(_) => "InvalidCIDR",
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
    let cidr: IpNet = spec
        .cidr
        .parse()
        .map_err(|_| InvalidSpec::Cidr(quoted(&spec.cidr)))?;
    if cidr.trunc() != cidr {
        return Err(InvalidSpec::HostBits {
            given: cidr,
            network: cidr.trunc(),
        });
    }
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
        check("0.0.0.0/0", "10.0.0.1", Ok(()));
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
