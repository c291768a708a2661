//! Schemas of custom resources, as kube-apiserver publishes them.

use serde_json::{Map, Value, json};

use super::types::{META, Schemas, beside, reference};

/// Publishes the schema of a kind (`openAPIV3Schema`): every object has a type and metadata.
pub(super) fn of_kind(schema: &Value, schemas: &mut Schemas) -> Value {
    let mut out = published(schema, schemas);
    if let Some(properties) = properties_of(&mut out) {
        properties.extend(types_and_metadata(schemas, "ObjectMeta", OBJECT_METADATA));
    }
    out
}

/// Publishes the list of a kind, whose schema has the name.
pub(super) fn of_list(kind: &str, plural: &str, name: &str, schemas: &mut Schemas) -> Value {
    let mut properties = types_and_metadata(schemas, "ListMeta", LIST_METADATA);
    let items = json!({"type": "array", "items": reference(name), "description": format!(
        "List of {plural}. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md"
    )});
    properties.insert("items".to_owned(), items);
    json!({"description": format!("{kind}List is a list of {kind}"), "type": "object",
        "required": ["items"], "properties": properties})
}

const OBJECT_METADATA: &str = "Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";
const LIST_METADATA: &str = "Standard list metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";
/// What embedded objects say of their type.
const EMBEDDED_VERSION: &str = "apiVersion defines the versioned schema of this representation of an object. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources";
const EMBEDDED_KIND: &str = "kind is a string value representing the type of this object. In CamelCase. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";

fn types_and_metadata(
    schemas: &mut Schemas,
    metadata: &str,
    description: &str,
) -> Map<String, Value> {
    let mut properties = schemas.properties("TypeMeta");
    let metadata = schemas.add(META, metadata).unwrap_or_default();
    properties.insert(
        "metadata".to_owned(),
        described(reference(&metadata), description),
    );
    properties
}

fn described(schema: Value, description: &str) -> Value {
    beside(
        schema,
        Map::from_iter([("description".to_owned(), description.into())]),
    )
}

/// Copies a schema without keywords that say nothing, and with those that others imply.
fn published(schema: &Value, schemas: &mut Schemas) -> Value {
    let Some(schema) = schema.as_object() else {
        return schema.clone();
    };
    let mut out = Map::new();
    for (keyword, value) in schema {
        let value = match keyword.as_str() {
            "properties" => {
                let properties = value.as_object().into_iter().flatten();
                properties
                    .map(|(name, schema)| (name.clone(), published(schema, schemas)))
                    .collect()
            }
            "items" | "additionalProperties" => published(value, schemas),
            "default" | "example" => value.clone(),
            _ if *value == Value::Bool(false) => continue,
            _ => value.clone(),
        };
        out.insert(keyword.clone(), value);
    }
    let is = |keyword: &str| schema.get(keyword) == Some(&Value::Bool(true));
    if is("x-kubernetes-int-or-string") && !out.contains_key("anyOf") {
        let forms = json!([{"type": "integer"}, {"type": "string"}]);
        out.insert("anyOf".to_owned(), forms);
    }
    let mut out = Value::Object(out);
    if is("x-kubernetes-embedded-resource") {
        let metadata = schemas.add(META, "ObjectMeta").unwrap_or_default();
        if let Some(properties) = properties_of(&mut out) {
            let text = || json!({"type": "string"});
            for (name, schema, description) in [
                ("apiVersion", text(), EMBEDDED_VERSION),
                ("kind", text(), EMBEDDED_KIND),
                ("metadata", reference(&metadata), OBJECT_METADATA),
            ] {
                properties.insert(name.to_owned(), described(schema, description));
            }
        }
        let mut required = out["required"].as_array().cloned().unwrap_or_default();
        for name in ["kind", "apiVersion"] {
            if !required.iter().any(|it| it == name) {
                required.push(name.into());
            }
        }
        out["required"] = required.into();
    }
    out
}

fn properties_of(schema: &mut Value) -> Option<&mut Map<String, Value>> {
    let schema = schema.as_object_mut()?;
    let properties = schema.entry("properties").or_insert_with(|| json!({}));
    properties.as_object_mut()
}
