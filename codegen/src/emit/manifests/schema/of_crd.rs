//! Schemas of types that come from a CRD: the part that the types represent, overlaid with the rest of the CRD's schema.

use std::sync::Arc;

use serde_json::Value;

use super::{DESCRIPTION, Schema, TYPE};
use crate::model::{
    Field, KnownType, Resource, StructDef, TypeKind, TypeRef, Validation, Version,
    schema::{Additional, COMMON_PROPERTIES, Schema as Rest},
};

impl Schema {
    /// The schema of a kind in a version that was read from a CRD; without types, the rest is the complete schema.
    pub(in crate::emit::manifests) fn of_crd(
        version: Option<&Version>,
        resource: &Resource,
    ) -> Self {
        let root = version.and_then(|version| Some((version, version.type_def(&resource.root)?)));
        let mut schema = match root {
            Some((version, root)) => match &root.kind {
                TypeKind::Struct(def) => object(def, Properties::BesideCommon, version)
                    .overridden(Self::of_rules(&root.validation)),
                _ => Self::of_type("object"),
            },
            None => Self::default(),
        };
        if let Some(rest) = &resource.rest {
            schema.lay_over(&rest.schema);
        }
        schema
    }

    /// Overlays the schema with the rest, which takes precedence.
    fn lay_over(&mut self, rest: &Rest) {
        let mut put = |word: &'static str, value: Value| self.words.set(word, value);
        if let Some(ty) = rest.type_ {
            put(TYPE, ty.name().into());
        }
        if !rest.description.is_empty() {
            put(DESCRIPTION, rest.description.as_str().into());
        }
        if rest.nullable {
            put("nullable", true.into());
        }
        if let Some(default) = rest.default.as_ref().filter(|default| !default.is_null()) {
            put("default", default.clone());
        }
        if let Additional::Any = rest.additional {
            put("additionalProperties", true.into());
        }
        self.words.extend(Self::of_rules(&rest.validation).words);
        self.required.extend(rest.required.iter().cloned());
        for (name, property) in &rest.properties {
            let schema = self.properties.entry(name.clone()).or_default();
            Arc::make_mut(schema).lay_over(property);
        }
        if let Some(items) = &rest.items {
            Arc::make_mut(self.items.get_or_insert_default()).lay_over(items);
        }
        if let Additional::Schema(value) = &rest.additional {
            Arc::make_mut(self.additional.get_or_insert_default()).lay_over(value);
        }
    }
}

/// Which fields of a struct become properties of its schema.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Properties {
    All,
    /// All except `apiVersion`, `kind` and `metadata`, which the rest describes.
    BesideCommon,
}

fn object(def: &StructDef, properties: Properties, version: &Version) -> Schema {
    let mut schema = Schema::of_type("object");
    for field in &def.fields {
        let name = &field.json_name;
        if properties == Properties::BesideCommon && COMMON_PROPERTIES.contains(&&**name) {
            continue;
        }
        if field.required {
            schema.required.insert(name.clone());
        }
        if let Some(property) = property(field, version) {
            schema.properties.insert(name.clone(), Arc::new(property));
        }
    }
    schema
}

fn property(field: &Field, version: &Version) -> Option<Schema> {
    let mut schema = represented(&field.ty, &field.validation, version)?;
    if field.nullable {
        schema = nullable(schema, &field.validation);
    }
    Some(match &field.default {
        Some(default) if !default.is_null() => schema.with("default", default.clone()),
        _ => schema,
    })
}

/// The part of a schema that its type represents; `None` if `Resource::rest` contains all of it.
fn represented(ty: &TypeRef, rules: &Validation, version: &Version) -> Option<Schema> {
    let element = |inner: &TypeRef| {
        let unrestricted = Validation::default();
        let rules = rules.element.as_deref().unwrap_or(&unrestricted);
        represented(inner, rules, version).map(Arc::new)
    };
    let schema = match ty {
        TypeRef::Bool => Schema::of_type("boolean"),
        TypeRef::Int32 | TypeRef::Int64 | TypeRef::Integer(_) => Schema::of_type("integer"),
        TypeRef::Float | TypeRef::Float32 => Schema::of_type("number"),
        TypeRef::String | TypeRef::Known(KnownType::Time | KnownType::ByteString) => {
            Schema::of_type("string")
        }
        TypeRef::Known(KnownType::IntOrString) => Schema::default(),
        TypeRef::Known(_) | TypeRef::External(_) | TypeRef::Verbatim(_) | TypeRef::Any => {
            return None;
        }
        TypeRef::Local(name) => match &version.type_def(name)?.kind {
            TypeKind::Struct(def) if rules.embedded_resource => {
                object(def, Properties::BesideCommon, version)
            }
            TypeKind::Struct(def) => object(def, Properties::All, version),
            TypeKind::Alias(alias) => return represented(&alias.target, rules, version),
            TypeKind::Enum(def) => Schema::of_type(def.values.schema_type()),
            TypeKind::Union(_) => Schema::of_type("string"),
        },
        TypeRef::List(inner) => Schema {
            items: element(inner),
            ..Schema::of_type("array")
        },
        TypeRef::Map(inner) => Schema {
            additional: element(inner),
            ..Schema::of_type("object")
        },
        TypeRef::Optional(inner) => {
            return represented(inner, rules, version).map(|schema| nullable(schema, rules));
        }
        TypeRef::Boxed(inner) => return represented(inner, rules, version),
    };
    Some(schema.overridden(Schema::of_rules(rules)))
}

/// Permits null, unless null is among an enum's values: then the rest says how null is permitted.
fn nullable(schema: Schema, rules: &Validation) -> Schema {
    if rules.enum_.contains(&Value::Null) {
        schema
    } else {
        schema.with("nullable", true)
    }
}
