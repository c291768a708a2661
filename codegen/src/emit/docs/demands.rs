//! Constraints of a schema beyond the type, as documentation.

use serde::Deserialize as _;
use serde_json::{Number, Value};

use super::{code, lines};
use crate::model::{
    CelRule, Combinators, Field, KnownType, ListType, Origin, QUANTITY_PATTERN, TypeDef, TypeRef,
    Validation,
};

/// Appends constraints to a description, as a list; a single one without a description is a paragraph. The list marker differs
/// from that of lists in descriptions, so that Markdown does not merge the lists.
pub(crate) fn add(lines: &mut Vec<String>, notes: Vec<String>) {
    if lines.is_empty() && notes.len() == 1 {
        lines.extend(notes);
    } else {
        lines.extend(notes.iter().map(|note| format!("* {note}")));
    }
}

/// The default of a field.
pub(crate) fn default(field: &Field) -> Option<String> {
    let default = field.default.as_ref()?;
    Some(format!("Defaults to `{}`.", code(&default.to_string())))
}

/// The permitted values of a type other than an enum of its own.
fn values(subject: &str, ty: &TypeRef, validation: &Validation) -> Option<String> {
    let plain = matches!(
        ty,
        TypeRef::Bool
            | TypeRef::Int32
            | TypeRef::Int64
            | TypeRef::Float
            | TypeRef::String
            | TypeRef::Any
            | TypeRef::Known(KnownType::IntOrString)
    );
    let values: Vec<String> = validation
        .enum_
        .iter()
        .filter(|value| !value.is_null())
        .map(|value| format!("`{}`", code(&value.to_string())))
        .collect();
    (plain && !values.is_empty()).then(|| format!("{subject} {}.", values.join(", ")))
}

/// The notes for a field: constraints of its value, then of its items or values, then rules. `said` are the rules of its named type, which
/// are documented there.
pub(crate) fn of_field(ty: &TypeRef, validation: &Validation, said: &[CelRule]) -> Vec<String> {
    let mut paragraphs = Vec::new();
    let mut subject = "Must";
    let mut one_of = "One of";
    let mut current = Some((ty, validation));
    while let Some((ty, validation)) = current {
        paragraphs.extend(values(one_of, ty, validation));
        let demands = demands(ty, validation);
        match demands.as_slice() {
            [] => {}
            [_] if is_not_empty(validation) => {
                paragraphs.push(format!("{subject} not be empty."));
            }
            demands => paragraphs.push(format!("{subject} {}.", joined(demands))),
        }
        let is_said = |rule: &CelRule| {
            let mut said = said.iter();
            said.any(|it| (&it.rule, &it.message) == (&rule.rule, &rule.message))
        };
        let rules = validation.rules.iter().filter(|rule| !is_said(rule));
        paragraphs.extend(rules.map(rule));
        (subject, one_of) = match ty {
            TypeRef::Map(_) => ("Each value must", "Each value is one of"),
            _ => ("Each item must", "Each item is one of"),
        };
        current = match ty {
            TypeRef::List(inner) | TypeRef::Map(inner) => validation
                .element
                .as_deref()
                .map(|element| (plain(inner), element)),
            _ => None,
        };
    }
    paragraphs
}

/// The notes for a named type: its constraints, unless each field of the type has them, as in CRDs, and its rules, except those that are
/// covered by the note about a union.
pub(crate) fn of_type(validation: &Validation, origin: Origin) -> Vec<String> {
    let demands = match origin {
        Origin::Crd => Vec::new(),
        Origin::Go | Origin::Rust => demands(&TypeRef::Local(String::new()), validation),
    };
    let demands = (!demands.is_empty()).then(|| format!("Must {}.", joined(&demands)));
    let rules = validation.rules.iter();
    let rules = rules.filter(|rule| !rule.said_by_union).map(rule);
    demands.into_iter().chain(rules).collect()
}

/// The rules that are documented with the named type of a field, its items or values.
pub(crate) fn said_by(named: Option<&TypeDef>) -> &[CelRule] {
    named.map_or(&[], |def| &def.validation.rules)
}

