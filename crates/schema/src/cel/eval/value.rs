//! Values in CEL, including JSON values typed by their schema.

use std::cmp::Ordering;
use std::net::IpAddr;
use std::rc::Rc;

use jiff::Timestamp;
use kube_resource_quantity::Amount;
use serde_json::Value;

use super::Stop;
use super::types::{semver::Semver, url::Url};
use crate::cel::time;
use crate::cel::view::ValueSchema;
use crate::types::{Kind, ListType, Types};

/// A value in CEL.
#[derive(Clone, Debug)]
pub(crate) enum Val<'v> {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    String(Rc<str>),
    Bytes(Rc<[u8]>),
    List(Rc<Vec<Val<'v>>>),
    Map(Rc<Vec<(Val<'v>, Val<'v>)>>),
    /// A list or map of the object, with its schema if there is one.
    Node(Node<'v>),
    Optional(Option<Rc<Val<'v>>>),
    Type(&'static str),
    /// The duration in nanoseconds.
    Duration(i128),
    Timestamp(Timestamp),
    Quantity(Rc<Amount>),
    Ip(IpAddr),
    Cidr(IpAddr, u8),
    Url(Rc<Url>),
    Semver(Rc<Semver>),
    /// A named format.
    Format(&'static str),
}

/// A list or map of the object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node<'v> {
    pub(crate) value: &'v Value,
    pub(crate) schema: Option<&'v dyn ValueSchema>,
    /// Whether apiVersion, kind and metadata are implicit.
    pub(crate) resource: bool,
}

impl<'v> Val<'v> {
    pub(crate) fn text(text: impl Into<Rc<str>>) -> Self {
        Self::String(text.into())
    }

    pub(crate) fn list(items: Vec<Self>) -> Self {
        Self::List(Rc::new(items))
    }

    pub(crate) fn map(entries: Vec<(Self, Self)>) -> Self {
        Self::Map(Rc::new(entries))
    }

    pub(crate) fn some(value: Self) -> Self {
        Self::Optional(Some(Rc::new(value)))
    }

    /// Converts a JSON value to the type in its schema.
    ///
    /// # Errors
    /// A string does not match its format.
    pub(crate) fn of(value: &'v Value, schema: Option<&'v dyn ValueSchema>) -> Result<Self, Stop> {
        let types = schema.map_or(Types::Any, ValueSchema::types);
        Ok(match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => match (types, number.as_i64()) {
                (Types::One(Kind::Number), _) | (_, None) => {
                    Self::Double(number.as_f64().unwrap_or_default())
                }
                (_, Some(number)) => Self::Int(number),
            },
            Value::String(text) => {
                let format = schema.and_then(ValueSchema::format);
                match format.filter(|_| types == Types::One(Kind::String)) {
                    Some("date-time" | "date") => Self::Timestamp(time::parse_timestamp(text)?),
                    Some("duration") => Self::Duration(time::parse_duration(text)?),
                    Some("byte") => Self::Bytes(crate::formats::decode_base64(text).into()),
                    _ => Self::text(text.as_str()),
                }
            }
            Value::Array(_) | Value::Object(_) => Self::Node(Node {
                value,
                schema,
                resource: schema.is_some_and(ValueSchema::is_resource),
            }),
        })
    }

    /// Returns the items of a list; `None` for other values.
    pub(crate) fn items(&self) -> Option<Result<Vec<Val<'v>>, Stop>> {
        match self {
            Self::List(items) => Some(Ok(items.to_vec())),
            Self::Node(node) => {
                let items = node.value.as_array()?.iter();
                let schema = node.schema.and_then(ValueSchema::items);
                Some(items.map(|item| Self::of(item, schema)).collect())
            }
            _ => None,
        }
    }

    /// Returns the keys and values of a map; `None` for other values.
    pub(crate) fn entries(&self) -> Option<Result<Vec<(Val<'v>, Val<'v>)>, Stop>> {
        match self {
            Self::Map(entries) => Some(Ok(entries.to_vec())),
            Self::Node(node) => {
                let map = node.value.as_object()?;
                let keys = map.keys().filter_map(|key| {
                    let value = node.entry(key)?;
                    Some(value.map(|value| (Self::text(key.as_str()), value)))
                });
                Some(keys.collect())
            }
            _ => None,
        }
    }

    /// Returns the number of items, entries, characters or bytes.
    pub(crate) fn size(&self) -> Option<usize> {
        Some(match self {
            Self::String(text) => text.chars().count(),
            Self::Bytes(bytes) => bytes.len(),
            Self::List(items) => items.len(),
            Self::Map(entries) => entries.len(),
            Self::Node(node) => match node.value {
                Value::Array(items) => items.len(),
                Value::Object(map) => map.len(),
                _ => return None,
            },
            _ => return None,
        })
    }

    /// Returns the number of items in the value and in its nested lists and maps, at most `most`.
    /// Lists can share items, so that a few of them may represent more items than could be visited.
    pub(crate) fn weight(&self, most: usize) -> usize {
        let within = |values: &mut dyn Iterator<Item = &Self>| {
            values.fold(0, |weight: usize, value| match value {
                _ if weight >= most => most,
                Self::List(_) | Self::Map(_) => weight + 1 + value.weight(most - weight),
                _ => weight + 1,
            })
        };
        match self {
            Self::List(items) => within(&mut items.iter()),
            Self::Map(entries) => within(&mut entries.iter().map(|(_, value)| value)),
            other => other.size().unwrap_or_default(),
        }
    }

    /// Returns the name of the value's type.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null_type",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Uint(_) => "uint",
            Self::Double(_) => "double",
            Self::String(_) => "string",
            Self::Bytes(_) => "bytes",
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Node(node) if node.value.is_array() => "list",
            Self::Node(node) if node.is_struct() => "object",
            Self::Node(_) => "map",
            Self::Optional(_) => "optional_type",
            Self::Type(_) => "type",
            Self::Duration(_) => "google.protobuf.Duration",
            Self::Timestamp(_) => "google.protobuf.Timestamp",
            Self::Quantity(_) => "kubernetes.Quantity",
            Self::Ip(_) => "net.IP",
            Self::Cidr(..) => "net.CIDR",
            Self::Url(_) => "kubernetes.URL",
            Self::Semver(_) => "kubernetes.Semver",
            Self::Format(_) => "kubernetes.NamedFormat",
        }
    }

    /// Compares two values; `None` if they have no order.
    pub(crate) fn compare(&self, other: &Self) -> Option<Ordering> {
        Some(match (self, other) {
            (Self::Bool(a), Self::Bool(b)) => a.cmp(b),
            (Self::String(a), Self::String(b)) => a.cmp(b),
            (Self::Bytes(a), Self::Bytes(b)) => a.cmp(b),
            (Self::Duration(a), Self::Duration(b)) => a.cmp(b),
            (Self::Timestamp(a), Self::Timestamp(b)) => a.cmp(b),
            (Self::Int(a), Self::Int(b)) => a.cmp(b),
            (Self::Uint(a), Self::Uint(b)) => a.cmp(b),
            (Self::Int(a), Self::Uint(b)) => i128::from(*a).cmp(&i128::from(*b)),
            (Self::Uint(a), Self::Int(b)) => i128::from(*a).cmp(&i128::from(*b)),
            _ => return self.as_double()?.partial_cmp(&other.as_double()?),
        })
    }

    fn as_double(&self) -> Option<f64> {
        match self {
            Self::Double(value) => Some(*value),
            #[expect(
                clippy::cast_precision_loss,
                reason = "numbers of different types compare as doubles"
            )]
            Self::Int(value) => Some(*value as f64),
            #[expect(
                clippy::cast_precision_loss,
                reason = "numbers of different types compare as doubles"
            )]
            Self::Uint(value) => Some(*value as f64),
            _ => None,
        }
    }

    /// Whether two values are equal. Sets and map lists are equal in any order.
    ///
    /// # Errors
    /// A string of the object does not match its format.
    pub(crate) fn equals(&self, other: &Self) -> Result<bool, Stop> {
        if let (Some(a), Some(b)) = (self.items(), other.items()) {
            return equal_lists(&a?, &b?, self.is_unordered() && other.is_unordered());
        }
        if let (Some(a), Some(b)) = (self.entries(), other.entries()) {
            return equal_maps(&a?, &b?);
        }
        Ok(match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Type(a), Self::Type(b)) => a == b,
            (Self::Optional(a), Self::Optional(b)) => match (a, b) {
                (Some(a), Some(b)) => return a.equals(b),
                (a, b) => a.is_none() && b.is_none(),
            },
            (Self::Quantity(a), Self::Quantity(b)) => a == b,
            (Self::Ip(a), Self::Ip(b)) => a == b,
            (Self::Cidr(a, m), Self::Cidr(b, n)) => a == b && m == n,
            (Self::Url(a), Self::Url(b)) => a == b,
            (Self::Semver(a), Self::Semver(b)) => a == b,
            (Self::Format(a), Self::Format(b)) => a == b,
            (a, b) => a.compare(b) == Some(Ordering::Equal),
        })
    }

    fn is_unordered(&self) -> bool {
        let schema = match self {
            Self::Node(node) => node.schema,
            _ => None,
        };
        schema.is_some_and(|schema| *schema.list_type() != ListType::Atomic)
    }
}

