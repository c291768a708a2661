//! Validations as schema keywords.

use super::{Schema, words::Words};
use crate::model::Constraints;

impl Schema {
    /// The keywords of the constraints, without those for elements.
    pub(super) fn of_rules(rules: &Constraints) -> Self {
        let mut words = Words::default();
        rules.put(&mut |word, value| words.set(word, value));
        Self {
            words,
            ..Self::default()
        }
    }
}
