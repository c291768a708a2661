//! Quantities: amounts with a unit suffix, such as `500m`, `4G` or `1.5Gi`.
//!
//! [`Quantity`] is the amount as somebody wrote it, a number or a text; it is the type for fields. k8s-openapi's own refuses
//! numbers, though `cpu: 2` is what people write and what Go accepts. [`Amount`] is what it means, to compute with. The two are
//! apart so that an object with an amount that makes no sense still decodes: its controller can then say what is wrong.
//!
//! The rules are those of `k8s.io/apimachinery/pkg/api/resource`.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An amount as written. Decodes from a text or a number, and is written as a text, as Go writes it.
///
/// Two are equal if they mean the same: `1` and `1000m`. What has no meaning is equal to the same text only.
///
/// ```
/// use codegen_runtime::quantity::Quantity;
///
/// let cpu: Quantity = serde_json::from_str("2")?;
/// assert_eq!(cpu, Quantity::new("2000m"));
/// assert_eq!(cpu.amount()?.ceil(), 2);
/// assert!(Quantity::new("2 cores").amount().is_err());
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Quantity(String);

impl Quantity {
    /// The amount that `text` says, which need not make sense.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What it means.
    ///
    /// # Errors
    ///
    /// If the text is no quantity.
    pub fn amount(&self) -> Result<Amount, ParseQuantityError> {
        self.0.parse()
    }
}

impl Default for Quantity {
    fn default() -> Self {
        Self::new("0")
    }
}

impl fmt::Debug for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Quantity").field(&self.0).finish()
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        match (self.amount(), other.amount()) {
            (Ok(one), Ok(two)) => one == two,
            (Err(_), Err(_)) => self.0 == other.0,
            _ => false,
        }
    }
}

impl From<k8s_openapi::apimachinery::pkg::api::resource::Quantity> for Quantity {
    fn from(quantity: k8s_openapi::apimachinery::pkg::api::resource::Quantity) -> Self {
        Self(quantity.0)
    }
}

impl From<Quantity> for k8s_openapi::apimachinery::pkg::api::resource::Quantity {
    fn from(quantity: Quantity) -> Self {
        Self(quantity.0)
    }
}

impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Written;

        impl Visitor<'_> for Written {
            type Value = Quantity;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a quantity: a number, or a text such as \"4Gi\"")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Quantity, E> {
                Ok(Quantity::new(text))
            }

            fn visit_string<E: de::Error>(self, text: String) -> Result<Quantity, E> {
                Ok(Quantity(text))
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Quantity, E> {
                Ok(Quantity(number.to_string()))
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Quantity, E> {
                Ok(Quantity(number.to_string()))
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Quantity, E> {
                Ok(Quantity(number.to_string()))
            }
        }

        deserializer.deserialize_any(Written)
    }
}

/// A text is no quantity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is no quantity: write a number with one of the suffixes n, u, m, k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei, an exponent such as e3, or none"
)]
pub struct ParseQuantityError(String);

/// A number, exact to a billionth.
///
/// As in Go, what is finer is rounded away from zero, and what is larger than 2⁶³−1 is that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Amount {
    nanos: i128,
}

const NANOS: i128 = 1_000_000_000;
const MAX: i128 = i64::MAX as i128 * NANOS;

impl Amount {
    /// A whole number.
    pub fn from_units(units: i64) -> Self {
        Self::of(i128::from(units) * NANOS)
    }

    /// Thousandths: milli-CPUs, say.
    pub fn from_millis(millis: i64) -> Self {
        Self::of(i128::from(millis) * (NANOS / 1000))
    }

    fn of(nanos: i128) -> Self {
        Self {
            nanos: nanos.clamp(-MAX, MAX),
        }
    }

    /// The number, rounded up, as Go's `Value()` gives it: bytes or whole CPUs.
    pub fn ceil(self) -> i64 {
        saturating(ceil_div(self.nanos, NANOS))
    }

    /// Thousandths, rounded up, as Go's `MilliValue()` gives them.
    pub fn ceil_millis(self) -> i64 {
        saturating(ceil_div(self.nanos, NANOS / 1000))
    }

    /// Below, equal to or above zero.
    pub fn sign(self) -> Ordering {
        self.nanos.cmp(&0)
    }

