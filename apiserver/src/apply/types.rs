//! The merge rules of types: which lists have keys, which maps and lists are atomic, and which
//! fields are declared.

use serde_json::{Map, Value, json};

use super::builtin::{self, Def, Ref, ScalarType};
use super::element::{Element, Scalar};
use crate::schema::{Additional, Kind, ListType, Schema, Types};

static STRING: Ref = Ref::Scalar(ScalarType::String);

/// The type of a value.
#[derive(Clone, Debug)]
pub(super) enum Type<'a> {
    /// A node of a CRD's schema.
    Crd(CrdType<'a>),
    /// A struct of a built-in kind.
    Known(&'static Def),
    /// A struct of a built-in kind that is atomic in this place.
    KnownAtomic(&'static Def),
    /// A part of a built-in kind.
    Part(&'static Ref),
    /// Unknown: derived from the value; maps are granular, lists are atomic.
    Deduced,
    /// Unknown and atomic.
    Untyped,
    /// A field that the schema does not declare.
    Undeclared,
}

/// A node of a CRD's schema, with what its parents determine.
#[derive(Clone, Copy, Debug)]
pub(super) struct CrdType<'a> {
    schema: &'a Schema,
    /// Whether unknown fields are preserved.
    preserve: bool,
    /// Whether this is a resource, with implicit type and object metadata.
    resource: bool,
}

/// How a list's items are identified.
#[derive(Clone, Debug)]
pub(super) enum Items<'a> {
    /// Not at all: the list is a single value.
    Atomic,
    /// By their values.
    Set,
    /// By some of their fields.
    Keys(Vec<&'a str>),
}

#[derive(Clone, Debug)]
pub(super) struct ListShape<'a> {
    pub(super) items: Items<'a>,
    pub(super) element: Type<'a>,
}

#[derive(Clone, Debug)]
pub(super) struct MapShape<'a> {
    pub(super) atomic: bool,
    source: MapSource<'a>,
}

#[derive(Clone, Debug)]
enum MapSource<'a> {
    Crd(CrdType<'a>),
    Known(&'static Def),
    Elements(Box<Type<'a>>),
}

/// The shapes that values of a type may have.
#[derive(Clone, Debug, Default)]
pub(super) struct Atom<'a> {
    pub(super) scalar: Option<ScalarType>,
    pub(super) list: Option<ListShape<'a>>,
    pub(super) map: Option<MapShape<'a>>,
}

impl<'a> Type<'a> {
    /// Returns the type of an object.
    pub(super) fn of_object(schema: Option<&'a Schema>, object: &Value) -> Self {
        let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
        match schema {
            Some(schema) => Type::Crd(CrdType {
                schema,
                preserve: schema.preserve_unknown,
                resource: true,
            }),
            None => builtin::kind(text("apiVersion"), text("kind"))
                .or_else(builtin::any_object)
                .map_or(Type::Deduced, Type::Known),
        }
    }

    /// Returns the shapes that values of this type may have.
    pub(super) fn atom(&self) -> Atom<'a> {
        match self {
            Type::Crd(crd) => crd.atom(),
            Type::Known(def) => Atom::struct_of(def, def.atomic),
            Type::KnownAtomic(def) => Atom::struct_of(def, true),
            Type::Part(part) => part_atom(part),
            Type::Deduced => Atom::any(Type::Deduced, false),
            Type::Untyped => Atom::any(Type::Untyped, true),
            Type::Undeclared => Atom::default(),
        }
    }
}

impl<'a> Atom<'a> {
    fn scalar(scalar: ScalarType) -> Self {
        Self {
            scalar: Some(scalar),
            ..Self::default()
        }
    }

    fn struct_of(def: &'static Def, atomic: bool) -> Self {
        Self {
            map: Some(MapShape {
                atomic,
                source: MapSource::Known(def),
            }),
            ..Self::default()
        }
    }

    fn any(element: Type<'a>, atomic: bool) -> Self {
        Self {
            scalar: Some(ScalarType::Untyped),
            list: Some(ListShape {
                items: Items::Atomic,
                element: Type::Untyped,
            }),
            map: Some(MapShape {
                atomic,
                source: MapSource::Elements(Box::new(element)),
            }),
        }
    }

