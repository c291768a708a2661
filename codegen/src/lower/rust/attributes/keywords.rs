//! Maps constraints in attributes to markers.

use serde_json::{Number, Value};

use crate::{
    model::{Combinators, WireType},
    read::{
        markers::{
            MarkerDef, MarkerType as _, ValueKind,
            field::{
                EmbeddedResource, Example, KubebuilderDefault, ListMapKey, ListTypeMarker,
                MapTypeMarker, Nullable, PreserveUnknownFields, Title,
            },
            rules::{
                self, MaxItems, MaxLength, Maximum, MinItems, MinLength, Minimum, Pattern,
                XValidation,
            },
        },
        rust::Word,
    },
};

/// The meaning of a constraint.
pub(super) enum Meaning {
    /// A marker is equivalent.
    Marker(&'static MarkerDef, Effect),
    /// Value validations with other schemas.
    Combinators(fn(&mut Combinators, Value) -> bool),
    /// The description.
    Description(Value),
    /// Schemas of components, which the Rust type determines.
    Structure,
    /// A keyword that CRDs do not have and that does not constrain values.
    Nothing,
    /// A keyword that CRDs do not have.
    Unknown,
}

/// The effect of setting a marker.
pub(super) enum Effect {
    /// Sets the values, each with a separate marker.
    Values(Vec<Value>),
    /// None, since the marker applies to values of another type.
    Idle,
    /// Unknown, since the value is unknown.
    Unknown,
    /// Invalid: the value must have the type described here.
    Wrong(&'static str),
}

/// Schema keywords with equivalent markers of other names.
#[rustfmt::skip]
const RENAMED: [(&str, &MarkerDef); 8] = [
    ("default", &KubebuilderDefault::DEF),
    ("example", &Example::DEF),
    ("nullable", &Nullable::DEF),
    ("title", &Title::DEF),
    ("x-kubernetes-embedded-resource", &EmbeddedResource::DEF),
    ("x-kubernetes-list-type", &ListTypeMarker::DEF),
    ("x-kubernetes-map-type", &MapTypeMarker::DEF),
    ("x-kubernetes-preserve-unknown-fields", &PreserveUnknownFields::DEF),
];

/// Keywords with several values.
const LISTS: [(&str, &MarkerDef); 2] = [
    ("x-kubernetes-list-map-keys", &ListMapKey::DEF),
    ("x-kubernetes-validations", &XValidation::DEF),
];

/// JSON Schema keywords that do not constrain a value, and `uniqueItems`, which the API server
/// rejects and kube removes.
const NOTHING: [&str; 9] = [
    "$comment",
    "$id",
    "$schema",
    "contentEncoding",
    "contentMediaType",
    "deprecated",
    "examples",
    "readOnly",
    "writeOnly",
];

const STRUCTURE: [&str; 7] = [
    "$ref",
    "additionalProperties",
    "items",
    "patternProperties",
    "prefixItems",
    "properties",
    "required",
];

/// Returns the meaning of a constraint on values of the specified type.
pub(super) fn meaning(word: &Word, wire: WireType, value: Option<Value>) -> Meaning {
    let is_list = wire == WireType::List;
    let (def, value) = match word {
        Word::MinLength if is_list => (&MinItems::DEF, value),
        Word::MinLength => (&MinLength::DEF, value),
        Word::MaxLength if is_list => (&MaxItems::DEF, value),
        Word::MaxLength => (&MaxLength::DEF, value),
        Word::Minimum => (&Minimum::DEF, value.map(|value| whole(value, wire))),
        Word::Maximum => (&Maximum::DEF, value.map(|value| whole(value, wire))),
        Word::Pattern => (&Pattern::DEF, value),
        Word::Contains => (&Pattern::DEF, value.map(contains)),
        Word::Keyword(keyword) => return of_keyword(keyword, wire, value),
        Word::Rule(_) => return Meaning::Nothing,
    };
    let about = def.schema.and_then(|rule| rule.about);
    // schemars checks `type`, which an int-or-string does not have.
    let is_idle = about.is_some_and(|about| !about.includes(wire)) || wire == WireType::IntOrString;
    Meaning::Marker(
        def,
        if is_idle {
            Effect::Idle
        } else {
            effect(def, value)
        },
    )
}

fn of_keyword(keyword: &str, wire: WireType, value: Option<Value>) -> Meaning {
    let find = |table: &[(&str, &'static MarkerDef)]| {
        let found = table.iter().find(|(known, _)| *known == keyword);
        found.map(|(_, def)| *def)
    };
    if let Some(def) = find(&RENAMED).or_else(|| rules::of_keyword(keyword)) {
        return Meaning::Marker(def, effect(def, value));
    }
    if let Some(def) = find(&LISTS) {
        return Meaning::Marker(
            def,
            match value {
                None => Effect::Unknown,
                Some(Value::Array(values)) => Effect::Values(values),
                Some(_) => Effect::Wrong("a list"),
            },
        );
    }
    match (keyword, value) {
        ("description", Some(value)) => Meaning::Description(value),
        ("uniqueItems", _) if wire == WireType::List => Meaning::Nothing,
        ("allOf", _) => Meaning::Combinators(|all, value| set(&mut all.all_of, value)),
        ("anyOf", _) => Meaning::Combinators(|all, value| set(&mut all.any_of, value)),
        ("oneOf", _) => Meaning::Combinators(|all, value| set(&mut all.one_of, value)),
        ("not", _) => Meaning::Combinators(|all, value| {
            all.not = Some(Box::new(value));
            true
        }),
        _ if NOTHING.contains(&keyword) => Meaning::Nothing,
        _ if STRUCTURE.contains(&keyword) => Meaning::Structure,
        _ => Meaning::Unknown,
    }
}

fn set(schemas: &mut Vec<Value>, value: Value) -> bool {
    let Value::Array(values) = value else {
        return false;
    };
    *schemas = values;
    true
}

/// Checks whether the marker accepts the value.
fn effect(def: &MarkerDef, value: Option<Value>) -> Effect {
    let Some(value) = value else {
        return Effect::Unknown;
    };
    let kind = def.arguments.first().map(|argument| argument.kind);
    let (fits, expected) = match kind {
        // A flag that is off has no effect.
        None if value == Value::Bool(false) => return Effect::Values(Vec::new()),
        None | Some(ValueKind::Bool) => (value.is_boolean(), "true or false"),
        Some(ValueKind::Length) => (value.is_u64(), "a non-negative integer"),
        Some(ValueKind::Number | ValueKind::Int) => (value.is_number(), "a number"),
        Some(ValueKind::Values | ValueKind::Strings) => (value.is_array(), "a list"),
        Some(ValueKind::Choice(words)) => {
            let is_word = value.as_str().is_some_and(|word| words.contains(&word));
            (is_word, "a word that Kubernetes knows")
        }
        Some(ValueKind::Any | ValueKind::Json) => (true, ""),
        Some(_) => (value.is_string(), "a string"),
    };
    match fits {
        true => Effect::Values(vec![value]),
        false => Effect::Wrong(expected),
    }
}

/// Converts the bound `1.0` for an integer to `1`.
#[allow(clippy::cast_possible_truncation, reason = "whole, and within bounds")]
fn whole(value: Value, wire: WireType) -> Value {
    let number = value
        .as_f64()
        .filter(|_| wire == WireType::Integer && value.is_f64());
    match number {
        Some(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
            Value::Number(Number::from(number as i64))
        }
        _ => value,
    }
}

/// Returns the regular expression for strings that contain a string.
fn contains(value: Value) -> Value {
    let Value::String(text) = value else {
        return value;
    };
    let mut pattern = String::with_capacity(text.len());
    for c in text.chars() {
        if "\\.+*?()|[]{}^$#&-~".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    Value::String(pattern)
}
