//! The keywords of a CRD's schema (`JSONSchemaProps`): what type the value of each has, and where
//! it counts.

/// The type of a keyword's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A string.
    Text,
    /// `true` or `false`.
    Flag,
    /// A number.
    Number,
    /// A list.
    List,
    /// A map from name to schema.
    Properties,
    /// Another type, or several.
    Any,
}

/// A keyword.
#[derive(Clone, Copy, Debug)]
pub struct Keyword {
    /// The name, as in JSON.
    pub name: &'static str,
    /// The type of its value.
    pub form: Form,
    /// Whether values are validated by it, besides their type and format.
    pub constrains: bool,
    /// Whether it is allowed at the root of the schema of a kind with a status subresource. Others
    /// would apply to the status, which is validated separately.
    pub at_root: bool,
}

const fn keyword(name: &'static str, form: Form, constrains: bool, at_root: bool) -> Keyword {
    Keyword {
        name,
        form,
        constrains,
        at_root,
    }
}

/// Every keyword, in the order in which the API server lists those of the root.
#[rustfmt::skip]
pub const KEYWORDS: &[Keyword] = &[
    keyword("description", Form::Text, false, true),
    keyword("type", Form::Text, false, true),
    keyword("format", Form::Text, false, true),
    keyword("title", Form::Text, false, true),
    keyword("maximum", Form::Number, true, true),
    keyword("exclusiveMaximum", Form::Flag, false, true),
    keyword("minimum", Form::Number, true, true),
    keyword("exclusiveMinimum", Form::Flag, false, true),
    keyword("maxLength", Form::Number, true, true),
    keyword("minLength", Form::Number, true, true),
    keyword("pattern", Form::Text, true, true),
    keyword("maxItems", Form::Number, true, true),
    keyword("minItems", Form::Number, true, true),
    keyword("uniqueItems", Form::Flag, true, true),
    keyword("multipleOf", Form::Number, true, true),
    keyword("required", Form::List, true, true),
    keyword("items", Form::Any, false, true),
    keyword("properties", Form::Properties, false, true),
    keyword("externalDocs", Form::Any, false, true),
    keyword("example", Form::Any, false, true),
    keyword("x-kubernetes-preserve-unknown-fields", Form::Flag, false, true),
    keyword("x-kubernetes-validations", Form::List, false, true),
    keyword("$ref", Form::Text, false, false),
    keyword("$schema", Form::Text, false, false),
    keyword("additionalItems", Form::Any, false, false),
    keyword("additionalProperties", Form::Any, false, false),
    keyword("allOf", Form::List, true, false),
    keyword("anyOf", Form::List, true, false),
    keyword("default", Form::Any, false, false),
    keyword("definitions", Form::Any, false, false),
    keyword("dependencies", Form::Any, false, false),
    keyword("enum", Form::List, true, false),
    keyword("id", Form::Text, false, false),
    keyword("maxProperties", Form::Number, true, false),
    keyword("minProperties", Form::Number, true, false),
    keyword("not", Form::Any, true, false),
    keyword("nullable", Form::Flag, false, false),
    keyword("oneOf", Form::List, true, false),
    keyword("patternProperties", Form::Any, false, false),
    keyword("x-kubernetes-embedded-resource", Form::Flag, false, false),
    keyword("x-kubernetes-int-or-string", Form::Flag, false, false),
    keyword("x-kubernetes-list-map-keys", Form::List, false, false),
    keyword("x-kubernetes-list-type", Form::Text, false, false),
    keyword("x-kubernetes-map-type", Form::Text, false, false),
];

impl Keyword {
    /// Finds a keyword by its name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        KEYWORDS.iter().find(|keyword| keyword.name == name)
    }

    /// Returns the name of the field in the Go type: `XValidations` for `x-kubernetes-validations`.
    pub(crate) fn go_name(&self) -> String {
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