/// The type without `Option`s around it.
fn plain(ty: &TypeRef) -> &TypeRef {
    match ty {
        TypeRef::Optional(inner) => plain(inner),
        _ => ty,
    }
}

fn demands(ty: &TypeRef, validation: &Validation) -> Vec<String> {
    let mut demands = Vec::new();
    demands.extend(bounds(validation));
    if let Some(unit) = &validation.multiple_of {
        demands.push(format!("be a multiple of {unit}"));
    }
    demands.extend(range(
        "character",
        validation.min_length,
        validation.max_length,
    ));
    demands.extend(range("item", validation.min_items, validation.max_items));
    demands.extend(range(
        "property",
        validation.min_properties,
        validation.max_properties,
    ));
    if validation.unique_items || validation.list_type == Some(ListType::Set) {
        demands.push("have no item twice".to_owned());
    }
    if validation.list_type == Some(ListType::Map) && !validation.list_map_keys.is_empty() {
        let keys: Vec<String> = validation
            .list_map_keys
            .iter()
            .map(|key| span(key))
            .collect();
        demands.push(format!("have no two items with the same {}", joined(&keys)));
    }
    if let Some(format) = validation
        .format
        .as_deref()
        .filter(|format| !is_of_type(ty, format))
    {
        demands.push(format!("be of the format {}", span(format)));
    }
    demands.extend(validation.pattern.as_deref().and_then(|pattern| {
        match (pattern == QUANTITY_PATTERN, ty) {
            (true, TypeRef::Known(KnownType::Quantity)) => None,
            (true, _) => Some("be a quantity, such as `0.5` or `128Mi`".to_owned()),
            (false, _) => Some(format!("match {}", span(pattern))),
        }
    }));
    demands.extend(combined(ty, &validation.combinators));
    demands
}

/// The constraints of all schemas in `allOf`; also those in `anyOf` or `oneOf`, if every alternative has some.
fn combined(ty: &TypeRef, combinators: &Combinators) -> Vec<String> {
    let of = |schema: &Value| {
        Validation::deserialize(schema).map_or_else(|_| Vec::new(), |one| demands(ty, &one))
    };
    let mut found: Vec<String> = combinators.all_of.iter().flat_map(of).collect();
    for alternatives in [&combinators.any_of, &combinators.one_of] {
        let each: Vec<Vec<String>> = alternatives.iter().map(of).collect();
        if !each.is_empty() && each.iter().all(|one| !one.is_empty()) {
            let each: Vec<String> = each.iter().map(|one| joined(one)).collect();
            found.push(each.join(" or "));
        }
    }
    found
}

/// `be between 1 and 65535`; exclusive bounds are separate phrases.
fn bounds(validation: &Validation) -> Vec<String> {
    let (least, most) = (&validation.minimum, &validation.maximum);
    let are_included = !validation.exclusive_minimum && !validation.exclusive_maximum;
    if let (Some(least), Some(most), true) = (least, most, are_included) {
        return vec![match least == most {
            true => format!("be {least}"),
            false => format!("be between {least} and {most}"),
        }];
    }
    let bound = |limit: &Option<Number>, word: &str| {
        let limit = limit.as_ref()?;
        Some(format!("be {word} {limit}"))
    };
    let least_word = if validation.exclusive_minimum {
        "above"
    } else {
        "at least"
    };
    let most_word = if validation.exclusive_maximum {
        "below"
    } else {
        "at most"
    };
    let bounds = [bound(least, least_word), bound(most, most_word)];
    bounds.into_iter().flatten().collect()
}

/// `have 1 to 63 characters`.
fn range(unit: &str, least: Option<u64>, most: Option<u64>) -> Option<String> {
    let units = |count: u64| match (unit, count) {
        (_, 1) => format!("{count} {unit}"),
        ("property", _) => format!("{count} properties"),
        _ => format!("{count} {unit}s"),
    };
    match (least.filter(|&least| least > 0), most) {
        (None, None) => None,
        (Some(least), None) => Some(format!("have at least {}", units(least))),
        (None, Some(most)) => Some(format!("have at most {}", units(most))),
        (Some(least), Some(most)) if least == most => Some(format!("have {}", units(most))),
        (Some(least), Some(most)) => Some(format!("have {least} to {}", units(most))),
    }
}

