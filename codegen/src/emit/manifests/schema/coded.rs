//! Schemas that code returns, made structural as kube's derive makes those of schemars.

use std::sync::Arc;

use kube_schema::{Form, Keyword, Role};
use serde_json::Value;

use super::{
    DESCRIPTION, PRESERVE, Schema, TYPE,
    shape::{At, Lookup, Shapes},
};
use crate::{
    diag::Diagnostic,
    model::{Coded, CodedSchema, TypeRef},
};

/// Keywords that do not constrain values and that CRDs do not have, and `uniqueItems`, which kube removes.
#[rustfmt::skip]
const NOTHING: [&str; 12] = [
    "$comment", "$defs", "$id", "$schema", "contentEncoding", "contentMediaType", "definitions", "deprecated", "propertyNames", "readOnly",
    "uniqueItems", "writeOnly",
];

/// Keywords that parts of `anyOf`, `oneOf` and `allOf` must not have.
const OF_VALUES_ONLY: [&str; 7] = [
    TYPE,
    DESCRIPTION,
    "default",
    "example",
    "nullable",
    "title",
    PRESERVE,
];

impl Shapes<'_> {
    /// The schema that code returns.
    pub(super) fn coded(
        &mut self,
        code: &CodedSchema<TypeRef>,
        scope: Lookup<'_>,
        at: At<'_>,
    ) -> Schema {
        let mut schema = match &code.base {
            Some(ty) => Arc::unwrap_or_clone(self.of(ty, scope, at)),
            None => Schema::default(),
        };
        for (keyword, value) in &code.keywords {
            match value {
                Some(value) => self.set(&mut schema, (keyword, value), scope, at),
                None => schema.unset(keyword),
            }
        }
        if schema.words.get("additionalProperties").is_some() && !schema.properties.is_empty() {
            schema.words.remove("additionalProperties");
            schema = schema.with(PRESERVE, true);
        }
        let is_open =
            schema.words.get(PRESERVE).is_some() || schema.words.has("x-kubernetes-int-or-string");
        if schema.ty().is_none() && !is_open && schema.properties.is_empty() {
            // A schema without a type permits everything, which the API server demands to be said.
            let is_typed =
                schema.words.has("enum") || schema.words.has("anyOf") || schema.words.has("oneOf");
            if !is_typed && code.base.is_none() {
                schema = schema.with(PRESERVE, true);
            }
        }
        schema
    }

    fn set(
        &mut self,
        schema: &mut Schema,
        (keyword, value): (&str, &Coded<TypeRef>),
        scope: Lookup<'_>,
        at: At<'_>,
    ) {
        match (keyword, value) {
            ("properties", Coded::Schema(properties)) => {
                schema.properties.clear();
                for (name, property) in &properties.keywords {
                    let Some(property) = property else { continue };
                    let what = format!("{}.{name}", at.what);
                    let property = self.nested(property, scope, At { what: &what, ..at });
                    schema.properties.insert(name.clone(), Arc::new(property));
                }
            }
            ("items", items) => schema.items = Some(Arc::new(self.nested(items, scope, at))),
            ("additionalProperties", Coded::Value(Value::Bool(true))) => {
                schema.additional = None;
                schema.words.set("additionalProperties", true);
            }
            // The API server prunes what is not declared.
            ("additionalProperties", Coded::Value(Value::Bool(false))) => schema.additional = None,
            ("additionalProperties", value) => {
                schema.additional = Some(Arc::new(self.nested(value, scope, at)));
            }
            ("allOf", Coded::List(parts)) => {
                for part in parts {
                    let part = self.nested(part, scope, at);
                    schema.fold(part);
                }
            }
            ("anyOf" | "oneOf", Coded::List(parts)) => {
                let parts = parts.iter().map(|part| self.choice(part, scope, at));
                let parts = parts.collect();
                self.choose(schema, keyword == "oneOf", parts, at);
            }
            (keyword, value) => {
                let value = value.to_value();
                if !value.is_some_and(|value| schema.set_plain(keyword, value)) {
                    let of = at.what;
                    // Others describe: the API server drops what it does not know.
                    if keyword.starts_with("x-") && !keyword.starts_with("x-kubernetes-") {
                        let message = format!("`{keyword}` in the schema of `{of}` is left out");
                        let help = "CRDs have no such keyword: write its text in the description";
                        return self.report(at, Diagnostic::warning(message).help(help));
                    }
                    let message = format!("`{keyword}` in the schema of `{of}` is not supported");
                    let help = "leave it out, or write the schema that a CRD can have";
                    self.report(at, Diagnostic::error(message).help(help));
                }
            }
        }
    }

    /// The schema of a part.
    fn nested(&mut self, value: &Coded<TypeRef>, scope: Lookup<'_>, at: At<'_>) -> Schema {
        match value {
            Coded::Schema(code) => self.coded(code, scope, at),
            Coded::Value(Value::Bool(true)) => Schema::default().with(PRESERVE, true),
            _ => {
                let message = format!("a part of the schema of `{}` is no schema", at.what);
                self.report(at, Diagnostic::error(message).help("write an object"));
                Schema::default()
            }
        }
    }

    /// An alternative, which may permit everything.
    fn choice(&mut self, value: &Coded<TypeRef>, scope: Lookup<'_>, at: At<'_>) -> Schema {
        let mut schema = self.nested(value, scope, at);
        schema.words.remove(PRESERVE);
        schema
    }

    /// Adds alternatives: what they declare goes to the schema itself, and only their constraints remain.
    fn choose(&mut self, schema: &mut Schema, is_one: bool, parts: Vec<Schema>, at: At<'_>) {
        let is_null = |part: &Schema| {
            part.ty() == Some("null") || part.words.get("enum") == Some(&Value::Array(Vec::new()))
        };
        let count = parts.len();
        let mut parts: Vec<Schema> = parts.into_iter().filter(|part| !is_null(part)).collect();
        if parts.len() < count {
            schema.words.set("nullable", true);
        }
        if let ([only], true) = (parts.as_slice(), count > 1) {
            let nullable = schema.words.remove("nullable");
            *schema = std::mem::take(schema).overridden(only.clone());
            schema.words.put("nullable", nullable);
            return;
        }
        let is_number_or_text = |part: &Schema| {
            let is_bare = part.words.iter().count() == 1 && part.properties.is_empty();
            is_bare && matches!(part.ty(), Some("integer" | "string"))
        };
        let is_int_or_string = parts.len() == 2 && parts.iter().all(is_number_or_text);
        if !is_int_or_string {
            parts = self.hoisted(schema, is_one, parts, at);
        }
        let word = if is_one { "oneOf" } else { "anyOf" };
        let choices: Vec<Value> = parts.iter().map(Value::from).collect();
        if choices
            .iter()
            .any(|choice| *choice != serde_json::json!({}))
        {
            schema.words.set(word, choices);
        }
    }

    /// Moves types, properties and, of `oneOf`, enum values from the parts to the schema.
    fn hoisted(
        &mut self,
        schema: &mut Schema,
        is_one: bool,
        parts: Vec<Schema>,
        at: At<'_>,
    ) -> Vec<Schema> {
        let mut kept = Vec::new();
        for mut part in parts {
            let description = part.words.get(DESCRIPTION).cloned();
            if let Some(ty) = part.words.get(TYPE).cloned() {
                match schema.words.get(TYPE) {
                    Some(known) if *known != ty => {
                        let message =
                            format!("the alternatives of `{}` have different types", at.what);
                        let help = "a schema of a CRD has one type, or preserves unknown fields";
                        self.report(at, Diagnostic::error(message).help(help));
                    }
                    _ => schema.words.set(TYPE, ty),
                }
            }
            for word in OF_VALUES_ONLY {
                part.words.remove(word);
            }
            part.additional = None;
            if is_one && let Some(Value::Array(values)) = part.words.remove("enum") {
                match schema.words.get_mut("enum") {
                    Some(Value::Array(known)) => known.extend(values),
                    _ => schema.words.set("enum", values),
                }
                if part == Schema::default() {
                    continue;
                }
            }
            let is_only = part.properties.len() == 1;
            for (name, mut property) in std::mem::take(&mut part.properties) {
                if let Some(description) = description.clone().filter(|_| is_one && is_only) {
                    Arc::make_mut(&mut property)
                        .words
                        .set(DESCRIPTION, description);
                }
                let known = schema
                    .properties
                    .entry(name)
                    .or_insert_with_key(|_| Arc::clone(&property));
                if *known != property {
                    let message = format!(
                        "the alternatives of `{}` disagree about a property",
                        at.what
                    );
                    let help = "one property has one schema: make them equal";
                    self.report(at, Diagnostic::error(message).help(help));
                }
            }
            kept.push(part);
        }
        kept
    }
}

