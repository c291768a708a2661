//! OpenAPI documents: the paths of each group-version, that they accept `fieldValidation`, and the
//! schemas of its kinds, which `kubectl explain` shows.

mod custom;
mod types;

use kube_builtin_types::package_of;
use serde_json::{Map, Value, json};

use crate::core::Core;
use crate::metadata::object;
use crate::registry::{Origin, Registry, Resource};
use crate::store::Key;
use types::Schemas;

fn path_of(group: &str, version: &str) -> String {
    if group.is_empty() {
        format!("api/{version}")
    } else {
        format!("apis/{group}/{version}")
    }
}

/// Returns `/openapi/v3`: the index of the documents of all group-versions.
pub(crate) fn index(registry: &Registry) -> Value {
    let mut paths = Map::new();
    for group in registry.groups() {
        for (version, _) in &group.versions {
            let path = path_of(&group.name, version);
            let url = format!("/openapi/v3/{path}");
            paths.insert(path, json!({"serverRelativeURL": url}));
        }
    }
    json!({"paths": paths})
}

/// Returns `/openapi/v3/<path>`.
pub(crate) fn document(core: &Core, path: &str) -> Option<Value> {
    let groups = core.registry.groups();
    let (group, version, resources) = groups.iter().find_map(|group| {
        let (version, resources) = group
            .versions
            .iter()
            .find(|(version, _)| path_of(&group.name, version) == path)?;
        Some((&group.name, version, resources))
    })?;
    let mut paths = Map::new();
    let mut schemas = Schemas::default();
    for resource in resources {
        let gvk = |kind: &str| json!({"group": group, "version": version, "kind": kind});
        for (name, kind) in add_kind(core, resource, version, &mut schemas) {
            if let Some(schema) = schemas.0.get_mut(&name) {
                schema["x-kubernetes-group-version-kind"] = json!([gvk(kind)]);
            }
        }
        let gvk = gvk(&resource.kind);
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
        "components": {"schemas": schemas.0},
    }))
}

/// Adds the schemas of a kind and of its list. Returns their names, with the kinds.
fn add_kind<'r>(
    core: &Core,
    resource: &'r Resource,
    version: &str,
    schemas: &mut Schemas,
) -> Vec<(String, &'r str)> {
    let (kind, list_kind) = (resource.kind.as_str(), resource.list_kind.as_str());
    if resource.origin == Origin::Builtin {
        let package = package_of(&resource.group, version);
        let mut add = |kind: &'r str| Some((schemas.add(&package, kind)?, kind));
        return [add(kind), add(list_kind)].into_iter().flatten().collect();
    }
    let group: Vec<&str> = resource.group.rsplit('.').collect();
    let name = |kind: &str| format!("{}.{version}.{kind}", group.join("."));
    let (object, list) = (name(kind), name(list_kind));
    let schema = match schema_of(core, resource, version) {
        Some(schema) => custom::of_kind(&schema, schemas),
        None => json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
    };
    schemas.0.insert(object.clone(), schema);
    let of_list = custom::of_list(kind, &resource.plural, &object, schemas);
    schemas.0.insert(list.clone(), of_list);
    vec![(object, kind), (list, list_kind)]
}

/// Returns the schema in the CRD that defines a version.
fn schema_of(core: &Core, resource: &Resource, version: &str) -> Option<Value> {
    let crds = core.builtin("apiextensions.k8s.io", "customresourcedefinitions")?;
    let name = format!("{}.{}", resource.plural, resource.group);
    let crd = core.find(&crds, &Key::new("", &name))?.decode();
    let versions = object::list(object::at(&crd, &["spec", "versions"])?).iter();
    let found = versions.into_iter().find(|it| it["name"] == version)?;
    Some(found.get("schema")?.get("openAPIV3Schema")?.clone())
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