fn equal_lists(a: &[Val<'_>], b: &[Val<'_>], unordered: bool) -> Result<bool, Stop> {
    if a.len() != b.len() {
        return Ok(false);
    }
    for (i, item) in a.iter().enumerate() {
        let found = if unordered {
            contains(b, item)?
        } else {
            b.get(i).map_or(Ok(false), |other| item.equals(other))?
        };
        if !found {
            return Ok(false);
        }
    }
    Ok(true)
}

type Entries<'v> = [(Val<'v>, Val<'v>)];

fn equal_maps(a: &Entries<'_>, b: &Entries<'_>) -> Result<bool, Stop> {
    if a.len() != b.len() {
        return Ok(false);
    }
    for (key, value) in a {
        let mut found = false;
        for (other, before) in b {
            if key.equals(other)? {
                found = value.equals(before)?;
                break;
            }
        }
        if !found {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a list contains a value.
pub(crate) fn contains(items: &[Val<'_>], value: &Val<'_>) -> Result<bool, Stop> {
    for item in items {
        if item.equals(value)? {
            return Ok(true);
        }
    }
    Ok(false)
}

impl<'v> Node<'v> {
    /// Whether the schema declares the value's fields.
    pub(crate) fn is_struct(&self) -> bool {
        self.schema.is_some_and(ValueSchema::is_struct)
    }

    /// Returns the value of a field or key; `None` if it is absent or not visible to rules.
    pub(crate) fn entry(&self, key: &str) -> Option<Result<Val<'v>, Stop>> {
        let value = self.value.get(key)?;
        if self.resource && matches!(key, "apiVersion" | "kind" | "metadata") {
            return Some(Val::of(value, None));
        }
        let Some(schema) = self.schema else {
            return Some(Val::of(value, None));
        };
        match schema.field(key) {
            // Rules cannot refer to properties that are preserved without a schema.
            None if schema.is_struct() => None,
            field => Some(Val::of(value, field)),
        }
    }
}