impl Schema {
    fn unset(&mut self, keyword: &str) {
        match keyword {
            "properties" => self.properties.clear(),
            "required" => self.required.clear(),
            "items" => self.items = None,
            "additionalProperties" => self.additional = None,
            _ => {}
        }
        self.words.remove(keyword);
    }

    /// Sets a keyword whose value is not a schema; returns whether it is known and valid.
    fn set_plain(&mut self, keyword: &str, value: Value) -> bool {
        match (keyword, value) {
            (TYPE, Value::String(ty)) => self.words.set(TYPE, ty),
            (TYPE, Value::Array(types)) => {
                let is_null = |ty: &Value| ty == "null";
                if types.iter().any(is_null) {
                    self.words.set("nullable", true);
                }
                let types: Vec<Value> = types.into_iter().filter(|ty| !is_null(ty)).collect();
                let [ty] = types.as_slice() else {
                    return false;
                };
                self.words.set(TYPE, ty.clone());
            }
            ("const", value) => self.words.set("enum", vec![value]),
            ("enum", Value::Array(values)) => {
                let count = values.len();
                let values: Vec<Value> = values.into_iter().filter(|it| !it.is_null()).collect();
                if values.len() < count {
                    self.words.set("nullable", true);
                }
                self.words.set("enum", values);
            }
            ("required", Value::Array(names)) => {
                let names = names.into_iter().map(|name| match name {
                    Value::String(name) => Some(name),
                    _ => None,
                });
                let Some(names) = names.collect() else {
                    return false;
                };
                self.required = names;
            }
            ("examples", Value::Array(examples)) => {
                self.words.put("example", examples.into_iter().next());
            }
            ("nullable", Value::Bool(false)) => {
                self.words.remove("nullable");
            }
            ("default", Value::Null) => {}
            (TYPE | "enum" | "required", _) => return false,
            (keyword, _) if NOTHING.contains(&keyword) => {}
            (keyword, value) => {
                let word = Keyword::find(keyword).filter(|it| it.role != Role::Refused);
                match word {
                    Some(word) if !matches!(word.form, Form::Properties | Form::Schemas) => {
                        self.words.set(word.name, value);
                    }
                    _ => return false,
                }
            }
        }
        true
    }
}
