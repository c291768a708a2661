//! Converts a schema to types, identified by path until they are named.
//!
//! Types take their contents out of the schema; [`Rest`] decides what happens to the remainder.

use std::mem;

use serde_json::Value;

use super::{
    at::{At, MAX_STEPS, STEPS_OF_LIST, STEPS_OF_MAP, STEPS_OF_PROPERTY, Within},
    enums,
    recognise::Unlike,
    selection::Types,
};
use crate::{
    kubernetes::KubernetesVersion,
    model::{
        Constraints, Field, KnownType, QUANTITY_PATTERN, StructDef, TypeKind, TypeRef,
        UnknownFields, Validation,
        names::schema::{Path, field_names},
        schema::COMMON_PROPERTIES,
    },
    read::crd::schema::{Additional, Schema, Type},
    record::Line,
};

/// Fields of a root or embedded object that are not in the schema, by JSON or Rust name.
const ROOT_FIELDS: &[&str] = &["api_version", "kind", "metadata", "unknown_fields"];

/// A type whose references to other types are paths.
#[derive(Clone, Debug)]
pub(super) struct Unnamed<'a> {
    pub(super) path: Path,
    pub(super) docs: String,
    pub(super) kind: TypeKind,
    pub(super) validation: Validation,
    /// The recorded line for the type at this path.
    pub(super) line: Option<&'a Line>,
    /// Whether this is a kind, which is never merged with another type.
    pub(super) root: bool,
}

/// The types collected for a kind.
#[derive(Debug)]
pub(super) struct Gathered<'a> {
    pub(super) types: Vec<Unnamed<'a>>,
    /// Recorded types that would otherwise be Kubernetes types, with the paths of these.
    pub(super) kept: Vec<(&'a Line, String)>,
    /// The first Kubernetes version of each object that would be a Kubernetes type with a later
    /// version; not of objects within others.
    pub(super) later: Vec<KubernetesVersion>,
    rest: Rest,
    options: Types<'a>,
    /// Whether the Kubernetes type recognised last is sparse; consumed by the field that uses it.
    sparse: bool,
}

/// What happens to the parts of a schema that its types do not represent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    /// They stay in the schema, so that it can be written again: see
    /// [`Resource::rest`](crate::model::Resource::rest).
    Kept,
    /// They are dropped.
    Dropped,
}

impl<'a> Gathered<'a> {
    /// Converts a kind with all types below it, and returns the rest of its schema. Without a
    /// schema, or with one that preserves unknown fields, the root keeps every property.
    pub(super) fn of_kind(
        kind: &str,
        schema: Option<Schema>,
        rest: Rest,
        options: Types<'a>,
    ) -> (Self, Option<Schema>) {
        let mut gathered = Self {
            types: Vec::new(),
            kept: Vec::new(),
            later: Vec::new(),
            rest,
            options,
            sparse: false,
        };
        let rest = gathered.add_root(kind, schema);
        (gathered, rest)
    }

    fn add_root(&mut self, kind: &str, schema: Option<Schema>) -> Option<Schema> {
        let path = Path::root(kind);
        let mut schema = schema.unwrap_or_else(|| Schema {
            validation: Validation::from(Constraints {
                preserve_unknown_fields: true,
                ..Constraints::default()
            }),
            ..Schema::default()
        });
        let common = take_common(&mut schema);
        let mut fields = vec![metadata_field()];
        let within = Within {
            path: &path,
            steps: 0,
            name: Some(kind),
        };
        fields.extend(self.fields(within, &mut schema, ROOT_FIELDS));
        let docs = self.description(&mut schema);
        self.types.push(Unnamed {
            path,
            kind: TypeKind::Struct(StructDef {
                fields,
                unknown_fields: unknown_fields(&schema),
                ..StructDef::default()
            }),
            docs,
            validation: mem::take(&mut schema.validation),
            line: None,
            root: true,
        });
        schema.type_ = None;
        schema.properties.extend(common);
        (self.rest == Rest::Kept).then_some(schema)
    }

