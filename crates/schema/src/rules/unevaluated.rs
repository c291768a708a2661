//! Rules in builds without CEL: reports each rule that applies.

use super::Place;
use crate::errors::{FieldErrors, Unevaluated};
use crate::field::Path;
use crate::rule::Rule;

#[derive(Default)]
pub(super) struct Evaluation {
    pub(super) found: FieldErrors,
}

impl Evaluation {
    pub(super) fn check(&mut self, rule: &Rule, _: Place<'_>, path: &Path<'_>) {
        self.found.add_unevaluated(Unevaluated {
            field: path.field(),
            rule: rule.rule.clone(),
            reason: "this build does not evaluate CEL".to_owned(),
        });
    }
}
