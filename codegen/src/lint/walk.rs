//! The values that a version's schema describes, one by one.

use serde_json::{Map, Value};

use crate::{
    compat::{Declared, Types},
    model,
};

/// A value in a schema.
pub(super) struct Field<'a> {
    /// The name of the innermost property.
    pub(super) name: &'a str,
    /// Whether it is a property itself, rather than an item or a value of one.
    pub(super) is_property: bool,
    /// Its schema.
    pub(super) schema: &'a Value,
    /// The schema that has it as a part.
    pub(super) parent: &'a Value,
    /// Its path, for people.
    pub(super) path: &'a str,
    /// The keys from the version to its schema.
    pub(super) pointer: &'a [String],
    /// Whether every list and map around it has a bound.
    pub(super) is_bounded: bool,
    /// Where it is declared, if types declare it.
    pub(super) declared: Option<Declared<'a>>,
}

impl Field<'_> {
    /// The type in the schema; empty if it has none.
    pub(super) fn ty(&self) -> &str {
        self.text("type")
    }

    /// A keyword's text; empty if there is none.
    pub(super) fn text(&self, keyword: &str) -> &str {
        self.schema[keyword].as_str().unwrap_or_default()
    }

    /// Whether a keyword is there.
    pub(super) fn has(&self, keyword: &str) -> bool {
        self.schema.get(keyword).is_some()
    }

    /// The field of a type that declares it, in Rust or Go.
    pub(super) fn declared(&self) -> Option<&model::Field> {
        self.declared?.field
    }

    /// What Go's type says of the values beyond the schema.
    pub(super) fn go(&self) -> model::GoValue {
        let go = self.declared().and_then(|it| it.go.as_ref());
        go.map(|go| go.value).unwrap_or_default()
    }

    /// Whether the parent requires it.
    pub(super) fn is_required(&self) -> bool {
        self.is_property && required(self.parent).any(|name| name == self.name)
    }
}

/// The properties that a schema requires.
pub(super) fn required(schema: &Value) -> impl Iterator<Item = &str> {
    let list = schema["required"].as_array().into_iter().flatten();
    list.filter_map(Value::as_str)
}

/// The properties of a schema.
pub(super) fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let all = schema["properties"].as_object();
    all.into_iter().flat_map(Map::iter)
}

/// Visits the values of a version's schema below its own fields: not `apiVersion`, `kind` and
/// `metadata`, and nothing within embedded objects, which have conventions of their own, or within
/// types from elsewhere.
pub(super) fn fields<'d>(
    version: &Value,
    types: Option<(&Types<'d>, Declared<'d>)>,
    visit: &mut dyn FnMut(&Field<'_>),
) {
    let Some(schema) = version.pointer("/schema/openAPIV3Schema") else {
        return;
    };
    let mut walk = Walk {
        pointer: ["schema", "openAPIV3Schema"].map(str::to_owned).to_vec(),
        types: types.map(|(types, _)| types),
        visit,
    };
    let root = types.map(|(_, root)| root);
    for (name, below) in properties(schema) {
        if !["apiVersion", "kind", "metadata"].contains(&name.as_str()) {
            let at = At {
                name,
                path: name.clone(),
                is_property: true,
                is_bounded: true,
                declared: walk.property(root, name),
            };
            walk.enter(&["properties", name], schema, below, &at);
        }
    }
}

struct Walk<'v, 'd> {
    pointer: Vec<String>,
    types: Option<&'v Types<'d>>,
    visit: &'v mut dyn FnMut(&Field<'_>),
}

struct At<'a, 'd> {
    name: &'a str,
    path: String,
    is_property: bool,
    is_bounded: bool,
    declared: Option<Declared<'d>>,
}

impl<'d> Walk<'_, 'd> {
    /// Where a property is declared.
    fn property(&self, of: Option<Declared<'d>>, name: &str) -> Option<Declared<'d>> {
        Some(self.types?.below(of?, name))
    }

    fn enter(&mut self, keys: &[&str], parent: &Value, schema: &Value, at: &At<'_, 'd>) {
        if at.declared.is_some_and(|it| !it.exact) {
            return;
        }
        let length = self.pointer.len();
        self.pointer.extend(keys.iter().map(|&key| key.to_owned()));
        (self.visit)(&Field {
            name: at.name,
            is_property: at.is_property,
            schema,
            parent,
            path: &at.path,
            pointer: &self.pointer,
            is_bounded: at.is_bounded,
            declared: at.declared,
        });
        if schema["x-kubernetes-embedded-resource"] != true {
            self.below(schema, at);
        }
        self.pointer.truncate(length);
    }

    fn below(&mut self, schema: &Value, at: &At<'_, 'd>) {
        for (name, below) in properties(schema) {
            let field = At {
                name,
                path: format!("{}.{name}", at.path),
                is_property: true,
                is_bounded: at.is_bounded,
                declared: self.property(at.declared, name),
            };
            self.enter(&["properties", name], schema, below, &field);
        }
        let parts = [
            ("items", "[]", "maxItems"),
            ("additionalProperties", "[*]", "maxProperties"),
        ];
        for (key, suffix, bound) in parts {
            if let Some(below) = schema.get(key).filter(|below| below.is_object()) {
                let part = At {
                    name: at.name,
                    path: format!("{}{suffix}", at.path),
                    is_property: false,
                    is_bounded: at.is_bounded && schema.get(bound).is_some(),
                    declared: at.declared,
                };
                self.enter(&[key], schema, below, &part);
            }
        }
    }
}