    /// Returns the description, which also stays in the rest if that is kept: types of the same
    /// shape share one description.
    fn description(&self, schema: &mut Schema) -> String {
        match self.rest {
            Rest::Kept => schema.description.clone(),
            Rest::Dropped => mem::take(&mut schema.description),
        }
    }

    /// Converts properties to fields; the rest of their schemas stays in the schema.
    fn fields(&mut self, within: Within<'_>, schema: &mut Schema, reserved: &[&str]) -> Vec<Field> {
        let properties = mem::take(&mut schema.properties);
        let json_names: Vec<&str> = properties.iter().map(|(name, _)| name.as_str()).collect();
        let rust_names = field_names(&json_names, reserved);
        let mut fields = Vec::with_capacity(properties.len());
        for ((name, mut property), rust_name) in properties.into_iter().zip(rust_names) {
            let required = schema.required.contains(&name);
            let at = At {
                parent: within.path,
                property: &name,
                line: self.options.line(within.name, &name),
                steps: within.steps + STEPS_OF_PROPERTY + steps_of_null(&property),
            };
            let field = self.field(at, &mut property, required);
            if self.has_rest(&field.ty, &property) {
                schema.properties.push((name.clone(), property));
            }
            fields.push(Field {
                json_name: name,
                rust_name,
                ..field
            });
        }
        let is_field = |name: &String| fields.iter().any(|field| field.json_name == *name);
        schema.required.retain(|name| !is_field(name));
        fields
    }

    /// Whether a schema has parts to keep that its type does not represent.
    fn has_rest(&self, ty: &TypeRef, schema: &Schema) -> bool {
        self.rest == Rest::Kept && (!holds_schema(ty) || !schema.is_empty())
    }

    /// Converts a property to a field without a Rust name.
    fn field(&mut self, at: At<'_, 'a>, schema: &mut Schema, required: bool) -> Field {
        let element = element_validation(schema);
        let nullable = is_nullable(schema);
        let ty = self.type_of(at, schema);
        let (mut validation, default) = if holds_schema(&ty) || self.rest == Rest::Dropped {
            // If an enum lists null, `nullable` adds no information.
            schema.nullable &= schema.validation.enum_.contains(&Value::Null);
            let validation = mem::take(&mut schema.validation);
            (validation, schema.default.take())
        } else {
            (schema.validation.clone(), schema.default.clone())
        };
        if element.is_some() {
            validation.element = element;
        }
        Field {
            docs: self.description(schema),
            // A `Value` can hold null itself.
            option: !required || (nullable && ty != TypeRef::Any),
            required,
            nullable,
            sparse: mem::take(&mut self.sparse),
            default,
            validation,
            ..Field::required("", ty)
        }
    }

    /// Returns the type of a schema, without the `Option` of a nullable one, and adds each type
    /// that needs a name. Takes what the type represents out of the schema, which stays complete if
    /// the type is not derived from it.
    fn type_of(&mut self, at: At<'_, 'a>, schema: &mut Schema) -> TypeRef {
        let ty = self.whole_type_of(at, schema);
        if holds_schema(&ty) && ty != TypeRef::Known(KnownType::IntOrString) {
            schema.type_ = None;
        }
        ty
    }

    fn whole_type_of(&mut self, at: At<'_, 'a>, schema: &mut Schema) -> TypeRef {
        let validation = &schema.validation;
        if validation.int_or_string {
            return TypeRef::Known(if is_quantity(validation) {
                KnownType::Quantity
            } else {
                KnownType::IntOrString
            });
        }
        if at.steps > MAX_STEPS {
            return TypeRef::Any;
        }
        match schema.type_ {
            None if schema.any_type => TypeRef::Any,
            None if !schema.properties.is_empty() => self.object(at, schema),
            None if schema.items.is_some() => self.list(at, schema),
            None => TypeRef::Any,
            Some(Type::Object) => self.object(at, schema),
            Some(Type::Array) => self.list(at, schema),
            Some(Type::Boolean) => TypeRef::Bool,
            Some(Type::Number) => TypeRef::Float,
            Some(Type::Integer) => self.integer(at, schema),
            Some(Type::String) => self.string(at, schema),
        }
    }

