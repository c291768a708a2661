//! Functions of quantities.

use std::cmp::Ordering;

use super::super::types::quantity::{Amount, UNIT, beyond};
use super::super::{Outcome, Stop, Val};

/// The functions of this library.
pub(super) const NAMES: [&str; 11] = [
    "quantity",
    "isQuantity",
    "sign",
    "isGreaterThan",
    "isLessThan",
    "compareTo",
    "asApproximateFloat",
    "asInteger",
    "isInteger",
    "add",
    "sub",
];

pub(super) fn call<'v>(name: &str, args: &[Val<'v>]) -> Option<Outcome<'v>> {
    let truth = |value: bool| Ok(Val::Bool(value));
    Some(match (name, args) {
        ("quantity", [Val::String(text)]) => Amount::read(text).map(Val::Quantity),
        ("isQuantity", [Val::String(text)]) => match Amount::read(text) {
            Err(Stop::Unsupported(reason)) => Err(Stop::Unsupported(reason)),
            read => truth(read.is_ok()),
        },
        ("sign", [Val::Quantity(a)]) => Ok(Val::Int(i64::try_from(a.nano.signum()).unwrap_or(0))),
        ("isGreaterThan", [Val::Quantity(a), Val::Quantity(b)]) => truth(a.nano > b.nano),
        ("isLessThan", [Val::Quantity(a), Val::Quantity(b)]) => truth(a.nano < b.nano),
        ("compareTo", [Val::Quantity(a), Val::Quantity(b)]) => {
            Ok(Val::Int(match a.nano.cmp(&b.nano) {
                Ordering::Less => -1,
                Ordering::Equal => 0,
                Ordering::Greater => 1,
            }))
        }
        #[expect(clippy::cast_precision_loss, reason = "the function says so")]
        ("asApproximateFloat", [Val::Quantity(a)]) => Ok(Val::Double(a.nano as f64 / UNIT as f64)),
        ("isInteger", [Val::Quantity(a)]) => truth(a.whole().is_some()),
        ("asInteger", [Val::Quantity(a)]) => a
            .whole()
            .map(Val::Int)
            .ok_or_else(|| Stop::error("cannot convert value to integer")),
        ("add", [Val::Quantity(a), b]) => moved(a, b, 1)?,
        ("sub", [Val::Quantity(a), b]) => moved(a, b, -1)?,
        _ => return None,
    })
}

fn moved<'v>(a: &Amount, b: &Val<'v>, sign: i128) -> Option<Outcome<'v>> {
    let by = match b {
        Val::Quantity(b) => b.nano,
        Val::Int(b) => i128::from(*b) * UNIT,
        _ => return None,
    };
    let nano = a.nano.checked_add(by * sign);
    Some(nano.ok_or_else(beyond).map(|nano| {
        let text = format!("{nano}n").into();
        Val::Quantity(Amount { nano, text })
    }))
}
