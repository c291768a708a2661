//! Texts, patterns and named formats.

use super::super::{Outcome, Stop, Val, operators};
use crate::field::go_quote;
use crate::pattern::Pattern;

/// The functions of this library.
pub(super) const NAMES: [&str; 19] = [
    "charAt",
    "indexOf",
    "lastIndexOf",
    "lowerAscii",
    "upperAscii",
    "replace",
    "split",
    "substring",
    "trim",
    "join",
    "reverse",
    "quote",
    "find",
    "findAll",
    "validate",
    "dns1123Label",
    "dns1123Subdomain",
    "dns1035Label",
    "uuid",
];

pub(super) fn call<'v>(name: &str, args: &[Val<'v>]) -> Option<Outcome<'v>> {
    let text = |text: String| Ok(Val::text(text));
    Some(match (name, args) {
        ("charAt", [Val::String(own), Val::Int(at)]) => char_at(own, *at),
        ("indexOf", [Val::String(own), Val::String(part)]) => index_of(own, part, 0),
        ("indexOf", [Val::String(own), Val::String(part), Val::Int(from)]) => {
            index_of(own, part, *from)
        }
        ("lastIndexOf", [Val::String(own), Val::String(part)]) => last_index_of(own, part),
        ("lowerAscii", [Val::String(own)]) => text(own.to_ascii_lowercase()),
        ("upperAscii", [Val::String(own)]) => text(own.to_ascii_uppercase()),
        ("replace", [Val::String(own), Val::String(from), Val::String(to)]) => {
            text(own.replace(&**from, to))
        }
        (
            "replace",
            [
                Val::String(own),
                Val::String(from),
                Val::String(to),
                Val::Int(most),
            ],
        ) => text(match usize::try_from(*most) {
            Ok(most) => own.replacen(&**from, to, most),
            Err(_) => own.replace(&**from, to),
        }),
        ("split", [Val::String(own), Val::String(by)]) => Ok(split(own, by, -1)),
        ("split", [Val::String(own), Val::String(by), Val::Int(most)]) => Ok(split(own, by, *most)),
        ("substring", [Val::String(own), Val::Int(from)]) => substring(
            own,
            *from,
            i64::try_from(own.chars().count()).unwrap_or(i64::MAX),
        ),
        ("substring", [Val::String(own), Val::Int(from), Val::Int(to)]) => {
            substring(own, *from, *to)
        }
        ("trim", [Val::String(own)]) => text(own.trim().to_owned()),
        ("reverse", [Val::String(own)]) => text(own.chars().rev().collect()),
        ("strings.quote", [Val::String(own)]) => text(go_quote(own)),
        ("join", [list]) => join(list, "")?,
        ("join", [list, Val::String(by)]) => join(list, by)?,
        ("find", [Val::String(own), Val::String(pattern)]) => text(
            Pattern::new(pattern)
                .find_all(own, 1)
                .into_iter()
                .next()
                .unwrap_or_default()
                .to_owned(),
        ),
        ("findAll", [Val::String(own), Val::String(pattern)]) => {
            Ok(texts(&Pattern::new(pattern).find_all(own, usize::MAX)))
        }
        ("findAll", [Val::String(own), Val::String(pattern), Val::Int(most)]) => {
            let most = usize::try_from(*most).unwrap_or(usize::MAX);
            Ok(texts(&Pattern::new(pattern).find_all(own, most)))
        }
        ("format.dns1123Label", []) => Ok(Val::Format("dns1123Label")),
        ("format.dns1123Subdomain", []) => Ok(Val::Format("dns1123Subdomain")),
        ("format.dns1035Label", []) => Ok(Val::Format("dns1035Label")),
        ("format.uuid", []) => Ok(Val::Format("uuid")),
        ("validate", [Val::Format(format), Val::String(own)]) => Ok(validated(format, own)),
        _ => return None,
    })
}

fn texts<'v>(parts: &[&str]) -> Val<'v> {
    Val::list(parts.iter().map(|part| Val::text(*part)).collect())
}

