//! The keys of lists that the schemas of custom resources declare.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::Value;

use super::key::KeyField;
use crate::object::ResourceInfo;

/// What a schema says of the lists below it.
#[derive(Debug, Default)]
pub(super) struct Schema {
    /// `x-kubernetes-list-map-keys`.
    key: Vec<String>,
    fields: BTreeMap<String, Arc<Schema>>,
    /// Of a list's items, or of a map's values.
    members: Option<Arc<Schema>>,
    default: Option<Value>,
}

/// The schemas of custom resources, by group, version and kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Schemas(BTreeMap<(String, String, String), Arc<Schema>>);

impl Schemas {
    /// Adds those of all versions of a CRD.
    pub(super) fn add(&mut self, crd: &CustomResourceDefinition) {
        let (group, kind) = (&crd.spec.group, &crd.spec.names.kind);
        for version in &crd.spec.versions {
            let validation = version.schema.as_ref();
            let Some(props) = validation.and_then(|it| it.open_api_v3_schema.as_ref()) else {
                continue;
            };
            let schema = serde_json::to_value(props).map(|json| Schema::read(&json));
            let name = (group.clone(), version.name.clone(), kind.clone());
            self.0.insert(name, Arc::new(schema.unwrap_or_default()));
        }
    }

    pub(super) fn get(&self, info: &ResourceInfo) -> Option<Arc<Schema>> {
        let name = (info.group.clone(), info.version.clone(), info.kind.clone());
        self.0.get(&name).cloned()
    }
}

impl Schema {
    fn read(json: &Value) -> Self {
        let read = |json: &Value| Arc::new(Self::read(json));
        let fields = json.get("properties").and_then(Value::as_object);
        let fields = fields.into_iter().flatten();
        let key = json.get("x-kubernetes-list-map-keys");
        let key = key.and_then(Value::as_array).into_iter().flatten();
        let members = json.get("items").or(json.get("additionalProperties"));
        Self {
            key: key.filter_map(Value::as_str).map(str::to_owned).collect(),
            fields: fields
                .map(|(name, field)| (name.clone(), read(field)))
                .collect(),
            members: members.filter(|it| it.is_object()).map(read),
            default: json.get("default").cloned(),
        }
    }

    /// The schema of a field, or of the values of a map.
    pub(super) fn field(&self, name: &str) -> Option<&Arc<Self>> {
        self.fields.get(name).or(self.members())
    }

    /// The schema of a list's items.
    pub(super) fn members(&self) -> Option<&Arc<Self>> {
        self.members.as_ref()
    }

    /// The key of the list's items, with the defaults of its fields; empty if none is declared.
    pub(super) fn key(&self) -> Vec<KeyField> {
        let default = |name: &String| self.members()?.fields.get(name)?.default.clone();
        let key = self.key.iter();
        key.map(|name| KeyField::new(name, default(name))).collect()
    }
}
