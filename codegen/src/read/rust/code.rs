//! Schemas that code returns: literals, schemas of types, and keywords set on them.

use serde_json::Value;

use super::{literal::Literal, syntax::ident_text, written::Type};

/// The schema that code returns.
#[derive(Clone, Debug, Default)]
pub struct SchemaCode {
    /// What the keywords are set on.
    pub base: SchemaBase,
    /// The keywords, each once; `None` for one that is removed.
    pub keywords: Vec<(String, Option<Code>)>,
}

/// What keywords are set on.
#[derive(Clone, Debug, Default)]
pub enum SchemaBase {
    /// Nothing.
    #[default]
    Empty,
    /// The schema of a type.
    Type(Box<Type>),
    /// The schema that a function returns.
    Function(SchemaCall),
}

/// A function that returns a schema, as an attribute or another function names it.
#[derive(Clone, Debug)]
pub struct SchemaCall {
    /// Its path.
    pub path: Vec<String>,
    /// The types for its parameters (`f::<T>`).
    pub arguments: Vec<Type>,
}

impl SchemaCall {
    pub(super) fn of(path: &syn::Path, read: &dyn Fn(&syn::Type) -> Type) -> Self {
        let mut arguments = Vec::new();
        if let Some(last) = path.segments.last()
            && let syn::PathArguments::AngleBracketed(given) = &last.arguments
        {
            let given = given.args.iter();
            arguments.extend(given.filter_map(|argument| match argument {
                syn::GenericArgument::Type(ty) => Some(read(ty)),
                _ => None,
            }));
        }
        let segments = path.segments.iter();
        Self {
            path: segments.map(|it| ident_text(&it.ident)).collect(),
            arguments,
        }
    }
}

/// A function that returns a schema, at its declaration.
#[derive(Clone, Debug)]
pub struct SchemaFunction {
    /// The names of its type parameters.
    pub parameters: Vec<String>,
    /// What it returns.
    pub schema: SchemaCode,
}

/// The value of an expression.
#[derive(Clone, Debug)]
pub enum Code {
    /// A scalar, or the path of a constant.
    Literal(Literal),
    /// A list.
    List(Vec<Self>),
    /// An object, such as a schema.
    Schema(SchemaCode),
}

impl Code {
    /// Returns the value as a schema.
    pub(super) fn schema(self) -> Option<SchemaCode> {
        match self {
            Self::Schema(schema) => Some(schema),
            // `true` permits everything.
            Self::Literal(Literal::Known(Value::Bool(true))) => Some(SchemaCode::default()),
            _ => None,
        }
    }

    pub(super) fn text(text: &str) -> Self {
        Self::Literal(Literal::Known(Value::String(text.to_owned())))
    }
}

impl From<Value> for Code {
    fn from(value: Value) -> Self {
        match value {
            Value::Array(items) => Self::List(items.into_iter().map(Self::from).collect()),
            Value::Object(entries) => {
                let entries = entries.into_iter();
                let keywords = entries.map(|(key, value)| (key, Some(value.into())));
                Self::Schema(SchemaCode {
                    base: SchemaBase::Empty,
                    keywords: keywords.collect(),
                })
            }
            value => Self::Literal(Literal::Known(value)),
        }
    }
}

impl From<Literal> for Code {
    fn from(literal: Literal) -> Self {
        match literal {
            Literal::Known(value) => value.into(),
            literal => Self::Literal(literal),
        }
    }
}

impl SchemaCode {
    /// Sets or removes a keyword.
    pub(super) fn set(&mut self, keyword: String, value: Option<Code>) {
        match self
            .keywords
            .iter_mut()
            .find(|(known, _)| *known == keyword)
        {
            Some((_, known)) => *known = value,
            None => self.keywords.push((keyword, value)),
        }
    }

    /// Returns the value of a keyword, an empty object if there is none.
    pub(super) fn at(&mut self, keyword: &str) -> Option<&mut Code> {
        // A type's own keywords are not known here.
        let is_known = self.keywords.iter().any(|(known, _)| known == keyword);
        if !is_known && !matches!(self.base, SchemaBase::Empty) {
            return None;
        }
        if !is_known {
            let empty = Code::Schema(Self::default());
            self.keywords.push((keyword.to_owned(), Some(empty)));
        }
        let mut keywords = self.keywords.iter_mut();
        keywords.find(|(known, _)| known == keyword)?.1.as_mut()
    }
}

/// Returns the keyword of a field of schemars 0.8's structs.
pub(super) fn keyword(field: &str) -> String {
    match field {
        "instance_type" => "type".to_owned(),
        "enum_values" => "enum".to_owned(),
        "const_value" => "const".to_owned(),
        "if_schema" | "then_schema" | "else_schema" => field[..field.len() - 7].to_owned(),
        "reference" => "$ref".to_owned(),
        field => {
            let mut camel = String::with_capacity(field.len());
            for (index, part) in field.split('_').enumerate() {
                let mut chars = part.chars();
                match chars.next().filter(|_| index > 0) {
                    Some(first) => camel.push(first.to_ascii_uppercase()),
                    None => chars = part.chars(),
                }
                camel.extend(chars);
            }
            camel
        }
    }
}
