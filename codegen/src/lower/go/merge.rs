//! Merges rules: those of a field take precedence over those of its type.

use crate::model::Validation;

/// Adds constraints from `below` that `rules` does not set itself.
pub(super) fn fill(rules: &mut Validation, below: &Validation) {
    if *below == Validation::default() {
        return;
    }
    if *rules == Validation::default() {
        rules.clone_from(below);
        return;
    }
    rules.fill(below);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{CelRule, Constraints};

    #[test]
    fn a_field_wins_over_its_type_and_its_rules_come_first() {
        let rule = |text: &str| CelRule {
            rule: text.to_owned(),
            ..CelRule::default()
        };
        let mut field = Validation::from(Constraints {
            max_length: Some(5),
            rules: vec![rule("field")],
            ..Constraints::default()
        });
        let ty = Validation::from(Constraints {
            min_length: Some(1),
            max_length: Some(10),
            rules: vec![rule("type")],
            ..Constraints::default()
        });
        fill(&mut field, &ty);
        assert_eq!((field.min_length, field.max_length), (Some(1), Some(5)));
        let rules: Vec<&str> = field.rules.iter().map(|rule| rule.rule.as_str()).collect();
        assert_eq!(rules, ["field", "type"]);
    }
}
