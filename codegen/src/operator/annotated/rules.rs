//! The markers of rules.

use kube_schema::{Form, Keyword};
use serde_json::Value;

use crate::model::{CelRule, KnownType, ListType, MapType, TypeRef, Validation};

/// A marker of a rule.
pub(super) struct Said {
    name: String,
    value: String,
    /// Whether it may also stand for the items of a list.
    pub(super) for_items: bool,
}

/// What markers say of a value.
#[derive(Default)]
struct Rules(Vec<Said>);

impl Said {
    /// The marker without its `+`, for the value or for the items of a list.
    pub(super) fn text(&self, items: bool) -> String {
        let place = match (self.for_items, items) {
            (true, true) => "kubebuilder:validation:items:",
            (true, false) => "kubebuilder:validation:",
            (false, _) => "",
        };
        format!("{place}{}{}", self.name, self.value)
    }
}

impl Rules {
    /// A rule that may also stand for items.
    fn value(&mut self, name: &str, value: String) {
        self.0.push(Said {
            name: name.to_owned(),
            value,
            for_items: true,
        });
    }

    fn field(&mut self, name: &str, value: String) {
        self.0.push(Said {
            name: name.to_owned(),
            value,
            for_items: false,
        });
    }
}

/// The markers for the rules of a value of the type, which may imply some of them.
pub(super) fn markers(rules: &Validation, ty: &TypeRef) -> Vec<Said> {
    let mut said = Rules::default();
    let equals = |value: &dyn std::fmt::Display| format!("={value}");
    // Numbers and flags of JSON Schema are markers of the same name.
    rules.put(&mut |name, value| {
        let keyword = Keyword::find(name).filter(|_| !name.starts_with("x-"));
        if let Some(keyword) = keyword
            && matches!(keyword.form, Form::Number | Form::Flag)
        {
            said.value(&keyword.go_name(), equals(&value));
        }
    });
    let is_quantity = *ty == TypeRef::Known(KnownType::Quantity);
    if let Some(pattern) = rules.pattern.as_ref().filter(|_| !is_quantity) {
        said.value("Pattern", equals(&quoted(pattern)));
    }
    if let Some(format) = rules.format.as_ref().filter(|_| *ty == TypeRef::String) {
        said.value("Format", equals(&quoted(format)));
    }
    if rules.format.as_deref() == Some(super::BARE_OBJECT) {
        said.field("kubebuilder:validation:Schemaless", String::new());
        said.value("Type", equals(&"object"));
    }
    if let Some(ty) = &rules.type_ {
        said.value("Type", equals(ty));
    }
    if !rules.enum_.is_empty() && !matches!(ty, TypeRef::Local(_)) {
        let values = rules.enum_.iter().map(Value::to_string);
        let values = values.collect::<Vec<_>>().join(",");
        said.value("Enum", format!("={{{values}}}"));
    }
    structure(rules, ty, &mut said);
    for rule in &rules.rules {
        said.value("XValidation", format!(":{}", cel(rule)));
    }
    about(rules, &mut said);
    said.0
}

/// How lists and maps are merged, and which fields are kept.
fn structure(rules: &Validation, ty: &TypeRef, said: &mut Rules) {
    if rules.int_or_string && !may_be_either(ty) {
        said.value("XIntOrString", String::new());
    }
    if rules.embedded_resource {
        said.value("XEmbeddedResource", String::new());
    }
    let keeps_anyway = matches!(ty, TypeRef::Any | TypeRef::Known(KnownType::RawExtension));
    if rules.preserve_unknown_fields && !keeps_anyway {
        said.value("XPreserveUnknownFields", String::new());
    }
    if rules.schemaless {
        said.field("kubebuilder:validation:Schemaless", String::new());
    }
    if let Some(list_type) = rules.list_type {
        let word = match list_type {
            ListType::Atomic => "atomic",
            ListType::Set => "set",
            ListType::Map => "map",
        };
        said.field("listType", format!("={word}"));
    }
    for key in &rules.list_map_keys {
        said.field("listMapKey", format!("={}", quoted(key)));
    }
    // Kubernetes' own types say it themselves.
    let is_own = !matches!(ty, TypeRef::Known(_));
    if let Some(map_type) = rules.map_type.filter(|_| is_own) {
        let name = match ty {
            TypeRef::Map(_) => "mapType",
            _ => "structType",
        };
        let word = match map_type {
            MapType::Granular => "granular",
            MapType::Atomic => "atomic",
        };
        said.field(name, format!("={word}"));
    }
}

/// What is for readers only.
fn about(rules: &Validation, said: &mut Rules) {
    if let Some(title) = &rules.title {
        said.field("kubebuilder:title", format!("={}", quoted(title)));
    }
    if let Some(elsewhere) = &rules.external_docs {
        let mut value = format!(":url={}", quoted(&elsewhere.url));
        if let Some(description) = &elsewhere.description {
            value.push_str(&format!(",description={}", quoted(description)));
        }
        said.field("kubebuilder:externalDocs", value);
    }
    if let Some(example) = &rules.example {
        said.field("kubebuilder:example", format!("={example}"));
    }
}

/// Whether the type allows integers and strings.
fn may_be_either(ty: &TypeRef) -> bool {
    matches!(
        ty,
        TypeRef::Known(KnownType::IntOrString | KnownType::Quantity)
    )
}

fn cel(rule: &CelRule) -> String {
    let mut text = format!("rule={}", quoted(&rule.rule));
    for (name, value) in [
        ("message", &rule.message),
        ("messageExpression", &rule.message_expression),
        ("fieldPath", &rule.field_path),
    ] {
        if let Some(value) = value {
            text.push_str(&format!(",{name}={}", quoted(value)));
        }
    }
    if let Some(reason) = &rule.reason {
        text.push_str(&format!(",reason={reason}"));
    }
    if let Some(optional) = rule.optional_old_self {
        text.push_str(&format!(",optionalOldSelf={optional}"));
    }
    text
}

/// A string of a marker: a word as it is, others in double quotes, or in backticks where these
/// need no escapes.
pub(super) fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    let is_raw = text.contains(['"', '\\']) && !text.contains(['`', '\n', '\r']);
    match is_raw {
        true => format!("`{text}`"),
        false => Value::from(text).to_string(),
    }
}
