//! The reference of `codegen.toml`: for `generate --help`, as a page, and as a JSON schema for
//! editors.

use serde_json::{Map, Value, json};

use super::keys::{OptionDef, Section, Type};
use crate::generator::Generator;

/// Every key as plain text, by section.
#[must_use]
pub fn reference_text() -> String {
    let mut text = String::new();
    for section in Section::ALL {
        text += &format!("{}\n", section.title());
        for key in section.keys() {
            text += &format!("  {}: {}", key.name, key.ty.name());
            if !key.default.is_empty() {
                text += &format!(" (default: {})", key.default);
            }
            text += &format!("\n      {}\n", key.docs);
            text += &format!("      example: {} = {}\n", key.name, key.example);
        }
        text.push('\n');
    }
    text.trim_end().to_owned()
}

/// Every key as a Markdown page.
#[must_use]
pub fn reference_page() -> String {
    let mut page = "# codegen.toml\n\n\
        `kube-codegen generate` reads it from the current folder upwards. `kube-codegen schema` prints a JSON schema for editors; \
        name it in the first line: `#:schema ./codegen.schema.json`.\n"
        .to_owned();
    for section in Section::ALL {
        page += &format!("\n## {}\n\n", section.title());
        page += "| key | type | default | example | meaning |\n|---|---|---|---|---|\n";
        for key in section.keys() {
            let (name, ty, docs) = (key.name, key.ty.name(), key.docs);
            let default = cell(key.default);
            page += &format!(
                "| `{name}` | {ty} | {default} | `{}` | {docs} |\n",
                key.example
            );
        }
    }
    page += &format!(
        "\nThe generators are {}, or `all`.\n",
        generators().join(", ")
    );
    page
}

/// A default value: as code if it is TOML, else as prose.
fn cell(default: &str) -> String {
    match value(default) {
        Some(_) => format!("`{default}`"),
        None => default.to_owned(),
    }
}

/// Parses a TOML value.
fn value(text: &str) -> Option<Value> {
    let table: toml::Table = toml::from_str(&format!("x = {text}")).ok()?;
    serde_json::to_value(table.get("x")?).ok()
}

fn generators() -> Vec<String> {
    let all = Generator::ALL.into_iter();
    all.map(|generator| format!("`{}`", generator.name()))
        .collect()
}

/// A JSON schema (draft 7) of the file.
#[must_use]
pub fn reference_schema() -> Value {
    let mut schema = object(Section::Root);
    schema.insert(
        "$schema".to_owned(),
        json!("http://json-schema.org/draft-07/schema#"),
    );
    schema.insert("title".to_owned(), json!("codegen.toml"));
    Value::Object(schema)
}

fn object(section: Section) -> Map<String, Value> {
    let keys = section.keys();
    let properties: Map<String, Value> = keys
        .map(|key| (key.name.to_owned(), property(key)))
        .collect();
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema.insert("properties".to_owned(), Value::Object(properties));
    schema
}

fn property(key: &OptionDef) -> Value {
    let mut schema = match key.ty {
        Type::String => json!({"type": "string"}),
        Type::Bool => json!({"type": "boolean"}),
        Type::Count => json!({"type": "integer", "minimum": 0}),
        Type::Strings if key.name == "emit" => {
            let mut words: Vec<&str> = Generator::ALL.map(Generator::name).into();
            words.push("all");
            json!({"type": "array", "items": {"enum": words}})
        }
        Type::Strings => json!({"type": "array", "items": {"type": "string"}}),
        Type::Map => json!({"type": "object", "additionalProperties": {"type": "string"}}),
        Type::Table(section) => Value::Object(object(section)),
        Type::Tables(section) => json!({"type": "array", "items": object(section)}),
    };
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("description".to_owned(), json!(key.docs));
        if let Some(default) = value(key.default) {
            schema.insert("default".to_owned(), default);
        }
        if let Some(example) = value(key.example) {
            schema.insert("examples".to_owned(), json!([example]));
        }
    }
    schema
}
