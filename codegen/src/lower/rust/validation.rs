//! Validations: from markers to what the schema demands.

use serde_json::{Number, Value, json};

use super::{Cx, refs::Shape};
use crate::{
    diag::{Diagnostic, Diagnostics},
    model::{CelRule, ExternalDocs, ListType, MapType, TypeRef, Validation},
    read::markers::{Marker, MarkerSet},
};

const VALUE: &str = "kubebuilder:validation:";
const ITEMS: &str = "kubebuilder:validation:items:";

impl Cx<'_> {
    /// What the markers of a type or field demand; `ty` is the field's type, if it is one.
    pub(super) fn validation(
        &self,
        markers: &MarkerSet,
        shape: Shape,
        ty: Option<&TypeRef>,
        diagnostics: &mut Diagnostics,
    ) -> Validation {
        let mut validation = Validation::default();
        if markers.0.is_empty() {
            return validation;
        }
        let mut element = Validation::default();
        for marker in &markers.0 {
            if let Some(rule) = marker.def.name.strip_prefix(ITEMS) {
                demand(marker, ITEMS, Shape::List, shape, diagnostics);
                let items = ty.map_or(Shape::Unknown, |ty| self.element_shape(ty));
                apply_rule(&mut element, rule, marker, items, diagnostics);
            } else if let Some(rule) = marker.def.name.strip_prefix(VALUE) {
                apply_rule(&mut validation, rule, marker, shape, diagnostics);
            } else {
                apply_other(&mut validation, marker, shape, diagnostics);
            }
        }
        check_list(&validation, markers, diagnostics);
        if element != Validation::default() {
            validation.element = Some(Box::new(element));
        }
        validation
    }

    fn element_shape(&self, ty: &TypeRef) -> Shape {
        match ty {
            TypeRef::List(inner) => self.shape(inner),
            TypeRef::Optional(inner) | TypeRef::Boxed(inner) => self.element_shape(inner),
            _ => Shape::Unknown,
        }
    }
}

/// A rule of `kubebuilder:validation:`, for a value of the given shape.
fn apply_rule(
    validation: &mut Validation,
    rule: &str,
    marker: &Marker,
    shape: Shape,
    diagnostics: &mut Diagnostics,
) {
    let number = || marker.value("").and_then(Value::as_number).cloned();
    let truth = || marker.value("").and_then(Value::as_bool) == Some(true);
    let text = || marker.text("").map(str::to_owned);
    if let Some(wanted) = wanted_shape(rule) {
        demand(marker, VALUE, wanted, shape, diagnostics);
    }
    match rule {
        "Maximum" => validation.maximum = whole(marker, number(), shape, diagnostics),
        "Minimum" => validation.minimum = whole(marker, number(), shape, diagnostics),
        "MultipleOf" => validation.multiple_of = whole(marker, number(), shape, diagnostics),
        "ExclusiveMaximum" => validation.exclusive_maximum = truth(),
        "ExclusiveMinimum" => validation.exclusive_minimum = truth(),
        "UniqueItems" => validation.unique_items = truth(),
        "MinProperties" => validation.min_properties = length(marker, diagnostics),
        "MaxProperties" => validation.max_properties = length(marker, diagnostics),
        "MinLength" => validation.min_length = length(marker, diagnostics),
        "MaxLength" => validation.max_length = length(marker, diagnostics),
        "MinItems" => validation.min_items = length(marker, diagnostics),
        "MaxItems" => validation.max_items = length(marker, diagnostics),
        "Pattern" => validation.pattern = text(),
        "Format" => validation.format = text(),
        "Title" => validation.title = text(),
        "Enum" => {
            let values = marker.value("").and_then(Value::as_array);
            validation.enum_ = values.cloned().unwrap_or_default();
        }
        "XPreserveUnknownFields" => validation.preserve_unknown_fields = true,
        "XEmbeddedResource" | "EmbeddedResource" => validation.embedded_resource = true,
        "XIntOrString" => validation.int_or_string = true,
        "Schemaless" => validation.schemaless = true,
        "Type" => validation.type_ = text(),
        "XValidation" => validation.rules.push(cel_rule(marker)),
        "ExactlyOneOf" => validation
            .rules
            .push(count_rule(marker, "exactly one", "== 1")),
        "AtMostOneOf" => validation
            .rules
            .push(count_rule(marker, "at most one", "<= 1")),
        "AtLeastOneOf" => validation
            .rules
            .push(count_rule(marker, "at least one", ">= 1")),
        // `Required` and `Optional` are about presence.
        _ => {}
    }
}

/// A marker outside of `kubebuilder:validation:`.
fn apply_other(
    validation: &mut Validation,
    marker: &Marker,
    shape: Shape,
    diagnostics: &mut Diagnostics,
) {
    let text = marker.text("").unwrap_or_default();
    match marker.def.name {
        "listType" => {
            demand(marker, "", Shape::List, shape, diagnostics);
            validation.list_type = Some(match text {
                "set" => ListType::Set,
                "map" => ListType::Map,
                _ => ListType::Atomic,
            });
        }
        "listMapKey" => {
            demand(marker, "", Shape::List, shape, diagnostics);
            validation.list_map_keys.push(text.to_owned());
        }
        "mapType" | "structType" => {
            demand(marker, "", Shape::Object, shape, diagnostics);
            validation.map_type = Some(match text {
                "atomic" => MapType::Atomic,
                _ => MapType::Granular,
            });
        }
        "kubebuilder:pruning:PreserveUnknownFields" => validation.preserve_unknown_fields = true,
        "kubebuilder:externalDocs" => {
            validation.external_docs = Some(ExternalDocs {
                url: marker.text("url").unwrap_or_default().to_owned(),
                description: marker.text("description").map(str::to_owned),
            });
        }
        "kubebuilder:title" => validation.title = Some(text.to_owned()),
        "kubebuilder:example" => validation.example = marker.value("").cloned(),
        _ => {}
    }
}