/// Whether the only constraint is a minimum of one character, item or property.
fn is_not_empty(validation: &Validation) -> bool {
    let ranges = [
        (validation.min_length, validation.max_length),
        (validation.min_items, validation.max_items),
        (validation.min_properties, validation.max_properties),
    ];
    ranges.contains(&(Some(1), None))
}

/// Whether the format is implied by the Rust type.
fn is_of_type(ty: &TypeRef, format: &str) -> bool {
    match ty {
        // An integer enum.
        TypeRef::Local(_) => matches!(format, "int32" | "int64"),
        TypeRef::Int32 => format == "int32",
        TypeRef::Int64 => format == "int64",
        TypeRef::Float => matches!(format, "double" | "float"),
        TypeRef::Known(KnownType::Time) => format == "date-time",
        TypeRef::Known(KnownType::ByteString) => format == "byte",
        TypeRef::Known(KnownType::IntOrString) => format == "int-or-string",
        _ => false,
    }
}

/// ``Must satisfy `self.min <= self.max`: the minimum is above the maximum``, on one line.
fn rule(rule: &CelRule) -> String {
    let words: Vec<&str> = rule.rule.split_whitespace().collect();
    let mut text = format!("Must satisfy {}", span(&words.join(" ")));
    let message = rule.message.as_deref().map(lines).unwrap_or_default();
    let message: Vec<&str> = message
        .iter()
        .map(|line| line.trim())
        .filter(|line| !line.is_empty())
        .collect();
    if message.is_empty() {
        text.push('.');
    } else {
        text.push_str(": ");
        text.push_str(&message.join(" "));
    }
    text
}

