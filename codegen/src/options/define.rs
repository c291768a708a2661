//! What an option is, and the macro that declares structs of options with everything that derives
//! from them.

use std::collections::{BTreeMap, BTreeSet};

use toml::Value;

/// A table of `codegen.toml`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    /// The file itself.
    Root,
    /// `[workspace]`
    Workspace,
    /// `[[crate]]`
    Crate,
    /// `[crate.rust]`
    Rust,
    /// `[crate.crd]`
    Crd,
    /// `[[crate.crd.fields]]`
    CrdField,
    /// `[crate.manifests]`
    Manifests,
    /// `[[crate.go]]`
    Go,
    /// `[[crate.attributes]]`
    Attributes,
    /// `[crate.compatibility]`
    Compatibility,
    /// `[[crate.compatibility.accept]]`
    Accept,
    /// `[crate.lint]`
    Lint,
}

/// The type of a value in `codegen.toml`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    /// A string.
    String,
    /// A list of strings.
    Strings,
    /// `true` or `false`.
    Bool,
    /// An integer, at least 0.
    Count,
    /// A table from string to string.
    Map,
    /// A table with keys of its own.
    Table(Section),
    /// An array of tables with keys of their own.
    Tables(Section),
}

/// Checks a word, and returns it unchanged or a message that says what is valid.
pub(crate) type CheckWord = fn(&str) -> Result<String, String>;

/// An option as its users see it: a key of `codegen.toml`, and a flag of commands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OptionDef {
    /// The sections that the key is allowed in.
    pub(crate) sections: &'static [Section],
    /// The key.
    pub(crate) name: &'static str,
    pub(crate) ty: Type,
    /// The default, in prose or as TOML; empty if an absent key needs no explanation.
    pub(crate) default: &'static str,
    /// An example value, as TOML.
    pub(crate) example: &'static str,
    /// The documentation, in sentences.
    pub(crate) docs: &'static str,
    /// The commands that have a flag for it, combined from [`CRD`] and the other constants.
    pub(crate) commands: u8,
    /// The flag; empty if it is named like the key.
    pub(crate) flag: &'static str,
    /// The placeholder of the flag's value.
    pub(crate) value: &'static str,
    /// Whether one flag may have several values, separated by commas.
    pub(crate) separated: bool,
    /// What is valid besides the type: of the word, or of the values of a map.
    pub(crate) check: Option<CheckWord>,
    /// What is valid for the keys of a map, as flags.
    pub(crate) check_key: Option<CheckWord>,
}

/// `kube-codegen crd`.
pub(crate) const CRD: u8 = 1;
/// `kube-codegen crate`.
pub(crate) const CRATE: u8 = 2;
/// `kube-codegen go`.
pub(crate) const GO: u8 = 4;
/// `kube-codegen groups`.
pub(crate) const GROUPS: u8 = 8;
/// `kube-codegen manifests`.
pub(crate) const MANIFESTS: u8 = 16;

impl OptionDef {
    /// The definition of an option of a type, for struct update syntax.
    pub(crate) const fn of(ty: Type) -> Self {
        let (default, example) = match ty {
            Type::Bool => ("false", "true"),
            Type::Strings => ("[]", ""),
            Type::Map => ("{}", ""),
            _ => ("", ""),
        };
        Self {
            sections: &[],
            name: "",
            ty,
            default,
            example,
            docs: "",
            commands: 0,
            flag: "",
            value: "",
            separated: false,
            check: None,
            check_key: None,
        }
    }

    /// The name of the flag.
    pub(crate) const fn flag(&self) -> &'static str {
        if self.flag.is_empty() {
            return self.name;
        }
        self.flag
    }
}

/// A row of the table of options: its definition and its field.
pub(crate) struct Row<O: 'static> {
    pub(crate) def: OptionDef,
    pub(crate) field: fn(&mut O) -> &mut dyn OptionValue,
}

impl<O> Row<O> {
    /// Gives the option a value: words are checked, and lists and maps grow.
    ///
    /// # Errors
    ///
    /// A message that says what is valid.
    pub(crate) fn give(&self, options: &mut O, given: Given<'_>) -> Result<(), String> {
        if let (Given::Word(word) | Given::Entry(_, word), Some(check)) = (given, self.def.check) {
            check(word)?;
        }
        (self.field)(options).give(given)
    }
}

/// A value from the command line or `codegen.toml`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Given<'g> {
    /// `true` or `false`.
    Flag(bool),
    /// An integer.
    Count(usize),
    /// A string, or one of a list.
    Word(&'g str),
    /// An entry of a table.
    Entry(&'g str, &'g str),
}

/// The type of an option.
pub(crate) trait OptionType {
    /// How it is written.
    const TYPE: Type;
}

