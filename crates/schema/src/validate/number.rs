//! Bounds, factors and numeric formats.

use serde_json::{Number, Value};

use super::outcome::{Outcome, fieldless, invalid};
use crate::field::FieldError;
use crate::field::Path;
use crate::field::go_float;
use crate::node::{Checks, Schema};
use crate::types::{Kind, Types};

/// The largest integer that a JSON number represents exactly, 2⁵³ − 1.
const MAX_JSON_INTEGER: f64 = 9_007_199_254_740_991.0;

/// Whether a float counts as an integer (go-openapi's tolerance: a relative error below 1e-9).
pub(super) fn is_json_integer(value: f64) -> bool {
    if !value.is_finite() || value.abs() > MAX_JSON_INTEGER {
        return false;
    }
    let whole = value.trunc();
    if value == whole {
        return true;
    }
    let cut = whole.max(0.0);
    cut != 0.0 && (value - cut).abs() / (value.abs() + cut) < 1e-9
}

/// A number as the server represents it after decoding.
#[derive(Clone, Copy)]
enum Num {
    Int(i64),
    Float(f64),
}

impl Num {
    fn new(number: &Number) -> Self {
        number.as_i64().map_or_else(
            || Self::Float(number.as_f64().unwrap_or(f64::NAN)),
            Self::Int,
        )
    }

    #[allow(clippy::cast_precision_loss, reason = "Go converts the same way")]
    fn as_float(self) -> f64 {
        match self {
            Self::Int(i) => i as f64,
            Self::Float(f) => f,
        }
    }

    fn value(self) -> Value {
        match self {
            Self::Int(i) => Value::from(i),
            Self::Float(f) => Value::from(f),
        }
    }
}

/// Returns the result of all numeric checks.
pub(super) fn number_outcome(schema: &Schema, path: &Path<'_>, number: &Number) -> Outcome {
    let mut outcome = Outcome::default();
    let num = Num::new(number);
    outcome.add_all(out_of_range(schema, path, num, "Checked"));
    if let Some(checks) = schema.checks.as_deref() {
        factor(schema, checks, path, num, &mut outcome);
        minimum(schema, checks, path, num, &mut outcome);
        maximum(schema, checks, path, num, &mut outcome);
    }
    outcome.count(1);
    outcome
}

/// Returns the error of a number or limit outside the range of its type and format.
fn out_of_range(schema: &Schema, path: &Path<'_>, num: Num, what: &str) -> Option<FieldError> {
    let format = schema.format.as_deref().unwrap_or_default();
    let (type_name, held) = match schema.types {
        Types::One(Kind::Integer) => (
            "integer",
            match num {
                Num::Int(i) => format != "int32" || i32::try_from(i).is_ok(),
                Num::Float(f) => {
                    let limit = if format == "int32" {
                        2_147_483_648.0
                    } else {
                        9_223_372_036_854_775_808.0
                    };
                    f.fract() == 0.0 && f >= -limit && f < limit
                }
            },
        ),
        Types::One(Kind::Number) => (
            "number",
            format != "float" || num.as_float().abs() <= f64::from(f32::MAX),
        ),
        _ => return None,
    };
    if held {
        return None;
    }
    let place = path.render();
    Some(fieldless(if format.is_empty() {
        format!("{what} value must be of type {type_name} (default format) in {place}")
    } else {
        format!("{what} value must be of type {type_name} with format {format} in {place}")
    }))
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "Go's conversions truncate and saturate likewise"
)]
fn factor(schema: &Schema, checks: &Checks, path: &Path<'_>, num: Num, outcome: &mut Outcome) {
    let Some(factor) = checks.multiple_of else {
        return;
    };
    let unfit = out_of_range(schema, path, Num::Float(factor), "MultipleOf");
    let native = unfit.is_none();
    outcome.add_all(unfit);
    let (held, shown, num) = match num {
        Num::Int(i) if native => {
            let whole = factor as i64;
            if whole <= 0 {
                outcome.add(not_positive(path, Num::Int(whole)));
                return;
            }
            (i % whole == 0, whole.to_string(), num)
        }
        _ => {
            if factor <= 0.0 {
                outcome.add(not_positive(path, Num::Float(factor)));
                return;
            }
            let float = num.as_float();
            let quotient = if factor < 1.0 {
                1.0 / factor * float
            } else {
                float / factor
            };
            (
                is_json_integer(quotient),
                go_float(factor),
                Num::Float(float),
            )
        }
    };
    if !held {
        outcome.add(invalid(
            path,
            num.value(),
            &format!("should be a multiple of {shown}"),
        ));
    }
}

fn not_positive(path: &Path<'_>, factor: Num) -> FieldError {
    let shown = match factor {
        Num::Int(i) => i.to_string(),
        Num::Float(f) => go_float(f),
    };
    let detail = format!(
        "factor MultipleOf declared for {} must be positive: {shown}",
        path.render()
    );
    FieldError::with_value(
        path.field(),
        super::FieldErrorKind::Invalid,
        factor.value(),
        detail,
    )
}

fn minimum(schema: &Schema, checks: &Checks, path: &Path<'_>, num: Num, outcome: &mut Outcome) {
    let Some(min) = checks.minimum else {
        return;
    };
    let rule = if checks.exclusive_minimum {
        "greater than"
    } else {
        "greater than or equal to"
    };
    let unfit = out_of_range(schema, path, Num::Float(min), "Minimum boundary");
    let bound = Bound {
        limit: min,
        native: unfit.is_none(),
        exclusive: checks.exclusive_minimum,
    };
    outcome.add_all(unfit);
    bound.check(path, num, rule, |ordering| ordering.is_lt(), outcome);
}

fn maximum(schema: &Schema, checks: &Checks, path: &Path<'_>, num: Num, outcome: &mut Outcome) {
    let Some(max) = checks.maximum else {
        return;
    };
    let rule = if checks.exclusive_maximum {
        "less than"
    } else {
        "less than or equal to"
    };
    let unfit = out_of_range(schema, path, Num::Float(max), "Maximum boundary");
    let bound = Bound {
        limit: max,
        native: unfit.is_none(),
        exclusive: checks.exclusive_maximum,
    };
    outcome.add_all(unfit);
    bound.check(path, num, rule, |ordering| ordering.is_gt(), outcome);
}

struct Bound {
    limit: f64,
    /// Whether the limit has the node's type, so that integers are compared as integers.
    native: bool,
    exclusive: bool,
}

impl Bound {
    #[allow(
        clippy::cast_possible_truncation,
        reason = "Go's conversions truncate likewise"
    )]
    fn check(
        &self,
        path: &Path<'_>,
        num: Num,
        rule: &str,
        beyond: fn(std::cmp::Ordering) -> bool,
        outcome: &mut Outcome,
    ) {
        let (ordering, num, limit) = match num {
            Num::Int(i) if self.native => {
                let limit = self.limit as i64;
                (Some(i.cmp(&limit)), num, limit.to_string())
            }
            _ => {
                let float = num.as_float();
                (
                    float.partial_cmp(&self.limit),
                    Num::Float(float),
                    go_float(self.limit),
                )
            }
        };
        if ordering.is_some_and(|ordering| beyond(ordering) || self.exclusive && ordering.is_eq()) {
            outcome.add(invalid(
                path,
                num.value(),
                &format!("should be {rule} {limit}"),
            ));
        }
    }
}
