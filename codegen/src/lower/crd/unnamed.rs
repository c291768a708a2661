//! Gathered: the types of a schema, named by path for the time being.

use std::mem;

use serde_json::Value;

use crate::{
    model::{
        Constraints, DeclaredAt, EnumDef, Field, KnownType, QUANTITY_PATTERN, StructDef, TypeKind,
        TypeRef, UnknownFields, Validation, Variant,
        names::schema::{OPEN_VARIANT, Path, field_names, variant_names},
    },
    read::crd::schema::{Additional, Schema, Type},
};

/// Fields of a root or an embedded object that are not the schema's, on the wire or in Rust.
const ROOT_FIELDS: &[&str] = &["api_version", "kind", "metadata", "unknown_fields"];

/// How many steps it may take to follow the types from the root to a value. What is further is held as JSON, since rustc
/// goes 128 steps, some of which it needs for the futures of clients.
const MAX_STEPS: usize = 100;

/// The steps into a property: the struct and an `Option`.
const STEPS_OF_PROPERTY: usize = 2;

/// The steps through a list: `Vec`, `RawVec`, `PhantomData`.
const STEPS_OF_LIST: usize = 3;

/// The steps through a map: `BTreeMap` and what it consists of.
const STEPS_OF_MAP: usize = 5;

/// A type whose references to others are paths.
#[derive(Clone, Debug)]
pub(super) struct Unnamed {
    pub(super) path: Path,
    pub(super) docs: String,
    pub(super) kind: TypeKind,
    pub(super) validation: Validation,
    /// Whether this is a kind of its own, which is never unified with another.
    pub(super) root: bool,
}

/// The types of a kind, while they are gathered.
#[derive(Debug, Default)]
pub(super) struct Gathered(Vec<Unnamed>);

impl Gathered {
    /// A kind with all types below it. Without a schema, or with one that keeps what it does not name, the root keeps every
    /// property.
    pub(super) fn of_kind(kind: &str, schema: Option<Schema>) -> Vec<Unnamed> {
        let mut types = Self::default();
        types.add_root(kind, schema);
        types.0
    }

    fn add_root(&mut self, kind: &str, schema: Option<Schema>) {
        let path = Path::root(kind);
        let mut schema = schema.unwrap_or_else(|| Schema {
            validation: Validation::from(Constraints {
                preserve_unknown_fields: true,
                ..Constraints::default()
            }),
            ..Schema::default()
        });
        let own = |name: &str| !matches!(name, "apiVersion" | "kind" | "metadata");
        schema.properties.retain(|(name, _)| own(name));
        let mut fields = vec![metadata_field()];
        fields.extend(self.fields(&path, 0, &mut schema, ROOT_FIELDS));
        self.0.push(Unnamed {
            path,
            kind: TypeKind::Struct(StructDef {
                fields,
                unknown_fields: unknown_fields(&schema),
                tuple: false,
            }),
            docs: schema.description,
            validation: schema.validation,
            root: true,
        });
    }

    /// The fields of the properties, which are taken out of the schema.
    fn fields(
        &mut self,
        path: &Path,
        steps: usize,
        schema: &mut Schema,
        reserved: &[&str],
    ) -> Vec<Field> {
        let steps = steps + STEPS_OF_PROPERTY;
        let properties = mem::take(&mut schema.properties);
        let json_names: Vec<&str> = properties.iter().map(|(name, _)| name.as_str()).collect();
        let rust_names = field_names(&json_names, reserved);
        properties
            .into_iter()
            .zip(rust_names)
            .map(|((name, property), rust_name)| {
                let required = schema.required.contains(&name);
                let at = At {
                    parent: path,
                    property: &name,
                    steps,
                };
                let field = self.field(at, property, required);
                Field {
                    json_name: name,
                    rust_name,
                    ..field
                }
            })
            .collect()
    }

    /// The field of a property, nameless for the time being.
    fn field(&mut self, at: At<'_>, mut schema: Schema, required: bool) -> Field {
        let element = element_validation(&schema);
        let nullable = is_nullable(&schema);
        let ty = self.type_of(at, &mut schema);
        let mut validation = schema.validation;
        if element.is_some() {
            validation.element = element;
        }
        Field {
            json_name: String::new(),
            rust_name: String::new(),
            docs: schema.description,
            // A `Value` holds null by itself.
            option: !required || (nullable && ty != TypeRef::Any),
            ty,
            required,
            nullable,
            default: schema.default,
            flatten: false,
            skip: false,
            validation,
            go: None,
            declared: DeclaredAt::default(),
        }
    }

    /// The type of a schema, without the `Option` of a nullable one; adds each type that needs a name. What is
    /// below the schema is taken out of it.
    fn type_of(&mut self, at: At<'_>, schema: &mut Schema) -> TypeRef {
        let validation = &schema.validation;
        if validation.int_or_string {
            return TypeRef::Known(KnownType::IntOrString);
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
            // The API server checks the format int32; of others it knows nothing, so that any value of 64 bits may come.
            Some(Type::Integer) if validation.format.as_deref() == Some("int32") => TypeRef::Int32,
            Some(Type::Integer) => TypeRef::Int64,
            Some(Type::String) => self.string(at, schema),
        }
    }

