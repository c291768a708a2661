//! CEL's view of a schema: its types, and how large their values can be.
//!
//! The API server estimates sizes from `maxItems`, `maxProperties` and `maxLength`, else from what fits into a request
//! (`k8s.io/apiserver/pkg/cel/common`). What has no type cannot be read by rules.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::types::{Scalar, Type};
use crate::{
    cel::names::{escaped, is_reserved},
    emit::manifests::schema::Schema,
};

/// Bytes of the largest request that the API server takes.
pub(in crate::emit::manifests) const MAX_REQUEST: u64 = 3 * 1024 * 1024;

/// Bytes of the longest time and duration, with quotation marks.
const MAX_TIME: u64 = 32;

/// Bytes of a date, with quotation marks.
const DATE: u64 = 12;

/// A type of the schema.
#[derive(Debug)]
pub(in crate::emit::manifests) struct Decl {
    pub(super) kind: Kind,
    /// The most characters, bytes, items or entries of a value; 0 for objects and numbers.
    pub(super) max_elements: u64,
    /// The fewest bytes of a value in JSON.
    pub(in crate::emit::manifests) min_bytes: u64,
    /// The marker that would bound the values, and where it is to stand; none if they are bounded.
    pub(super) unbounded: Option<(&'static str, String)>,
}

#[derive(Debug)]
pub(super) enum Kind {
    Dyn,
    Scalar(Scalar),
    List(Box<Decl>),
    Map(Box<Decl>),
    Object(Fields),
}

/// The fields of an object, by their names in CEL.
#[derive(Debug, Default)]
pub(super) struct Fields {
    pub(super) seen: BTreeMap<String, Decl>,
    /// Fields that rules cannot read, since their schema has no type or their name is none in CEL.
    pub(super) hidden: BTreeSet<String>,
}

impl Fields {
    /// A field by the name that an expression reads it by: a word that only declarations reserve also stands for itself.
    pub(super) fn get(&self, name: &str) -> Option<&Decl> {
        let reserved = || is_reserved(name).then(|| format!("__{name}__"));
        let found = self.seen.get(name);
        found.or_else(|| self.seen.get(&reserved()?))
    }
}

/// Whether a schema is that of a whole object, of which rules see some fields even if the schema names none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::emit::manifests) enum Level {
    Object,
    Value,
}

impl Level {
    fn of(schema: &Schema) -> Self {
        if is(schema, "x-kubernetes-embedded-resource") {
            Self::Object
        } else {
            Self::Value
        }
    }
}

impl Decl {
    /// The declaration of a schema whose values stand at a path; none if rules cannot read them.
    pub(in crate::emit::manifests) fn of(schema: &Schema, level: Level, at: &str) -> Option<Self> {
        if is(schema, "x-kubernetes-int-or-string") {
            return Some(Self::text(Kind::Dyn, schema, 1, at));
        }
        match schema.ty()? {
            "array" => {
                let items = schema.items.as_deref()?;
                let within = Self::of(items, Level::of(items), &format!("{at}[]"))?;
                let fit = (MAX_REQUEST - 2) / (within.min_bytes + 1);
                let most = bound(schema, "maxItems");
                Some(Self {
                    kind: Kind::List(Box::new(within)),
                    max_elements: most.unwrap_or(fit),
                    min_bytes: 2,
                    unbounded: most.is_none().then(|| ("MaxItems", at.to_owned())),
                })
            }
            "object" => Self::object(schema, level, at),
            "string" => Some(Self::string(schema, at)),
            "boolean" => Some(Self::scalar(Scalar::Bool, 4)),
            "number" => Some(Self::scalar(Scalar::Double, 1)),
            "integer" => Some(Self::scalar(Scalar::Int, 1)),
            _ => None,
        }
    }

