//! Amounts to compute with.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use num_bigint::BigInt;

use crate::Quantity;
use crate::number::Number;

/// How an amount is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Format {
    /// `12M`, 12 × 10⁶.
    #[default]
    DecimalSi,
    /// `12Mi`, 12 × 2²⁰.
    BinarySi,
    /// `12e6`.
    DecimalExponent,
}

/// The value of a quantity: an exact number and the format to write it in.
///
/// Everything is as in Go's `resource.Quantity`, held to it by a table of Go's answers and by
/// random texts:
///
/// - what is finer than a billionth is rounded away from zero when it is read, and what has a
///   binary suffix is at most 2⁶³−1; what has a decimal one is not bounded;
/// - [`Display`](fmt::Display) writes the canonical form (no fraction, and the largest suffix that
///   leaves a whole number), or what was read where Go takes that for canonical;
/// - two are equal if they are the same number, in whatever format;
/// - the result of an addition or subtraction has the format of the left side, or of the right if
///   the left is zero.
///
/// Where Go gives a wrong number, this does not: [`value`](Self::value) and the like end at the
/// bounds of `i64` where Go's overflow, an amount of 1000E or more is written with an exponent (Go
/// drops the suffix), and of two amounts that are more than 10,000 decimal places apart the sum is
/// the larger one (Go runs out of memory).
///
/// ```
/// use kube_resource_quantity::Amount;
///
/// let (limit, used): (Amount, Amount) = ("2Gi".parse()?, "1536Mi".parse()?);
/// assert_eq!((&limit - &used).to_string(), "512Mi");
/// assert!(used < limit);
/// let cpu: Amount = "0.1".parse()?;
/// assert_eq!((cpu.value(), cpu.milli_value(), cpu.to_string()), (1, 100, "100m".to_owned()));
/// # Ok::<_, kube_resource_quantity::ParseQuantityError>(())
/// ```
#[derive(Clone)]
pub struct Amount {
    number: Number,
    format: Format,
    /// As it was read, where Go keeps that.
    written: Option<Box<str>>,
}

impl Amount {
    pub(super) fn new(number: Number, format: Format, written: Option<Box<str>>) -> Self {
        Self {
            number,
            format,
            written,
        }
    }

    /// A whole number, in decimal format.
    pub fn from_units(units: i64) -> Self {
        Self::scaled(units, 0)
    }

    /// Thousandths, milli-CPUs say, in decimal format.
    pub fn from_millis(millis: i64) -> Self {
        Self::scaled(millis, -3)
    }

    /// `value` × 10^`power`, in decimal format.
    pub fn scaled(value: i64, power: i32) -> Self {
        let exponent = power;
        Self::new(Number::Small { value, exponent }, Format::DecimalSi, None)
    }

    /// The same number, to be written in `format`.
    #[must_use]
    pub fn with_format(self, format: Format) -> Self {
        Self::new(self.number, format, None)
    }

    /// The format that it is written in.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The whole number, such as bytes or CPUs, as Go's `Value()`: rounded away from zero. What is
    /// beyond 64 bits is the outermost number.
    ///
    /// As in Go, a negative fraction that takes more than 64 bits (every one with a binary suffix
    /// does) is cut off, and one is added: `-0.3Ki`, −307.2, is −306.
    pub fn value(&self) -> i64 {
        self.scaled_value(0)
    }

    /// Thousandths, rounded as [`value`](Self::value) is; Go's `MilliValue()`.
    pub fn milli_value(&self) -> i64 {
        self.scaled_value(-3)
    }

    /// How many times 10^`power`, rounded as [`value`](Self::value) is; Go's `ScaledValue()`.
    pub fn scaled_value(&self, power: i32) -> i64 {
        self.number.scaled(power).0
    }

    /// The number, if it is whole and fits.
    pub fn as_i64(&self) -> Option<i64> {
        let (value, exact) = self.number.scaled(0);
        exact.then_some(value)
    }

    /// The nearest floating-point number, infinite beyond the largest.
    pub fn as_f64(&self) -> f64 {
        let (digits, exponent) = self.number.digits();
        let sign = if self.sign().is_lt() { "-" } else { "" };
        format!("{sign}0{digits}e{exponent}")
            .parse()
            .unwrap_or_default()
    }

    /// Below, equal to or above zero.
    pub fn sign(&self) -> Ordering {
        self.number.sign()
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.number.is_zero()
    }

    /// Removes the digits below 10^`power`, rounding away from zero; returns whether the number is
    /// unchanged.
    pub fn round_up(&mut self, power: i32) -> bool {
        let (number, exact) = std::mem::take(&mut self.number).rounded_up(power);
        self.number = number;
        if !exact {
            self.written = None;
        }
        exact
    }

