//! Drafts: the types of a schema, named by path for the time being.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{
    model::{
        EnumDef, Field, KnownType, StructDef, TypeKind, TypeRef, UnknownFields, Validation,
        Variant,
        names::schema::{OPEN_VARIANT, Path, field_names, variant_names},
    },
    read::crd::schema::{Additional, Schema, Type},
};

/// Apimachinery's pattern of a quantity, which controller-gen puts at every field of that type.
const QUANTITY_PATTERN: &str = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$";

/// A type whose references to others are paths.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) path: Path,
    pub(super) docs: String,
    pub(super) kind: TypeKind,
    pub(super) validation: Validation,
    /// Whether this is a kind of its own, which is never unified with another.
    pub(super) root: bool,
}

/// The drafts of a version, gathered from all of its kinds.
#[derive(Debug, Default)]
pub(super) struct Drafts(Vec<Draft>);

impl Drafts {
    /// All drafts, sorted by path: shorter paths first.
    pub(super) fn into_sorted(mut self) -> Vec<Draft> {
        self.0.sort_by(|a, b| a.path.cmp(&b.path));
        self.0
    }

    /// Adds a kind with all types below it. Without a schema, or with one that keeps what it does not name, the root keeps
    /// every property.
    pub(super) fn add_root(&mut self, kind: &str, schema: Option<&Schema>) {
        let path = Path::root(kind);
        let nothing = Schema {
            validation: Validation {
                preserve_unknown_fields: true,
                ..Validation::default()
            },
            ..Schema::default()
        };
        let schema = schema.unwrap_or(&nothing);
        let own = |name: &str| !matches!(name, "apiVersion" | "kind" | "metadata");
        let mut fields = vec![metadata_field()];
        let properties: BTreeMap<&str, &Schema> = schema
            .properties
            .iter()
            .map(|(name, schema)| (name.as_str(), schema))
            .filter(|(name, _)| own(name))
            .collect();
        fields.extend(self.fields(&path, schema, &properties, &["metadata", "unknown_fields"]));
        let unknown_fields = if keeps_unknown(schema) {
            UnknownFields::Kept(TypeRef::Any)
        } else {
            UnknownFields::Pruned
        };
        self.0.push(Draft {
            path,
            docs: schema.description.clone(),
            kind: TypeKind::Struct(StructDef {
                fields,
                unknown_fields,
                tuple: false,
            }),
            validation: schema.validation.clone(),
            root: true,
        });
    }

    fn fields(
        &mut self,
        path: &Path,
        parent: &Schema,
        properties: &BTreeMap<&str, &Schema>,
        reserved: &[&str],
    ) -> Vec<Field> {
        let json_names: Vec<&str> = properties.keys().copied().collect();
        let rust_names = field_names(&json_names, reserved);
        properties
            .iter()
            .zip(rust_names)
            .map(|((&name, &schema), rust_name)| {
                self.field(
                    path,
                    schema,
                    name,
                    rust_name,
                    parent.required.contains(name),
                )
            })
            .collect()
    }

    fn field(
        &mut self,
        path: &Path,
        schema: &Schema,
        name: &str,
        rust_name: String,
        required: bool,
    ) -> Field {
        let ty = self.type_of(&path.property(name), schema);
        // A `Value` holds null by itself.
        let nullable = is_nullable(schema) && ty != TypeRef::Any;
        Field {
            json_name: name.to_owned(),
            rust_name,
            docs: schema.description.clone(),
            option: !required || nullable,
            ty,
            required,
            nullable: is_nullable(schema),
            default: schema.default.clone(),
            flatten: false,
            skip: false,
            validation: field_validation(schema),
        }
    }

