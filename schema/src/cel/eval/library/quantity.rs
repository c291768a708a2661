//! Quantities, such as `500m` and `1.5Gi`, in billionths: what is finer is rounded up, as Go does.

use std::cmp::Ordering;
use std::rc::Rc;

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

const UNIT: i128 = 1_000_000_000;

/// An amount.
#[derive(Clone, Debug)]
pub(crate) struct Amount {
    nano: i128,
    /// As it was written.
    pub(crate) text: Rc<str>,
}

impl PartialEq for Amount {
    fn eq(&self, other: &Self) -> bool {
        self.nano == other.nano
    }
}

pub(super) fn call<'v>(name: &str, args: &[Val<'v>]) -> Option<Outcome<'v>> {
    let truth = |value: bool| Ok(Val::Bool(value));
    Some(match (name, args) {
        ("quantity", [Val::String(text)]) => read(text).map(Val::Quantity),
        ("isQuantity", [Val::String(text)]) => match read(text) {
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
        ("isInteger", [Val::Quantity(a)]) => truth(whole(a).is_some()),
        ("asInteger", [Val::Quantity(a)]) => whole(a)
            .map(Val::Int)
            .ok_or_else(|| Stop::error("cannot convert value to integer")),
        ("add", [Val::Quantity(a), b]) => moved(a, b, 1)?,
        ("sub", [Val::Quantity(a), b]) => moved(a, b, -1)?,
        _ => return None,
    })
}

fn whole(amount: &Amount) -> Option<i64> {
    i64::try_from(amount.nano / UNIT)
        .ok()
        .filter(|_| amount.nano % UNIT == 0)
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

fn beyond() -> Stop {
    Stop::Unsupported("quantities beyond 10^29 are not supported".to_owned())
}

fn read(text: &str) -> Result<Amount, Stop> {
    let fault = || {
        Stop::error(
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        )
    };
    let (negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let end = rest
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(rest.len());
    let (number, suffix) = rest.split_at(end);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
        return Err(fault());
    }
    let (factor, mut power) = factor(suffix).ok_or_else(fault)?;
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    let mantissa: i128 = if digits.is_empty() {
        0
    } else {
        digits.parse().map_err(|_| beyond())?
    };
    power += 9 - i64::try_from(fraction.len()).unwrap_or(i64::MAX / 2);
    let scaled = mantissa.checked_mul(factor).ok_or_else(beyond)?;
    let nano = match u32::try_from(power) {
        Ok(power) => 10_i128
            .checked_pow(power)
            .and_then(|by| scaled.checked_mul(by)),
        Err(_) => {
            let power = u32::try_from(-power).unwrap_or(u32::MAX);
            let by = 10_i128.checked_pow(power).unwrap_or(i128::MAX);
            Some(scaled / by + i128::from(scaled % by != 0))
        }
    };
    let nano = if scaled == 0 {
        0
    } else {
        nano.ok_or_else(beyond)?
    };
    Ok(Amount {
        nano: if negative { -nano } else { nano },
        text: text.into(),
    })
}

/// A suffix as a factor and a power of ten.
fn factor(suffix: &str) -> Option<(i128, i64)> {
    const DECIMAL: [(&str, i64); 10] = [
        ("n", -9),
        ("u", -6),
        ("m", -3),
        ("", 0),
        ("k", 3),
        ("M", 6),
        ("G", 9),
        ("T", 12),
        ("P", 15),
        ("E", 18),
    ];
    const BINARY: [&str; 6] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    if let Some((_, power)) = DECIMAL.iter().find(|(name, _)| *name == suffix) {
        return Some((1, *power));
    }
    if let Some(at) = BINARY.iter().position(|name| *name == suffix) {
        return Some((1_i128 << (10 * (at + 1)), 0));
    }
    let exponent = suffix.strip_prefix(['e', 'E'])?;
    Some((1, exponent.parse::<i32>().ok()?.into()))
}
