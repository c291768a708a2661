//! CEL's view of a schema: its types, and the maximum sizes of their values.
//!
//! The API server estimates sizes from `maxItems`, `maxProperties` and `maxLength`, else from what
//! fits into a request (`k8s.io/apiserver/pkg/cel/common`). Rules cannot read values without a
//! type.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    budget::MAX_REQUEST,
    names::{escaped, is_reserved},
    scalar::Scalar,
    view::SchemaView,
};

/// The bytes of the longest time or duration, with quotation marks.
const MAX_TIME: u64 = 32;

/// The bytes of a date, with quotation marks.
const DATE: u64 = 12;

/// A type of the schema.
#[derive(Debug)]
pub struct Decl {
    pub(crate) kind: Kind,
    /// The maximum number of characters, bytes, items or entries of a value; 0 for objects and
    /// numbers.
    pub(crate) max_elements: u64,
    /// The minimum number of bytes of a value in JSON.
    pub min_bytes: u64,
    /// The marker that would bound the values, and its path; `None` if they are bounded.
    pub(crate) unbounded: Option<(&'static str, String)>,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Dyn,
    Scalar(Scalar),
    List(Box<Decl>),
    Map(Box<Decl>),
    Object(Fields),
}

/// The fields of an object, by their CEL names.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    pub(crate) seen: BTreeMap<String, Decl>,
    /// Fields that rules cannot read, since their schema has no type or their name is not valid in
    /// CEL.
    pub(crate) hidden: BTreeSet<String>,
}

impl Fields {
    /// Returns a field by the name that an expression uses: a word that is reserved only in
    /// declarations may also be used unescaped.
    pub(crate) fn get(&self, name: &str) -> Option<&Decl> {
        let reserved = || is_reserved(name).then(|| format!("__{name}__"));
        let found = self.seen.get(name);
        found.or_else(|| self.seen.get(&reserved()?))
    }
}

/// Whether a schema describes a whole object, some of whose fields rules see even if the schema
/// does not declare them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The root, or an embedded resource.
    Object,
    /// Any other value.
    Value,
}

impl Level {
    /// Returns the level of a schema below the root.
    pub fn of<'s>(schema: impl SchemaView<'s>) -> Self {
        if schema.flag("x-kubernetes-embedded-resource") {
            Self::Object
        } else {
            Self::Value
        }
    }
}

impl Decl {
    /// Declares a schema whose values are at a path; returns `None` if rules cannot read them.
    pub fn of<'s>(schema: impl SchemaView<'s>, level: Level, at: &str) -> Option<Self> {
        if schema.flag("x-kubernetes-int-or-string") {
            return Some(Self::text(Kind::Dyn, schema.bound("maxLength"), 1, at));
        }
        match schema.text("type") {
            "array" => {
                let items = schema.items()?;
                let within = Self::of(items, Level::of(items), &format!("{at}[]"))?;
                let fit = (MAX_REQUEST - 2) / (within.min_bytes + 1);
                let most = schema.bound("maxItems");
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

    fn object<'s>(schema: impl SchemaView<'s>, level: Level, at: &str) -> Option<Self> {
        if let Some(values) = schema.additional() {
            let within = Self::of(values, Level::of(values), &format!("{at}[]"))?;
            // A key, its quotation marks, a colon and a comma.
            let fit = (MAX_REQUEST - 2) / (within.min_bytes + 6);
            let most = schema.bound("maxProperties");
            return Some(Self {
                kind: Kind::Map(Box::new(within)),
                max_elements: most.unwrap_or(fit),
                min_bytes: 2,
                unbounded: most.is_none().then(|| ("MaxProperties", at.to_owned())),
            });
        }
        let implicit = level == Level::Object && !is_described(schema);
        let mut fields = if implicit {
            common_fields(at)
        } else {
            Fields::default()
        };
        let mut min_bytes = 2;
        // Every required field counts, whether the schema or Kubernetes declares it.
        for (name, decl) in &fields.seen {
            if schema.requires(name) {
                min_bytes += name.len() as u64 + decl.min_bytes + 4;
            }
        }
        for (name, property) in schema.properties() {
            if implicit && is_common(name) {
                continue;
            }
            let below = format!("{at}.{name}");
            let (Some(escaped), Some(decl)) = (
                escaped(name),
                Self::of(property, Level::of(property), &below),
            ) else {
                fields.hidden.insert(name.to_owned());
                continue;
            };
            if schema.requires(name) && !property.has("default") {
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

    fn string<'s>(schema: impl SchemaView<'s>, at: &str) -> Self {
        let timed = |scalar, min_bytes, most| Self {
            max_elements: most,
            ..Self::scalar(scalar, min_bytes)
        };
        let most = schema.bound("maxLength");
        match schema.text("format") {
            "duration" => timed(Scalar::Duration, 3, MAX_TIME),
            "date" => timed(Scalar::Timestamp, DATE, DATE),
            "date-time" => timed(Scalar::Timestamp, 21, MAX_TIME),
            "byte" => {
                let mut decl = Self::text(Kind::Scalar(Scalar::Bytes), most, 2, at);
                if let Some(most) = most {
                    decl.max_elements = most;
                }
                decl
            }
            _ => {
                let mut decl = Self::text(Kind::Scalar(Scalar::String), most, 2, at);
                if let Some(longest) = schema.longest_of_enum()
                    && decl.unbounded.is_some()
                {
                    decl.max_elements = longest;
                    decl.unbounded = None;
                }
                decl
            }
        }
    }

    /// Declares a string; a character may take four bytes.
    fn text(kind: Kind, most: Option<u64>, min_bytes: u64, at: &str) -> Self {
        let most = most.map(|most| most.saturating_mul(4));
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

/// Whether a field is one that rules see in every whole object.
fn is_common(name: &str) -> bool {
    matches!(name, "apiVersion" | "kind" | "metadata")
}

/// Whether a schema itself declares all fields that rules see in every whole object.
fn is_described<'s>(schema: impl SchemaView<'s>) -> bool {
    let is = |parent: &dyn Fn(&str) -> Option<&'s str>, name| parent(name) == Some("string");
    let own = |name: &str| schema.property(name).map(|it| it.text("type"));
    is(&own, "kind")
        && is(&own, "apiVersion")
        && schema.property("metadata").is_some_and(|metadata| {
            let own = |name: &str| metadata.property(name).map(|it| it.text("type"));
            metadata.text("type") == "object" && is(&own, "name") && is(&own, "generateName")
        })
}

/// Returns the fields of whole objects that rules always see: the type, and the names in the
/// metadata. Rules do not see other fields of the metadata, even if the schema declares them.
fn common_fields(at: &str) -> Fields {
    let text = |at: &str| Decl::text(Kind::Scalar(Scalar::String), None, 2, at);
    let fields = |at: &str, names: [&str; 2]| Fields {
        seen: names
            .map(|name| (name.to_owned(), text(&format!("{at}.{name}"))))
            .into(),
        hidden: BTreeSet::new(),
    };
    let metadata = Decl {
        kind: Kind::Object(fields(&format!("{at}.metadata"), ["name", "generateName"])),
        max_elements: 0,
        min_bytes: 2,
        unbounded: None,
    };
    let mut common = fields(at, ["apiVersion", "kind"]);
    common.seen.insert("metadata".to_owned(), metadata);
    common
}