    /// The type of a schema, without the `Option` of a nullable one; adds a draft for each type that needs a name.
    fn type_of(&mut self, path: &Path, schema: &Schema) -> TypeRef {
        let validation = &schema.validation;
        if validation.int_or_string {
            return TypeRef::Known(KnownType::IntOrString);
        }
        match schema.type_ {
            None if !schema.properties.is_empty() => self.object(path, schema),
            None if schema.items.is_some() => self.list(path, schema),
            None => TypeRef::Any,
            Some(Type::Object) => self.object(path, schema),
            Some(Type::Array) => self.list(path, schema),
            Some(Type::Boolean) => TypeRef::Bool,
            Some(Type::Number) => TypeRef::Float,
            // The API server checks the format int32; of others it knows nothing, so that any value of 64 bits may come.
            Some(Type::Integer) if validation.format.as_deref() == Some("int32") => TypeRef::Int32,
            Some(Type::Integer) => TypeRef::Int64,
            Some(Type::String) => self.string(path, schema),
        }
    }

    fn object(&mut self, path: &Path, schema: &Schema) -> TypeRef {
        if schema.validation.embedded_resource {
            return TypeRef::Known(KnownType::RawExtension);
        }
        if schema.properties.is_empty() {
            // What the server would prune is kept too: an open map costs nothing and loses nothing.
            return TypeRef::Map(Box::new(match &schema.additional {
                Additional::Schema(value) => self.element(path, value),
                Additional::Any | Additional::No => TypeRef::Any,
            }));
        }
        let properties = schema
            .properties
            .iter()
            .map(|(name, schema)| (name.as_str(), schema))
            .collect();
        let fields = self.fields(path, schema, &properties, &["unknown_fields"]);
        let unknown_fields = if keeps_unknown(schema) {
            UnknownFields::Kept(TypeRef::Any)
        } else {
            UnknownFields::Pruned
        };
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

    fn list(&mut self, path: &Path, schema: &Schema) -> TypeRef {
        TypeRef::List(Box::new(match &schema.items {
            Some(items) => self.element(path, items),
            None => TypeRef::Any,
        }))
    }

    /// The type of a list's items or a map's values, where null is a value of its own.
    fn element(&mut self, path: &Path, schema: &Schema) -> TypeRef {
        let ty = self.type_of(path, schema);
        if is_nullable(schema) && ty != TypeRef::Any {
            TypeRef::Optional(Box::new(ty))
        } else {
            ty
        }
    }

    fn string(&mut self, path: &Path, schema: &Schema) -> TypeRef {
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
                path,
                schema,
                TypeKind::Enum(EnumDef {
                    variants,
                    open: Some(OPEN_VARIANT.to_owned()),
                    default,
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

    fn add(&mut self, path: &Path, schema: &Schema, kind: TypeKind) -> TypeRef {
        self.0.push(Draft {
            path: path.clone(),
            docs: schema.description.clone(),
            kind,
            validation: schema.validation.clone(),
            root: false,
        });
        TypeRef::Local(path.as_str().to_owned())
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

/// Whether the server keeps properties that the schema does not name.
fn keeps_unknown(schema: &Schema) -> bool {
    schema.validation.preserve_unknown_fields || matches!(schema.additional, Additional::Any)
}

/// Whether null may stand for the value: by `nullable`, or because the enum lists it.
fn is_nullable(schema: &Schema) -> bool {
    schema.nullable || schema.validation.enum_.contains(&Value::Null)
}

/// The validations of a field: its own, and its elements' where those make no type.
fn field_validation(schema: &Schema) -> Validation {
    let element = schema.items.as_deref().or(match &schema.additional {
        Additional::Schema(value) => Some(value),
        _ => None,
    });
    let element = element
        .map(field_validation)
        .filter(|validation| *validation != Validation::default());
    Validation {
        element: element.map(Box::new),
        ..schema.validation.clone()
    }
}

fn metadata_field() -> Field {
    Field {
        json_name: "metadata".to_owned(),
        rust_name: "metadata".to_owned(),
        docs: "Standard object metadata.".to_owned(),
        ty: TypeRef::Known(KnownType::ObjectMeta),
        option: false,
        required: true,
        nullable: false,
        default: None,
        flatten: false,
        skip: false,
        validation: Validation::default(),
    }
}
