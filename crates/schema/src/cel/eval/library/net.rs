//! IP addresses and ranges of them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::super::{Outcome, Stop, Val};
use crate::field::go_quote;

pub(super) fn call<'v>(name: &str, args: &[Val<'v>]) -> Option<Outcome<'v>> {
    let truth = |value: bool| Ok(Val::Bool(value));
    Some(match (name, args) {
        ("ip", [Val::String(text)]) => read_ip(text).map(Val::Ip),
        ("isIP", [Val::String(text)]) => truth(read_ip(text).is_ok()),
        ("ip.isCanonical", [Val::String(text)]) => {
            read_ip(text).map(|ip| Val::Bool(ip.to_string() == **text))
        }
        ("ip", [Val::Cidr(ip, _)]) => Ok(Val::Ip(*ip)),
        ("family", [Val::Ip(ip)]) => Ok(Val::Int(if ip.is_ipv4() { 4 } else { 6 })),
        ("isUnspecified", [Val::Ip(ip)]) => truth(ip.is_unspecified()),
        ("isLoopback", [Val::Ip(ip)]) => truth(ip.is_loopback()),
        ("isLinkLocalMulticast", [Val::Ip(ip)]) => truth(is_link_local_multicast(*ip)),
        ("isLinkLocalUnicast", [Val::Ip(ip)]) => truth(is_link_local(*ip)),
        ("isGlobalUnicast", [Val::Ip(ip)]) => truth(is_global_unicast(*ip)),
        ("cidr", [Val::String(text)]) => read_cidr(text).map(|(ip, bits)| Val::Cidr(ip, bits)),
        ("isCIDR", [Val::String(text)]) => truth(read_cidr(text).is_ok()),
        ("containsIP", [Val::Cidr(net, bits), Val::Ip(ip)]) => truth(contains(*net, *bits, *ip)),
        ("containsIP", [Val::Cidr(net, bits), Val::String(text)]) => {
            read_ip(text).map(|ip| Val::Bool(contains(*net, *bits, ip)))
        }
        ("containsCIDR", [Val::Cidr(net, bits), Val::Cidr(ip, inner)]) => {
            truth(inner >= bits && contains(*net, *bits, *ip))
        }
        ("containsCIDR", [Val::Cidr(net, bits), Val::String(text)]) => read_cidr(text)
            .map(|(ip, inner)| Val::Bool(inner >= *bits && contains(*net, *bits, ip))),
        ("prefixLength", [Val::Cidr(_, bits)]) => Ok(Val::Int(i64::from(*bits))),
        ("masked", [Val::Cidr(ip, bits)]) => Ok(Val::Cidr(masked(*ip, *bits), *bits)),
        _ => return None,
    })
}

/// Parses an address, without a zone and not IPv4-mapped.
fn read_ip(text: &str) -> Result<IpAddr, Stop> {
    match text.parse() {
        Ok(IpAddr::V6(ip)) if ip.to_ipv4_mapped().is_some() => Err(Stop::error(format!(
            "IP Address {} parsed as IPv4-mapped IPv6 address is not allowed",
            go_quote(text)
        ))),
        Ok(ip) => Ok(ip),
        Err(_) => Err(Stop::error(format!(
            "IP Address {} parse error during conversion from string: ParseAddr({}): unable to parse IP",
            go_quote(text),
            go_quote(text)
        ))),
    }
}

fn read_cidr(text: &str) -> Result<(IpAddr, u8), Stop> {
    let fault = || {
        Stop::error(format!(
            "network address parse error during conversion from string: netip.ParsePrefix({}): no '/'",
            go_quote(text)
        ))
    };
    let (ip, bits) = text.split_once('/').ok_or_else(fault)?;
    let ip = read_ip(ip).map_err(|_| fault())?;
    let plain =
        bits.bytes().all(|digit| digit.is_ascii_digit()) && (bits == "0" || !bits.starts_with('0'));
    let bits: u8 = bits.parse().ok().filter(|_| plain).ok_or_else(fault)?;
    let most = if ip.is_ipv4() { 32 } else { 128 };
    if bits > most {
        Err(fault())
    } else {
        Ok((ip, bits))
    }
}

fn masked(ip: IpAddr, bits: u8) -> IpAddr {
    match ip {
        IpAddr::V4(ip) => {
            let mask = u32::MAX.checked_shl(32 - u32::from(bits)).unwrap_or(0);
            Ipv4Addr::from_bits(ip.to_bits() & mask).into()
        }
        IpAddr::V6(ip) => {
            let mask = u128::MAX.checked_shl(128 - u32::from(bits)).unwrap_or(0);
            Ipv6Addr::from_bits(ip.to_bits() & mask).into()
        }
    }
}

fn contains(net: IpAddr, bits: u8, ip: IpAddr) -> bool {
    net.is_ipv4() == ip.is_ipv4() && masked(net, bits) == masked(ip, bits)
}

fn is_link_local_multicast(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.octets().starts_with(&[224, 0, 0]),
        IpAddr::V6(ip) => ip.segments()[0] & 0xff0f == 0xff02,
    }
}

fn is_link_local(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_unicast_link_local(),
    }
}

fn is_global_unicast(ip: IpAddr) -> bool {
    let broadcast = matches!(ip, IpAddr::V4(ip) if ip.is_broadcast());
    !(broadcast
        || ip.is_unspecified()
        || ip.is_loopback()
        || ip.is_multicast()
        || is_link_local(ip))
}
