//! Compiles raw schema nodes.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::formats;
use super::keywords::{Form, Keyword, Role};
use super::node::{Additional, Checks, Schema};
use super::pattern::Pattern;
use super::props::{Props, RawAdditional};
use super::rule::Rule;
use super::types::{Kind, ListType, Types};

/// Builds compiled nodes; patterns that occur several times are compiled once.
#[derive(Default)]
pub(crate) struct Builder {
    patterns: BTreeMap<String, Arc<Pattern>>,
}

impl Builder {
    /// Compiles a checked raw node and its subschemas.
    pub(crate) fn build(&mut self, props: Props<'_>) -> Schema {
        let types = types(props);
        let mut schema = Schema {
            types,
            nullable: props.flag("nullable"),
            format: formats::supported(types, props.text("format")).map(str::to_owned),
            default: props.get("default").cloned(),
            additional: match props.additional() {
                None => Additional::Absent,
                Some(RawAdditional::Bool(allows)) => Additional::Bool(allows),
                Some(RawAdditional::Schema(below)) => {
                    Additional::Schema(Box::new(self.build(below)))
                }
            },
            items: props.items().map(|items| Box::new(self.build(items))),
            preserve_unknown: props.flag("x-kubernetes-preserve-unknown-fields"),
            embedded: props.flag("x-kubernetes-embedded-resource"),
            list_type: list_type(props),
            atomic_map: props.text("x-kubernetes-map-type") == "atomic",
            checks: self.checks(props),
            rules: Rule::read_all(props),
            ..Schema::default()
        };
        for (name, below) in props.properties() {
            schema.properties.insert(name.to_owned(), self.build(below));
        }
        schema.has_rules = has_rules(&schema);
        schema
    }

    fn checks(&mut self, props: Props<'_>) -> Option<Box<Checks>> {
        let constrains = |keyword: &Keyword| match keyword.form {
            Form::Flag => props.flag(keyword.name),
            _ => props.has(keyword.name),
        };
        let keywords = props.map().keys().filter_map(|key| Keyword::find(key));
        let mut keywords = keywords.filter(|keyword| keyword.role == Role::Constrains);
        if !keywords.any(constrains) {
            return None;
        }
        Some(Box::new(Checks {
            maximum: props.number("maximum"),
            exclusive_maximum: props.flag("exclusiveMaximum"),
            minimum: props.number("minimum"),
            exclusive_minimum: props.flag("exclusiveMinimum"),
            multiple_of: props.number("multipleOf"),
            max_length: props.count("maxLength"),
            min_length: props.count("minLength"),
            pattern: self.pattern(props.text("pattern")),
            max_items: props.count("maxItems"),
            min_items: props.count("minItems"),
            unique_items: props.flag("uniqueItems"),
            max_properties: props.count("maxProperties"),
            min_properties: props.count("minProperties"),
            required: props
                .texts("required")
                .into_iter()
                .map(str::to_owned)
                .collect(),
            enumeration: props.list("enum").to_vec(),
            all_of: self.branches(props, "allOf"),
            any_of: self.branches(props, "anyOf"),
            one_of: self.branches(props, "oneOf"),
            not: props.not().map(|not| Box::new(self.build(not))),
        }))
    }

    fn branches(&mut self, props: Props<'_>, key: &str) -> Vec<Schema> {
        props
            .branches(key)
            .map(|branch| self.build(branch))
            .collect()
    }

    fn pattern(&mut self, source: &str) -> Option<Arc<Pattern>> {
        if source.is_empty() {
            return None;
        }
        if let Some(known) = self.patterns.get(source) {
            return Some(Arc::clone(known));
        }
        let pattern = Arc::new(Pattern::new(source));
        self.patterns
            .insert(source.to_owned(), Arc::clone(&pattern));
        Some(pattern)
    }
}

fn types(props: Props<'_>) -> Types {
    if props.flag("x-kubernetes-int-or-string") {
        return Types::IntOrString;
    }
    Kind::parse(props.type_name()).map_or(Types::Any, Types::One)
}

/// Whether a node or one of its parts has rules.
fn has_rules(schema: &Schema) -> bool {
    let additional = match &schema.additional {
        Additional::Schema(additional) => Some(&**additional),
        _ => None,
    };
    let parts = schema.properties.values();
    let mut parts = parts.chain(schema.items.as_deref()).chain(additional);
    !schema.rules.is_empty() || parts.any(|part| part.has_rules)
}

fn list_type(props: Props<'_>) -> ListType {
    match props.text("x-kubernetes-list-type") {
        "set" => ListType::Set,
        "map" => ListType::Map(
            props
                .list("x-kubernetes-list-map-keys")
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
        ),
        _ => ListType::Atomic,
    }
}
