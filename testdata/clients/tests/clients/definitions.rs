//! CRDs: from testdata, and built for the annotated types.

use std::path::Path;

use kube::Client;
use serde_json::{Value, json};

use crate::support::cleanup::delete_at_end;
use crate::support::crd::CRDS;
use crate::support::expect::eventually;
use crate::support::{at, get, post};

/// A CRD of a kind, with a version whose schema has `properties`.
pub(crate) struct Definition(Value);

impl Definition {
    /// Builds a CRD; `resource` is `plural.group`.
    pub(crate) fn new(resource: &str, kind: &str, version: &str, properties: Value) -> Self {
        let (plural, group) = resource.split_once('.').unwrap();
        Self(json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {
                "name": resource,
                // The approval that groups under k8s.io require.
                "annotations": {"api-approved.kubernetes.io": "unapproved, for tests"},
            },
            "spec": {
                "group": group,
                "names": {"kind": kind, "plural": plural},
                "scope": "Namespaced",
                "versions": [Self::version(version, true, properties)],
            },
        }))
    }

    fn version(name: &str, storage: bool, properties: Value) -> Value {
        json!({
            "name": name, "served": true, "storage": storage,
            "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}},
        })
    }

    /// Reads a file in `testdata/crds`.
    pub(crate) fn read(path: &str) -> Self {
        Self(read(&format!("crds/{path}")))
    }

    /// Removes the CEL rules of `spec`, for CRDs whose rules cover every field of the format, so that no server accepts them.
    pub(crate) fn without_rules(mut self) -> Self {
        for version in self.0["spec"]["versions"].as_array_mut().unwrap() {
            if let Some(spec) = version.pointer_mut("/schema/openAPIV3Schema/properties/spec") {
                spec.as_object_mut()
                    .unwrap()
                    .remove("x-kubernetes-validations");
            }
        }
        self
    }

    /// Converts a CRD from kube's derive.
    pub(crate) fn of(crd: impl serde::Serialize) -> Self {
        Self(serde_json::to_value(crd).unwrap())
    }

    pub(crate) fn cluster_scoped(mut self) -> Self {
        self.0["spec"]["scope"] = json!("Cluster");
        self
    }

    pub(crate) fn subresources(mut self, subresources: Value) -> Self {
        for version in self.0["spec"]["versions"].as_array_mut().unwrap() {
            version["subresources"] = subresources.clone();
        }
        self
    }

    pub(crate) fn and_version(mut self, name: &str, properties: Value) -> Self {
        let versions = self.0["spec"]["versions"].as_array_mut().unwrap();
        versions.push(Self::version(name, false, properties));
        self
    }

    /// Creates the CRD, which is deleted when the case ends, and waits until all its versions are served, including watches: until
    /// kube-apiserver's cache of a new kind is filled, it serves lists from storage and rejects watches with 429. Each kind belongs to one
    /// case.
    pub(crate) async fn install(&self, client: &Client) {
        let name = at(&self.0, "/metadata/name").as_str().unwrap();
        // The CRD of an earlier run may still be terminating.
        eventually(&format!("{name} is created"), || async {
            let reply = post(client, CRDS, &self.0).await;
            assert!(matches!(reply.code, 201 | 409), "{name}: {}", reply.text);
            (reply.code == 201).then_some(())
        })
        .await;
        delete_at_end(format!("{CRDS}/{name}"));
        let (plural, group) = name.split_once('.').unwrap();
        for version in at(&self.0, "/spec/versions").as_array().unwrap() {
            if version["served"] == true {
                let version = version["name"].as_str().unwrap();
                let path = format!("/apis/{group}/{version}/{plural}?limit=1");
                eventually(&format!("{path} is served"), || async {
                    (get(client, &path).await.code == 200).then_some(())
                })
                .await;
                // Only the cache serves a list at a resource version, so this is rejected and retried as a watch would be.
                let path = format!("/apis/{group}/{version}/{plural}?resourceVersion=1");
                assert_eq!(get(client, &path).await.code, 200, "{path}");
            }
        }
    }
}

/// Reads a YAML document in `testdata`.
pub(crate) fn read(path: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    let text = std::fs::read_to_string(&path).unwrap();
    serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A property that accepts any value.
pub(crate) fn anything() -> Value {
    json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})
}
