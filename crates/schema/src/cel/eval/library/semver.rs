//! Functions of semantic versions.

use std::rc::Rc;

use super::super::types::semver::{normal, read};
use super::super::{Outcome, Stop, Val};
use crate::field::go_quote;

pub(super) fn call<'v>(name: &str, args: &[Val<'v>]) -> Option<Outcome<'v>> {
    let number = |value: u64| Ok(Val::Int(i64::try_from(value).unwrap_or(i64::MAX)));
    let fault = |text: &str| {
        Stop::error(format!(
            "No Major.Minor.Patch elements found in {}",
            go_quote(text)
        ))
    };
    Some(match (name, args) {
        ("semver", [Val::String(text)]) => read(text)
            .map(|version| Val::Semver(Rc::new(version)))
            .ok_or_else(|| fault(text)),
        ("isSemver", [Val::String(text)]) => Ok(Val::Bool(read(text).is_some())),
        ("semver" | "isSemver", [Val::String(text), Val::Bool(lenient)]) => {
            let read = if *lenient {
                read(&normal(text))
            } else {
                read(text)
            };
            match (name, read) {
                ("isSemver", read) => Ok(Val::Bool(read.is_some())),
                (_, Some(version)) => Ok(Val::Semver(Rc::new(version))),
                (_, None) => Err(fault(text)),
            }
        }
        ("major", [Val::Semver(version)]) => number(version.numbers[0]),
        ("minor", [Val::Semver(version)]) => number(version.numbers[1]),
        ("patch", [Val::Semver(version)]) => number(version.numbers[2]),
        ("isGreaterThan", [Val::Semver(a), Val::Semver(b)]) => Ok(Val::Bool(a.order(b).is_gt())),
        ("isLessThan", [Val::Semver(a), Val::Semver(b)]) => Ok(Val::Bool(a.order(b).is_lt())),
        ("compareTo", [Val::Semver(a), Val::Semver(b)]) => Ok(Val::Int(a.order(b) as i64)),
        _ => return None,
    })
}
