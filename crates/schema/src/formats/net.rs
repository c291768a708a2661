//! Addresses, host names and URIs.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use regex::Regex;

use super::regex;

static HOSTNAME: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|",
        r"([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}",
        r"([a-zA-Z\p{L}]){2,63})$"
    ))
});

/// Leading zeros are accepted, as by the API server.
pub(super) fn is_ipv4(text: &str) -> bool {
    let parts: Vec<&str> = text.split('.').collect();
    let octet = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|b| b.is_ascii_digit())
            && part.trim_start_matches('0').len() <= 3
            && part.parse::<u32>().is_ok_and(|n| n <= 255)
    };
    parts.len() == 4 && parts.into_iter().all(octet) && text.len() <= 64
}

pub(super) fn is_ipv6(text: &str) -> bool {
    text.parse::<Ipv6Addr>().is_ok()
}

pub(super) fn is_cidr(text: &str) -> bool {
    let Some((address, bits)) = text.split_once('/') else {
        return false;
    };
    let limit = match (
        address.parse::<Ipv4Addr>().is_ok() || is_ipv4(address),
        is_ipv6(address),
    ) {
        (true, _) => 32,
        (_, true) => 128,
        _ => return false,
    };
    !bits.is_empty()
        && bits.bytes().all(|b| b.is_ascii_digit())
        && bits.parse::<u32>().is_ok_and(|n| n <= limit)
}

/// Six, eight or twenty octets in hexadecimal, separated by colons or hyphens, or by dots between
/// pairs of octets.
pub(super) fn is_mac(text: &str) -> bool {
    let hex = |part: &str, length: usize| {
        part.len() == length && part.bytes().all(|b| b.is_ascii_hexdigit())
    };
    for (separator, length, counts) in [
        (':', 2, [6, 8, 20]),
        ('-', 2, [6, 8, 20]),
        ('.', 4, [3, 4, 10]),
    ] {
        let parts: Vec<&str> = text.split(separator).collect();
        if counts.contains(&parts.len()) && parts.iter().all(|part| hex(part, length)) {
            return true;
        }
    }
    false
}

pub(super) fn is_hostname(text: &str) -> bool {
    text.len() <= 255 && text.split('.').all(|part| part.len() <= 63) && HOSTNAME.is_match(text)
}

/// An absolute URI or an absolute path, as accepted by Go's `url.ParseRequestURI`.
pub(super) fn is_request_uri(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.iter().any(|b| *b < b' ' || *b == 0x7f) || bytes.is_empty() {
        return false;
    }
    let escapes_hold = |part: &str| {
        part.split('%').skip(1).all(|after| {
            after
                .get(..2)
                .is_some_and(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()))
        })
    };
    let path = text.split('?').next().unwrap_or_default();
    if path.starts_with('/') {
        return escapes_hold(path);
    }
    if text == "*" {
        return true;
    }
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let scheme_holds = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
    if !scheme_holds {
        return false;
    }
    let rest = rest.split('?').next().unwrap_or_default();
    match rest.strip_prefix("//") {
        Some(after) => {
            let (authority, path) = after.split_at(after.find('/').unwrap_or(after.len()));
            let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
            escapes_hold(path) && is_user(user) && escapes_hold(user) && is_host(host)
        }
        // An opaque URI (`mailto:a@b`) is accepted unchanged.
        None => rest.starts_with('/') && escapes_hold(rest) || !rest.starts_with('/'),
    }
}

fn is_user(user: &str) -> bool {
    user.bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&b))
}

fn is_host(host: &str) -> bool {
    let port_holds = |port: &str| port.bytes().all(|b| b.is_ascii_digit());
    if let Some(rest) = host.strip_prefix('[') {
        return rest.split_once(']').is_some_and(|(address, after)| {
            is_ipv6(address.split("%25").next().unwrap_or_default())
                && (after.is_empty() || after.strip_prefix(':').is_some_and(port_holds))
        });
    }
    let (name, port) = host.rsplit_once(':').unwrap_or((host, ""));
    port_holds(port)
        && !name.contains([' ', '"', '<', '>', '^', '`', '{', '|', '}', '\\', '[', ']'])
}

/// An address, with or without a display name, as accepted by Go's `mail.ParseAddress`; comments
/// are not supported.
pub(super) fn is_email(text: &str) -> bool {
    let text = text.trim_matches([' ', '\t']);
    let address = match text.strip_suffix('>') {
        Some(head) => match head.rsplit_once('<') {
            Some((_, address)) => address,
            None => return false,
        },
        None => text,
    };
    let Some((local, domain)) = address.rsplit_once('@') else {
        return false;
    };
    let atom = |part: &str| {
        !part.is_empty()
            && part.chars().all(|c| {
                !c.is_ascii() || c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c)
            })
    };
    let quoted = local.len() >= 3 && local.starts_with('"') && local.ends_with('"');
    let literal = domain
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    (quoted || local.split('.').all(atom))
        && literal.map_or_else(
            || domain.split('.').all(atom),
            |address| is_ipv4(address) || is_ipv6(address),
        )
}
