//! Markers that say what the schema demands of a type, a field or the items of a list.

use super::{
    ArgumentDef, MarkerDef,
    Target::{Field, Package, Type},
    ValueKind::{Any, Bool, Choice, Int, Json, Number, String, Strings, Values},
    flag, optional, repeated, required, value, with,
};

/// The same rule for a value and, with `items:`, for the items of a list.
macro_rules! rule {
    ($name:literal, $syntax:literal, $arguments:expr, $meaning:literal) => {
        [
            with(
                flag(
                    concat!("kubebuilder:validation:", $name),
                    concat!("+kubebuilder:validation:", $name, $syntax),
                    &[Type, Field],
                    $meaning,
                    "",
                ),
                $arguments,
            ),
            with(
                flag(
                    concat!("kubebuilder:validation:items:", $name),
                    concat!("+kubebuilder:validation:items:", $name, $syntax),
                    &[Type, Field],
                    concat!("For the items of a list: ", $meaning),
                    "",
                ),
                $arguments,
            ),
        ]
    };
}

const NUMBER: &[ArgumentDef] = &[value(Number)];
const INT: &[ArgumentDef] = &[value(Int)];
const BOOL: &[ArgumentDef] = &[value(Bool)];
const TEXT: &[ArgumentDef] = &[value(String)];
const CEL: &[ArgumentDef] = &[
    required("rule", String, "the expression; `self` is the value"),
    optional("message", String, "what the user is told"),
    optional(
        "messageExpression",
        String,
        "an expression that gives the message",
    ),
    optional(
        "reason",
        Choice(&[
            "FieldValueInvalid",
            "FieldValueForbidden",
            "FieldValueRequired",
            "FieldValueDuplicate",
        ]),
        "the machine's word for the cause",
    ),
    optional("fieldPath", String, "the field that is to blame"),
    optional(
        "optionalOldSelf",
        Bool,
        "whether the rule also runs when there is no old value",
    ),
];

const RULES: [[MarkerDef; 2]; 24] = [
    rule!("Maximum", "=<number>", NUMBER, "The greatest value."),
    rule!("Minimum", "=<number>", NUMBER, "The least value."),
    rule!(
        "ExclusiveMaximum",
        "=true|false",
        BOOL,
        "Whether the maximum itself is forbidden."
    ),
    rule!(
        "ExclusiveMinimum",
        "=true|false",
        BOOL,
        "Whether the minimum itself is forbidden."
    ),
    rule!(
        "MultipleOf",
        "=<number>",
        NUMBER,
        "The value is a multiple of this."
    ),
    rule!("MinProperties", "=<n>", INT, "The least number of keys."),
    rule!("MaxProperties", "=<n>", INT, "The greatest number of keys."),
    rule!(
        "MaxLength",
        "=<n>",
        INT,
        "The greatest length of a text, in characters."
    ),
    rule!(
        "MinLength",
        "=<n>",
        INT,
        "The least length of a text, in characters."
    ),
    rule!(
        "Pattern",
        "=`<regular expression>`",
        TEXT,
        "The regular expression that a text matches."
    ),
    rule!("MaxItems", "=<n>", INT, "The greatest number of items."),
    rule!("MinItems", "=<n>", INT, "The least number of items."),
    rule!(
        "UniqueItems",
        "=true|false",
        BOOL,
        "Whether items are unique; the API server takes `listType=set` instead."
    ),
    rule!(
        "Enum",
        "=<value>;…",
        &[value(Values)],
        "The values that are allowed."
    ),
    rule!(
        "Format",
        "=<format>",
        TEXT,
        "The format of the type, such as date-time."
    ),
    rule!(
        "Type",
        "=<type>",
        TEXT,
        "The type in the schema, in place of the Rust type's."
    ),
    rule!("Title", "=<text>", TEXT, "The title in the schema."),
    rule!(
        "XPreserveUnknownFields",
        "",
        &[],
        "The API server keeps fields that the schema does not name."
    ),
    rule!(
        "XEmbeddedResource",
        "",
        &[],
        "The value is an object with apiVersion, kind and metadata."
    ),
    rule!("XIntOrString", "", &[], "The value is a number or a text."),
    rule!(
        "XValidation",
        ":rule=<expression>[,message=<text>][,messageExpression=<expression>][,reason=<reason>][,fieldPath=<path>][,optionalOldSelf=<bool>]",
        CEL,
        "A rule in the Common Expression Language."
    ),
    rule!(
        "ExactlyOneOf",
        "=<field>;…",
        &[value(Strings)],
        "Exactly one of the fields is set."
    ),
    rule!(
        "AtMostOneOf",
        "=<field>;…",
        &[value(Strings)],
        "At most one of the fields is set."
    ),
    rule!(
        "AtLeastOneOf",
        "=<field>;…",
        &[value(Strings)],
        "At least one of the fields is set."
    ),
];

