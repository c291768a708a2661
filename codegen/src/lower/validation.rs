//! Converts markers to constraints on the schema.

use serde_json::Value;

use super::bounds;
use crate::{
    diag::{Diagnostic, Diagnostics},
    model::{CelRule, ListType, Validation, WireType},
    read::markers::{
        Marker, MarkerSet, SchemaPart, SchemaRule,
        field::{Immutable, ListMapKey, ListTypeMarker},
        rules::{Type, XIntOrString, in_cel, items_of},
    },
};

/// Returns the validation from the markers of a type or field; `wire` is its type on the wire, and
/// `items` that of its items if it is a list.
pub(super) fn of_markers(
    markers: &MarkerSet,
    wire: WireType,
    items: WireType,
    diagnostics: &mut Diagnostics,
) -> Validation {
    let mut validation = Validation::default();
    if markers.0.is_empty() {
        return validation;
    }
    let wire = declared_type(markers).unwrap_or(wire);
    let mut element = Validation::default();
    let mut rules: Vec<(&Marker, SchemaRule)> = markers
        .0
        .iter()
        .filter_map(|marker| Some((marker, marker.def.schema?)))
        .collect();
    rules.sort_by_key(|(_, rule)| rule.rank);
    for (marker, rule) in rules {
        match rule.part {
            SchemaPart::Value => {
                if applies(marker, rule.about, wire, diagnostics) {
                    (rule.apply)(marker, &mut validation);
                }
            }
            SchemaPart::Items => {
                if applies(marker, Some(WireType::List), wire, diagnostics)
                    && applies(marker, rule.about, items, diagnostics)
                {
                    (rule.apply)(marker, &mut element);
                }
            }
        }
    }
    if markers.has::<Immutable>() {
        validation.rules.push(CelRule {
            rule: "self == oldSelf".to_owned(),
            message: Some("field is immutable".to_owned()),
            ..CelRule::default()
        });
    }
    check_list(&mut validation, markers, diagnostics);
    bounds::check(&validation, SchemaPart::Value, markers, diagnostics);
    bounds::check(&element, SchemaPart::Items, markers, diagnostics);
    if element != Validation::default() {
        validation.element = Some(Box::new(element));
    }
    validation
}

/// Returns the rule that also keeps an optional immutable field from being removed: a rule of the
/// struct, as written by controller-tools.
pub(super) fn immutable_once_set(json_name: &str, markers: &MarkerSet) -> Option<CelRule> {
    markers.has::<Immutable>().then(|| {
        let property = in_cel(json_name);
        CelRule {
            rule: format!("!has(oldSelf.{property}) || has(self.{property})"),
            message: Some(format!("field {json_name} is immutable once set")),
            ..CelRule::default()
        }
    })
}

/// Returns the type that markers declare instead of the Rust type's.
fn declared_type(markers: &MarkerSet) -> Option<WireType> {
    if markers.has::<XIntOrString>() {
        return Some(WireType::IntOrString);
    }
    let declared = markers.get::<Type>()?;
    Some(WireType::of_schema(&declared.value).unwrap_or(WireType::Unknown))
}

/// Whether a rule applies to the type. Reports a rule for values of another type, and a fractional
/// bound for an integer.
fn applies(
    marker: &Marker,
    about: Option<WireType>,
    found: WireType,
    diagnostics: &mut Diagnostics,
) -> bool {
    let Some(about) = about else {
        return true;
    };
    if !about.includes(found) {
        let wrong = Diagnostic::error(format!(
            "`{marker}` applies to {}, not to {}",
            about.description(),
            found.description()
        ))
        .at(marker.place.clone(), "misplaced");
        diagnostics.push(match (found, items_of(marker.def)) {
            (WireType::List, Some(items)) => {
                wrong.help(format!("for the items of the list: `+{}`", items.name))
            }
            _ => wrong,
        });
        return false;
    }
    let number = marker.argument("").map(|argument| &argument.value);
    if found == WireType::Integer
        && let Some(Value::Number(number)) = number
        && number.as_i64().is_none()
        && number.as_f64().is_some_and(|number| number.fract() != 0.0)
    {
        diagnostics.push(
            Diagnostic::error(format!("invalid bound `{number}` for an integer"))
                .at(marker.place.clone(), "has a fraction"),
        );
        return false;
    }
    true
}

/// Checks that list keys are used with lists of type map and that such lists have keys; removes
/// keys of other lists.
fn check_list(validation: &mut Validation, markers: &MarkerSet, diagnostics: &mut Diagnostics) {
    let is_map = validation.list_type == Some(ListType::Map);
    if let (true, Some(marker)) = (
        is_map && validation.list_map_keys.is_empty(),
        markers.get::<ListTypeMarker>(),
    ) {
        diagnostics.push(
            Diagnostic::error("a list of type map needs a key")
                .at(marker.place.clone(), "without a key")
                .help("add `+listMapKey=<field>`"),
        );
    }
    if let (false, Some(marker)) = (is_map, markers.get::<ListMapKey>()) {
        diagnostics.push(
            Diagnostic::error("`+listMapKey` requires `+listType=map`")
                .at(marker.place.clone(), "the list is not of type map")
                .help("add `+listType=map`, or remove the key"),
        );
        validation.list_map_keys.clear();
    }
}
