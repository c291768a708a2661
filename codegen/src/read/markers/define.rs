//! The definition of a marker, its arguments' types, and the macro that makes both from one entry.

use std::ops::Deref;

use serde::{Serialize, Serializer, ser::SerializeStruct as _};
use serde_json::{Number, Value};

use super::{Argument, Marker};
use crate::{
    diag::Place,
    model::{Validation, WireType},
};

/// A marker as a Rust type: its fields are the arguments.
pub trait MarkerType: Sized {
    /// The marker's entry in the table.
    const DEF: MarkerDef;

    /// Returns the arguments of a marker of this type, or `None` if a required one is missing.
    fn read(marker: &Marker) -> Option<Self>;
}

/// A marker's entry in the table.
#[derive(Clone, Copy, Debug)]
pub struct MarkerDef {
    /// The name without the `+`: `genclient:onlyVerbs`.
    pub name: &'static str,
    /// Other names of the same marker.
    pub aliases: &'static [&'static str],
    /// Where it is allowed.
    pub targets: &'static [Target],
    /// Its meaning, in one sentence.
    pub meaning: &'static str,
    /// The default; may be empty.
    pub default: &'static str,
    /// How controller-gen differs; empty if it does the same or ignores the marker.
    pub differs: &'static str,
    /// Its arguments. A first argument without a name is the value directly after the `=`.
    pub arguments: &'static [ArgumentDef],
    /// Whether it may occur more than once in one place.
    pub repeats: bool,
    /// The kind of type that it requires.
    pub requires: Requires,
    /// Whether `#[kube(…)]` has an equivalent, so that the marker conflicts with
    /// `#[derive(CustomResource)]`.
    pub in_kube_attribute: bool,
    /// Its effect on the schema of a type or field.
    pub schema: Option<SchemaRule>,
    /// Whether only CRDs and validation by their schemas depend on it, as on markers with `schema`.
    pub only_in_crds: bool,
}

impl MarkerDef {
    /// An empty definition, for struct update syntax.
    pub(super) const EMPTY: Self = Self {
        name: "",
        aliases: &[],
        targets: &[],
        meaning: "",
        default: "",
        differs: "",
        arguments: &[],
        repeats: false,
        requires: Requires::Nothing,
        in_kube_attribute: false,
        schema: None,
        only_in_crds: false,
    };

    /// Whether it is allowed on the target.
    #[must_use]
    pub fn allows(&self, target: Target) -> bool {
        self.targets.contains(&target)
    }

    /// Whether it is allowed in any file, detached from types.
    #[must_use]
    pub fn stands_anywhere(&self) -> bool {
        self.allows(Target::File)
    }

    /// The syntax, with placeholders in angle brackets: `+genclient:onlyVerbs=<verb>,…`.
    #[must_use]
    pub fn syntax(&self) -> String {
        let mut syntax = format!("+{}", self.name);
        let all_optional = self.arguments.iter().all(|argument| !argument.required);
        for (index, argument) in self.arguments.iter().enumerate() {
            let value = argument.placeholder();
            let separator = match (index, argument.name) {
                (0, "") => {
                    syntax += &format!("={value}");
                    continue;
                }
                (0, _) => ":",
                _ => ",",
            };
            let named = format!("{}={value}", argument.name);
            syntax += &match (argument.required, index) {
                (true, _) => format!("{separator}{named}"),
                (false, 0) if all_optional && self.arguments.len() > 1 => format!(":[{named}]"),
                (false, _) => format!("[{separator}{named}]"),
            };
        }
        syntax
    }
}

impl PartialEq for MarkerDef {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for MarkerDef {}

impl Serialize for MarkerDef {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut def = serializer.serialize_struct("MarkerDef", 9)?;
        def.serialize_field("name", self.name)?;
        def.serialize_field("aliases", self.aliases)?;
        def.serialize_field("syntax", &self.syntax())?;
        def.serialize_field("targets", self.targets)?;
        def.serialize_field("meaning", self.meaning)?;
        def.serialize_field("default", self.default)?;
        def.serialize_field("differs", self.differs)?;
        def.serialize_field("arguments", self.arguments)?;
        def.serialize_field("repeats", &self.repeats)?;
        def.end()
    }
}

/// An argument of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ArgumentDef {
    /// Its name; empty for the value directly after the `=`.
    pub name: &'static str,
    /// The type of its value.
    pub kind: ValueKind,
    /// Whether it is required.
    pub required: bool,
    /// Its meaning.
    pub meaning: &'static str,
    /// A noun for the value, used as placeholder.
    #[serde(skip)]
    pub noun: &'static str,
}

impl ArgumentDef {
    fn placeholder(&self) -> String {
        let noun = self.noun;
        match self.kind {
            ValueKind::Bool => "true|false".to_owned(),
            ValueKind::Choice(words) | ValueKind::ChoiceAnyCase(words) if words.len() <= 5 => {
                // A word with a comma is an old spelling of another word.
                let words = words.iter().filter(|word| !word.contains(','));
                words.copied().collect::<Vec<_>>().join("|")
            }
            ValueKind::Strings | ValueKind::Values => format!("<{noun}>;…"),
            ValueKind::Words => format!("<{noun}>,…"),
            _ => format!("<{noun}>"),
        }
    }
}

