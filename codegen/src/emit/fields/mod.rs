//! The fields of a CRD's schema as a tree, for people: what the HTML reference and `kube-codegen explain` show.
//!
//! A path names properties alone, as `kubectl explain` takes it: the properties of a list's items and of a map's values are one step
//! below the list or map itself (`spec.disks.name`).

mod demands;
mod sample;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use serde_json::Value;

pub(crate) use self::{demands::Demand, sample::sample};

/// A property, or the object itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Field {
    /// The property's name; the kind for the object itself.
    pub(crate) name: String,
    /// The properties that lead to it; empty for the object itself.
    pub(crate) path: String,
    /// The type in `kubectl explain`'s notation: `string`, `[]Object`, `map[string]integer`.
    pub(crate) ty: String,
    /// Whether the object around it must have it.
    pub(crate) required: bool,
    /// The description as plain text.
    pub(crate) description: String,
    /// What else the schema says of it.
    pub(crate) demands: Vec<Demand>,
    /// The properties of the object, or of the objects in the list or map.
    pub(crate) fields: Vec<Self>,
}

/// The fields that every API object has, and that schemas of CRDs may leave out.
const COMMON: [(&str, &str, &str); 3] = [
    (
        "apiVersion",
        "string",
        "The group and version of the object's schema.",
    ),
    ("kind", "string", "The kind of the object."),
    (
        "metadata",
        "ObjectMeta",
        "Standard metadata: name, namespace, labels, annotations.",
    ),
];

impl Field {
    /// The tree of a kind from its schema (`openAPIV3Schema`).
    pub(crate) fn of_kind(kind: &str, schema: &Value) -> Self {
        let mut root = Self::read(kind, String::new(), schema, false);
        for (name, ty, description) in COMMON.into_iter().rev() {
            let at = root.fields.iter().position(|field| field.name == name);
            let mut field = at.map_or_else(Self::default, |at| root.fields.remove(at));
            if field.description.is_empty() {
                description.clone_into(&mut field.description);
            }
            if field.ty.is_empty() || field.fields.is_empty() {
                ty.clone_into(&mut field.ty);
            }
            name.clone_into(&mut field.name);
            name.clone_into(&mut field.path);
            root.fields.insert(0, field);
        }
        root
    }

    fn read(name: &str, path: String, schema: &Value, required: bool) -> Self {
        let element = element(schema);
        Self {
            name: name.to_owned(),
            ty: type_of(schema),
            required,
            description: text(schema, "description"),
            demands: demands::of(schema),
            fields: properties(&path, element),
            path,
        }
    }

    /// The field at a path below this one, or the first name that leads nowhere with the field that lacks it.
    pub(crate) fn at<'f>(&'f self, path: &[&str]) -> Result<&'f Self, (String, &'f Self)> {
        let mut found = self;
        for name in path {
            let next = found.fields.iter().find(|field| field.name == *name);
            found = next.ok_or_else(|| ((*name).to_owned(), found))?;
        }
        Ok(found)
    }

    /// Calls `visit` for each field below this one, in order.
    pub(crate) fn walk<'f>(&'f self, visit: &mut dyn FnMut(&'f Self)) {
        for field in &self.fields {
            visit(field);
            field.walk(visit);
        }
    }
}

/// What the lists and maps around a schema hold.
fn element(schema: &Value) -> &Value {
    let mut schema = schema;
    while let Some(inner) = schema.get("items").or(schema.get("additionalProperties")) {
        if !inner.is_object() {
            break;
        }
        schema = inner;
    }
    schema
}

fn properties(path: &str, schema: &Value) -> Vec<Field> {
    let names = schema.get("required").and_then(Value::as_array);
    let names = names.into_iter().flatten().filter_map(Value::as_str);
    let required: BTreeSet<&str> = names.collect();
    let properties = schema.get("properties").and_then(Value::as_object);
    let read = |(name, schema): (&String, &Value)| {
        let path = match path.is_empty() {
            true => name.clone(),
            false => format!("{path}.{name}"),
        };
        Field::read(name, path, schema, required.contains(name.as_str()))
    };
    properties.into_iter().flatten().map(read).collect()
}

/// The type in `kubectl explain`'s notation.
fn type_of(schema: &Value) -> String {
    if let Some(item) = schema.get("items") {
        return format!("[]{}", type_of(item));
    }
    if let Some(value) = schema
        .get("additionalProperties")
        .filter(|it| it.is_object())
    {
        return format!("map[string]{}", type_of(value));
    }
    let is_set = |key: &str| schema.get(key) == Some(&Value::Bool(true));
    match schema.get("type").and_then(Value::as_str) {
        Some("object") if is_set("x-kubernetes-embedded-resource") => "API object".to_owned(),
        Some("object") => "Object".to_owned(),
        Some(ty) => ty.to_owned(),
        None if is_set("x-kubernetes-int-or-string") => "integer or string".to_owned(),
        None => "any".to_owned(),
    }
}

fn text(schema: &Value, key: &str) -> String {
    let text = schema.get(key).and_then(Value::as_str);
    text.unwrap_or_default().trim().to_owned()
}