/// A code span on one line; a string with backticks gets a longer fence.
fn span(text: &str) -> String {
    let line = text.replace(['\n', '\r', '\t'], " ");
    let clean = |c: &char| !c.is_control() && !('\u{200b}'..='\u{206f}').contains(c);
    let line: String = line.chars().filter(clean).collect();
    if line.contains('`') {
        let longest = line.split(|c| c != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(longest + 1);
        format!("{fence} {line} {fence}")
    } else {
        format!("`{}`", code(&line))
    }
}

/// `a, b and c`.
pub(super) fn joined(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::Constraints;

    #[track_caller]
    fn check(ty: TypeRef, constraints: Constraints, expected: &[&str]) {
        assert_eq!(of_field(&ty, &constraints.into(), &[]), expected);
    }

    fn number(value: serde_json::Value) -> Option<Number> {
        value.as_number().cloned()
    }

    #[test]
    fn bounds_lengths_and_formats_are_one_sentence() {
        let constraints = Constraints {
            minimum: number(json!(0)),
            exclusive_minimum: true,
            maximum: number(json!(1.5)),
            multiple_of: number(json!(0.5)),
            ..Constraints::default()
        };
        check(
            TypeRef::Float,
            constraints,
            &["Must be above 0, be at most 1.5 and be a multiple of 0.5."],
        );
        for (maximum, expected) in [(65535, "Must be between 1 and 65535."), (1, "Must be 1.")] {
            let constraints = Constraints {
                minimum: number(json!(1)),
                maximum: number(json!(maximum)),
                ..Constraints::default()
            };
            check(TypeRef::Int64, constraints, &[expected]);
        }
        let constraints = Constraints {
            min_length: Some(1),
            ..Constraints::default()
        };
        check(TypeRef::String, constraints, &["Must not be empty."]);
        let constraints = Constraints {
            min_length: Some(1),
            max_length: Some(63),
            pattern: Some("^[a-z`]+\n$".to_owned()),
            format: Some("hostname".to_owned()),
            ..Constraints::default()
        };
        check(
            TypeRef::String,
            constraints,
            &[
                "Must have 1 to 63 characters, be of the format `hostname` and match `` ^[a-z`]+ $ ``.",
            ],
        );
        let constraints = Constraints {
            format: Some("int64".to_owned()),
            min_items: Some(0),
            ..Constraints::default()
        };
        check(TypeRef::Int64, constraints, &[]);
    }

    #[test]
    fn the_pattern_of_a_quantity_is_said_in_words() {
        let constraints = || Constraints {
            pattern: Some(QUANTITY_PATTERN.to_owned()),
            ..Constraints::default()
        };
        let expected = ["Must be a quantity, such as `0.5` or `128Mi`."];
        check(
            TypeRef::Known(KnownType::IntOrString),
            constraints(),
            &expected,
        );
        check(TypeRef::Known(KnownType::Quantity), constraints(), &[]);
    }

    #[test]
    fn combined_schemas_refine_and_offer() {
        let combinators = Combinators {
            all_of: vec![
                json!({"minLength": 3}),
                json!({"maxLength": 20, "pattern": "^a"}),
            ],
            one_of: vec![json!({"format": "ipv4"}), json!({"format": "ipv6"})],
            ..Combinators::default()
        };
        let constraints = Constraints {
            combinators,
            ..Constraints::default()
        };
        check(
            TypeRef::String,
            constraints,
            &[
                "Must have at least 3 characters, have at most 20 characters, match `^a` and be of the format `ipv4` or be of the format `ipv6`.",
            ],
        );
        let combinators = Combinators {
            any_of: vec![json!({"type": "integer"}), json!({"type": "string"})],
            ..Combinators::default()
        };
        let constraints = Constraints {
            combinators,
            ..Constraints::default()
        };
        check(TypeRef::Known(KnownType::IntOrString), constraints, &[]);
    }

    #[test]
    fn items_and_values_have_sentences_of_their_own() {
        let keys = Constraints {
            max_properties: Some(1),
            ..Constraints::default()
        };
        let list = Constraints {
            min_items: Some(2),
            max_items: Some(2),
            list_type: Some(ListType::Map),
            list_map_keys: vec!["host".to_owned(), "port".to_owned()],
            element: Some(Box::new(keys.into())),
            ..Constraints::default()
        };
        let ty = TypeRef::List(Box::new(TypeRef::Optional(Box::new(TypeRef::Map(
            Box::new(TypeRef::Any),
        )))));
        check(
            ty,
            list,
            &[
                "Must have 2 items and have no two items with the same `host` and `port`.",
                "Each item must have at most 1 property.",
            ],
        );
    }

    #[test]
    fn rules_have_their_messages_and_stand_with_the_type_that_has_a_name() {
        let constraints = Constraints {
            rules: vec![CelRule {
                rule: "self.a <=\n  self.b".to_owned(),
                message: Some("a is\nabove [b]".to_owned()),
                ..CelRule::default()
            }],
            ..Constraints::default()
        };
        let sentence = r"Must satisfy `self.a <= self.b`: a is above \[b\]";
        check(TypeRef::String, constraints.clone(), &[sentence]);
        let named = TypeRef::Local("T".to_owned());
        // Only the field has the rule.
        check(named.clone(), constraints.clone(), &[sentence]);
        let validation = Validation::from(constraints);
        assert!(of_field(&named, &validation, &validation.rules).is_empty());
        assert_eq!(of_type(&validation, Origin::Crd), [sentence]);
    }

    #[test]
    fn a_type_has_its_constraints_unless_its_fields_have_them() {
        let constraints = Constraints {
            min_properties: Some(1),
            max_properties: Some(2),
            ..Constraints::default()
        };
        let validation = Validation::from(constraints);
        let sentence = "Must have 1 to 2 properties.";
        assert_eq!(of_type(&validation, Origin::Go), [sentence]);
        assert_eq!(of_type(&validation, Origin::Rust), [sentence]);
        assert!(of_type(&validation, Origin::Crd).is_empty());
    }
}
