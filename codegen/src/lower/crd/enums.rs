//! Enums: strings and integers with listed values.

use std::collections::{BTreeSet, HashSet};

use serde_json::Value;

use crate::{
    model::{
        EnumDef, EnumValues, Variant,
        names::schema::{OPEN_VARIANT, variant_names},
    },
    read::crd::schema::Schema,
};

/// Returns the enum for a string schema, or `None` if it does not list values.
pub(super) fn of_texts(schema: &Schema) -> Option<EnumDef> {
    let values = listed(schema).into_iter();
    let values = values.filter_map(|value| Some(value.as_str()?.to_owned()));
    let default = schema.default.as_ref().and_then(Value::as_str);
    of_values(EnumValues::Texts, values.collect(), default)
}

/// Returns the enum for an integer schema, or `None` if it lists no values or values other than
/// 64-bit integers.
pub(super) fn of_integers(schema: &Schema) -> Option<EnumDef> {
    let values = listed(schema).into_iter();
    let values = values.filter(|value| !value.is_null());
    let values: Option<Vec<String>> = values.map(integer).collect();
    let default = schema.default.as_ref().and_then(integer);
    of_values(EnumValues::Integers, values?, default.as_deref())
}

/// Returns the values that the schema lists, or else those common to all lists in its `allOf`.
fn listed(schema: &Schema) -> Vec<&Value> {
    let validation = &schema.validation;
    if !validation.enum_.is_empty() {
        return validation.enum_.iter().collect();
    }
    let all = validation.combinators.all_of.iter();
    let mut lists = all.filter_map(|one| one.get("enum")?.as_array());
    let first: Vec<&Value> = lists.next().into_iter().flatten().collect();
    lists.fold(first, |mut listed, list| {
        let list: HashSet<&Value> = list.iter().collect();
        listed.retain(|value| list.contains(value));
        listed
    })
}

fn integer(value: &Value) -> Option<String> {
    value.as_i64().map(|number| number.to_string())
}

/// Builds an enum from its values; duplicates count once.
fn of_values(kind: EnumValues, values: Vec<String>, default: Option<&str>) -> Option<EnumDef> {
    let mut seen = BTreeSet::new();
    let mut unique: Vec<&str> = values.iter().map(String::as_str).collect();
    unique.retain(|value| seen.insert(*value));
    let variants = unique.iter().zip(variant_names(&unique));
    let variants: Vec<Variant> = variants
        .map(|(value, name)| Variant {
            name,
            value: (*value).to_owned(),
            docs: String::new(),
        })
        .collect();
    (!variants.is_empty()).then(|| EnumDef {
        values: kind,
        default: default.and_then(|default| unique.iter().position(|value| *value == default)),
        variants,
        open: Some(OPEN_VARIANT.to_owned()),
        zero_is_empty: false,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::{Combinators, Constraints};

    fn schema(values: Vec<Value>, all_of: Vec<Value>, default: Option<Value>) -> Schema {
        let combinators = Combinators {
            all_of,
            ..Combinators::default()
        };
        Schema {
            default,
            validation: Constraints {
                enum_: values,
                combinators,
                ..Constraints::default()
            }
            .into(),
            ..Schema::default()
        }
    }

    /// Formats the variants with their values; `*` marks the default.
    fn shown(def: Option<EnumDef>) -> Option<String> {
        let def = def?;
        let variants = def.variants.iter().enumerate().map(|(index, variant)| {
            let mark = if def.default == Some(index) { "*" } else { "" };
            format!("{}={}{mark}", variant.name, variant.value)
        });
        Some(variants.collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn integers_are_named_by_value() {
        let values = vec![json!(-1), json!(0), json!(4), json!(4), Value::Null];
        let def = of_integers(&schema(values, Vec::new(), Some(json!(0))));
        assert_eq!(shown(def).as_deref(), Some("Minus1=-1 V0=0* V4=4"));
    }

    #[test]
    fn integers_beyond_64_bits_or_with_others_make_no_enum() {
        let large = vec![json!(1), json!(18_446_744_073_709_551_615_u64)];
        assert_eq!(of_integers(&schema(large, Vec::new(), None)), None);
        assert_eq!(
            of_integers(&schema(vec![json!(1), json!("a")], Vec::new(), None)),
            None
        );
        assert_eq!(
            of_integers(&schema(vec![Value::Null], Vec::new(), None)),
            None
        );
    }

    #[test]
    fn an_enum_of_all_of_has_what_every_list_has() {
        let lists = vec![
            json!({"enum": ["a", "b"]}),
            json!({"enum": ["b", "c"]}),
            json!({"minLength": 1}),
        ];
        let def = of_texts(&schema(Vec::new(), lists.clone(), None));
        assert_eq!(shown(def).as_deref(), Some("B=b"));
        let own = of_texts(&schema(vec![json!("x")], lists, None));
        assert_eq!(shown(own).as_deref(), Some("X=x"));
    }
}