    /// Returns only the shape of the value; all shapes for null, an absent value, or a value with
    /// none of the shapes.
    pub(super) fn deduce(self, value: Option<&Value>) -> Self {
        match value {
            Some(Value::Bool(_) | Value::Number(_) | Value::String(_)) if self.scalar.is_some() => {
                Self {
                    scalar: self.scalar,
                    ..Self::default()
                }
            }
            Some(Value::Array(_)) if self.list.is_some() => Self {
                list: self.list,
                ..Self::default()
            },
            Some(Value::Object(_)) if self.map.is_some() => Self {
                map: self.map,
                ..Self::default()
            },
            _ => self,
        }
    }

    /// Whether two types allow the same shapes.
    pub(super) fn same_shapes(&self, other: &Self) -> bool {
        self.scalar.is_some() == other.scalar.is_some()
            && self.list.is_some() == other.list.is_some()
            && self.map.is_some() == other.map.is_some()
    }
}

impl<'a> MapShape<'a> {
    /// Whether a field is declared.
    pub(super) fn declares(&self, name: &str) -> bool {
        match &self.source {
            MapSource::Crd(crd) => {
                crd.resource && is_meta(name) || crd.schema.properties.contains_key(name)
            }
            MapSource::Known(def) => def.fields.contains_key(name),
            MapSource::Elements(_) => false,
        }
    }

    /// Returns the type of a field, declared or not.
    pub(super) fn field(&self, name: &str) -> Type<'a> {
        match &self.source {
            MapSource::Crd(crd) => crd.field(name),
            MapSource::Known(def) => match def.fields.get(name) {
                Some(field) => Type::Part(&field.part),
                None => def.other.as_ref().map_or(Type::Undeclared, Type::Part),
            },
            MapSource::Elements(element) => (**element).clone(),
        }
    }

    /// Whether nothing is known about the type beyond its values.
    pub(super) fn is_deduced(&self) -> bool {
        match &self.source {
            MapSource::Elements(element) => matches!(**element, Type::Deduced),
            MapSource::Crd(crd) => {
                !crd.resource
                    && crd.schema.properties.is_empty()
                    && matches!(crd.others(), Type::Deduced)
            }
            MapSource::Known(_) => false,
        }
    }

    fn default_of(&self, name: &str) -> Option<Value> {
        match &self.source {
            MapSource::Crd(crd) => crd.schema.properties.get(name)?.default.clone(),
            MapSource::Known(def) => def.fields.get(name)?.default.clone(),
            MapSource::Elements(_) => None,
        }
    }
}

impl<'a> CrdType<'a> {
    fn below(self, schema: &'a Schema) -> Type<'a> {
        Type::Crd(CrdType {
            schema,
            preserve: self.preserve || schema.preserve_unknown,
            resource: schema.embedded,
        })
    }

    fn field(self, name: &str) -> Type<'a> {
        if self.resource && is_meta(name) {
            return match name {
                "metadata" => builtin::object_meta().map_or(Type::Deduced, Type::Known),
                _ => Type::Part(&STRING),
            };
        }
        match self.schema.properties.get(name) {
            Some(property) => self.below(property),
            None => self.others(),
        }
    }