/// The value of an option. A value of another type than the option's has no effect: readers go by
/// [`OptionType::TYPE`].
pub(crate) trait OptionValue {
    /// Sets it, or adds to it.
    ///
    /// # Errors
    ///
    /// A message that says what is valid.
    fn give(&mut self, given: Given<'_>) -> Result<(), String>;

    /// The value as TOML; `None` if there is none, or it is empty.
    fn toml(&self) -> Option<Value>;
}

/// Takes the value of a setter.
pub(crate) trait Hold<A> {
    fn hold(&mut self, value: A);
}

/// Implements the traits of an option's type, with the names of its own value and of the given one.
macro_rules! option_types {
    ($($type:ty: $kind:ident, $holds:ty,
        |$own:ident, $value:ident| $hold:expr, $given:pat => $give:expr, $toml:expr;)+) => {$(
        impl OptionType for $type {
            const TYPE: Type = Type::$kind;
        }

        impl Hold<$holds> for $type {
            fn hold(&mut self, $value: $holds) {
                let $own = self;
                $hold;
            }
        }

        impl OptionValue for $type {
            fn give(&mut self, given: Given<'_>) -> Result<(), String> {
                let $own = self;
                if let $given = given {
                    $give;
                }
                Ok(())
            }

            fn toml(&self) -> Option<Value> {
                let $own = self;
                $toml
            }
        }
    )+};
}

option_types! {
    bool: Bool, bool, |own, value| *own = value,
        Given::Flag(flag) => *own = flag,
        Some(Value::Boolean(*own));
    Option<usize>: Count, usize, |own, value| *own = Some(value),
        Given::Count(count) => *own = Some(count),
        own.and_then(|count| i64::try_from(count).ok()).map(Value::Integer);
    // An empty word stands for the default.
    String: String, String, |own, value| *own = value,
        Given::Word(word) => if !word.is_empty() { word.clone_into(own) },
        Some(Value::String(own.clone()));
    // An empty word stands for none.
    Option<String>: String, String, |own, value| *own = Some(value),
        Given::Word(word) => *own = Some(word.to_owned()).filter(|word| !word.is_empty()),
        own.clone().map(Value::String);
    Vec<String>: Strings, String, |own, value| own.push(value),
        Given::Word(word) => own.push(word.to_owned()),
        list(own);
    BTreeSet<String>: Strings, String, |own, value| { own.insert(value); },
        Given::Word(word) => own.insert(word.to_owned()),
        list(own);
    BTreeMap<String, String>: Map, (String, String), |own, value| { own.insert(value.0, value.1); },
        Given::Entry(key, word) => own.insert(key.to_owned(), word.to_owned()),
        (!own.is_empty()).then(|| {
            let entries = own.iter().map(|(key, word)| (key.clone(), Value::String(word.clone())));
            Value::Table(entries.collect())
        });
}

/// A list, unless it is empty.
fn list<'w>(words: impl IntoIterator<Item = &'w String>) -> Option<Value> {
    let words: Vec<Value> = words.into_iter().cloned().map(Value::String).collect();
    (!words.is_empty()).then_some(Value::Array(words))
}

/// An option's type whose values are words.
pub(crate) trait Word: Copy {
    /// Parses a value as spelled in `codegen.toml` and on the command line.
    fn read(word: &str) -> Result<Self, String>;

    /// The spelling.
    fn spelled(self) -> String;
}

impl<T: Word> OptionType for T {
    const TYPE: Type = Type::String;
}

impl<T: Word> OptionType for Option<T> {
    const TYPE: Type = Type::String;
}

impl<T: Word> Hold<T> for T {
    fn hold(&mut self, value: T) {
        *self = value;
    }
}

impl<T: Word> Hold<T> for Option<T> {
    fn hold(&mut self, value: T) {
        *self = Some(value);
    }
}

impl<T: Word> OptionValue for T {
    fn give(&mut self, given: Given<'_>) -> Result<(), String> {
        if let Given::Word(word) = given {
            *self = T::read(word)?;
        }
        Ok(())
    }

    fn toml(&self) -> Option<Value> {
        Some(Value::String(self.spelled()))
    }
}

impl<T: Word> OptionValue for Option<T> {
    fn give(&mut self, given: Given<'_>) -> Result<(), String> {
        if let Given::Word(word) = given {
            *self = Some(T::read(word)?);
        }
        Ok(())
    }

    fn toml(&self) -> Option<Value> {
        self.as_ref().and_then(T::toml)
    }
}