/// The shape that a rule is about; none for rules about any value.
fn wanted_shape(rule: &str) -> Option<Shape> {
    Some(match rule {
        "Maximum" | "Minimum" | "MultipleOf" | "ExclusiveMaximum" | "ExclusiveMinimum" => {
            Shape::Number
        }
        "MinLength" | "MaxLength" | "Pattern" => Shape::Text,
        "MinItems" | "MaxItems" | "UniqueItems" => Shape::List,
        "MinProperties" | "MaxProperties" | "ExactlyOneOf" | "AtMostOneOf" | "AtLeastOneOf" => {
            Shape::Object
        }
        _ => return None,
    })
}

/// Reports a marker that is about another type than it stands at.
fn demand(
    marker: &Marker,
    prefix: &str,
    wanted: Shape,
    found: Shape,
    diagnostics: &mut Diagnostics,
) {
    let fits = match (wanted, found) {
        (_, Shape::Unknown) | (Shape::Number, Shape::Integer) => true,
        (Shape::Number | Shape::Text, Shape::IntOrString) => true,
        _ => wanted == found,
    };
    if fits {
        return;
    }
    let wrong = Diagnostic::error(format!(
        "`+{}` is about {}, not {}",
        marker.def.name,
        words(wanted),
        words(found)
    ))
    .at(marker.place.clone(), "misplaced");
    let rule = marker.def.name.strip_prefix(prefix).unwrap_or_default();
    let for_items = found == Shape::List && prefix == VALUE;
    diagnostics.push(if for_items {
        wrong.help(format!("for the items of the list: `+{ITEMS}{rule}`"))
    } else {
        wrong
    });
}

fn words(shape: Shape) -> &'static str {
    match shape {
        Shape::Bool => "a truth value",
        Shape::Integer => "a whole number",
        Shape::Number => "a number",
        Shape::Text => "a text",
        Shape::IntOrString => "a number or text",
        Shape::List => "a list",
        Shape::Object => "an object or map",
        Shape::Unknown => "a value",
    }
}

/// A bound of a whole number is whole itself.
fn whole(
    marker: &Marker,
    number: Option<Number>,
    shape: Shape,
    diagnostics: &mut Diagnostics,
) -> Option<Number> {
    let number = number?;
    let fraction = number.as_i64().is_none() && number.as_f64().is_some_and(|n| n.fract() != 0.0);
    if shape == Shape::Integer && fraction {
        diagnostics.push(
            Diagnostic::error(format!("`{number}` is no bound of a whole number"))
                .at(marker.place.clone(), "has a fraction"),
        );
    }
    Some(number)
}

/// A length is not negative.
fn length(marker: &Marker, diagnostics: &mut Diagnostics) -> Option<u64> {
    let argument = marker.argument("")?;
    let number = argument.value.as_i64()?;
    if number < 0 {
        diagnostics.push(
            Diagnostic::error(format!("a length of {number} makes no sense"))
                .at(argument.place.clone(), "negative"),
        );
    }
    u64::try_from(number).ok()
}

fn cel_rule(marker: &Marker) -> CelRule {
    let text = |name: &str| marker.text(name).map(str::to_owned);
    CelRule {
        rule: text("rule").unwrap_or_default(),
        message: text("message"),
        message_expression: text("messageExpression"),
        reason: text("reason"),
        field_path: text("fieldPath"),
        optional_old_self: marker.value("optionalOldSelf").and_then(Value::as_bool),
    }
}

/// How many of some fields are set, as a rule; the form is controller-tools'.
fn count_rule(marker: &Marker, how_many: &str, comparison: &str) -> CelRule {
    let fields = marker.texts("");
    let present: Vec<String> = fields
        .iter()
        .map(|field| format!("has(self.{field})"))
        .collect();
    CelRule {
        rule: format!(
            "[{}].filter(x,x==true).size() {comparison}",
            present.join(",")
        ),
        message: Some(format!(
            "{how_many} of the fields in {} must be set",
            json!(fields)
        )),
        ..CelRule::default()
    }
}

/// Keys go with lists of type map, and such lists have keys.
fn check_list(validation: &Validation, markers: &MarkerSet, diagnostics: &mut Diagnostics) {
    let is_map = validation.list_type == Some(ListType::Map);
    if let (true, Some(marker)) = (
        is_map && validation.list_map_keys.is_empty(),
        markers.get("listType"),
    ) {
        diagnostics.push(
            Diagnostic::error("a list of type map needs a key")
                .at(marker.place.clone(), "without a key")
                .help("add `+listMapKey=<field>`"),
        );
    }
    if let (false, Some(marker)) = (is_map, markers.get("listMapKey")) {
        diagnostics.push(
            Diagnostic::error("`+listMapKey` goes with `+listType=map` only")
                .at(marker.place.clone(), "the list is not of type map")
                .help("add `+listType=map`, or remove the key"),
        );
    }
}
