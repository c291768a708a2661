//! Rules for the value of a type or field or, with `items:`, for list items.

use std::borrow::Cow;

use kube_schema::Keyword;
use serde_json::{Number, Value};

use super::{
    At, MarkerDef, MarkerType,
    define::{Length, SchemaMarker, for_items, markers, ranked, rule, words},
};
use crate::model::{CelRule, Validation, WireType};

/// The API's reason for a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason(pub &'static str);

words! {
    Reason: Choice {
        "FieldValueInvalid" => Self("FieldValueInvalid"),
        "FieldValueForbidden" => Self("FieldValueForbidden"),
        "FieldValueRequired" => Self("FieldValueRequired"),
        "FieldValueDuplicate" => Self("FieldValueDuplicate"),
    }
}

/// Defines rules, each with its counterpart for list items:
/// `/// Meaning. Type = "Name" about Wire (arguments) |marker, schema| effect;`
macro_rules! rules {
    ($(
        $(#[doc = $doc:literal])+
        $type:ident = $name:literal $(about $wire:ident)?
        $({ $($property:ident: $setting:expr),+ $(,)? })?
        ( $($arguments:tt)* ) |$marker:ident, $schema:ident| $effect:expr;
    )+) => {
        markers! { VALUES; $(
            $(#[doc = $doc])+
            $type = concat!("kubebuilder:validation:", $name), on [Type, Field] {
                schema: rule::<Self>(about!($($wire)?)),
                $($($property: $setting,)+)?
            } ( $($arguments)* );
        )+ }

        $(
            impl SchemaMarker for $type {
                fn apply(self, $schema: &mut Validation) {
                    let $marker = self;
                    $effect;
                }
            }
        )+

        const ITEMS: &[MarkerDef] = &[$(MarkerDef {
            name: concat!("kubebuilder:validation:items:", $name),
            meaning: concat!("For the items of a list:", $($doc),+),
            schema: for_items($type::DEF.schema),
            ..$type::DEF
        }),+];
    };
}

/// The type of the values that a rule applies to.
macro_rules! about {
    () => {
        None
    };
    ($wire:ident) => {
        Some(WireType::$wire)
    };
}

rules! {
    /// The maximum value.
    Maximum = "Maximum" about Number (
        /// the bound
        value: Number = "" as "number"
    ) |rule, schema| schema.maximum = Some(rule.value);

    /// The minimum value.
    Minimum = "Minimum" about Number (
        /// the bound
        value: Number = "" as "number"
    ) |rule, schema| schema.minimum = Some(rule.value);

    /// Whether the maximum itself is forbidden.
    ExclusiveMaximum = "ExclusiveMaximum" about Number (
        /// whether it is
        value: bool = "" as "bool"
    ) |rule, schema| schema.exclusive_maximum = rule.value;

    /// Whether the minimum itself is forbidden.
    ExclusiveMinimum = "ExclusiveMinimum" about Number (
        /// whether it is
        value: bool = "" as "bool"
    ) |rule, schema| schema.exclusive_minimum = rule.value;

    /// The value is a multiple of this number.
    MultipleOf = "MultipleOf" about Number (
        /// the divisor
        value: Number = "" as "number"
    ) |rule, schema| schema.multiple_of = Some(rule.value);

    /// The minimum number of keys.
    MinProperties = "MinProperties" about Object (
        /// how many
        value: Length = "" as "n"
    ) |rule, schema| schema.min_properties = Some(rule.value.0);

    /// The maximum number of keys.
    MaxProperties = "MaxProperties" about Object (
        /// how many
        value: Length = "" as "n"
    ) |rule, schema| schema.max_properties = Some(rule.value.0);

    /// The maximum length of a string, in characters.
    MaxLength = "MaxLength" about String (
        /// how many
        value: Length = "" as "n"
    ) |rule, schema| schema.max_length = Some(rule.value.0);

    /// The minimum length of a string, in characters.
    MinLength = "MinLength" about String (
        /// how many
        value: Length = "" as "n"
    ) |rule, schema| schema.min_length = Some(rule.value.0);

    /// The regular expression that a string must match, in Go's syntax.
    Pattern = "Pattern" about String (
        /// the expression, in backticks
        value: std::string::String = "" as "regular expression"
    ) |rule, schema| schema.pattern = Some(rule.value);

    /// The maximum number of items.
    MaxItems = "MaxItems" about List (
        /// how many
        value: Length = "" as "n"
    ) |rule, schema| schema.max_items = Some(rule.value.0);

    /// The minimum number of items.
    MinItems = "MinItems" about List (
        /// how many
        value: Length = "" as "n"
    ) |rule, schema| schema.min_items = Some(rule.value.0);

    /// Whether items are unique; the API server accepts `listType=set` instead.
    UniqueItems = "UniqueItems" about List (
        /// whether they are
        value: bool = "" as "bool"
    ) |rule, schema| schema.unique_items = rule.value;

    /// The permitted values.
    Enum = "Enum" (
        /// the values
        values: At<Vec<Value>> = "" as "value"
    ) |rule, schema| schema.enum_ = rule.values.value;

    /// The format of the type, such as date-time.
    Format = "Format" (
        /// the format
        value: String = "" as "format"
    ) |rule, schema| schema.format = Some(rule.value);

    /// The type in the schema, in place of the Rust type's.
    Type = "Type" (
        /// the type
        value: String = "" as "type"
    ) |rule, schema| schema.type_ = Some(rule.value);

    /// The API server keeps fields that the schema does not declare.
    XPreserveUnknownFields = "XPreserveUnknownFields" (
    ) |_rule, schema| schema.preserve_unknown_fields = true;

    /// The value is an object with apiVersion, kind and metadata.
    XEmbeddedResource = "XEmbeddedResource" (
    ) |_rule, schema| schema.embedded_resource = true;

    /// The value is an integer or a string.
    XIntOrString = "XIntOrString" (
    ) |_rule, schema| schema.int_or_string = true;

    /// A rule in the Common Expression Language.
    XValidation = "XValidation" { repeats: true } (
        /// the expression; `self` is the value
        rule: At<String> = "rule" as "expression",
        /// the message to the user
        message: Option<String> = "message" as "text",
        /// an expression that gives the message
        message_expression: Option<String> = "messageExpression" as "expression",
        /// the API's reason for the violation
        reason: Option<Reason> = "reason" as "reason",
        /// the field to blame
        field_path: Option<String> = "fieldPath" as "path",
        /// whether the rule also runs when there is no old value
        optional_old_self: Option<bool> = "optionalOldSelf" as "bool"
    ) |rule, schema| schema.rules.push(CelRule {
        rule: rule.rule.value,
        message: rule.message,
        message_expression: rule.message_expression,
        reason: rule.reason.map(|reason| reason.0.to_owned()),
        field_path: rule.field_path,
        optional_old_self: rule.optional_old_self,
        said_by_union: false,
    });
}

// These rules follow the CEL rules, in this order.
markers! { GROUPS;
    /// At most one of the fields is set.
    AtMostOneOf = "kubebuilder:validation:AtMostOneOf", on [Type] {
        repeats: true,
        schema: ranked(rule::<Self>(Some(WireType::Object)), 1),
    } (
        /// the fields, by their names on the wire
        fields: At<Vec<String>> = "" as "field",
    );

    /// Exactly one of the fields is set.
    ExactlyOneOf = "kubebuilder:validation:ExactlyOneOf", on [Type] {
        repeats: true,
        schema: ranked(rule::<Self>(Some(WireType::Object)), 2),
    } (
        /// the fields, by their names on the wire
        fields: At<Vec<String>> = "" as "field",
    );

    /// At least one of the fields is set.
    AtLeastOneOf = "kubebuilder:validation:AtLeastOneOf", on [Type] {
        repeats: true,
        schema: ranked(rule::<Self>(Some(WireType::Object)), 3),
    } (
        /// the fields, by their names on the wire
        fields: At<Vec<String>> = "" as "field",
    );
}

impl SchemaMarker for AtMostOneOf {
    fn apply(self, schema: &mut Validation) {
        let rule = one_of("at most one", "may", &self.fields, "<= 1");
        schema.rules.push(rule);
    }
}

impl SchemaMarker for ExactlyOneOf {
    fn apply(self, schema: &mut Validation) {
        let rule = one_of("exactly one", "must", &self.fields, "== 1");
        schema.rules.push(rule);
    }
}

impl SchemaMarker for AtLeastOneOf {
    fn apply(self, schema: &mut Validation) {
        let rule = one_of("at least one", "must", &self.fields, ">= 1");
        schema.rules.push(rule);
    }
}

/// Returns a rule that limits how many of the fields are set, in the wording of controller-gen
/// v0.21.0.
fn one_of(how_many: &str, may: &str, fields: &[String], compared: &str) -> CelRule {
    let set: Vec<_> = fields
        .iter()
        .map(|field| format!("has(self.{})", in_cel(field)))
        .collect();
    let set = set.join(",");
    let fields = fields.join(" ");
    CelRule {
        rule: format!("[{set}].filter(x,x==true).size() {compared}"),
        message: Some(format!(
            "{how_many} of the fields in [{fields}] {may} be set"
        )),
        ..CelRule::default()
    }
}

/// Escapes a property for a rule; controller-gen does not, and the API server rejects `self.a-b`.
pub(crate) fn in_cel(property: &str) -> Cow<'_, str> {
    kube_names::cel::escaped(property).map_or(Cow::Borrowed(property), Cow::Owned)
}

/// All rules.
pub(super) const MARKERS: &[MarkerDef] = &{
    let mut table = [VALUES[0]; VALUES.len() + ITEMS.len() + GROUPS.len()];
    let mut at = 0;
    while at < VALUES.len() {
        table[2 * at] = VALUES[at];
        table[2 * at + 1] = ITEMS[at];
        at += 1;
    }
    let mut group = 0;
    while group < GROUPS.len() {
        table[2 * at + group] = GROUPS[group];
        group += 1;
    }
    table
};

/// Returns the counterpart of a rule for list items.
pub(crate) fn items_of(rule: &MarkerDef) -> Option<&'static MarkerDef> {
    let index = VALUES.iter().position(|value| value == rule)?;
    ITEMS.get(index)
}

/// Returns the rule that is named as a keyword of schemas; none for `uniqueItems`, which the API
/// server refuses to have set.
pub(crate) fn of_keyword(name: &str) -> Option<&'static MarkerDef> {
    let keyword = Keyword::find(name).filter(|_| name != "uniqueItems")?;
    let name = format!("kubebuilder:validation:{}", keyword.go_name());
    VALUES.iter().find(|rule| rule.name == name)
}
