//! Custom resources; each CRD has a unique group.

use kube::Client;
use serde_json::{Value, json};

use super::cleanup::delete_at_end;
use super::collection::{Collection, Resource, namespace, unique};
use super::expect::{at, check, check_absent, eventually};
use super::wire;

/// The path of the CRDs.
pub(crate) const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// Builds a CRD: `things` in a unique group, unless a case edits [`Crd::body`].
#[derive(Clone, Debug)]
pub(crate) struct Crd {
    pub(crate) group: String,
    pub(crate) body: Value,
}

impl Crd {
    /// Creates a CRD of namespaced `Thing`s, with one served and stored version `v1` with this
    /// schema.
    pub(crate) fn new(schema: Value) -> Self {
        let group = format!("g{}.conformance.test", unique());
        let body = json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": format!("things.{group}")},
            "spec": {
                "group": group,
                "names": {"kind": "Thing", "listKind": "ThingList", "plural": "things", "singular": "thing"},
                "scope": "Namespaced",
                "versions": [version("v1", true, schema)],
            },
        });
        Self { group, body }
    }

    /// Sets a field of the first version, such as `subresources`.
    pub(crate) fn with(mut self, field: &str, value: Value) -> Self {
        self.body["spec"]["versions"][0][field] = value;
        self
    }

    /// Adds a version that is served but not stored.
    pub(crate) fn and_version(mut self, name: &str, schema: Value) -> Self {
        if let Some(versions) = self.body["spec"]["versions"].as_array_mut() {
            versions.push(version(name, false, schema));
        }
        self
    }

    /// Returns the name of the CRD.
    pub(crate) fn name(&self) -> String {
        format!("things.{}", self.group)
    }

    /// Returns the path of the CRD.
    pub(crate) fn path(&self) -> String {
        format!("{CRDS}/{}", self.name())
    }

    /// Creates the CRD and waits until it is served; returns the `v1` things of a new namespace.
    pub(crate) async fn install(&self, client: &Client) -> Collection {
        wire::post(client, CRDS, &self.body).await.is(201);
        delete_at_end(self.path());
        self.wait_until_served(client).await;
        self.things(client, &namespace(client).await, "v1")
    }

    /// Waits until the CRD is established and every served version answers.
    pub(crate) async fn wait_until_served(&self, client: &Client) {
        eventually(&format!("{} is established", self.name()), || async {
            let crd = wire::get(client, &self.path()).await.json();
            let conditions = at(&crd, "/status/conditions").as_array()?;
            conditions
                .iter()
                .find(|c| c["type"] == "Established" && c["status"] == "True")
                .map(|_| ())
        })
        .await;
        for version in at(&self.body, "/spec/versions")
            .as_array()
            .into_iter()
            .flatten()
        {
            if version["served"] == true {
                let path = format!(
                    "/apis/{}/{}/things?limit=1",
                    self.group,
                    version["name"].as_str().unwrap_or_default()
                );
                eventually(&format!("{path} is served"), || async {
                    (wire::get(client, &path).await.code == 200).then_some(())
                })
                .await;
            }
        }
    }

    /// Returns the things of a namespace, in one of the CRD's versions.
    pub(crate) fn things(&self, client: &Client, namespace: &str, version: &str) -> Collection {
        let prefix = format!("/apis/{}/{version}", self.group);
        Resource(&prefix, "things", "Thing").within(client, namespace)
    }
}

fn version(name: &str, storage: bool, schema: Value) -> Value {
    json!({"name": name, "served": true, "storage": storage, "schema": {"openAPIV3Schema": schema}})
}

/// Returns the schema of an object whose `spec` has these properties; its `status` accepts
/// anything.
pub(crate) fn spec_schema(properties: Value) -> Value {
    json!({
        "type": "object",
        "properties": {
            "spec": {"type": "object", "properties": properties},
            "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
        },
    })
}

/// Returns things whose `spec` has these properties, in a new namespace.
pub(crate) async fn things(client: &Client, properties: Value) -> Collection {
    Crd::new(spec_schema(properties)).install(client).await
}

/// Returns things whose `spec` has these properties, with these subresources.
pub(crate) async fn things_with(
    client: &Client,
    properties: Value,
    subresources: Value,
) -> Collection {
    Crd::new(spec_schema(properties))
        .with("subresources", subresources)
        .install(client)
        .await
}

/// Expects a thing whose `spec` has these properties to be stored with this value at a JSON
/// pointer.
pub(crate) async fn stores(
    client: Client,
    properties: Value,
    fields: Value,
    pointer: &str,
    expected: Value,
) {
    let created = things(&client, properties).await.given("a", fields).await;
    check(&created, pointer, expected);
}

/// Expects a thing whose `spec` has these properties to be stored without a value at a JSON
/// pointer.
pub(crate) async fn drops(client: Client, properties: Value, fields: Value, pointer: &str) {
    let created = things(&client, properties).await.given("a", fields).await;
    check_absent(&created, pointer);
}
