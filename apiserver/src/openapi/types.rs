//! Schemas of Kubernetes' own types, from the table that objects are decoded by.

use kube_builtin_types::{Body, Definition, Entry, Field, Omission, Type, find};
use serde_json::{Map, Value, json};

/// The package of metadata.
pub(super) const META: &str = "k8s.io/apimachinery/pkg/apis/meta/v1";

type Rules = Map<String, Value>;

/// The schemas of a document, by name.
#[derive(Default)]
pub(super) struct Schemas(pub(super) Map<String, Value>);

/// Returns the name of a Go type in OpenAPI: `io.k8s.api.core.v1.Pod`.
fn name_of(package: &str, name: &str) -> String {
    let (domain, path) = package.split_once('/').unwrap_or((package, ""));
    let domain: Vec<&str> = domain.rsplit('.').collect();
    format!("{}.{}.{name}", domain.join("."), path.replace('/', "."))
}

/// Returns a reference to the schema with this name.
pub(super) fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

/// Adds keywords to a schema. OpenAPI 3.0 ignores what is beside a reference.
pub(super) fn beside(schema: Value, keywords: Map<String, Value>) -> Value {
    if keywords.is_empty() {
        return schema;
    }
    let mut all = match schema {
        Value::Object(all) if !all.contains_key("$ref") => all,
        reference => Map::from_iter([("allOf".to_owned(), json!([reference]))]),
    };
    all.extend(keywords);
    Value::Object(all)
}

impl Schemas {
    /// Adds a type with all that it refers to, and returns its name; `None` if it is not known.
    pub(super) fn add(&mut self, package: &str, name: &str) -> Option<String> {
        let schema_name = name_of(package, name);
        if !self.0.contains_key(&schema_name) {
            let entry = find(package, name)?;
            // A type may refer to itself.
            self.0.insert(schema_name.clone(), Value::Null);
            let schema = self.of_entry(&entry)?;
            self.0.insert(schema_name.clone(), schema);
        }
        Some(schema_name)
    }

    /// Returns the properties of a struct of the metadata.
    pub(super) fn properties(&mut self, name: &str) -> Map<String, Value> {
        let schema = find(META, name).and_then(|entry| self.of_entry(&entry));
        let properties = schema.and_then(|mut it| Some(it.get_mut("properties")?.take()));
        match properties {
            Some(Value::Object(properties)) => properties,
            _ => Map::new(),
        }
    }

    fn of_entry(&mut self, entry: &Entry) -> Option<Value> {
        let mut docs = entry.docs().into_iter().map(|text| joined(&text));
        let description = docs.next().unwrap_or_default();
        let mut keywords = Map::new();
        if !description.is_empty() {
            keywords.insert("description".to_owned(), description.into());
        }
        let definition: Definition<Rules> = entry.definition()?;
        let schema = match (own_form(entry.name), definition.body) {
            (Some(form), _) => form,
            (None, Body::Struct(fields)) => {
                if definition.atomic {
                    keywords.insert("x-kubernetes-map-type".to_owned(), "atomic".into());
                }
                self.of_struct(fields, docs)
            }
            (None, Body::Alias(ty)) => self.of_type(&ty),
            (None, Body::Enum(_)) => json!({"type": "string"}),
        };
        Some(beside(schema, keywords))
    }

    fn of_struct(
        &mut self,
        fields: Vec<Field<Rules>>,
        docs: impl Iterator<Item = String>,
    ) -> Value {
        let mut properties = Map::new();
        let mut required = Vec::new();
        // Documentation ends early where no more follows.
        let docs = docs.chain(std::iter::repeat(String::new()));
        for (field, description) in fields.into_iter().zip(docs) {
            let mut keywords = extensions(&field.rules);
            if !description.is_empty() {
                keywords.insert("description".to_owned(), description.into());
            }
            if let Some(patch) = &field.patch {
                for (name, value) in [("strategy", &patch.strategy), ("merge-key", &patch.key)] {
                    if !value.is_empty() {
                        let name = format!("x-kubernetes-patch-{name}");
                        keywords.insert(name, value.clone().into());
                    }
                }
            }
            let schema = self.of_type(&field.ty);
            let is_written = field.omits == Omission::Never;
            let zero = || zero(&schema, is_written).filter(|_| !field.pointer);
            if let Some(default) = field.default.or_else(zero) {
                keywords.insert("default".to_owned(), default);
            }
            if field.required {
                required.push(field.json_name.clone());
            }
            properties.insert(field.json_name, beside(schema, keywords));
        }
        let mut schema = json!({"type": "object"});
        if !properties.is_empty() {
            schema["properties"] = properties.into();
        }
        if !required.is_empty() {
            schema["required"] = required.into();
        }
        schema
    }