fn out_of_range<'v>(at: i64) -> Outcome<'v> {
    Err(Stop::error(format!("index out of range: {at}")))
}

fn char_at<'v>(own: &str, at: i64) -> Outcome<'v> {
    let count = own.chars().count();
    match usize::try_from(at) {
        Ok(index) if index == count => Ok(Val::text("")),
        Ok(index) if index < count => Ok(Val::text(
            own.chars().skip(index).take(1).collect::<String>(),
        )),
        _ => out_of_range(at),
    }
}

fn position<'v>(own: &str, at: Option<usize>) -> Outcome<'v> {
    let count = at.map(|at| own.get(..at).unwrap_or_default().chars().count());
    Ok(Val::Int(count.map_or(-1, |count| {
        i64::try_from(count).unwrap_or(i64::MAX)
    })))
}

fn index_of<'v>(own: &str, part: &str, from: i64) -> Outcome<'v> {
    let Some(start) = usize::try_from(from)
        .ok()
        .filter(|from| *from <= own.chars().count())
    else {
        return out_of_range(from);
    };
    let start = own
        .char_indices()
        .nth(start)
        .map_or(own.len(), |(at, _)| at);
    let found = own.get(start..).and_then(|rest| rest.find(part));
    position(own, found.map(|at| at + start))
}

fn last_index_of<'v>(own: &str, part: &str) -> Outcome<'v> {
    position(own, own.rfind(part))
}

/// As Go's `strings.SplitN`: each character for an empty separator, nothing for a count of 0.
fn split<'v>(own: &str, by: &str, most: i64) -> Val<'v> {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let mut parts: Vec<&str> = Vec::new();
    let mut rest = own;
    if most == 0 {
        return texts(&parts);
    }
    loop {
        let next = if parts.len() + 1 >= most {
            None
        } else if by.is_empty() {
            let width = rest.chars().next().map_or(0, char::len_utf8);
            (width < rest.len()).then(|| rest.split_at(width))
        } else {
            rest.split_once(by)
        };
        match next {
            Some((part, after)) => {
                parts.push(part);
                rest = after;
            }
            None => {
                if !(by.is_empty() && rest.is_empty()) {
                    parts.push(rest);
                }
                break;
            }
        }
    }
    texts(&parts)
}

fn substring<'v>(own: &str, from: i64, to: i64) -> Outcome<'v> {
    let count = i64::try_from(own.chars().count()).unwrap_or(i64::MAX);
    if from < 0 || from > count {
        return out_of_range(from);
    }
    if to < 0 || to > count {
        return out_of_range(to);
    }
    if from > to {
        return Err(Stop::error(format!(
            "invalid substring range. start: {from}, end: {to}"
        )));
    }
    let (skip, take) = (
        usize::try_from(from).unwrap_or(0),
        usize::try_from(to - from).unwrap_or(0),
    );
    Ok(Val::text(
        own.chars().skip(skip).take(take).collect::<String>(),
    ))
}

fn join<'v>(list: &Val<'v>, by: &str) -> Option<Outcome<'v>> {
    let join = || {
        let items = list.items().unwrap_or_else(|| Err(Stop::no_overload()))?;
        let texts: Option<Vec<String>> = items
            .iter()
            .map(|item| match item {
                Val::String(_) => operators::shown(item),
                _ => None,
            })
            .collect();
        Ok(Val::text(texts.ok_or_else(Stop::no_overload)?.join(by)))
    };
    list.items().is_some().then(join)
}

/// The faults of a text in a named format; none if it holds.
fn validated<'v>(format: &str, text: &str) -> Val<'v> {
    let fault = match format {
        "dns1123Label" => kube_names::label_fault(text),
        "dns1123Subdomain" => kube_names::subdomain_fault(text),
        "dns1035Label" => kube_names::label_1035_fault(text),
        _ => (crate::formats::matches("uuid", text) == Some(false))
            .then(|| "does not match the UUID format".to_owned()),
    };
    fault.map_or(Val::Optional(None), |fault| Val::some(texts(&[&fault])))
}