    /// The CEL type.
    pub(super) fn ty(&self) -> Type<'_> {
        match &self.kind {
            Kind::Dyn => Type::Dyn,
            Kind::Scalar(scalar) => Type::Scalar(*scalar),
            Kind::List(items) => Type::list(items.ty()),
            Kind::Map(values) => Type::map(Type::STRING, values.ty()),
            Kind::Object(_) => Type::Object(self),
        }
    }

    fn object(schema: &Schema, level: Level, at: &str) -> Option<Self> {
        if let Some(values) = schema.additional.as_deref() {
            let within = Self::of(values, Level::of(values), &format!("{at}[]"))?;
            // A key, its quotation marks, a colon and a comma.
            let fit = (MAX_REQUEST - 2) / (within.min_bytes + 6);
            let most = bound(schema, "maxProperties");
            return Some(Self {
                kind: Kind::Map(Box::new(within)),
                max_elements: most.unwrap_or(fit),
                min_bytes: 2,
                unbounded: most.is_none().then(|| ("MaxProperties", at.to_owned())),
            });
        }
        let mut fields = Fields::default();
        let mut min_bytes = 2;
        let common = match level {
            Level::Object => common_fields(schema),
            Level::Value => Vec::new(),
        };
        let own = schema.properties.iter();
        let own = own.filter(|(name, _)| common.iter().all(|(known, _)| known != *name));
        for (name, property) in own.chain(common.iter().map(|(name, one)| (name, one))) {
            let below = format!("{at}.{name}");
            let escaped = escaped(name);
            let (Some(escaped), Some(decl)) =
                (escaped, Self::of(property, Level::of(property), &below))
            else {
                fields.hidden.insert(name.clone());
                continue;
            };
            let is_filled = property
                .words
                .get("default")
                .is_some_and(|it| !it.is_null());
            if schema.required.contains(name) && !is_filled {
                min_bytes += name.len() as u64 + decl.min_bytes + 4;
            }
            fields.seen.insert(escaped, decl);
        }
        Some(Self {
            kind: Kind::Object(fields),
            max_elements: 0,
            min_bytes,
            unbounded: None,
        })
    }

    fn string(schema: &Schema, at: &str) -> Self {
        let format = schema.words.get("format").and_then(Value::as_str);
        let timed = |scalar, min_bytes, most| Self {
            max_elements: most,
            ..Self::scalar(scalar, min_bytes)
        };
        match format {
            Some("duration") => timed(Scalar::Duration, 3, MAX_TIME),
            Some("date") => timed(Scalar::Timestamp, DATE, DATE),
            Some("date-time") => timed(Scalar::Timestamp, 21, MAX_TIME),
            Some("byte") => {
                let mut decl = Self::text(Kind::Scalar(Scalar::Bytes), schema, 2, at);
                if let Some(most) = bound(schema, "maxLength") {
                    decl.max_elements = most;
                }
                decl
            }
            _ => {
                let mut decl = Self::text(Kind::Scalar(Scalar::String), schema, 2, at);
                let values = schema.words.get("enum").and_then(Value::as_array);
                if let Some(values) = values.filter(|values| !values.is_empty())
                    && decl.unbounded.is_some()
                {
                    let lengths = values.iter().filter_map(Value::as_str).map(str::len);
                    decl.max_elements = lengths.max().unwrap_or(0) as u64;
                    decl.unbounded = None;
                }
                decl
            }
        }
    }

    /// A text: a character may take four bytes.
    fn text(kind: Kind, schema: &Schema, min_bytes: u64, at: &str) -> Self {
        let most = bound(schema, "maxLength").map(|most| most.saturating_mul(4));
        Self {
            kind,
            max_elements: most.unwrap_or(MAX_REQUEST - 2),
            min_bytes,
            unbounded: most.is_none().then(|| ("MaxLength", at.to_owned())),
        }
    }

    fn scalar(scalar: Scalar, min_bytes: u64) -> Self {
        Self {
            kind: Kind::Scalar(scalar),
            max_elements: 0,
            min_bytes,
            unbounded: None,
        }
    }
}

/// The fields of whole objects that rules always see: the kind, and the names in the metadata. What else the schema says of
/// the metadata they do not see.
fn common_fields(schema: &Schema) -> Vec<(String, Schema)> {
    let is_string = |parent: &Schema, name: &str| {
        let property = parent.properties.get(name);
        property.and_then(Schema::ty) == Some("string")
    };
    let is_described = is_string(schema, "kind")
        && is_string(schema, "apiVersion")
        && schema.properties.get("metadata").is_some_and(|metadata| {
            metadata.ty() == Some("object")
                && is_string(metadata, "name")
                && is_string(metadata, "generateName")
        });
    if is_described {
        return Vec::new();
    }
    let string = || Schema::of_type("string");
    let mut metadata = Schema::of_type("object");
    for name in ["name", "generateName"] {
        metadata.properties.insert(name.to_owned(), string());
    }
    vec![
        ("apiVersion".to_owned(), string()),
        ("kind".to_owned(), string()),
        ("metadata".to_owned(), metadata),
    ]
}

fn is(schema: &Schema, word: &str) -> bool {
    schema.words.get(word) == Some(&Value::Bool(true))
}

/// A bound of a size; negative ones count as 0.
pub(in crate::emit::manifests) fn bound(schema: &Schema, word: &str) -> Option<u64> {
    let bound = schema.words.get(word)?;
    bound.as_u64().or_else(|| bound.as_i64().map(|_| 0))
}
