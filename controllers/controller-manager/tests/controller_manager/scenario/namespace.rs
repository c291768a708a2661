//! The namespace of one scenario: its objects, read and written as JSON.

use std::sync::Arc;

use codegen_runtime::kube::Error;
use serde_json::{Value, json};

use super::record::Record;
use crate::cluster::Cluster;

pub(super) struct Namespace {
    pub(super) cluster: Arc<Cluster>,
    pub(super) name: String,
    pub(super) record: Option<Record>,
    pub(super) noise: Vec<tokio::task::JoinHandle<()>>,
}

impl Namespace {
    pub(super) async fn create(cluster: Arc<Cluster>, scenario: &str) -> Self {
        let body = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"generateName": format!("{scenario}-")}});
        let created = cluster
            .call("POST", "/api/v1/namespaces", Some(&body))
            .await
            .expect("a namespace");
        let name = created["metadata"]["name"]
            .as_str()
            .expect("a name")
            .to_owned();
        Self {
            cluster,
            name,
            record: None,
            noise: Vec::new(),
        }
    }

    pub(super) async fn remove(self) {
        self.noise.iter().for_each(|noise| noise.abort());
        let _ = self
            .cluster
            .call("DELETE", &format!("/api/v1/namespaces/{}", self.name), None)
            .await;
    }

    /// Returns the path of a kind by its short name, or of an object if `name` is not empty.
    pub(super) fn path(&self, kind: &str, name: &str) -> String {
        let (prefix, plural) = match kind {
            "deployment" => ("/apis/apps/v1", "deployments"),
            "replicaset" => ("/apis/apps/v1", "replicasets"),
            "pod" => ("/api/v1", "pods"),
            "event" => ("/apis/events.k8s.io/v1", "events"),
            other => panic!("unknown kind {other}"),
        };
        let collection = format!("{prefix}/namespaces/{}/{plural}", self.name);
        if name.is_empty() {
            collection
        } else {
            format!("{collection}/{name}")
        }
    }

    pub(super) async fn get(&self, kind: &str, name: &str) -> Result<Value, String> {
        self.cluster
            .call("GET", &self.path(kind, name), None)
            .await
            .map_err(text)
    }

    pub(super) async fn exists(&self, kind: &str, name: &str) -> Result<bool, String> {
        match self.cluster.call("GET", &self.path(kind, name), None).await {
            Ok(_) => Ok(true),
            Err(Error::Api(answer)) if answer.is_not_found() => Ok(false),
            Err(error) => Err(text(error)),
        }
    }

    pub(super) async fn list(&self, kind: &str) -> Result<Vec<Value>, String> {
        let list = self
            .cluster
            .call("GET", &self.path(kind, ""), None)
            .await
            .map_err(text)?;
        Ok(list["items"].as_array().cloned().unwrap_or_default())
    }

    pub(super) async fn create_object(&self, kind: &str, object: &Value) -> Result<Value, String> {
        self.cluster
            .call("POST", &self.path(kind, ""), Some(object))
            .await
            .map_err(text)
    }

    pub(super) async fn merge(
        &self,
        kind: &str,
        name: &str,
        patch: &Value,
    ) -> Result<Value, String> {
        self.cluster
            .call("PATCH merge", &self.path(kind, name), Some(patch))
            .await
            .map_err(text)
    }

    /// Returns the pods with the label `app`, oldest first; those being deleted only if `deleting`
    /// is set.
    pub(super) async fn pods(&self, app: &str, deleting: bool) -> Result<Vec<Value>, String> {
        let mut pods = self.list("pod").await?;
        pods.retain(|pod| pod["metadata"]["labels"]["app"] == app && (deleting || is_active(pod)));
        pods.sort_by_key(|pod| {
            (
                pod["metadata"]["creationTimestamp"].to_string(),
                pod["metadata"]["name"].to_string(),
            )
        });
        Ok(pods)
    }

    /// Returns the replica sets that a deployment controls.
    pub(super) async fn sets(&self, deployment: &str) -> Result<Vec<Value>, String> {
        let mut sets = self.list("replicaset").await?;
        sets.retain(|set| controller(set) == Some(deployment));
        sets.sort_by_key(revision);
        Ok(sets)
    }

    /// Returns the fingerprint once it has not changed for four seconds, or after 40 s. Only needed
    /// for a report.
    pub(super) async fn at_rest(&self) -> String {
        let mut state = self.fingerprint().await;
        if std::env::var_os("KCM_REPORT").is_none() {
            return state;
        }
        let (mut same, mut tries) = (0, 0);
        while same < 10 && tries < 100 {
            // Real time: a real server may run the loops, and only their inactivity shows that they
            // are done.
            tokio::time::sleep(std::time::Duration::from_millis(400)).await;
            let next = self.fingerprint().await;
            same = if next == state { same + 1 } else { 0 };
            (state, tries) = (next, tries + 1);
        }
        state
    }

    /// Returns the final state without names and times, comparable between runs.
    pub(super) async fn fingerprint(&self) -> String {
        let sorted = |mut lines: Vec<String>| {
            lines.sort_unstable();
            lines.join(" ")
        };
        let conditions = |object: &Value| {
            let list = object["status"]["conditions"]
                .as_array()
                .cloned()
                .unwrap_or_default();
            sorted(
                list.iter()
                    .map(|it| {
                        format!(
                            "{}={}/{}",
                            plain(&it["type"]),
                            plain(&it["status"]),
                            plain(&it["reason"])
                        )
                    })
                    .collect(),
            )
        };
        let deployments = self.list("deployment").await.unwrap_or_default();
        let deployments = deployments.iter().map(|it| {
            let counts = [
                "replicas",
                "updatedReplicas",
                "readyReplicas",
                "availableReplicas",
                "unavailableReplicas",
                "collisionCount",
            ];
            let counts = counts
                .map(|count| it["status"][count].as_i64().unwrap_or(0).to_string())
                .join(",");
            format!(
                "{}[{counts} rev={} {}]",
                plain(&it["metadata"]["name"]),
                revision(it),
                conditions(it)
            )
        });
        let deployments = sorted(deployments.collect());
        let sets = self.list("replicaset").await.unwrap_or_default();
        let sets = sets.iter().map(|it| {
            let status = &it["status"];
            let counts = [
                "replicas",
                "fullyLabeledReplicas",
                "readyReplicas",
                "availableReplicas",
            ];
            let counts = counts
                .map(|count| status[count].as_i64().unwrap_or(0).to_string())
                .join(",");
            let annotation = |name: &str| {
                plain(&it["metadata"]["annotations"][format!("deployment.kubernetes.io/{name}")])
            };
            format!(
                "set[rev={} of={} max={} had={} size={} {counts} {}]",
                revision(it),
                annotation("desired-replicas"),
                annotation("max-replicas"),
                annotation("revision-history"),
                it["spec"]["replicas"],
                conditions(it)
            )
        });
        let sets = sorted(sets.collect());
        let pods = self.list("pod").await.unwrap_or_default();
        let owned = pods
            .iter()
            .filter(|pod| is_active(pod) && controller(pod).is_some())
            .count();
        let orphans = pods
            .iter()
            .filter(|pod| is_active(pod) && controller(pod).is_none())
            .count();
        format!("{deployments} {sets} pods={owned} orphans={orphans}")
    }
}

pub(super) fn is_active(pod: &Value) -> bool {
    let phase = pod["status"]["phase"].as_str().unwrap_or_default();
    pod["metadata"].get("deletionTimestamp").is_none() && !matches!(phase, "Failed" | "Succeeded")
}

pub(super) fn is_ready(pod: &Value) -> bool {
    let conditions = pod["status"]["conditions"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    conditions
        .iter()
        .any(|condition| condition["type"] == "Ready" && condition["status"] == "True")
}

/// Returns the name of the object's controller.
pub(super) fn controller(object: &Value) -> Option<&str> {
    let owners = object["metadata"]["ownerReferences"].as_array()?;
    owners.iter().find(|owner| owner["controller"] == true)?["name"].as_str()
}

pub(super) fn revision(object: &Value) -> i64 {
    let revision = object["metadata"]["annotations"]["deployment.kubernetes.io/revision"].as_str();
    revision
        .and_then(|revision| revision.parse().ok())
        .unwrap_or(0)
}

/// Formats a string without quotes, null as an empty string, and other values as JSON.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

pub(super) fn text(error: Error) -> String {
    match error {
        Error::Api(status) => status.message,
        other => other.to_string(),
    }
}