    fn of_type(&mut self, ty: &Type) -> Value {
        match ty {
            Type::Bool => json!({"type": "boolean"}),
            Type::Int32 => json!({"type": "integer", "format": "int32"}),
            Type::Int64 => json!({"type": "integer", "format": "int64"}),
            Type::Integer(_) => json!({"type": "integer", "format": "int32"}),
            Type::Float => json!({"type": "number", "format": "double"}),
            Type::Text => json!({"type": "string"}),
            Type::Bytes => json!({"type": "string", "format": "byte"}),
            Type::Any => json!({}),
            Type::List(item) => json!({"type": "array", "items": self.of_element(item)}),
            Type::Map(value) => {
                json!({"type": "object", "additionalProperties": self.of_element(value)})
            }
            Type::Named(package, name) => self.of_named(package, name),
        }
    }

    fn of_element(&mut self, ty: &Type) -> Value {
        let schema = self.of_type(ty);
        let default = zero(&schema, true).map(|zero| ("default".to_owned(), zero));
        beside(schema, default.into_iter().collect())
    }

    /// A struct is referred to; another name for a type is that type.
    fn of_named(&mut self, package: &str, name: &str) -> Value {
        let definition = find(package, name).and_then(|it| it.definition::<Rules>());
        match definition.map(|it| (own_form(name), it.body)) {
            Some((None, Body::Alias(ty))) => self.of_type(&ty),
            // Which of them are closed, so that nothing else is valid, the table does not say.
            Some((None, Body::Enum(_))) => json!({"type": "string"}),
            Some(_) => match self.add(package, name) {
                Some(name) => reference(&name),
                None => json!({"type": "object"}),
            },
            None => json!({"type": "object"}),
        }
    }
}

/// Returns the form of a type that writes itself.
fn own_form(name: &str) -> Option<Value> {
    Some(match name {
        "Time" | "MicroTime" => json!({"type": "string", "format": "date-time"}),
        "Duration" => json!({"type": "string"}),
        "Quantity" => json!({"oneOf": [{"type": "string"}, {"type": "number"}]}),
        "IntOrString" => {
            json!({"format": "int-or-string", "oneOf": [{"type": "integer"}, {"type": "string"}]})
        }
        "FieldsV1" | "RawExtension" => json!({"type": "object"}),
        "JSON"
        | "JSONSchemaPropsOrArray"
        | "JSONSchemaPropsOrBool"
        | "JSONSchemaPropsOrStringArray" => json!({}),
        _ => return None,
    })
}

/// Returns the value that Go's encoder writes for what was not set: that of a struct always, others
/// only where they are not omitted.
fn zero(schema: &Value, is_written: bool) -> Option<Value> {
    if let Some(reference) = schema.get("$ref") {
        let (_, name) = reference.as_str()?.rsplit_once('.')?;
        return own_form(name).is_none().then(|| json!({}));
    }
    let zero = match schema.get("type")?.as_str()? {
        "boolean" => json!(false),
        "integer" | "number" => json!(0),
        "string" if schema.get("format").is_none() => json!(""),
        _ => return None,
    };
    is_written.then_some(zero)
}

/// Returns the keywords of rules that say how lists and maps are merged.
fn extensions(rules: &Rules) -> Map<String, Value> {
    let name = |key: &str| {
        Some(match key {
            "listType" => "x-kubernetes-list-type",
            "listMapKeys" => "x-kubernetes-list-map-keys",
            "mapType" => "x-kubernetes-map-type",
            _ => return None,
        })
    };
    let named = rules
        .iter()
        .filter_map(|(key, value)| Some((name(key)?, value)));
    named
        .map(|(name, value)| (name.to_owned(), value.clone()))
        .collect()
}

/// Joins the lines of Go's documentation to paragraphs, as Kubernetes' generator of OpenAPI does:
/// indented lines stay, and notes to maintainers are left out.
fn joined(text: &str) -> String {
    let mut out = String::new();
    let mut was_indented = false;
    let lines = text.lines().take_while(|line| *line != "---");
    for line in lines.filter(|line| !line.starts_with("TODO")) {
        let is_indented = line.starts_with([' ', '\t']);
        match out.chars().last() {
            None | Some('\n') if !line.is_empty() => {}
            _ if line.trim().is_empty() => out.push_str("\n\n"),
            _ => out.push(if is_indented || was_indented {
                '\n'
            } else {
                ' '
            }),
        }
        out.push_str(line.trim_end());
        was_indented = is_indented;
    }
    out.trim_end().to_owned()
}