/// The type of a value, which decides how it is parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ValueKind {
    /// `true` or `false`.
    Bool,
    /// An integer.
    Int,
    /// A non-negative integer.
    Length,
    /// A number.
    Number,
    /// A string: bare, in double quotes or in backticks.
    String,
    /// One of the listed words.
    Choice(&'static [&'static str]),
    /// One of the listed words in any letter case; normalized to the spelling here.
    ChoiceAnyCase(&'static [&'static str]),
    /// Strings: `a;b` or `{a,b}`.
    Strings,
    /// Values of any type: `1;2` or `{1,2}`.
    Values,
    /// A value whose type is inferred: `true`, `1.5`, `text`, `{1,2}`, `{key: value}`.
    Any,
    /// JSON.
    Json,
    /// Comma-separated words, the list syntax of gengo's markers.
    Words,
    /// The rest of the line, unchanged; it may be empty.
    Raw,
}

impl ValueKind {
    /// Whether it is a list whose values are separated by `;`.
    #[must_use]
    pub fn is_list(self) -> bool {
        matches!(self, Self::Strings | Self::Values)
    }
}

/// Where a marker is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Target {
    /// At the top of the version's `mod.rs`, separated from the first item by a blank line.
    Package,
    /// Anywhere in a file, including detached from items.
    File,
    /// Above a struct, an enum or a type alias.
    Type,
    /// Above a field.
    Field,
    /// Above a variant of an enum.
    Variant,
}

impl Target {
    /// Describes the place.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::Package => "at the top of the version's mod.rs",
            Self::File => "anywhere",
            Self::Type => "above a type",
            Self::Field => "above a field",
            Self::Variant => "above a variant",
        }
    }
}

/// The kind of type on which a marker has an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requires {
    /// Any type.
    Nothing,
    /// An API object.
    Object,
    /// An API object with a client.
    Client,
}

/// A marker's effect on a schema.
#[derive(Clone, Copy, Debug)]
pub struct SchemaRule {
    /// The type of the values that it applies to; `None` for any type.
    pub about: Option<WireType>,
    /// Whether it applies to the value or to list items.
    pub part: SchemaPart,
    /// Its order among the rules of one schema: by rank, then by source order.
    pub rank: u8,
    /// Applies the marker's constraints.
    pub apply: fn(&Marker, &mut Validation),
}

/// The part of a schema that a rule applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaPart {
    /// The value itself.
    Value,
    /// The items of a list.
    Items,
}

/// A marker type with an effect on a schema.
pub(super) trait SchemaMarker: MarkerType {
    /// Applies the marker's constraints.
    fn apply(self, schema: &mut Validation);
}

/// Returns the rule of a marker type, for values of type `about`.
pub(super) const fn rule<T: SchemaMarker>(about: Option<WireType>) -> Option<SchemaRule> {
    Some(SchemaRule {
        about,
        part: SchemaPart::Value,
        rank: 0,
        apply: apply::<T>,
    })
}

/// Returns the same rule, for list items.
pub(super) const fn for_items(rule: Option<SchemaRule>) -> Option<SchemaRule> {
    match rule {
        Some(rule) => Some(SchemaRule {
            part: SchemaPart::Items,
            ..rule
        }),
        None => None,
    }
}

/// Returns the same rule, applied after those of lower rank.
pub(super) const fn ranked(rule: Option<SchemaRule>, rank: u8) -> Option<SchemaRule> {
    match rule {
        Some(rule) => Some(SchemaRule { rank, ..rule }),
        None => None,
    }
}

fn apply<T: SchemaMarker>(marker: &Marker, schema: &mut Validation) {
    if let Some(marker) = T::read(marker) {
        marker.apply(schema);
    }
}

/// The type of an argument.
pub trait FromArgument: Sized {
    /// How the argument is parsed.
    const KIND: ValueKind;
    /// Whether the argument is required.
    const REQUIRED: bool = true;

    /// Converts an argument; `None` if it is missing but required.
    fn from_argument(argument: Option<&Argument>) -> Option<Self>;
}

/// An argument with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct At<T> {
    /// The value.
    pub value: T,
    /// Its place.
    pub place: Place,
}

impl<T> At<T> {
    /// Returns the place of a word within the argument.
    #[must_use]
    pub fn part(&self, word: &str) -> Place {
        let mut place = self.place.clone();
        let text = place.text.get(place.range.clone()).unwrap_or_default();
        if let Some(at) = text.find(word) {
            let start = place.range.start + at;
            place.range = start..start + word.len();
        }
        place
    }
}

impl<T> Deref for At<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: FromArgument> FromArgument for At<T> {
    const KIND: ValueKind = T::KIND;

