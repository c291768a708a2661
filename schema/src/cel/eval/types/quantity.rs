//! Quantities, such as `500m` and `1.5Gi`, in billionths: what is finer is rounded up, as Go does.

use std::rc::Rc;

use crate::cel::eval::Stop;

pub(crate) const UNIT: i128 = 1_000_000_000;

/// An amount; equal to others of the same value, however written.
#[derive(Clone, Debug)]
pub(crate) struct Amount {
    /// In billionths.
    pub(crate) nano: i128,
    /// As it was written.
    pub(crate) text: Rc<str>,
}

impl PartialEq for Amount {
    fn eq(&self, other: &Self) -> bool {
        self.nano == other.nano
    }
}

impl Amount {
    /// Reads an amount.
    ///
    /// # Errors
    /// The server's words for a text that is none, or that it is too large here.
    pub(crate) fn read(text: &str) -> Result<Self, Stop> {
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
        Ok(Self {
            nano: if negative { -nano } else { nano },
            text: text.into(),
        })
    }

    /// The amount as a whole number; none if it has a fraction or is beyond 64 bits.
    pub(crate) fn whole(&self) -> Option<i64> {
        i64::try_from(self.nano / UNIT)
            .ok()
            .filter(|_| self.nano % UNIT == 0)
    }
}

pub(crate) fn beyond() -> Stop {
    Stop::Unsupported("quantities beyond 10^29 are not supported".to_owned())
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
