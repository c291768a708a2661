//! Strings, patterns and named formats.

use super::super::{Outcome, Stop, Val, operators};
use crate::field::go_quote;
use crate::pattern::Pattern;

pub(super) fn call<'v>(name: &str, args: &[Val<'v>]) -> Option<Outcome<'v>> {
    let text = |text: String| Ok(Val::text(text));
    Some(match (name, args) {
        ("charAt", [Val::String(own), Val::Int(at)]) => char_at(own, *at),
        ("indexOf", [Val::String(own), Val::String(part)]) => index_of(own, part, 0),
        ("indexOf", [Val::String(own), Val::String(part), Val::Int(from)]) => {
            index_of(own, part, *from)
        }
        ("lastIndexOf", [Val::String(own), Val::String(part)]) => position(own, own.rfind(&**part)),
        ("lastIndexOf", [Val::String(own), Val::String(part), Val::Int(from)]) => {
            last_index_of(own, part, *from)
        }
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

/// Returns the last index of a substring that begins at or before a character.
fn last_index_of<'v>(own: &str, part: &str, from: i64) -> Outcome<'v> {
    if part.is_empty() {
        return Ok(Val::Int(from));
    }
    let Ok(from) = usize::try_from(from) else {
        return out_of_range(from);
    };
    let Some((start, _)) = own.char_indices().nth(from) else {
        return Ok(Val::Int(-1));
    };
    let end = own.len().min(start + part.len());
    let end = (end..=own.len()).find(|at| own.is_char_boundary(*at));
    let within = own.get(..end.unwrap_or(own.len())).unwrap_or(own);
    let found = within.rmatch_indices(part).map(|(at, _)| at);
    position(own, found.into_iter().find(|at| *at <= start))
}

/// Splits like Go's `strings.SplitN`: between characters for an empty separator, into no parts for
/// a count of 0.
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
