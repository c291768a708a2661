//! The keywords of a CRD's schema (`JSONSchemaProps`): what type the value of each has, what it
//! does, and where it counts.

use self::Role::{Constrains, Other, Refused};

/// The type of a keyword's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A string.
    Text,
    /// `true` or `false`.
    Flag,
    /// A number.
    Number,
    /// A list of strings.
    Texts,
    /// Another list.
    List,
    /// A schema.
    Schema,
    /// A list of schemas.
    Schemas,
    /// A map from name to schema.
    Properties,
    /// Another type, or several.
    Any,
}

/// What a keyword does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Values are validated by it, besides their type and format.
    Constrains,
    /// The API server refuses it.
    Refused,
    /// Anything else: it structures, describes, or counts together with another keyword.
    Other,
}

/// A keyword.
#[derive(Clone, Copy, Debug)]
pub struct Keyword {
    /// The name, as in JSON.
    pub name: &'static str,
    /// The type of its value.
    pub form: Form,
    /// What it does.
    pub role: Role,
    /// Whether it is allowed at the root of the schema of a kind with a status subresource. Others
    /// would apply to the status, which is validated separately.
    pub at_root: bool,
}

const fn keyword(name: &'static str, form: Form, role: Role, at_root: bool) -> Keyword {
    Keyword {
        name,
        form,
        role,
        at_root,
    }
}

/// Every keyword, in the order in which the API server lists those of the root, and then refuses
/// others.
#[rustfmt::skip]
pub const KEYWORDS: &[Keyword] = &[
    keyword("description", Form::Text, Other, true),
    keyword("type", Form::Text, Other, true),
    keyword("format", Form::Text, Other, true),
    keyword("title", Form::Text, Other, true),
    keyword("maximum", Form::Number, Constrains, true),
    keyword("exclusiveMaximum", Form::Flag, Other, true),
    keyword("minimum", Form::Number, Constrains, true),
    keyword("exclusiveMinimum", Form::Flag, Other, true),
    keyword("maxLength", Form::Number, Constrains, true),
    keyword("minLength", Form::Number, Constrains, true),
    keyword("pattern", Form::Text, Constrains, true),
    keyword("maxItems", Form::Number, Constrains, true),
    keyword("minItems", Form::Number, Constrains, true),
    keyword("uniqueItems", Form::Flag, Constrains, true),
    keyword("multipleOf", Form::Number, Constrains, true),
    keyword("required", Form::Texts, Constrains, true),
    keyword("items", Form::Schema, Other, true),
    keyword("properties", Form::Properties, Other, true),
    keyword("externalDocs", Form::Any, Other, true),
    keyword("example", Form::Any, Other, true),
    keyword("x-kubernetes-preserve-unknown-fields", Form::Flag, Other, true),
    keyword("x-kubernetes-validations", Form::List, Other, true),
    keyword("$schema", Form::Text, Other, false),
    keyword("additionalProperties", Form::Schema, Other, false),
    keyword("allOf", Form::Schemas, Constrains, false),
    keyword("anyOf", Form::Schemas, Constrains, false),
    keyword("default", Form::Any, Other, false),
    keyword("enum", Form::List, Constrains, false),
    keyword("maxProperties", Form::Number, Constrains, false),
    keyword("minProperties", Form::Number, Constrains, false),
    keyword("not", Form::Schema, Constrains, false),
    keyword("nullable", Form::Flag, Other, false),
    keyword("oneOf", Form::Schemas, Constrains, false),
    keyword("x-kubernetes-embedded-resource", Form::Flag, Other, false),
    keyword("x-kubernetes-int-or-string", Form::Flag, Other, false),
    keyword("x-kubernetes-list-map-keys", Form::Texts, Other, false),
    keyword("x-kubernetes-list-type", Form::Text, Other, false),
    keyword("x-kubernetes-map-type", Form::Text, Other, false),
    keyword("id", Form::Text, Refused, false),
    keyword("additionalItems", Form::Any, Refused, false),
    keyword("patternProperties", Form::Any, Refused, false),
    keyword("definitions", Form::Any, Refused, false),
    keyword("dependencies", Form::Any, Refused, false),
    keyword("$ref", Form::Text, Refused, false),
];

impl Keyword {
    /// Finds a keyword by its name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        KEYWORDS.iter().find(|keyword| keyword.name == name)
    }

    /// Returns the name of the field in the Go type: `XValidations` for `x-kubernetes-validations`.
    #[must_use]
    pub fn go_name(&self) -> String {
        let words = self.name.split('-').filter(|word| *word != "kubernetes");
        let upper = words.map(|word| {
            let mut chars = word.chars();
            let first = chars.next().map(|first| first.to_ascii_uppercase());
            first.into_iter().chain(chars).collect::<String>()
        });
        upper.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_keyword_has_the_name_of_its_field_in_go() {
        let go = |name: &str| Keyword::find(name).map(Keyword::go_name);
        assert_eq!(go("multipleOf").as_deref(), Some("MultipleOf"));
        let preserve = go("x-kubernetes-preserve-unknown-fields");
        assert_eq!(preserve.as_deref(), Some("XPreserveUnknownFields"));
    }
}