    fn object(&mut self, at: At<'_, 'a>, schema: &mut Schema) -> TypeRef {
        if schema.validation.embedded_resource {
            return self.embedded(at, schema);
        }
        if schema.properties.is_empty() {
            // Keep fields that the server would prune as well: an open map costs and loses nothing.
            let Additional::Schema(value) = &mut schema.additional else {
                return TypeRef::Map(Box::new(TypeRef::Any));
            };
            let ty = self.element(at.further(STEPS_OF_MAP), value);
            if !self.has_rest(&ty, value) {
                schema.additional = Additional::No;
            }
            return TypeRef::Map(Box::new(ty));
        }
        let path = at.path();
        let known = self
            .options
            .kubernetes_type(&path, at.property, at.line, schema);
        let kept = match known {
            Ok(known) => {
                self.sparse = known.sparse;
                return known.ty;
            }
            Err(Unlike::Recorded(_, kubernetes)) => at.line.zip(Some(kubernetes)),
            Err(_) => None,
        };
        let before = self.kept.len();
        let seen = self.later.len();
        let later = self.options.hinted(&path, at.property, schema);
        let fields = self.fields(at.within(&path), schema, &["unknown_fields"]);
        if later.is_some() {
            self.later.truncate(seen);
            self.later.extend(later);
        }
        if kept.is_some() {
            // The Kubernetes type would include the types below as well.
            self.kept.truncate(before);
            self.kept.extend(kept);
        }
        let unknown_fields = unknown_fields(schema);
        self.add(
            path,
            at,
            schema,
            TypeKind::Struct(StructDef {
                fields,
                unknown_fields,
                ..StructDef::default()
            }),
        )
    }

    /// Converts an embedded object, which has `apiVersion` and `kind`, which the API server
    /// requires, and `metadata`, which it knows, whether or not the schema lists them. It needs no
    /// generated type if the schema has no other properties.
    fn embedded(&mut self, at: At<'_, 'a>, schema: &mut Schema) -> TypeRef {
        if schema.properties.iter().all(|(name, _)| is_common(name)) {
            return TypeRef::Known(KnownType::RawExtension);
        }
        let described = |name: &str, otherwise: &str| {
            let property = schema.properties.iter().find(|(key, _)| key == name);
            let docs = property.map(|(_, property)| property.description.clone());
            docs.filter(|docs| !docs.is_empty())
                .unwrap_or_else(|| otherwise.to_owned())
        };
        let text = |json_name: &str, rust_name: &str, docs: &str| Field {
            json_name: json_name.to_owned(),
            rust_name: rust_name.to_owned(),
            docs: described(json_name, docs),
            ty: TypeRef::String,
            ..metadata_field()
        };
        let api_version = text(
            "apiVersion",
            "api_version",
            "The group and version of the object.",
        );
        let kind = text("kind", "kind", "The kind of the object.");
        let metadata = Field {
            docs: described("metadata", ""),
            option: true,
            required: false,
            ..metadata_field()
        };
        let common = take_common(schema);
        let path = at.path();
        let mut fields = self.fields(at.within(&path), schema, ROOT_FIELDS);
        schema.properties.extend(common);
        fields.extend([api_version, kind, metadata]);
        fields.sort_by(|a, b| a.json_name.cmp(&b.json_name));
        let kind = TypeKind::Struct(StructDef {
            fields,
            unknown_fields: unknown_fields(schema),
            ..StructDef::default()
        });
        self.add(path, at, schema, kind)
    }

    fn list(&mut self, at: At<'_, 'a>, schema: &mut Schema) -> TypeRef {
        let Some(items) = &mut schema.items else {
            return TypeRef::List(Box::new(TypeRef::Any));
        };
        let ty = self.element(at.further(STEPS_OF_LIST), items);
        if !self.has_rest(&ty, items) {
            schema.items = None;
        }
        TypeRef::List(Box::new(ty))
    }

    /// Returns the type of list items or map values, which may be null themselves.
    fn element(&mut self, at: At<'_, 'a>, schema: &mut Schema) -> TypeRef {
        let at = at.further(steps_of_null(schema));
        let nullable = is_nullable(schema);
        let ty = self.type_of(at, schema);
        if holds_schema(&ty) {
            schema.nullable &= schema.validation.enum_.contains(&Value::Null);
            // They are on the field: see `element_validation`.
            schema.validation = Validation::default();
        }
        if nullable && ty != TypeRef::Any {
            TypeRef::Optional(Box::new(ty))
        } else {
            ty
        }
    }

