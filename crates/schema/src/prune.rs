//! Pruning: drops the fields that a structural schema does not specify.

use serde_json::Value;

use super::node::{Additional, Schema};
use crate::metadata::{self, DecodeMetadata};

/// Prunes below the object root, where apiVersion, kind and metadata are implicit.
/// Returns the dropped paths (`spec.a[0].b`), sorted.
pub(crate) fn prune_root(
    decode: DecodeMetadata,
    schema: &Schema,
    object: &mut Value,
) -> Vec<String> {
    let mut walk = Walk::new(decode);
    walk.object(object, Some(schema), Level::Root);
    walk.dropped.sort_unstable();
    walk.dropped
}

/// Prunes a value below the root (a default); returns whether anything was dropped.
pub(crate) fn prune_value(decode: DecodeMetadata, schema: &Schema, value: &mut Value) -> bool {
    let mut walk = Walk::new(decode);
    walk.prune(value, Some(schema));
    !walk.dropped.is_empty()
}

/// Whether a field is type or object metadata, which embedded resources have implicitly.
pub(crate) fn is_meta(name: &str) -> bool {
    matches!(name, "apiVersion" | "kind" | "metadata")
}

/// The position of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    /// The object itself, which implicitly has type and object metadata.
    Root,
    Below,
}

/// The treatment of unspecified fields.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unknown {
    Dropped,
    /// Unknown fields are kept, by `x-kubernetes-preserve-unknown-fields`.
    Kept,
}

struct Walk {
    decode: DecodeMetadata,
    path: String,
    dropped: Vec<String>,
}

impl Walk {
    fn new(decode: DecodeMetadata) -> Self {
        Self {
            decode,
            path: String::new(),
            dropped: Vec::new(),
        }
    }

    fn within(&mut self, step: &str, visit: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        if !self.path.is_empty() && !step.starts_with('[') {
            self.path.push('.');
        }
        self.path.push_str(step);
        visit(self);
        self.path.truncate(length);
    }

    fn record(&mut self, name: &str) {
        self.within(name, |walk| walk.dropped.push(walk.path.clone()));
    }

    fn prune(&mut self, value: &mut Value, schema: Option<&Schema>) {
        match value {
            Value::Object(_) => self.object(value, schema, Level::Below),
            Value::Array(items) => {
                let item_schema = schema.and_then(|schema| schema.items.as_deref());
                let preserved = schema.is_some_and(|schema| schema.preserve_unknown);
                for (i, item) in items.iter_mut().enumerate() {
                    self.within(&format!("[{i}]"), |walk| {
                        if preserved {
                            walk.skip(item, item_schema);
                        } else {
                            walk.prune(item, item_schema);
                        }
                    });
                }
            }
            _ => {}
        }
    }

    /// Keeps the fields that `x-kubernetes-preserve-unknown-fields` preserves, and prunes within
    /// specified fields.
    fn skip(&mut self, value: &mut Value, schema: Option<&Schema>) {
        match (value, schema) {
            (value @ Value::Object(_), Some(schema)) => {
                self.fields(value, schema, Unknown::Kept, Level::Below)
            }
            (Value::Array(items), Some(schema)) => {
                for (i, item) in items.iter_mut().enumerate() {
                    self.within(&format!("[{i}]"), |walk| {
                        walk.skip(item, schema.items.as_deref())
                    });
                }
            }
            _ => {}
        }
    }

    fn object(&mut self, value: &mut Value, schema: Option<&Schema>, level: Level) {
        match schema {
            Some(schema) => {
                let unknown = if schema.preserve_unknown {
                    Unknown::Kept
                } else {
                    Unknown::Dropped
                };
                self.fields(value, schema, unknown, level);
            }
            None => {
                if let Value::Object(map) = value {
                    for name in map.keys() {
                        self.record(name);
                    }
                    map.clear();
                }
            }
        }
    }

    fn fields(&mut self, value: &mut Value, schema: &Schema, unknown: Unknown, level: Level) {
        let Value::Object(map) = value else {
            return;
        };
        let is_resource = level == Level::Root || schema.embedded;
        let mut dropped = Vec::new();
        for (name, value) in &mut *map {
            if is_resource && is_meta(name) {
                if name == "metadata" {
                    self.metadata(value);
                }
            } else if let Some(property) = schema.properties.get(name) {
                self.within(name, |walk| walk.prune(value, Some(property)));
            } else {
                match &schema.additional {
                    Additional::Schema(additional) => {
                        self.within(name, |walk| walk.prune(value, Some(additional)))
                    }
                    Additional::Bool(_) => self.within(name, |walk| walk.prune(value, None)),
                    Additional::Absent => {
                        if unknown == Unknown::Dropped {
                            dropped.push(name.clone());
                        }
                    }
                }
            }
        }
        for name in dropped {
            self.record(&name);
            map.remove(&name);
        }
    }

    fn metadata(&mut self, value: &mut Value) {
        let (path, dropped) = (&mut self.path, &mut self.dropped);
        let prefix = if path.is_empty() {
            "metadata".to_owned()
        } else {
            format!("{path}.metadata")
        };
        metadata::drop_unknown(self.decode, value, &prefix, dropped);
    }
}
