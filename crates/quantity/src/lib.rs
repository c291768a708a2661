//! Quantities: amounts with a unit suffix, such as `500m`, `4G` or `1.5Gi`.
//!
//! [`Quantity`] is the amount as somebody wrote it, a number or a text; it is the type for fields
//! that are written by hand. k8s-openapi's own, which fields of types from CRDs have, compares
//! texts; this one compares amounts. [`Amount`] is what it means, to compute with. The two are
//! apart so that an object with an amount that makes no sense still decodes: its controller can
//! then say what is wrong.
//!
//! The rules are those of `k8s.io/apimachinery/pkg/api/resource`; [`Amount`] documents the
//! differences.

mod amount;
mod number;
mod parse;

use std::fmt;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use self::amount::{Amount, Format};

/// An amount as written. Decodes from a text, a number or null (zero, as in Go), and is written as
/// a text.
///
/// A text stays as it is; [`canonical`](Self::canonical) gives the one that Go writes. Two are
/// equal if they mean the same: `1` and `1000m`. What has no meaning is equal to the same text
/// only.
///
/// ```
/// use kube_resource_quantity::Quantity;
///
/// let cpu: Quantity = serde_json::from_str("2")?;
/// assert_eq!(cpu, Quantity::new("2000m"));
/// assert_eq!(cpu.amount()?.value(), 2);
/// assert_eq!(Quantity::new("0.5").canonical()?.as_str(), "500m");
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

    /// The amount that it means. Blanks around the text are ignored, as Go's decoder does.
    ///
    /// # Errors
    ///
    /// The text is not a quantity.
    pub fn amount(&self) -> Result<Amount, ParseQuantityError> {
        self.0.trim().parse()
    }

    /// The same amount in canonical form: no fraction, and the largest suffix that leaves a whole
    /// number.
    ///
    /// # Errors
    ///
    /// The text is not a quantity.
    pub fn canonical(&self) -> Result<Self, ParseQuantityError> {
        self.amount().map(Self::from)
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

#[cfg(feature = "k8s-openapi")]
impl From<k8s_openapi::apimachinery::pkg::api::resource::Quantity> for Quantity {
    fn from(quantity: k8s_openapi::apimachinery::pkg::api::resource::Quantity) -> Self {
        Self(quantity.0)
    }
}

#[cfg(feature = "k8s-openapi")]
impl From<Quantity> for k8s_openapi::apimachinery::pkg::api::resource::Quantity {
    fn from(quantity: Quantity) -> Self {
        Self(quantity.0)
    }
}

impl From<Amount> for Quantity {
    fn from(amount: Amount) -> Self {
        Self(amount.to_string())
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
                f.write_str("a quantity: a number, a text such as \"4Gi\", or null")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Quantity, E> {
                Ok(Quantity::new(text))
            }

            fn visit_string<E: de::Error>(self, text: String) -> Result<Quantity, E> {
                Ok(Quantity(text))
            }

            fn visit_unit<E: de::Error>(self) -> Result<Quantity, E> {
                Ok(Quantity::default())
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

/// The text is not a quantity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a quantity: write a number with one of the suffixes n, u, m, k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei, an exponent such as e3, or none"
)]
pub struct ParseQuantityError(String);

#[cfg(test)]
mod tests;