    /// Written with a decimal suffix, such as `350m` or `4G`.
    pub fn to_decimal(&self) -> Quantity {
        self.written_as(Format::DecimalSi)
    }

    /// Written with a binary suffix, such as `96Mi`. A number that is not whole, or below 1024, is
    /// written as [`to_decimal`](Self::to_decimal) writes it.
    pub fn to_binary(&self) -> Quantity {
        self.written_as(Format::BinarySi)
    }

    fn written_as(&self, format: Format) -> Quantity {
        Quantity::new(canonical(&self.number, format))
    }

    fn combine(&mut self, other: &Self, negated: bool) {
        self.written = None;
        if self.is_zero() {
            self.format = other.format;
        }
        let number = std::mem::take(&mut self.number);
        self.number = if negated {
            number.add(&other.number.clone().neg())
        } else {
            number.add(&other.number)
        };
    }
}

impl Default for Number {
    fn default() -> Self {
        Self::ZERO
    }
}

impl Default for Amount {
    fn default() -> Self {
        Self::from_units(0)
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.written {
            Some(written) => f.pad(written),
            None => f.pad(&canonical(&self.number, self.format)),
        }
    }
}

impl fmt::Debug for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Amount({self})")
    }
}

impl PartialEq for Amount {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Amount {}

impl PartialOrd for Amount {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Amount {
    fn cmp(&self, other: &Self) -> Ordering {
        self.number.cmp(&other.number)
    }
}

impl Hash for Amount {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.sign().hash(state);
        if !self.is_zero() {
            self.number.digits().hash(state);
        }
    }
}

impl AddAssign<&Amount> for Amount {
    fn add_assign(&mut self, other: &Amount) {
        self.combine(other, false);
    }
}

impl SubAssign<&Amount> for Amount {
    fn sub_assign(&mut self, other: &Amount) {
        self.combine(other, true);
    }
}

impl Add for &Amount {
    type Output = Amount;

    fn add(self, other: &Amount) -> Amount {
        let mut sum = self.clone();
        sum += other;
        sum
    }
}

impl Sub for &Amount {
    type Output = Amount;

    fn sub(self, other: &Amount) -> Amount {
        let mut rest = self.clone();
        rest -= other;
        rest
    }
}

impl Neg for Amount {
    type Output = Amount;

    fn neg(self) -> Amount {
        Self::new(self.number.neg(), self.format, None)
    }
}

impl Mul<i64> for Amount {
    type Output = Amount;

    fn mul(self, by: i64) -> Amount {
        Self::new(self.number.mul(by), self.format, None)
    }
}

impl<'a> Sum<&'a Amount> for Amount {
    fn sum<I: Iterator<Item = &'a Amount>>(amounts: I) -> Amount {
        amounts.fold(Amount::default(), |mut sum, amount| {
            sum += amount;
            sum
        })
    }
}

const DECIMAL: [&str; 10] = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const BINARY: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/// The canonical form: no fraction, and the largest suffix that leaves a whole number.
fn canonical(number: &Number, format: Format) -> String {
    if number.is_zero() {
        return "0".to_owned();
    }
    match format {
        Format::BinarySi => binary(number).unwrap_or_else(|| decimal(number, Format::DecimalSi)),
        decimal_format => decimal(number, decimal_format),
    }
}

fn decimal(number: &Number, format: Format) -> String {
    let (mut text, mut exponent) = number.digits();
    while exponent % 3 != 0 {
        text.push('0');
        exponent -= 1;
    }
    if number.sign().is_lt() {
        text.insert(0, '-');
    }
    let suffix = usize::try_from(exponent / 3 + 3).ok();
    match suffix.and_then(|suffix| DECIMAL.get(suffix)) {
        Some(suffix) if matches!(format, Format::DecimalSi) => text + suffix,
        _ if exponent == 0 => text,
        _ => format!("{text}e{exponent}"),
    }
}

/// `None` for what is written as a decimal: fractions, and what is less than a kibi.
fn binary(number: &Number) -> Option<String> {
    const KIBI: u32 = 1024;
    let kibi = Amount::from_units(i64::from(KIBI));
    let minus_kibi = Amount::from_units(-i64::from(KIBI));
    if number.cmp(&minus_kibi.number).is_gt() && number.cmp(&kibi.number).is_lt() {
        return None;
    }
    let mut whole = number.whole()?;
    let mut suffixes = BINARY.iter();
    let mut suffix = suffixes.next()?;
    while &whole % KIBI == BigInt::ZERO {
        let Some(next) = suffixes.next() else { break };
        suffix = next;
        whole /= KIBI;
    }
    Some(format!("{whole}{suffix}"))
}
