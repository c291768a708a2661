//! Types of fields in the table: `[` and `{` stand for a list and a map of what follows; other
//! types are a letter, or a package and a name.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The type of a field, list item or map value on the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// `bool`.
    Bool,
    /// `int32`.
    Int32,
    /// `int64`.
    Int64,
    /// Any other integer, by Rust's name for it.
    Integer(String),
    /// `float64`.
    Float,
    /// A text.
    Text,
    /// A text that is base64 of bytes.
    Bytes,
    /// Any JSON.
    Any,
    /// A list.
    List(Box<Type>),
    /// A map with texts as keys.
    Map(Box<Type>),
    /// A type of a Go package: `k8s.io/api/core/v1`, `PodSpec`.
    Named(String, String),
}

impl Type {
    /// The item of a list of lists, the value of a map of maps, or the type itself.
    #[must_use]
    pub fn innermost(&self) -> &Self {
        match self {
            Self::List(inner) | Self::Map(inner) => inner.innermost(),
            other => other,
        }
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Bool => out.push('b'),
            Self::Int32 => out.push('i'),
            Self::Int64 => out.push('l'),
            Self::Float => out.push('f'),
            Self::Text => out.push('s'),
            Self::Bytes => out.push('y'),
            Self::Any => out.push('*'),
            Self::Integer(name) => {
                out.push('#');
                out.push_str(name);
            }
            Self::List(inner) => {
                out.push('[');
                inner.write(out);
            }
            Self::Map(inner) => {
                out.push('{');
                inner.write(out);
            }
            Self::Named(package, name) => {
                out.push_str(package);
                out.push('.');
                out.push_str(name);
            }
        }
    }

    fn read(text: &str) -> Option<Self> {
        if let Some(inner) = text.strip_prefix('[') {
            return Some(Self::List(Box::new(Self::read(inner)?)));
        }
        if let Some(inner) = text.strip_prefix('{') {
            return Some(Self::Map(Box::new(Self::read(inner)?)));
        }
        if let Some(name) = text.strip_prefix('#') {
            return Some(Self::Integer(name.to_owned()));
        }
        Some(match text {
            "b" => Self::Bool,
            "i" => Self::Int32,
            "l" => Self::Int64,
            "f" => Self::Float,
            "s" => Self::Text,
            "y" => Self::Bytes,
            "*" => Self::Any,
            path => {
                let (package, name) = path.rsplit_once('.')?;
                Self::Named(package.to_owned(), name.to_owned())
            }
        })
    }
}

impl Serialize for Type {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut text = String::new();
        self.write(&mut text);
        serializer.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for Type {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&str>::deserialize(deserializer)?;
        Self::read(text).ok_or_else(|| de::Error::custom(format!("invalid type {text:?}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &Type) {
        let json = format!("\"{text}\"");
        let read: Type = serde_json::from_str(&json).expect("a type");
        assert_eq!(&read, expected);
        assert_eq!(serde_json::to_string(&read).expect("a text"), json);
    }

    #[test]
    fn types_are_written_as_they_are_read() {
        let pod = Type::Named("k8s.io/api/core/v1".to_owned(), "Pod".to_owned());
        check(
            "[{s",
            &Type::List(Box::new(Type::Map(Box::new(Type::Text)))),
        );
        check("k8s.io/api/core/v1.Pod", &pod);
        check("[k8s.io/api/core/v1.Pod", &Type::List(Box::new(pod)));
        check("#u8", &Type::Integer("u8".to_owned()));
        assert!(serde_json::from_str::<Type>("\"[q\"").is_err());
    }
}