    fn string(&mut self, at: At<'_, 'a>, schema: &Schema) -> TypeRef {
        if let Some(def) = enums::of_texts(schema) {
            return self.add(at.path(), at, schema, TypeKind::Enum(def));
        }
        match schema.validation.format.as_deref() {
            Some("date-time") => TypeRef::Known(KnownType::Time),
            Some("byte") => TypeRef::Known(KnownType::ByteString),
            _ if is_quantity(&schema.validation) => TypeRef::Known(KnownType::Quantity),
            _ => TypeRef::String,
        }
    }

    fn integer(&mut self, at: At<'_, 'a>, schema: &Schema) -> TypeRef {
        if let Some(def) = enums::of_integers(schema) {
            return self.add(at.path(), at, schema, TypeKind::Enum(def));
        }
        // The API server enforces the format int32; it ignores other formats, so any 64-bit value
        // is possible.
        match schema.validation.format.as_deref() {
            Some("int32") => TypeRef::Int32,
            _ => TypeRef::Int64,
        }
    }

    fn add(&mut self, path: Path, at: At<'_, 'a>, schema: &Schema, kind: TypeKind) -> TypeRef {
        let reference = TypeRef::Local(path.as_str().to_owned());
        self.types.push(Unnamed {
            path,
            docs: schema.description.clone(),
            kind,
            validation: schema.validation.clone(),
            line: at.line,
            root: false,
        });
        reference
    }
}

/// Whether the type is derived from its schema; other types do not depend on it.
fn holds_schema(ty: &TypeRef) -> bool {
    match ty {
        TypeRef::Any | TypeRef::External(_) => false,
        TypeRef::Known(known) => matches!(
            known,
            KnownType::Time | KnownType::ByteString | KnownType::IntOrString
        ),
        TypeRef::Optional(inner) | TypeRef::Boxed(inner) => holds_schema(inner),
        _ => true,
    }
}

/// Whether values are quantities, judging by the pattern that controller-gen writes for
/// `resource.Quantity`.
fn is_quantity(validation: &Validation) -> bool {
    validation.pattern.as_deref() == Some(QUANTITY_PATTERN)
}

fn is_common(name: &str) -> bool {
    COMMON_PROPERTIES.contains(&name)
}

/// Takes the properties that every object has out of the schema.
fn take_common(schema: &mut Schema) -> Vec<(String, Schema)> {
    let properties = mem::take(&mut schema.properties);
    let (common, others) = properties
        .into_iter()
        .partition(|(name, _)| is_common(name));
    schema.properties = others;
    common
}

/// Returns how properties not listed in the schema are handled.
fn unknown_fields(schema: &Schema) -> UnknownFields {
    if schema.validation.preserve_unknown_fields || matches!(schema.additional, Additional::Any) {
        UnknownFields::Kept(TypeRef::Any)
    } else {
        UnknownFields::Pruned
    }
}

/// Whether the value may be null: because of `nullable`, or because the enum lists it.
fn is_nullable(schema: &Schema) -> bool {
    schema.nullable || schema.validation.enum_.contains(&Value::Null)
}

/// The steps into a value that may be null: another `Option`.
fn steps_of_null(schema: &Schema) -> usize {
    usize::from(is_nullable(schema))
}

/// Returns the validations of list items or map values, if any.
fn element_validation(schema: &Schema) -> Option<Box<Validation>> {
    let value = match &schema.additional {
        Additional::Schema(value) => Some(value.as_ref()),
        _ => None,
    };
    let element = schema.items.as_deref().or(value)?;
    let within = element_validation(element);
    let demands = within.is_some() || element.validation != Validation::default();
    demands.then(|| {
        let mut validation = element.validation.clone();
        validation.element = within;
        Box::new(validation)
    })
}

fn metadata_field() -> Field {
    Field::required("metadata", TypeRef::Known(KnownType::ObjectMeta))
}
