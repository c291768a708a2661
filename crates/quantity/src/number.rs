//! A decimal number, held as Go holds it: in 64 bits where it fits, else with as many digits as it
//! takes.
//!
//! Which of the two it is shows in one place: how a negative fraction is rounded by
//! [`Number::scaled`].

use std::borrow::Cow;
use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};

/// Decimal places beyond which two numbers are not brought to one exponent.
const MAX_GAP: i64 = 10_000;

/// `value` × 10^`exponent`.
#[derive(Clone, Debug)]
pub(super) enum Number {
    Small { value: i64, exponent: i32 },
    Big { value: BigInt, exponent: i32 },
}

impl Number {
    pub(super) const ZERO: Self = Self::Small {
        value: 0,
        exponent: 0,
    };

    pub(super) fn sign(&self) -> Ordering {
        match self {
            Self::Small { value, .. } => value.cmp(&0),
            Self::Big { value, .. } => match value.sign() {
                Sign::Minus => Ordering::Less,
                Sign::NoSign => Ordering::Equal,
                Sign::Plus => Ordering::Greater,
            },
        }
    }

    pub(super) fn is_zero(&self) -> bool {
        self.sign() == Ordering::Equal
    }

    pub(super) fn exponent(&self) -> i64 {
        match self {
            Self::Small { exponent, .. } | Self::Big { exponent, .. } => i64::from(*exponent),
        }
    }

    fn value(&self) -> Cow<'_, BigInt> {
        match self {
            Self::Small { value, .. } => Cow::Owned(BigInt::from(*value)),
            Self::Big { value, .. } => Cow::Borrowed(value),
        }
    }

    fn into_big(self) -> (BigInt, i32) {
        match self {
            Self::Small { value, exponent } => (BigInt::from(value), exponent),
            Self::Big { value, exponent } => (value, exponent),
        }
    }

    /// The digits of the absolute value, without the zeros that the exponent takes instead, and
    /// that exponent.
    pub(super) fn digits(&self) -> (String, i64) {
        let mut digits = match self {
            Self::Small { value, .. } => value.unsigned_abs().to_string(),
            Self::Big { value, .. } => value.magnitude().to_string(),
        };
        let kept = digits.trim_end_matches('0').len();
        let zeros = digits.len() - kept;
        digits.truncate(kept);
        (digits, self.exponent() + count(zeros))
    }

    pub(super) fn neg(self) -> Self {
        match self {
            Self::Small { value, exponent } => match value.checked_neg() {
                Some(value) => Self::Small { value, exponent },
                None => Self::Big {
                    value: -BigInt::from(value),
                    exponent,
                },
            },
            Self::Big { value, exponent } => Self::Big {
                value: -value,
                exponent,
            },
        }
    }

    /// The sum; where the two are further apart than [`MAX_GAP`] places, the larger of them.
    pub(super) fn add(self, other: &Self) -> Self {
        if let Some(sum) = self.add_small(other) {
            return sum;
        }
        let (mine, theirs) = (self.exponent(), other.exponent());
        if (mine - theirs).abs() > MAX_GAP {
            let larger = self.is_zero() || self.cmp_magnitude(other).is_lt();
            return if larger && !other.is_zero() {
                other.clone()
            } else {
                self
            };
        }
        let (value, exponent) = self.into_big();
        let (mut value, mut other) = (value, other.value().into_owned());
        if mine > theirs {
            value *= ten_to(mine - theirs);
        } else {
            other *= ten_to(theirs - mine);
        }
        Self::Big {
            value: value + other,
            exponent: exponent.min(saturated(theirs)),
        }
    }

    /// The sum, if all of it stays within 64 bits.
    fn add_small(&self, other: &Self) -> Option<Self> {
        let (
            Self::Small { value, exponent },
            Self::Small {
                value: b,
                exponent: e,
            },
        ) = (self, other)
        else {
            return None;
        };
        let (a, b) = match (*value, *b) {
            (_, 0) => return Some(self.clone()),
            (0, _) => return Some(other.clone()),
            pair => pair,
        };
        let (a, b) = match exponent.cmp(e) {
            Ordering::Equal => (a, b),
            Ordering::Greater => (scaled_up(a, i64::from(*exponent) - i64::from(*e))?, b),
            Ordering::Less => (a, scaled_up(b, i64::from(*e) - i64::from(*exponent))?),
        };
        Some(Self::Small {
            value: a.checked_add(b)?,
            exponent: *exponent.min(e),
        })
    }

    pub(super) fn mul(self, by: i64) -> Self {
        if let Some(product) = self.mul_small(by) {
            return product;
        }
        let (value, exponent) = self.into_big();
        Self::Big {
            value: value * by,
            exponent,
        }
    }

    /// The product, if it fits in 64 bits and is a whole number.
    fn mul_small(&self, by: i64) -> Option<Self> {
        let Self::Small { value, exponent } = *self else {
            return None;
        };
        match (value, by) {
            (0, _) => return Some(self.clone()),
            (_, 0) => return Some(Self::ZERO),
            _ => {}
        }
        let value = value.checked_mul(by)?;
        let whole = match i64::from(exponent) {
            up @ 0.. => scaled_up(value, up).is_some(),
            down => scaled_down(value, -down).1,
        };
        whole.then_some(Self::Small { value, exponent })
    }

    pub(super) fn cmp(&self, other: &Self) -> Ordering {
        match (self.sign(), other.sign()) {
            (Ordering::Less, Ordering::Less) => self.cmp_magnitude(other).reverse(),
            (Ordering::Greater, Ordering::Greater) => self.cmp_magnitude(other),
            (mine, theirs) => mine.cmp(&theirs),
        }
    }

    /// Compares what neither is zero without its sign: first how many digits stand before the
    /// point, then the digits.
    fn cmp_magnitude(&self, other: &Self) -> Ordering {
        let ((a, a_exponent), (b, b_exponent)) = (self.digits(), other.digits());
        let (a_places, b_places) = (count(a.len()) + a_exponent, count(b.len()) + b_exponent);
        a_places.cmp(&b_places).then_with(|| a.cmp(&b))
    }

    /// The whole number of 10^`power`, and whether there is nothing left: what is left is rounded
    /// away from zero, but for a negative number of many digits. Beyond 64 bits it is the outermost
    /// number.
    pub(super) fn scaled(&self, power: i32) -> (i64, bool) {
        let up = self.exponent() - i64::from(power);
        let outermost = match self.sign() {
            Ordering::Less => i64::MIN,
            _ => i64::MAX,
        };
        match self {
            _ if self.is_zero() => (0, true),
            Self::Small { value, .. } if up >= 0 => match scaled_up(*value, up) {
                Some(value) => (value, true),
                None => (outermost, false),
            },
            Self::Small { value, .. } => scaled_down(*value, -up),
            Self::Big { value, .. } if (0..=18).contains(&up) => {
                match i64::try_from(value * ten_to(up)) {
                    Ok(value) => (value, true),
                    Err(_) => (outermost, false),
                }
            }
            Self::Big { .. } if up > 0 => (outermost, false),
            Self::Big { value, .. } => {
                let (whole, exact) = truncated(value, -up);
                // As Go: one is added below zero too (-0.3Ki is -306 and not -308), except where it
                // divides by 10^19 or more.
                let add = !exact && (value.sign() == Sign::Plus || -up < 19);
                let whole = i64::try_from(whole + i64::from(add));
                whole.map_or((outermost, false), |whole| (whole, exact))
            }
        }
    }

    /// The number without places below 10^`power`, rounded away from zero, and whether it is the
    /// same number.
    pub(super) fn rounded_up(self, power: i32) -> (Self, bool) {
        let down = i64::from(power) - self.exponent();
        if down <= 0 {
            return (self, true);
        }
        match self {
            Self::Small { value, .. } => {
                let (value, exact) = scaled_down(value, down);
                let exponent = power;
                (Self::Small { value, exponent }, exact)
            }
            Self::Big { value, .. } => {
                let (whole, exact) = truncated(&value, down);
                let away = match value.sign() {
                    _ if exact => 0,
                    Sign::Minus => -1,
                    _ => 1,
                };
                let (value, exponent) = (whole + away, power);
                (Self::Big { value, exponent }, exact)
            }
        }
    }

    /// The number, if it is whole and not beyond all measure.
    pub(super) fn whole(&self) -> Option<BigInt> {
        let value = self.value();
        match self.exponent() {
            up @ 0..=MAX_GAP => Some(&*value * ten_to(up)),
            down @ ..0 => {
                let (whole, exact) = truncated(&value, -down);
                exact.then_some(whole)
            }
            _ => None,
        }
    }
}

