//! Schemas that code returns, with the types that they refer to.

use serde_json::Value;

/// The schema of a type `T` with keywords set, or an object of keywords.
#[derive(Clone, Debug, PartialEq)]
pub struct CodedSchema<T> {
    /// The type.
    pub base: Option<T>,
    /// The keywords, each once; `None` for one that is removed.
    pub keywords: Vec<(String, Option<Coded<T>>)>,
}

/// The value of a keyword.
#[derive(Clone, Debug, PartialEq)]
pub enum Coded<T> {
    /// A scalar, or a constant.
    Value(Value),
    /// A list.
    List(Vec<Self>),
    /// An object, such as a schema.
    Schema(CodedSchema<T>),
}

impl<T> Default for CodedSchema<T> {
    fn default() -> Self {
        Self {
            base: None,
            keywords: Vec::new(),
        }
    }
}

impl<T> CodedSchema<T> {
    /// Returns the value of a keyword.
    #[must_use]
    pub fn keyword(&self, name: &str) -> Option<&Coded<T>> {
        let mut keywords = self.keywords.iter();
        keywords.find(|(known, _)| known == name)?.1.as_ref()
    }

    /// Returns the value of a keyword that is a string.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.keyword(name)? {
            Coded::Value(value) => value.as_str(),
            _ => None,
        }
    }

    /// Returns the types that it refers to.
    pub fn types_mut(&mut self, look: &mut dyn FnMut(&mut T)) {
        self.base.iter_mut().for_each(&mut *look);
        for (_, value) in &mut self.keywords {
            value.iter_mut().for_each(|value| value.types_mut(look));
        }
    }
}

impl<T> Coded<T> {
    fn types_mut(&mut self, look: &mut dyn FnMut(&mut T)) {
        match self {
            Self::Value(_) => {}
            Self::List(items) => items.iter_mut().for_each(|item| item.types_mut(look)),
            Self::Schema(schema) => schema.types_mut(look),
        }
    }

    /// Returns the value, unless it refers to types.
    #[must_use]
    pub fn to_value(&self) -> Option<Value> {
        Some(match self {
            Self::Value(value) => value.clone(),
            Self::List(items) => {
                let items: Option<Vec<Value>> = items.iter().map(Self::to_value).collect();
                Value::Array(items?)
            }
            Self::Schema(schema) if schema.base.is_some() => return None,
            Self::Schema(schema) => {
                let set = schema.keywords.iter();
                let set = set.filter_map(|(name, value)| Some((name, value.as_ref()?)));
                let entries = set.map(|(name, value)| Some((name.clone(), value.to_value()?)));
                Value::Object(entries.collect::<Option<_>>()?)
            }
        })
    }
}
