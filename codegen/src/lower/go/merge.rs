//! Merges rules: those of a field take precedence over those of its type.

use crate::model::{Constraints, Validation};

/// Adds constraints from `below` that `rules` does not set itself.
pub(super) fn fill(rules: &mut Validation, below: &Validation) {
    if *below == Validation::default() {
        return;
    }
    if *rules == Validation::default() {
        rules.clone_from(below);
        return;
    }
    // Destructure exhaustively, so that a new constraint must be handled here.
    let Constraints {
        minimum,
        maximum,
        exclusive_minimum,
        exclusive_maximum,
        multiple_of,
        min_length,
        max_length,
        pattern,
        format,
        min_items,
        max_items,
        unique_items,
        min_properties,
        max_properties,
        enum_,
        combinators,
        rules: cel,
        list_type,
        list_map_keys,
        map_type,
        int_or_string,
        preserve_unknown_fields,
        embedded_resource,
        element,
        type_,
        schemaless,
        external_docs,
        title,
        example,
        docs,
    } = &**below;
    let own = &mut **rules;
    or(&mut own.minimum, minimum);
    or(&mut own.maximum, maximum);
    own.exclusive_minimum |= exclusive_minimum;
    own.exclusive_maximum |= exclusive_maximum;
    or(&mut own.multiple_of, multiple_of);
    or(&mut own.min_length, min_length);
    or(&mut own.max_length, max_length);
    or(&mut own.pattern, pattern);
    or(&mut own.format, format);
    or(&mut own.min_items, min_items);
    or(&mut own.max_items, max_items);
    own.unique_items |= unique_items;
    or(&mut own.min_properties, min_properties);
    or(&mut own.max_properties, max_properties);
    if own.enum_.is_empty() {
        own.enum_.clone_from(enum_);
    }
    own.combinators
        .all_of
        .extend(combinators.all_of.iter().cloned());
    own.combinators
        .any_of
        .extend(combinators.any_of.iter().cloned());
    own.combinators
        .one_of
        .extend(combinators.one_of.iter().cloned());
    or(&mut own.combinators.not, &combinators.not);
    own.rules.extend(cel.iter().cloned());
    or(&mut own.list_type, list_type);
    if own.list_map_keys.is_empty() {
        own.list_map_keys.clone_from(list_map_keys);
    }
    or(&mut own.map_type, map_type);
    own.int_or_string |= int_or_string;
    own.preserve_unknown_fields |= preserve_unknown_fields;
    own.embedded_resource |= embedded_resource;
    match (&mut own.element, element) {
        (Some(own), Some(below)) => fill(own, below),
        (own @ None, Some(below)) => *own = Some(below.clone()),
        (_, None) => {}
    }
    or(&mut own.type_, type_);
    own.schemaless |= schemaless;
    or(&mut own.external_docs, external_docs);
    or(&mut own.title, title);
    or(&mut own.example, example);
    if own.docs.is_empty() {
        own.docs.clone_from(docs);
    }
}

fn or<T: Clone>(own: &mut Option<T>, below: &Option<T>) {
    if own.is_none() {
        own.clone_from(below);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::CelRule;

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
