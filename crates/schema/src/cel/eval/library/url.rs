//! Functions of URLs.

use std::rc::Rc;

use super::super::types::url::read;
use super::super::{Outcome, Stop, Val};
use crate::field::go_quote;

pub(super) fn call<'v>(name: &str, args: &[Val<'v>]) -> Option<Outcome<'v>> {
    Some(match (name, args) {
        ("url", [Val::String(text)]) => match read(text) {
            Some(url) => Ok(Val::Url(Rc::new(url))),
            None => Err(Stop::error(format!(
                "URL parse error during conversion from string: parse {}: invalid URI for request",
                go_quote(text)
            ))),
        },
        ("isURL", [Val::String(text)]) => Ok(Val::Bool(read(text).is_some())),
        ("getScheme", [Val::Url(url)]) => Ok(Val::text(url.scheme.as_str())),
        ("getHost", [Val::Url(url)]) => Ok(Val::text(url.host.as_str())),
        ("getHostname", [Val::Url(url)]) => {
            let name = host_and_port(&url.host).0;
            Ok(Val::text(
                name.trim_start_matches('[').trim_end_matches(']'),
            ))
        }
        ("getPort", [Val::Url(url)]) => Ok(Val::text(host_and_port(&url.host).1)),
        ("getEscapedPath", [Val::Url(url)]) => Ok(Val::text(url.path.as_str())),
        ("getQuery", [Val::Url(url)]) => Ok(query(&url.query)),
        _ => return None,
    })
}

fn host_and_port(host: &str) -> (&str, &str) {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => (name, port),
        _ => (host, ""),
    }
}

/// Returns the parameters: a list of values for each name.
fn query<'v>(query: &str) -> Val<'v> {
    let mut found: Vec<(String, Vec<Val<'v>>)> = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (name, value) = (decoded(name), Val::text(decoded(value)));
        match found.iter_mut().find(|(known, _)| *known == name) {
            Some((_, values)) => values.push(value),
            None => found.push((name, vec![value])),
        }
    }
    let entries = found.into_iter();
    let entries: Vec<_> = entries
        .map(|(name, values)| (Val::text(name), Val::list(values)))
        .collect();
    Val::Map(entries.into())
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escape = after
            .get(..2)
            .and_then(|digits| std::str::from_utf8(digits).ok());
        let escape = escape.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match (*first, escape) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            (b'+', _) => {
                bytes.push(b' ');
                rest = after;
            }
            (byte, _) => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
