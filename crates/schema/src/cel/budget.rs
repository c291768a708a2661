//! Cost budgets of rules, and how many values of a schema an object can have.

use super::view::SchemaView;

/// The maximum size in bytes of a request to the API server.
pub const MAX_REQUEST: u64 = 3 * 1024 * 1024;

/// The maximum cost of an expression, over all values in an object that it applies to.
pub const MOST_OF_A_RULE: u64 = 10_000_000;

/// The maximum cost of all expressions of a version.
pub const MOST_OF_ALL: u64 = 100_000_000;

/// How many values of a schema an object can have; `None` if unbounded.
#[derive(Clone, Copy, Debug)]
pub struct Count(Option<u64>);

impl Count {
    /// The count of whole objects.
    pub const ONE: Self = Self(Some(1));

    /// Returns the count of the values directly within those of a schema.
    #[must_use]
    pub fn within<'s>(self, schema: impl SchemaView<'s>) -> Self {
        let factor = most_values(schema);
        let product = self.0.zip(factor);
        Self(product.map(|(count, factor)| count.saturating_mul(factor)))
    }

    /// Returns the count of values of at least `min_bytes`: what fits into a request, unless
    /// something else bounds it.
    #[must_use]
    pub fn of(self, min_bytes: u64) -> u64 {
        self.0.unwrap_or(MAX_REQUEST / (min_bytes + 1))
    }
}

/// Returns how many values a list or map can have, for each value of the schema; `None` if
/// unbounded.
pub fn most_values<'s>(schema: impl SchemaView<'s>) -> Option<u64> {
    match schema.text("type") {
        "object" if schema.has("additionalProperties") => schema.bound("maxProperties"),
        "array" => schema.bound("maxItems"),
        _ => Some(1),
    }
}

/// Formats the factor by which a cost exceeds a budget, as the API server does.
#[must_use]
#[expect(
    clippy::cast_precision_loss,
    reason = "a factor is shown with few digits"
)]
pub fn factor(cost: u64, budget: u64) -> String {
    let factor = cost as f64 / budget as f64;
    if factor > 100.0 {
        "more than 100".to_owned()
    } else if factor < 1.5 {
        format!("{factor:.6}")
    } else {
        format!("{factor:.1}")
    }
}