/// Makes an option's type of an enum, whose values are words.
macro_rules! words {
    ($($type:ident { $($variant:ident = $word:literal),+ $(,)? })+) => {$(
        impl $type {
            /// Parses a value as spelled in `codegen.toml` and on the command line.
            ///
            /// # Errors
            ///
            /// A message that lists the valid values.
            pub fn parse(word: &str) -> Result<Self, String> {
                match word {
                    $($word => Ok(Self::$variant),)+
                    _ => Err($crate::options::define::expected(&[$($word),+], word)),
                }
            }

            /// The spelling that [`parse`](Self::parse) accepts.
            pub(crate) const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl $crate::options::define::Word for $type {
            fn read(word: &str) -> Result<Self, String> {
                Self::parse(word)
            }

            fn spelled(self) -> String {
                self.word().to_owned()
            }
        }
    )+};
}
pub(crate) use words;

/// The message that lists the valid words.
pub(crate) fn expected(words: &[&str], found: &str) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    let (last, others) = quoted
        .split_last()
        .map_or(("", &[][..]), |(last, others)| (last.as_str(), others));
    format!("expected {} or {last}, found `{found}`", others.join(", "))
}

/// Declares structs of options, the table of those that are keys of `codegen.toml`, and a macro
/// with their setters.
///
/// ```ignore
/// options! { ROWS of Options, setters;
///     /// The shape of types from CRDs and Go.
///     #[derive(Clone, Debug, PartialEq)]
///     pub struct TypeOptions at |options| options.types {
///         /// Whether structs derive `bon::Builder`.
///         builders: bool = false => [fn builders(bool)] { "builders" in [Crate], commands: CRD | GO };
///     }
/// }
/// ```
///
/// A field has a type, a default, a setter in brackets and a key in braces, which may both be
/// absent. After the key stand the sections that it is allowed in, then properties of
/// [`OptionDef`]. The setter takes a value of the given type; `text`, for anything that becomes a
/// string; or `text, text`, for an entry of a map. The doc comment is the documentation of field,
/// setter, key and flag.
macro_rules! options {
    ($rows:ident of $root:ident, $setters:ident;
        $(
            $(#[$meta:meta])+
            pub struct $name:ident at |$options:ident| $at:expr; {
                $(
                    $(#[doc = $doc:literal])+
                    $field:ident: $ty:ty = $default:expr => [$($setter:tt)*] {$($row:tt)*};
                )+
            }
        )+
    ) => {
        $(
            $(#[$meta])+
            pub struct $name {
                $($(#[doc = $doc])+ pub $field: $ty,)+
            }

            impl Default for $name {
                fn default() -> Self {
                    Self { $($field: $default,)+ }
                }
            }
        )+

        /// The options that are keys of `codegen.toml`.
        pub(crate) const $rows: &[&[$crate::options::define::Row<$root>]] = &[$($(
            $crate::options::define::row! {
                [$($doc)+] $ty, |$options: &mut $root| &mut $at.$field; $($row)*
            },
        )+)+];

        macro_rules! $setters {
            () => {
                $($(
                    $crate::options::define::setter! {
                        [$($doc)+] $root, |$options| &mut $at.$field; $($setter)*
                    }
                )+)+
            };
        }
        pub(crate) use $setters;
    };
}
pub(crate) use options;

/// The row of an option, if it is a key.
macro_rules! row {
    ([$($doc:literal)+] $ty:ty, $access:expr;) => {
        &[]
    };
    ([$($doc:literal)+] $ty:ty, $access:expr;
        $key:literal in [$($section:ident),+] $(, $property:ident: $value:expr)* $(,)?) => {
        &[$crate::options::define::Row {
            def: $crate::options::define::OptionDef {
                sections: &[$($crate::options::define::Section::$section),+],
                name: $key,
                docs: concat!($($doc),+).trim_ascii_start(),
                $($property: $value,)*
                ..$crate::options::define::OptionDef::of(
                    <$ty as $crate::options::define::OptionType>::TYPE,
                )
            },
            field: $access,
        }]
    };
}
pub(crate) use row;

/// The setter of an option, if it has one.
macro_rules! setter {
    ($docs:tt $root:ident, $field:expr;) => {};
    ($docs:tt $root:ident, $field:expr; fn $name:ident(text)) => {
        $crate::options::define::setter! {
            $docs $root, $field; $name [text: impl Into<String>] String: text.into()
        }
    };
    ($docs:tt $root:ident, $field:expr; fn $name:ident(text, text)) => {
        $crate::options::define::setter! {
            $docs $root, $field; $name [key: impl Into<String>, value: impl Into<String>]
            (String, String): (key.into(), value.into())
        }
    };
    ($docs:tt $root:ident, $field:expr; fn $name:ident($ty:ty)) => {
        $crate::options::define::setter! { $docs $root, $field; $name [value: $ty] $ty: value }
    };
    ([$($doc:literal)+] $root:ident, $field:expr;
        $name:ident [$($argument:ident: $of:ty),+] $ty:ty: $value:expr) => {
        $(#[doc = $doc])+
        #[must_use]
        pub fn $name(mut self, $($argument: $of),+) -> Self {
            let field: fn(&mut $crate::options::$root) -> &mut _ = $field;
            let value: $ty = $value;
            $crate::options::define::Hold::hold(field(&mut self.options), value);
            self
        }
    };
}
pub(crate) use setter;
