//! What rules may cost, and how often the values that they are about can occur in an object.

use super::view::SchemaView;

/// Bytes of the largest request that the API server takes.
pub const MAX_REQUEST: u64 = 3 * 1024 * 1024;

/// The most that an expression may cost, for all values that an object can have of what it is about.
pub const MOST_OF_A_RULE: u64 = 10_000_000;

/// The most that all expressions of a version may cost.
pub const MOST_OF_ALL: u64 = 100_000_000;

/// How many values of a schema an object can have; none if nothing bounds that.
#[derive(Clone, Copy, Debug)]
pub struct Count(Option<u64>);

impl Count {
    /// The count of whole objects.
    pub const ONE: Self = Self(Some(1));

    /// The count of the values within those of a schema.
    #[must_use]
    pub fn within<'s>(self, schema: impl SchemaView<'s>) -> Self {
        let factor = most_values(schema);
        let product = self.0.zip(factor);
        Self(product.map(|(count, factor)| count.saturating_mul(factor)))
    }

    /// The count of values of at least so many bytes: what fits into a request, if nothing else bounds it.
    #[must_use]
    pub fn of(self, min_bytes: u64) -> u64 {
        self.0.unwrap_or(MAX_REQUEST / (min_bytes + 1))
    }
}

/// How many values of a list or map an object can have, for each value of the schema; none if that has no bound.
pub fn most_values<'s>(schema: impl SchemaView<'s>) -> Option<u64> {
    match schema.text("type") {
        "object" if schema.has("additionalProperties") => schema.bound("maxProperties"),
        "array" => schema.bound("maxItems"),
        _ => Some(1),
    }
}

/// By what factor a cost exceeds a budget, as the API server writes it.
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