/// 10^`power`, which is not negative.
pub(super) fn ten_to(power: i64) -> BigInt {
    BigInt::from(10).pow(u32::try_from(power).unwrap_or(0))
}

/// `value` × 10^`by`, if it fits.
fn scaled_up(value: i64, by: i64) -> Option<i64> {
    let factor = 10_i64.checked_pow(u32::try_from(by).ok()?)?;
    value.checked_mul(factor)
}

/// `value` ÷ 10^`by` rounded away from zero, and whether that is exact.
fn scaled_down(value: i64, by: i64) -> (i64, bool) {
    let power = u32::try_from(by).unwrap_or(u32::MAX);
    match 10_i64.checked_pow(power) {
        Some(divisor) => {
            let exact = value % divisor == 0;
            let away = if exact { 0 } else { value.signum() };
            (value / divisor + away, exact)
        }
        None => (value.signum(), value == 0),
    }
}

/// `value` ÷ 10^`by` without its fraction, and whether there was none.
fn truncated(value: &BigInt, by: i64) -> (BigInt, bool) {
    // A bit is less than a third of a digit.
    if count(usize::try_from(value.bits()).unwrap_or(usize::MAX)) < by {
        return (BigInt::ZERO, value.sign() == Sign::NoSign);
    }
    let divisor = ten_to(by);
    let whole = value / &divisor;
    let exact = &whole * divisor == *value;
    (whole, exact)
}

pub(super) fn count(digits: usize) -> i64 {
    i64::try_from(digits).unwrap_or(i64::MAX / 4)
}

pub(super) fn saturated(exponent: i64) -> i32 {
    i32::try_from(exponent).unwrap_or(if exponent < 0 { i32::MIN } else { i32::MAX })
}