    fn from_argument(argument: Option<&Argument>) -> Option<Self> {
        Some(Self {
            value: T::from_argument(argument)?,
            place: argument?.place.clone(),
        })
    }
}

impl<T: FromArgument> FromArgument for Option<T> {
    const KIND: ValueKind = T::KIND;
    const REQUIRED: bool = false;

    fn from_argument(argument: Option<&Argument>) -> Option<Self> {
        Some(argument.and_then(|argument| T::from_argument(Some(argument))))
    }
}

/// JSON.
#[derive(Clone, Debug, PartialEq)]
pub struct Json(pub Value);

/// Comma-separated words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words(pub Vec<String>);

/// The rest of the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raw(pub String);

/// A non-negative integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length(pub u64);

fn texts(value: &Value) -> Option<Vec<String>> {
    let texts = value.as_array()?.iter();
    Some(texts.filter_map(Value::as_str).map(str::to_owned).collect())
}

macro_rules! from_value {
    ($($type:ty: $kind:ident, $read:expr;)+) => {$(
        impl FromArgument for $type {
            const KIND: ValueKind = ValueKind::$kind;

            fn from_argument(argument: Option<&Argument>) -> Option<Self> {
                let read: fn(&Value) -> Option<Self> = $read;
                read(&argument?.value)
            }
        }
    )+};
}

from_value! {
    bool: Bool, |value| value.as_bool();
    i64: Int, |value| value.as_i64();
    Length: Length, |value| value.as_u64().map(Self);
    Number: Number, |value| value.as_number().cloned();
    String: String, |value| value.as_str().map(str::to_owned);
    Vec<String>: Strings, texts;
    Vec<Value>: Values, |value| value.as_array().cloned();
    Value: Any, |value| Some(value.clone());
    Json: Json, |value| Some(Self(value.clone()));
    Words: Words, |value| texts(value).map(Self);
    Raw: Raw, |value| value.as_str().map(|text| Self(text.to_owned()));
}

/// Implements the argument type for a set of words: `ListType: Choice { "set" => Self::Set, … }`.
macro_rules! words {
    ($($type:ty: $kind:ident { $($word:literal => $value:expr),+ $(,)? })+) => {$(
        impl $crate::read::markers::FromArgument for $type {
            const KIND: $crate::read::markers::ValueKind =
                $crate::read::markers::ValueKind::$kind(&[$($word),+]);

            fn from_argument(argument: Option<&$crate::read::markers::Argument>) -> Option<Self> {
                match argument?.value.as_str()? {
                    $($word => Some($value),)+
                    _ => None,
                }
            }
        }
    )+};
}
pub(super) use words;

/// Defines marker types and the table `$table` of them:
///
/// ```ignore
/// markers! { MARKERS;
///     /// The plural under which the API server serves the kind.
///     ResourceName = "resourceName", on [Type] { default: "…" } (
///         /// The plural.
///         value: String = "" as "plural",
///     );
/// }
/// ```
///
/// Braces contain properties of [`MarkerDef`], parentheses the arguments: field, type, name,
/// placeholder. The doc comments are the meanings that `kube-codegen markers` prints.
macro_rules! markers {
    ($table:ident; $(
        $(#[doc = $doc:literal])+
        $type:ident = $name:expr, on [$($target:ident),+]
        $({ $($property:ident: $setting:expr),+ $(,)? })?
        $(( $(
            $(#[doc = $about:literal])+
            $field:ident: $ty:ty = $argument:literal as $noun:literal
        ),* $(,)? ))?;
    )+) => {
        $(
            $(#[doc = $doc])+
            #[derive(Clone, Debug, PartialEq)]
            pub struct $type {
                $($( $(#[doc = $about])+ pub $field: $ty, )*)?
            }

            impl $crate::read::markers::MarkerType for $type {
                const DEF: $crate::read::markers::MarkerDef = $crate::read::markers::MarkerDef {
                    name: $name,
                    targets: &[$($crate::read::markers::Target::$target),+],
                    meaning: concat!($($doc),+).trim_ascii_start(),
                    arguments: &[$($( $crate::read::markers::ArgumentDef {
                        name: $argument,
                        kind: <$ty as $crate::read::markers::FromArgument>::KIND,
                        required: <$ty as $crate::read::markers::FromArgument>::REQUIRED,
                        meaning: concat!($($about),+).trim_ascii_start(),
                        noun: $noun,
                    } ),*)?],
                    $($($property: $setting,)+)?
                    ..$crate::read::markers::MarkerDef::EMPTY
                };

                fn read(marker: &$crate::read::markers::Marker) -> Option<Self> {
                    let _ = marker;
                    Some(Self { $($(
                        $field: $crate::read::markers::FromArgument::from_argument(
                            marker.argument($argument),
                        )?,
                    )*)? })
                }
            }
        )+

        pub(super) const $table: &[$crate::read::markers::MarkerDef] =
            &[$(<$type as $crate::read::markers::MarkerType>::DEF),+];
    };
}
pub(super) use markers;
