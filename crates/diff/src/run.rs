//! Runs both definitions over objects, as kube-apiserver does.

use kube_schema::{FieldError, Structural, check_counts};
use serde_json::{Map, Value, json};

use crate::change::Change;
use crate::place::{Step, text};

/// One version of one CRD.
#[derive(Clone)]
pub(crate) struct Side {
    /// `openAPIV3Schema`.
    pub(crate) schema: Value,
    compiled: Result<Structural, Vec<FieldError>>,
    has_status: bool,
    counts: Vec<String>,
}

impl Side {
    /// Reads an item of `spec.versions`. `preserves` is the CRD's `preserveUnknownFields`.
    pub(crate) fn of(version: &Value, preserves: bool) -> Self {
        let schema = version.pointer("/schema/openAPIV3Schema");
        let mut schema = schema.cloned().unwrap_or_else(
            || json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
        );
        if preserves && let Some(map) = schema.as_object_mut() {
            map.insert(
                "x-kubernetes-preserve-unknown-fields".to_owned(),
                json!(true),
            );
        }
        let scale = version.pointer("/subresources/scale");
        let paths = ["specReplicasPath", "statusReplicasPath"].into_iter();
        let counts = paths.filter_map(|name| scale?.get(name)?.as_str());
        Self {
            compiled: Structural::compile(&schema),
            schema,
            has_status: version
                .pointer("/subresources/status")
                .is_some_and(|it| !it.is_null()),
            counts: counts.map(str::to_owned).collect(),
        }
    }

    /// The same without a change: its keywords have the values of the old node, or the whole node
    /// has. `None` if the server would refuse that schema, it is the same, or the old one: nothing
    /// else changed.
    pub(crate) fn reverted(
        &self,
        side: &Self,
        (steps, old): (&[Step], &Value),
        change: &Change,
    ) -> Option<Self> {
        let mut schema = self.schema.clone();
        let mut node = &mut schema;
        let (last, before) = match change.reverts.as_slice() {
            // The whole node.
            [] => steps.split_last()?,
            _ => (&Step::Items, steps),
        };
        for key in before.iter().flat_map(Step::keys) {
            node = node.get_mut(key)?;
        }
        if change.reverts.is_empty() {
            let keys = last.keys();
            let (key, parents) = keys.split_last()?;
            for parent in parents {
                let map = node.as_object_mut()?;
                node = map.entry((*parent).to_owned()).or_insert_with(|| json!({}));
            }
            revert(node, key, Some(old).filter(|it| !it.is_null()))?;
        }
        for key in &change.reverts {
            revert(node, key, old.get(key))?;
        }
        let is_old = side.has_status == self.has_status
            && side.counts == self.counts
            && schema == side.schema;
        if is_old || schema == self.schema {
            return None;
        }
        let compiled = Structural::compile(&schema);
        compiled.is_ok().then(|| Self {
            schema,
            compiled,
            ..self.clone()
        })
    }

    /// The errors for which the server refuses the schema.
    pub(crate) fn faults(&self) -> &[FieldError] {
        self.compiled.as_ref().err().map_or(&[], Vec::as_slice)
    }

    /// Prunes an object and fills in its defaults. `None` if the server refuses the schema.
    pub(crate) fn settle(&self, object: &Value) -> Option<Value> {
        let schema = self.compiled.as_ref().ok()?;
        let mut object = object.clone();
        if let Some(map) = object.as_object_mut() {
            let metadata = map.entry("metadata").or_insert_with(|| json!({}));
            if metadata.is_null() {
                *metadata = Value::Object(Map::new());
            }
        }
        schema.prune(&mut object);
        schema.apply_defaults(&mut object);
        Some(object)
    }

    /// Prunes an object.
    pub(crate) fn prune(&self, object: &mut Value) {
        if let Ok(schema) = &self.compiled {
            schema.prune(object);
        }
    }

    /// The errors for which the server refuses an object: the creation, then the write of its
    /// status.
    pub(crate) fn refusals(&self, object: &Value) -> Vec<FieldError> {
        let (Ok(schema), Some(whole)) = (&self.compiled, self.settle(object)) else {
            return self.faults().to_vec();
        };
        let mut errors = Vec::new();
        check_counts(self.counts.iter().map(String::as_str), &whole, &mut errors);
        if !self.has_status || whole.get("status").is_none() {
            errors.extend(schema.validate(&whole));
            return errors;
        }
        // The server leaves the status of a new object to the subresource.
        let mut main = object.clone();
        if let Some(map) = main.as_object_mut() {
            map.remove("status");
        }
        let Some(main) = self.settle(&main) else {
            return errors;
        };
        errors.extend(schema.validate(&main));
        for error in schema.validate_status_update(&main, &whole) {
            if !errors.contains(&error) {
                errors.push(error);
            }
        }
        errors
    }

    /// The errors for which the server refuses an update of a stored object.
    pub(crate) fn refusals_of_update(&self, stored: &Value, updated: &Value) -> Vec<FieldError> {
        let both = self.settle(stored).zip(self.settle(updated));
        match (&self.compiled, both) {
            (Ok(schema), Some((stored, updated))) => schema.validate_update(&stored, &updated),
            _ => self.faults().to_vec(),
        }
    }
}

fn revert(node: &mut Value, key: &str, value: Option<&Value>) -> Option<()> {
    let map = node.as_object_mut()?;
    match value {
        Some(value) => map.insert(key.to_owned(), value.clone()),
        None => map.remove(key),
    };
    Some(())
}

/// The type and name of the objects of a version.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    group: String,
    kind: String,
    version: String,
    namespaced: bool,
}

impl Header {
    /// Reads them from a CRD.
    pub(crate) fn of(crd: &Value, version: &str) -> Self {
        Self {
            group: text(crd, &["spec", "group"]).to_owned(),
            kind: text(crd, &["spec", "names", "kind"]).to_owned(),
            version: version.to_owned(),
            namespaced: text(crd, &["spec", "scope"]) != "Cluster",
        }
    }

    /// Writes them into an object, before its other fields.
    pub(crate) fn put(&self, object: &mut Value) {
        let Some(map) = object.as_object_mut() else {
            return;
        };
        map.insert(
            "apiVersion".to_owned(),
            json!(format!("{}/{}", self.group, self.version)),
        );
        map.insert("kind".to_owned(), json!(self.kind));
        let mut metadata = json!({"name": "example"});
        if self.namespaced {
            metadata["namespace"] = json!("default");
        }
        map.insert("metadata".to_owned(), metadata);
    }

    /// Whether a sample is of this version.
    pub(crate) fn is_of(&self, object: &Value) -> bool {
        text(object, &["kind"]) == self.kind
            && text(object, &["apiVersion"]) == format!("{}/{}", self.group, self.version)
    }

    /// The server's message for refusing an object.
    pub(crate) fn refusal(&self, errors: &[FieldError]) -> String {
        let all: Vec<String> = errors.iter().map(ToString::to_string).collect();
        let all = match all.as_slice() {
            [one] => one.clone(),
            _ => format!("[{}]", all.join(", ")),
        };
        format!("{}.{} \"example\" is invalid: {all}", self.kind, self.group)
    }
}

/// Two versions of a definition, and the objects that are run through both.
pub(crate) struct Pair {
    pub(crate) old: Side,
    pub(crate) new: Side,
    pub(crate) header: Header,
}
