//! OpenAPI documents, with the minimum that kubectl needs: the paths, and that they accept
//! `fieldValidation`.

use serde_json::{Map, Value, json};

use super::discovery::group_version;
use super::{Registry, Resource};

fn path_of(group: &str, version: &str) -> String {
    if group.is_empty() {
        format!("api/{version}")
    } else {
        format!("apis/{group}/{version}")
    }
}

impl Registry {
    /// Returns `/openapi/v3`: the index of the documents of all group-versions.
    pub(crate) fn openapi_index(&self) -> Value {
        let mut paths = Map::new();
        for group in self.groups() {
            for (version, _) in &group.versions {
                let path = path_of(&group.name, version);
                let url = format!("/openapi/v3/{path}");
                paths.insert(path, json!({"serverRelativeURL": url}));
            }
        }
        json!({"paths": paths})
    }

    /// Returns `/openapi/v3/<path>`.
    pub(crate) fn openapi_document(&self, path: &str) -> Option<Value> {
        let groups = self.groups();
        let (group, version, resources) = groups.iter().find_map(|group| {
            let (version, resources) = group
                .versions
                .iter()
                .find(|(version, _)| path_of(&group.name, version) == path)?;
            Some((&group.name, version, resources))
        })?;
        let mut paths = Map::new();
        let mut schemas = Map::new();
        for resource in resources {
            let gvk = json!({"group": group, "version": version, "kind": resource.kind});
            let schema_name = format!(
                "{}.{}",
                group_version(group, version).replace('/', "."),
                resource.kind
            );
            schemas.insert(
                schema_name,
                json!({"type": "object", "x-kubernetes-group-version-kind": [gvk],
                    "x-kubernetes-preserve-unknown-fields": true}),
            );
            let collection = collection_path(path, resource);
            paths.insert(
                format!("{collection}/{{name}}"),
                operations(&["get", "put", "patch", "delete"], &gvk),
            );
            paths.insert(collection, operations(&["get", "post", "delete"], &gvk));
        }
        Some(json!({
            "openapi": "3.0.0",
            "info": {"title": "Kubernetes", "version": crate::VERSION},
            "paths": paths,
            "components": {"schemas": schemas},
        }))
    }
}

/// Returns `/openapi/v2`, without paths and definitions: clients read the version 3 documents.
pub(crate) fn v2_document() -> Value {
    json!({
        "swagger": "2.0",
        "info": {"title": "Kubernetes", "version": crate::VERSION},
        "paths": {},
        "definitions": {},
    })
}

/// Encodes [`v2_document`] as gnostic's `openapi.v2.Document`. Go clients fall back to it, and
/// accept only protobuf, when the version 3 documents do not have a kind.
pub(crate) fn v2_protobuf() -> Vec<u8> {
    /// Encodes a length-delimited field. All lengths here are below 128, so one byte is enough.
    fn field(number: u8, content: &[u8]) -> Vec<u8> {
        let length = u8::try_from(content.len()).unwrap_or_default();
        [&[number << 3 | 2, length], content].concat()
    }
    let info = [field(1, b"Kubernetes"), field(2, crate::VERSION.as_bytes())].concat();
    // swagger, info, paths, definitions
    [
        field(1, b"2.0"),
        field(2, &info),
        field(8, b""),
        field(9, b""),
    ]
    .concat()
}

fn collection_path(path: &str, resource: &Resource) -> String {
    if resource.namespaced {
        format!("/{path}/namespaces/{{namespace}}/{}", resource.plural)
    } else {
        format!("/{path}/{}", resource.plural)
    }
}

fn operations(methods: &[&str], gvk: &Value) -> Value {
    let parameter = |name: &str| json!({"name": name, "in": "query", "schema": {"type": "string", "uniqueItems": true}});
    let operations: Map<String, Value> = methods
        .iter()
        .map(|&method| {
            let operation = json!({
                "x-kubernetes-group-version-kind": gvk,
                "parameters": [parameter("dryRun"), parameter("fieldManager"), parameter("fieldValidation")],
                "responses": {"200": {"description": "OK"}},
            });
            (method.to_owned(), operation)
        })
        .collect();
    Value::Object(operations)
}