    /// Written with a decimal suffix, such as `350m` or `4G`: the largest that leaves a whole number, as Go's `DecimalSI`.
    pub fn to_decimal(self) -> Quantity {
        const SUFFIXES: [(&str, i128); 10] = [
            ("E", NANOS.pow(3)),
            ("P", NANOS.pow(2) * 1_000_000),
            ("T", NANOS.pow(2) * 1000),
            ("G", NANOS.pow(2)),
            ("M", NANOS * 1_000_000),
            ("k", NANOS * 1000),
            ("", NANOS),
            ("m", 1_000_000),
            ("u", 1000),
            ("n", 1),
        ];
        self.write(&SUFFIXES)
    }

    /// Written with a binary suffix, such as `96Mi`: the largest that leaves a whole number, as Go's `BinarySI`. What is no
    /// whole number is written as [`to_decimal`](Self::to_decimal) writes it.
    pub fn to_binary(self) -> Quantity {
        const SUFFIXES: [(&str, i128); 7] = [
            ("Ei", NANOS << 60),
            ("Pi", NANOS << 50),
            ("Ti", NANOS << 40),
            ("Gi", NANOS << 30),
            ("Mi", NANOS << 20),
            ("Ki", NANOS << 10),
            ("", NANOS),
        ];
        if self.nanos % NANOS != 0 {
            return self.to_decimal();
        }
        self.write(&SUFFIXES)
    }

    fn write(self, suffixes: &[(&str, i128)]) -> Quantity {
        let fits = suffixes.iter().find(|(_, unit)| self.nanos % unit == 0);
        match fits {
            Some((suffix, unit)) if self.nanos != 0 => {
                Quantity(format!("{}{suffix}", self.nanos / unit))
            }
            _ => Quantity::default(),
        }
    }
}

/// What a suffix multiplies by.
struct Scale {
    /// A power of ten.
    ten: i64,
    /// A power of two.
    two: u32,
}

impl FromStr for Amount {
    type Err = ParseQuantityError;

    fn from_str(text: &str) -> Result<Self, ParseQuantityError> {
        parse(text).ok_or_else(|| ParseQuantityError(text.chars().take(64).collect()))
    }
}

fn parse(text: &str) -> Option<Amount> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let number_end = unsigned
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(unsigned.len());
    let (number, suffix) = unsigned.split_at(number_end);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if fraction.contains('.') || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    let Scale { ten, two } = scale(suffix)?;
    let places = i64::try_from(fraction.len()).ok()?;
    let nanos = nanos(whole.bytes().chain(fraction.bytes()), ten - places + 9, two);
    Some(Amount::of(if text.starts_with('-') {
        -nanos
    } else {
        nanos
    }))
}

/// `digits` × 10^`ten` × 2^`two`, rounded up; at most a little over [`MAX`].
fn nanos(digits: impl Iterator<Item = u8>, mut ten: i64, two: u32) -> i128 {
    let (mut number, mut rest) = (0_i128, false);
    for digit in digits.map(|digit| i128::from(digit - b'0')) {
        if number < MAX {
            number = number * 10 + digit;
        } else {
            (rest, ten) = (rest || digit != 0, ten + 1);
        }
    }
    if number == 0 {
        return 0;
    }
    let factor = 1_i128 << two;
    while ten < 0 && (number.checked_mul(factor).is_none() || ten < -38) {
        (rest, number, ten) = (rest || number % 10 != 0, number / 10, ten + 1);
        if number == 0 {
            return 1;
        }
    }
    let Some(scaled) = number.checked_mul(factor) else {
        return MAX;
    };
    match u32::try_from(ten) {
        Ok(power) => 10_i128
            .checked_pow(power)
            .and_then(|power| scaled.checked_mul(power))
            .unwrap_or(MAX),
        Err(_) => {
            let divisor = 10_i128.pow(u32::try_from(-ten).unwrap_or(38));
            let exact = scaled % divisor == 0 && !rest;
            scaled / divisor + i128::from(!exact)
        }
    }
}

fn scale(suffix: &str) -> Option<Scale> {
    let ten = |ten| Some(Scale { ten, two: 0 });
    let two = |two| Some(Scale { ten: 0, two });
    match suffix {
        "n" => ten(-9),
        "u" => ten(-6),
        "m" => ten(-3),
        "" => ten(0),
        "k" => ten(3),
        "M" => ten(6),
        "G" => ten(9),
        "T" => ten(12),
        "P" => ten(15),
        "E" => ten(18),
        "Ki" => two(10),
        "Mi" => two(20),
        "Gi" => two(30),
        "Ti" => two(40),
        "Pi" => two(50),
        "Ei" => two(60),
        _ => {
            let exponent: i32 = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
            ten(i64::from(exponent))
        }
    }
}

fn ceil_div(number: i128, by: i128) -> i128 {
    number.div_euclid(by) + i128::from(number.rem_euclid(by) != 0)
}