    /// Returns the type of undeclared fields.
    fn others(self) -> Type<'a> {
        match &self.schema.additional {
            Additional::Schema(schema) => self.below(schema),
            Additional::Bool(true) => Type::Deduced,
            Additional::Bool(false) => Type::Undeclared,
            Additional::Absent
                if self.preserve || self.schema.properties.is_empty() && !self.resource =>
            {
                Type::Deduced
            }
            Additional::Absent => Type::Undeclared,
        }
    }

    fn list(self) -> ListShape<'a> {
        ListShape {
            items: match &self.schema.list_type {
                ListType::Atomic => Items::Atomic,
                ListType::Set => Items::Set,
                ListType::Map(keys) => Items::Keys(keys.iter().map(String::as_str).collect()),
            },
            element: self
                .schema
                .items
                .as_deref()
                .map_or(Type::Untyped, |items| self.below(items)),
        }
    }

    fn map(self) -> MapShape<'a> {
        MapShape {
            atomic: self.schema.atomic_map,
            source: MapSource::Crd(self),
        }
    }

    fn atom(self) -> Atom<'a> {
        match self.schema.types {
            Types::One(Kind::Object) => Atom {
                map: Some(self.map()),
                ..Atom::default()
            },
            Types::One(Kind::Array) => Atom {
                list: Some(self.list()),
                ..Atom::default()
            },
            Types::One(Kind::Integer | Kind::Number) => Atom::scalar(ScalarType::Numeric),
            Types::One(Kind::Boolean) => Atom::scalar(ScalarType::Boolean),
            Types::One(Kind::String) => match self.schema.format.as_deref() {
                None | Some("byte") => Atom::scalar(ScalarType::String),
                Some(_) => Atom::scalar(ScalarType::Untyped),
            },
            Types::Any | Types::IntOrString => Atom {
                scalar: Some(ScalarType::Untyped),
                list: Some(self.list()),
                map: Some(self.map()),
            },
        }
    }
}

fn is_meta(name: &str) -> bool {
    matches!(name, "apiVersion" | "kind" | "metadata")
}

fn part_atom<'a>(part: &'static Ref) -> Atom<'a> {
    match part {
        Ref::Scalar(scalar) => Atom::scalar(*scalar),
        Ref::Deduced => Type::Deduced.atom(),
        Ref::Untyped => Type::Untyped.atom(),
        Ref::Struct { name, atomic } => match builtin::def(name) {
            Some(def) if *atomic => Type::KnownAtomic(def).atom(),
            Some(def) => Type::Known(def).atom(),
            None => Type::Deduced.atom(),
        },
        Ref::Map { atomic, element } => Atom {
            map: Some(MapShape {
                atomic: *atomic,
                source: MapSource::Elements(Box::new(Type::Part(element))),
            }),
            ..Atom::default()
        },
        Ref::List { keys, element } => Atom {
            list: Some(ListShape {
                items: match keys {
                    None => Items::Atomic,
                    Some(keys) if keys.is_empty() => Items::Set,
                    Some(keys) => Items::Keys(keys.clone()),
                },
                element: Type::Part(element),
            }),
            ..Atom::default()
        },
    }
}

impl ListShape<'_> {
    pub(super) fn is_atomic(&self) -> bool {
        matches!(self.items, Items::Atomic)
    }

    /// Returns the path element of an item.
    pub(super) fn element_of(&self, item: &Value) -> Result<Element, String> {
        match &self.items {
            Items::Atomic => Err("invalid indexing of non-associative list".to_owned()),
            Items::Set => match item {
                Value::Object(_) => {
                    Err("associative list without keys has an element that's a map type".to_owned())
                }
                Value::Array(_) => {
                    Err("not supported: associative list with lists as elements".to_owned())
                }
                Value::Null => Err(
                    "associative list without keys has an element that's an explicit null"
                        .to_owned(),
                ),
                scalar => Ok(Element::Value(Scalar(scalar.clone()))),
            },
            Items::Keys(keys) => self.key_of(keys, item),
        }
    }

    fn key_of(&self, keys: &[&str], item: &Value) -> Result<Element, String> {
        let map: &Map<String, Value> = match item {
            Value::Object(map) => map,
            Value::Null => {
                return Err("associative list with keys may not have a null element".to_owned());
            }
            _ => return Err("associative list with keys may not have non-map elements".to_owned()),
        };
        let mut found: Vec<(String, Scalar)> = keys
            .iter()
            .filter_map(|key| {
                let value = map.get(*key).cloned();
                let value = value.or_else(|| self.element.atom().map?.default_of(key))?;
                Some(((*key).to_owned(), Scalar(value)))
            })
            .collect();
        if found.is_empty() {
            let keys: Vec<String> = keys.iter().map(|key| json!(key).to_string()).collect();
            return Err(format!(
                "associative list with keys has an element that omits all key fields [{}] (and doesn't have default \
                 values for any key fields)",
                keys.join(" ")
            ));
        }
        found.sort();
        Ok(Element::Key(found))
    }
}
