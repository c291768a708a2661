//! How strategic merge patches merge the fields of built-in kinds.

use serde_json::Value;

use super::builtin::{self, Def, Ref};

/// The merge strategy of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PatchStrategy {
    /// Replaces the value.
    Replace,
    /// Merges maps and structs, sets (`None`), or lists by this key field of their items.
    Merge(Option<&'static str>),
}

/// The type of a value in a built-in kind, for strategic merge patches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PatchMeta(Meta);

#[derive(Clone, Copy, Debug)]
enum Meta {
    Struct(&'static Def),
    Part(&'static Ref),
    Unknown,
}

impl PatchMeta {
    /// Returns the type of an object.
    pub(crate) fn of_object(object: &Value) -> Self {
        let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
        builtin::kind(text("apiVersion"), text("kind"))
            .or_else(builtin::any_object)
            .map_or(Self(Meta::Unknown), |def| Self(Meta::Struct(def)))
    }

    /// Returns the type of a field (for a list, of its items) and its merge strategy.
    pub(crate) fn field(self, name: &str) -> (Self, PatchStrategy) {
        let merge = (Self(Meta::Unknown), PatchStrategy::Merge(None));
        match self.0 {
            Meta::Struct(def) => match def.fields.get(name) {
                Some(field) => {
                    let (below, strategy) = of_part(&field.part);
                    let strategy = match field.patch {
                        None => strategy,
                        Some("") => PatchStrategy::Replace,
                        Some("*") => PatchStrategy::Merge(None),
                        Some(key) => PatchStrategy::Merge(Some(key)),
                    };
                    (below, strategy)
                }
                None => def.other.as_ref().map_or(merge, of_part),
            },
            Meta::Part(Ref::Struct { name: of, .. }) => {
                builtin::def(of).map_or(merge, |def| Self(Meta::Struct(def)).field(name))
            }
            Meta::Part(Ref::Map { element, .. }) => of_part(element),
            _ => merge,
        }
    }
}

fn of_part(part: &'static Ref) -> (PatchMeta, PatchStrategy) {
    match part {
        Ref::List { keys, element } => {
            let strategy = match keys.as_deref() {
                None => PatchStrategy::Replace,
                Some(keys) => PatchStrategy::Merge(keys.first().copied()),
            };
            (PatchMeta(Meta::Part(element)), strategy)
        }
        other => (PatchMeta(Meta::Part(other)), PatchStrategy::Merge(None)),
    }
}