fn saturating(number: i128) -> i64 {
    i64::try_from(number).unwrap_or(if number < 0 { i64::MIN } else { i64::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, nanos: Option<i128>) {
        assert_eq!(
            text.parse::<Amount>().ok(),
            nanos.map(|nanos| Amount { nanos }),
            "{text}"
        );
    }

    #[test]
    fn quantities_mean_what_go_says() {
        check("0", Some(0));
        check("2", Some(2 * NANOS));
        check("+2", Some(2 * NANOS));
        check("-2", Some(-2 * NANOS));
        check("500m", Some(NANOS / 2));
        check(".5", Some(NANOS / 2));
        check("1.", Some(NANOS));
        check("4G", Some(4_000_000_000 * NANOS));
        check("4Gi", Some((4 << 30) * NANOS));
        check("1.5Gi", Some((3 << 29) * NANOS));
        check("0.1Ki", Some(102_400_000_000));
        check("1e3", Some(1000 * NANOS));
        check("1E3", Some(1000 * NANOS));
        check("1e-3", Some(NANOS / 1000));
        check("1E", Some(NANOS.pow(3)));
        check("1n", Some(1));
        check("0.1n", Some(1));
        check("1e-400", Some(1));
        check("0e-400", Some(0));
        check("8Ei", Some(MAX));
        check("1e400", Some(MAX));
        check("-1e400", Some(-MAX));
        check(&"9".repeat(10_000), Some(MAX));
        check(&format!("0.{}1", "0".repeat(10_000)), Some(1));
        check(&format!("1{}e-10000", "0".repeat(10_000)), Some(NANOS));
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "-",
            "+",
            ".",
            "m",
            "Ki",
            "1 Gi",
            " 1",
            "1.2.3",
            "1mm",
            "1K",
            "1ki",
            "1e",
            "1e+",
            "1ee3",
            "1e99999999999",
            "0x10",
            "NaN",
            "inf",
            "--1",
            "1-",
            "٣",
            "1Gí",
        ] {
            check(text, None);
        }
    }

    #[test]
    fn an_error_names_the_text_and_what_to_write() {
        let error = Quantity::new("4GB").amount().map_err(|it| it.to_string());
        assert!(error.is_err_and(|it| it.starts_with("\"4GB\" is no quantity: write a number")));
    }

    #[test]
    fn amounts_are_written_with_the_largest_suffix_that_fits() {
        let cases = [
            (Amount::from_millis(350), "350m", "350m"),
            (Amount::from_units(2), "2", "2"),
            (Amount::from_units(96 << 20), "100663296", "96Mi"),
            (Amount::from_units(4_000_000_000), "4G", "3906250Ki"),
            (Amount::from_units(0), "0", "0"),
            (Amount::from_units(-1024), "-1024", "-1Ki"),
        ];
        for (amount, decimal, binary) in cases {
            assert_eq!(amount.to_decimal().as_str(), decimal);
            assert_eq!(amount.to_binary().as_str(), binary);
            assert_eq!(amount.to_decimal().amount(), Ok(amount));
            assert_eq!(amount.to_binary().amount(), Ok(amount));
        }
    }

    #[test]
    fn values_are_rounded_up() {
        let amount = |text: &str| text.parse::<Amount>().unwrap_or_default();
        assert_eq!(amount("1.5").ceil(), 2);
        assert_eq!(amount("-1.5").ceil(), -1);
        assert_eq!(amount("1.5").ceil_millis(), 1500);
        assert_eq!(amount("1n").ceil_millis(), 1);
        assert_eq!(amount("1e30").ceil_millis(), i64::MAX);
    }

    #[test]
    fn a_quantity_decodes_from_numbers_and_texts_and_is_written_as_a_text() {
        for (json, text) in [
            ("2", "2"),
            ("-1", "-1"),
            ("0.5", "0.5"),
            ("\"4G\"", "4G"),
            ("\"nonsense\"", "nonsense"),
        ] {
            let quantity: Quantity = serde_json::from_str(json).unwrap_or_default();
            assert_eq!(quantity.as_str(), text);
            assert_eq!(
                serde_json::to_value(&quantity).ok(),
                Some(serde_json::Value::from(text))
            );
        }
        assert!(serde_json::from_str::<Quantity>("true").is_err());
    }

    #[test]
    fn equal_quantities_mean_the_same() {
        assert_eq!(Quantity::new("1"), Quantity::new("1000m"));
        assert_ne!(Quantity::new("1G"), Quantity::new("1Gi"));
        assert_ne!(Quantity::new("x"), Quantity::new("y"));
    }
}
