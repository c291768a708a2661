//! OpenAPI documents: the schemas of kinds, which `kubectl explain` shows.

use crate::harness::cases;
use crate::support::expect::eventually;
use crate::support::*;

cases![
    a_custom_kind_has_the_schema_of_its_crd,
    embedded_objects_have_types_and_metadata,
    a_list_refers_to_its_kind,
    a_built_in_kind_refers_to_its_types,
    metadata_is_described,
];

const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1";

/// The schemas of a group-version, once they have one of this name.
async fn schemas_with(client: &Client, path: &str, name: &str) -> Value {
    let path = format!("/openapi/v3/{path}");
    eventually("the schema is published", || async {
        let answer = get(client, &path).await;
        let document: Value = serde_json::from_str(&answer.text).unwrap_or_default();
        let schemas = document["components"]["schemas"].clone();
        schemas.get(name).is_some().then_some(schemas)
    })
    .await
}

fn reference(name: &str) -> String {
    format!("#/components/schemas/{name}")
}

/// Installs a CRD with a property `spec`. Returns the schemas of its version, and the name of the
/// kind's.
async fn published(client: &Client, spec: Value) -> (Value, String) {
    let crd = Crd::new(json!({"type": "object", "properties": {"spec": spec}}));
    let things = crd.install(client).await;
    let (group, version) = things.api_version.split_once('/').expect("a group");
    let reversed: Vec<&str> = group.rsplit('.').collect();
    let name = format!("{}.{version}.Thing", reversed.join("."));
    let path = format!("apis/{}", things.api_version);
    (schemas_with(client, &path, &name).await, name)
}

async fn a_custom_kind_has_the_schema_of_its_crd(client: Client) {
    let spec = json!({
        "type": "object", "required": ["size"], "default": {"size": 1},
        "x-kubernetes-validations": [{"rule": "self.size > 0", "message": "too small"}],
        "properties": {
            "size": {"type": "integer", "format": "int32", "minimum": 1, "exclusiveMinimum": false},
            "port": {"x-kubernetes-int-or-string": true},
            "tags": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
            "color": {"type": "string", "nullable": true, "enum": ["red", "blue"], "example": "red"},
            "labels": {"type": "object", "additionalProperties": {"type": "string", "format": "byte"}},
            "free": {"x-kubernetes-preserve-unknown-fields": true, "type": "object"},
        },
    });
    let (schemas, name) = published(&client, spec.clone()).await;
    let mut expected = spec;
    let properties = &mut expected["properties"];
    properties["size"] = json!({"type": "integer", "format": "int32", "minimum": 1});
    properties["port"]["anyOf"] = json!([{"type": "integer"}, {"type": "string"}]);
    let found = &schemas[name];
    assert_eq!(found["properties"]["spec"], expected);
    check!(found, "/x-kubernetes-group-version-kind/0/kind": "Thing",
        "/properties/apiVersion/type": "string", "/properties/kind/type": "string",
        "/properties/metadata/allOf/0/$ref": reference(&format!("{META}.ObjectMeta")));
}

async fn embedded_objects_have_types_and_metadata(client: Client) {
    let spec = json!({"type": "object", "properties": {"template": {
        "type": "object", "x-kubernetes-embedded-resource": true, "required": ["spec"],
        "properties": {"metadata": {"type": "object"}, "spec": {"type": "object"}},
    }}});
    let (schemas, name) = published(&client, spec).await;
    let template = &schemas[name]["properties"]["spec"]["properties"]["template"];
    check!(template, "/required": ["spec", "kind", "apiVersion"],
        "/properties/kind/type": "string", "/properties/spec/type": "object",
        "/properties/metadata/allOf/0/$ref": reference(&format!("{META}.ObjectMeta")));
}

async fn a_list_refers_to_its_kind(client: Client) {
    let (schemas, name) = published(&client, json!({"type": "object"})).await;
    let list = &schemas[format!("{name}List")];
    check!(list, "/required": ["items"], "/description": "ThingList is a list of Thing",
        "/properties/items/items/$ref": reference(&name),
        "/properties/metadata/allOf/0/$ref": reference(&format!("{META}.ListMeta")),
        "/x-kubernetes-group-version-kind/0/kind": "ThingList");
}

async fn a_built_in_kind_refers_to_its_types(client: Client) {
    let deployment = "io.k8s.api.apps.v1.Deployment";
    let schemas = schemas_with(&client, "apis/apps/v1", deployment).await;
    let kind = json!([{"group": "apps", "version": "v1", "kind": "Deployment"}]);
    check!(&schemas[deployment], "/x-kubernetes-group-version-kind": kind,
        "/properties/spec/allOf/0/$ref": reference("io.k8s.api.apps.v1.DeploymentSpec"));
    check!(&schemas["io.k8s.api.apps.v1.DeploymentSpec"], "/required": ["selector", "template"],
        "/properties/replicas/format": "int32",
        "/properties/template/allOf/0/$ref": reference("io.k8s.api.core.v1.PodTemplateSpec"));
    let pod = &schemas["io.k8s.api.core.v1.PodSpec"];
    check!(pod, "/properties/containers/x-kubernetes-patch-merge-key": "name",
        "/properties/containers/x-kubernetes-list-map-keys": ["name"],
        "/properties/containers/items/allOf/0/$ref": reference("io.k8s.api.core.v1.Container"));
    let container = &schemas["io.k8s.api.core.v1.Container"];
    check!(container, "/required": ["name"], "/properties/image/type": "string",
        "/properties/image/description": "Container image name. More info: https://kubernetes.io/docs/concepts/containers/images This field is optional to allow higher level config management to default or override container images in workload controllers like Deployments and StatefulSets.");
    let quantity = &schemas["io.k8s.apimachinery.pkg.api.resource.Quantity"];
    check!(quantity, "/oneOf": [{"type": "string"}, {"type": "number"}]);
}

async fn metadata_is_described(client: Client) {
    let name = format!("{META}.ObjectMeta");
    let schemas = schemas_with(&client, "api/v1", &name).await;
    let metadata = &schemas[name];
    let mut fields: Vec<&str> = metadata["properties"]
        .as_object()
        .map(|properties| properties.keys().map(String::as_str).collect())
        .unwrap_or_default();
    fields.sort_unstable();
    assert_eq!(
        fields,
        [
            "annotations",
            "creationTimestamp",
            "deletionGracePeriodSeconds",
            "deletionTimestamp",
            "finalizers",
            "generateName",
            "generation",
            "labels",
            "managedFields",
            "name",
            "namespace",
            "ownerReferences",
            "resourceVersion",
            "selfLink",
            "uid"
        ]
    );
    check!(metadata, "/properties/ownerReferences/x-kubernetes-patch-merge-key": "uid",
        "/properties/labels/additionalProperties/type": "string",
        "/properties/creationTimestamp/allOf/0/$ref": reference(&format!("{META}.Time")));
}
