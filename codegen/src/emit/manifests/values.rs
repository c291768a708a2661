//! Values in markers (defaults, examples, enums), held to their schemas by the API server's own validation.
//!
//! The API server rejects a CRD whose default does not match its schema. It does not check examples, but a wrong one misleads
//! readers, so it is a warning.

use kube_schema::{FieldError, FieldErrorKind, Structural};
use serde_json::{Value, json};

use super::{
    about::{About, shown},
    check::Check,
    schema::{RULES, Schema},
};
use crate::{
    diag::{Diagnostic, Diagnostics},
    suggest::closest,
};

/// How a schema that stands alone refers to its value.
const IT: &str = "it";

/// How many characters of a wrong value are shown.
const MOST_SHOWN: usize = 200;

impl Check<'_> {
    /// Checks the default, the example and the permitted values of one schema.
    pub(super) fn values(&self, schema: &Schema, path: &[String], diagnostics: &mut Diagnostics) {
        for word in ["default", "example"] {
            let Some(value) = schema.words.get(word) else {
                continue;
            };
            if let Some(fault) = Alone::without(schema, &[]).and_then(|it| it.fault(value)) {
                let message = format!(
                    "the {word} of {} does not match its schema: {fault}",
                    shown(path)
                );
                let finding = match word {
                    "default" => Diagnostic::error(message).help(
                        "the API server refuses the CRD: write a value that an object may have",
                    ),
                    _ => Diagnostic::warning(message).help("write a value that an object may have"),
                };
                let about = About::marker(path, word, "");
                self.report(about, finding, diagnostics);
            }
        }
        let Some(permitted) = schema.words.get("enum").and_then(Value::as_array) else {
            return;
        };
        // The server takes values that no object can have. Patterns, formats and rules may rule out some on purpose.
        let Some(alone) = Alone::without(schema, &["enum", "pattern", "format", RULES]) else {
            return;
        };
        for value in permitted {
            if let Some(fault) = alone.fault(value) {
                let message = format!(
                    "{} can never have the value {value} of its enum: {fault}",
                    shown(path)
                );
                let finding = match self.is_derived() {
                    true => Diagnostic::warning(message),
                    false => Diagnostic::error(message),
                };
                let finding = finding.help("remove it, or permit it");
                self.report(About::marker(path, "Enum", ""), finding, diagnostics);
            }
        }
    }
}

/// A schema by itself, compiled as the API server does.
struct Alone<'s> {
    schema: &'s Schema,
    compiled: Structural,
}

impl<'s> Alone<'s> {
    /// Compiles a schema without some keywords; `None` if it is invalid, which other checks report.
    fn without(schema: &'s Schema, words: &[&'static str]) -> Option<Self> {
        let mut alone = schema.clone();
        alone.words.remove("default");
        for word in words {
            alone.words.remove(word);
        }
        let root = json!({"type": "object", "properties": {IT: Value::from(&alone)}});
        let compiled = Structural::compile(&root).ok()?;
        Some(Self { schema, compiled })
    }

    /// Why a value does not match the schema, or `None` if it does.
    fn fault(&self, value: &Value) -> Option<String> {
        let object = json!({IT: value});
        // A field of another name is the reason why one is missing.
        let unknown = self.compiled.prune(&mut object.clone());
        if let Some(path) = unknown.first() {
            return Some(self.unknown(path));
        }
        self.compiled.validate(&object).first().map(worded)
    }

    /// Says that there is no field at a path such as `it.a[0].b`.
    fn unknown(&self, path: &str) -> String {
        let mut names = path.split('.').skip(1).peekable();
        let mut schema = Some(self.schema);
        let mut last = "";
        while let Some(segment) = names.next() {
            last = segment;
            if names.peek().is_some() {
                let (name, _) = segment.split_once('[').unwrap_or((segment, ""));
                schema = schema
                    .and_then(|schema| schema.properties.get(name))
                    .map(|schema| {
                        schema
                            .items
                            .as_deref()
                            .or(schema.additional.as_deref())
                            .unwrap_or(schema)
                    });
            }
        }
        let known = schema
            .into_iter()
            .flat_map(|schema| schema.properties.keys());
        match closest(last, known.map(String::as_str)) {
            Some(near) => format!("there is no field `{last}`, did you mean `{near}`?"),
            None => format!("there is no field `{last}`"),
        }
    }
}

/// The server's error about a value, which it finds below [`IT`].
fn worded(error: &FieldError) -> String {
    let here = match error.field.strip_prefix(IT) {
        None | Some("") => IT,
        Some(below) => below,
    };
    let demand = error
        .detail
        .strip_prefix(&format!("{} in body ", error.field));
    match (demand, error.kind) {
        (Some(demand), _) => format!("{here} {demand}"),
        (None, FieldErrorKind::Required) => format!("`{here}` is missing"),
        (None, FieldErrorKind::NotSupported) => format!("{here}: {}", error.brief(MOST_SHOWN)),
        (None, _) => format!("{here}: {}", error.detail),
    }
}