const OTHERS: [MarkerDef; 17] = [
    flag(
        "kubebuilder:validation:Required",
        "+kubebuilder:validation:Required",
        &[Package, Type, Field],
        "The field must be given; on a package or type, every field without a word of its own.",
        "as the Rust type says",
    ),
    flag(
        "kubebuilder:validation:Optional",
        "+kubebuilder:validation:Optional",
        &[Package, Type, Field],
        "The field may be left out; on a package or type, every field without a word of its own.",
        "as the Rust type says",
    ),
    flag(
        "required",
        "+required",
        &[Field],
        "The field must be given.",
        "a field is required unless it is an Option or has a serde default",
    ),
    flag(
        "optional",
        "+optional",
        &[Field],
        "The field may be left out.",
        "a field is required unless it is an Option or has a serde default",
    ),
    flag(
        "nullable",
        "+nullable",
        &[Field],
        "The field may be null.",
        "not null",
    ),
    with(
        flag(
            "kubebuilder:default",
            "+kubebuilder:default=<value>",
            &[Field],
            "The value that the API server fills in; lists are `{1,2}`, objects `{key: value}`.",
            "none",
        ),
        &[value(Any)],
    ),
    with(
        flag(
            "default",
            "+default=<json>",
            &[Field],
            "The value that the API server fills in, as JSON.",
            "none",
        ),
        &[value(Json)],
    ),
    with(
        flag(
            "kubebuilder:example",
            "+kubebuilder:example=<value>",
            &[Field],
            "An example in the schema.",
            "none",
        ),
        &[value(Any)],
    ),
    flag(
        "kubebuilder:validation:EmbeddedResource",
        "+kubebuilder:validation:EmbeddedResource",
        &[Field],
        "The value is an object with apiVersion, kind and metadata.",
        "",
    ),
    flag(
        "kubebuilder:validation:Schemaless",
        "+kubebuilder:validation:Schemaless",
        &[Field],
        "The schema says nothing of the value.",
        "",
    ),
    flag(
        "kubebuilder:pruning:PreserveUnknownFields",
        "+kubebuilder:pruning:PreserveUnknownFields",
        &[Type, Field],
        "The API server keeps fields that the schema does not name.",
        "they are dropped",
    ),
    flag(
        "enum",
        "+enum",
        &[Type],
        "The type is an enum; accepted for sources that come from Go, since Rust enums say it themselves.",
        "",
    ),
    with(
        flag(
            "listType",
            "+listType=atomic|set|map",
            &[Type, Field],
            "How server-side apply merges the list.",
            "atomic",
        ),
        &[value(Choice(&["atomic", "set", "map"]))],
    ),
    repeated(with(
        flag(
            "listMapKey",
            "+listMapKey=<field>",
            &[Type, Field],
            "A key of a list of type map.",
            "none",
        ),
        TEXT,
    )),
    with(
        flag(
            "mapType",
            "+mapType=granular|atomic",
            &[Type, Field],
            "How server-side apply merges the map.",
            "granular",
        ),
        &[value(Choice(&["granular", "atomic"]))],
    ),
    with(
        flag(
            "structType",
            "+structType=granular|atomic",
            &[Type, Field],
            "How server-side apply merges the struct.",
            "granular",
        ),
        &[value(Choice(&["granular", "atomic"]))],
    ),
    with(
        flag(
            "kubebuilder:feature-gate",
            "+kubebuilder:feature-gate=<name>",
            &[Type, Field],
            "Accepted for sources that come from Go; manifests here have no gates.",
            "",
        ),
        TEXT,
    ),
];

/// All of them; rules in the Common Expression Language and the groups of fields may stand more than once.
pub(super) const MARKERS: &[MarkerDef] = &{
    let mut table = [OTHERS[0]; OTHERS.len() + 2 * RULES.len()];
    let mut at = 0;
    while at < OTHERS.len() {
        table[at] = OTHERS[at];
        at += 1;
    }
    let mut rule = 0;
    while rule < RULES.len() {
        let [value, items] = RULES[rule];
        let repeats = rule >= RULES.len() - 4;
        table[at] = if repeats { repeated(value) } else { value };
        table[at + 1] = if repeats { repeated(items) } else { items };
        at += 2;
        rule += 1;
    }
    table
};
