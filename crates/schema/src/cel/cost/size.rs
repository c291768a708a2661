//! Sizes and costs; the maximum `u64::MAX` means unknown.

/// The minimum and maximum number of characters, items or entries of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) min: u64,
    pub(crate) max: u64,
}

impl Size {
    pub(crate) const UNKNOWN: Self = Self {
        min: 0,
        max: u64::MAX,
    };

    pub(crate) fn fixed(size: u64) -> Self {
        Self {
            min: size,
            max: size,
        }
    }

    pub(crate) fn at_most(max: u64) -> Self {
        Self { min: 0, max }
    }

    /// Returns the size of either.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            min: self.min.saturating_add(other.min),
            max: self.max.saturating_add(other.max),
        }
    }

    pub(crate) fn times(self, other: Self) -> Self {
        Self {
            min: self.min.saturating_mul(other.min),
            max: self.max.saturating_mul(other.max),
        }
    }

    /// Returns the maximum cost of traversing the value, at a cost per character or item.
    pub(crate) fn cost(self, each: f64) -> u64 {
        scaled(self.max, each)
    }
}

/// Multiplies a number by a factor, rounding up.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "costs are estimates, computed in floating point as the API server does; casts saturate"
)]
pub(crate) fn scaled(number: u64, factor: f64) -> u64 {
    (number as f64 * factor).ceil() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_rounded_up_and_saturate() {
        assert_eq!(Size::at_most(101).cost(0.1), 11);
        assert_eq!(Size::UNKNOWN.cost(2.0), u64::MAX);
        assert_eq!(Size::UNKNOWN.times(Size::fixed(2)).max, u64::MAX);
        assert_eq!(Size::UNKNOWN.plus(Size::fixed(2)).max, u64::MAX);
        assert_eq!(Size::fixed(0).times(Size::UNKNOWN).max, 0);
    }
}