    fn object(&mut self, at: At<'_>, schema: &mut Schema) -> TypeRef {
        if schema.validation.embedded_resource {
            return self.embedded(at, schema);
        }
        if schema.properties.is_empty() {
            // Fields that the server would prune are kept too: an open map costs nothing and loses nothing.
            return TypeRef::Map(Box::new(match &mut schema.additional {
                Additional::Schema(value) => self.element(at.further(STEPS_OF_MAP), value),
                Additional::Any | Additional::No => TypeRef::Any,
            }));
        }
        let path = at.path();
        let fields = self.fields(&path, at.steps, schema, &["unknown_fields"]);
        let unknown_fields = unknown_fields(schema);
        self.add(
            path,
            schema,
            TypeKind::Struct(StructDef {
                fields,
                unknown_fields,
                tuple: false,
            }),
        )
    }

    /// An object with `apiVersion` and `kind`, which the API server demands, and `metadata`, which it knows; whether the schema
    /// names them or not. Nothing is lost without a type of its own where the schema names nothing else.
    fn embedded(&mut self, at: At<'_>, schema: &mut Schema) -> TypeRef {
        let own = |name: &str| matches!(name, "apiVersion" | "kind" | "metadata");
        if schema.properties.iter().all(|(name, _)| own(name)) {
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
            docs: described("metadata", "Standard object metadata."),
            option: true,
            required: false,
            ..metadata_field()
        };
        schema.properties.retain(|(name, _)| !own(name));
        let path = at.path();
        let mut fields = self.fields(&path, at.steps, schema, ROOT_FIELDS);
        fields.extend([api_version, kind, metadata]);
        fields.sort_by(|a, b| a.json_name.cmp(&b.json_name));
        let kind = TypeKind::Struct(StructDef {
            fields,
            unknown_fields: unknown_fields(schema),
            tuple: false,
        });
        self.add(path, schema, kind)
    }

    fn list(&mut self, at: At<'_>, schema: &mut Schema) -> TypeRef {
        TypeRef::List(Box::new(match &mut schema.items {
            Some(items) => self.element(at.further(STEPS_OF_LIST), items),
            None => TypeRef::Any,
        }))
    }

    /// The type of a list's items or a map's values, where null is a value of its own.
    fn element(&mut self, at: At<'_>, schema: &mut Schema) -> TypeRef {
        let ty = self.type_of(at, schema);
        if is_nullable(schema) && ty != TypeRef::Any {
            TypeRef::Optional(Box::new(ty))
        } else {
            ty
        }
    }

    fn string(&mut self, at: At<'_>, schema: &Schema) -> TypeRef {
        let values: Vec<&str> = schema
            .validation
            .enum_
            .iter()
            .filter_map(Value::as_str)
            .collect();
        if !values.is_empty() {
            let default = schema.default.as_ref().and_then(Value::as_str);
            let variants = variants(&values);
            let default = default
                .and_then(|default| variants.iter().position(|variant| variant.value == default));
            return self.add(
                at.path(),
                schema,
                TypeKind::Enum(EnumDef {
                    variants,
                    open: Some(OPEN_VARIANT.to_owned()),
                    default,
                    zero_is_empty: false,
                }),
            );
        }
        match schema.validation.format.as_deref() {
            Some("date-time") => TypeRef::Known(KnownType::Time),
            Some("byte") => TypeRef::Known(KnownType::ByteString),
            _ if schema.validation.pattern.as_deref() == Some(QUANTITY_PATTERN) => {
                TypeRef::Known(KnownType::Quantity)
            }
            _ => TypeRef::String,
        }
    }

    fn add(&mut self, path: Path, schema: &Schema, kind: TypeKind) -> TypeRef {
        let reference = TypeRef::Local(path.as_str().to_owned());
        self.0.push(Unnamed {
            path,
            docs: schema.description.clone(),
            kind,
            validation: schema.validation.clone(),
            root: false,
        });
        reference
    }
}

/// Where a schema stands. Items of lists and values of maps stand where the property does; its path is built only for what
/// needs a name.
#[derive(Clone, Copy)]
struct At<'a> {
    parent: &'a Path,
    property: &'a str,
    /// How many steps it takes to follow the types to it.
    steps: usize,
}

impl At<'_> {
    fn path(self) -> Path {
        self.parent.property(self.property)
    }

    fn further(self, steps: usize) -> Self {
        Self {
            steps: self.steps + steps,
            ..self
        }
    }
}

/// The variants of an enum; a value that stands twice counts once.
fn variants(values: &[&str]) -> Vec<Variant> {
    let mut unique: Vec<&str> = Vec::with_capacity(values.len());
    for value in values {
        if !unique.contains(value) {
            unique.push(value);
        }
    }
    let names = variant_names(&unique);
    let variant = |(value, name): (&&str, String)| Variant {
        name,
        value: (*value).to_owned(),
        docs: String::new(),
    };
    unique.iter().zip(names).map(variant).collect()
}

/// The treatment of properties that the schema does not name.
fn unknown_fields(schema: &Schema) -> UnknownFields {
    if schema.validation.preserve_unknown_fields || matches!(schema.additional, Additional::Any) {
        UnknownFields::Kept(TypeRef::Any)
    } else {
        UnknownFields::Pruned
    }
}

/// Whether null may stand for the value: by `nullable`, or because the enum lists it.
fn is_nullable(schema: &Schema) -> bool {
    schema.nullable || schema.validation.enum_.contains(&Value::Null)
}

/// The validations of a list's items or a map's values, where there are any.
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
    Field {
        docs: "Standard object metadata.".to_owned(),
        ..Field::plain("metadata", TypeRef::Known(KnownType::ObjectMeta), true)
    }
}
