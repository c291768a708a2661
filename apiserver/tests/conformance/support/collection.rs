//! One resource in one namespace (or in none): the place where a case works.

use std::sync::atomic::{AtomicU64, Ordering};

use kube::Client;
use serde_json::{Value, json};

use super::cleanup::delete_at_end;
use super::watching::Watch;
use super::wire::{self, Reply, patch_type};

/// A resource's collection, by its path, and what its objects are.
#[derive(Clone)]
pub(crate) struct Collection {
    pub(crate) client: Client,
    pub(crate) path: String,
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) namespace: Option<String>,
}

impl Collection {
    /// An object of this collection's kind: `fields` with apiVersion, kind and name filled in.
    pub(crate) fn object(&self, name: &str, mut fields: Value) -> Value {
        fields["apiVersion"] = json!(self.api_version);
        fields["kind"] = json!(self.kind);
        fields["metadata"]["name"] = json!(name);
        fields
    }

    /// The path of an object, of its subresource (`name/status`), or of either with a query (`name?dryRun=All`).
    pub(crate) fn at(&self, name: &str) -> String {
        format!("{}/{name}", self.path)
    }

    /// POSTs an object as it is.
    pub(crate) async fn create(&self, object: &Value) -> Reply {
        wire::post(&self.client, &self.path, object).await
    }

    /// POSTs an object with a query, such as `dryRun=All`.
    pub(crate) async fn create_with(&self, query: &str, object: &Value) -> Reply {
        wire::post(&self.client, &format!("{}?{query}", self.path), object).await
    }

    /// Creates an object that the case needs and doesn't test.
    #[track_caller]
    pub(crate) fn given(&self, name: &str, fields: Value) -> impl Future<Output = Value> {
        let object = self.object(name, fields);
        async move { self.create(&object).await.is(201) }
    }

    pub(crate) async fn get(&self, name: &str) -> Reply {
        wire::get(&self.client, &self.at(name)).await
    }

    pub(crate) async fn put(&self, name: &str, object: &Value) -> Reply {
        wire::put(&self.client, &self.at(name), object).await
    }

    pub(crate) async fn delete(&self, name: &str) -> Reply {
        wire::delete(&self.client, &self.at(name)).await
    }

    pub(crate) async fn delete_with(&self, name: &str, options: &Value) -> Reply {
        wire::delete_with(&self.client, &self.at(name), options).await
    }

    pub(crate) async fn merge(&self, name: &str, body: Value) -> Reply {
        wire::patch(&self.client, &self.at(name), patch_type::MERGE, &body).await
    }

    pub(crate) async fn json_patch(&self, name: &str, operations: Value) -> Reply {
        wire::patch(&self.client, &self.at(name), patch_type::JSON, &operations).await
    }

    /// Applies `fields` as a field manager.
    pub(crate) async fn apply(&self, name: &str, manager: &str, fields: Value) -> Reply {
        self.apply_with(name, &format!("fieldManager={manager}"), fields)
            .await
    }

    /// Applies `fields` as a field manager that takes what others own.
    pub(crate) async fn apply_forced(&self, name: &str, manager: &str, fields: Value) -> Reply {
        self.apply_with(name, &format!("fieldManager={manager}&force=true"), fields)
            .await
    }

    /// Applies `fields` with a query; `name` may go on with `/status`.
    pub(crate) async fn apply_with(&self, name: &str, query: &str, fields: Value) -> Reply {
        let object = self.object(name.split('/').next().unwrap_or_default(), fields);
        wire::patch(
            &self.client,
            &self.at(&format!("{name}?{query}")),
            patch_type::APPLY,
            &object,
        )
        .await
    }

    /// The collection, by a query, which may be empty.
    pub(crate) async fn list(&self, query: &str) -> Reply {
        wire::get(&self.client, &format!("{}?{query}", self.path)).await
    }

    pub(crate) async fn delete_all(&self, query: &str) -> Reply {
        wire::delete(&self.client, &format!("{}?{query}", self.path)).await
    }

    /// A watch of the collection, by a query such as `resourceVersion=12`, which may be empty.
    pub(crate) async fn watch(&self, query: &str) -> Watch {
        Watch::start(&self.client, &format!("{}?watch=true&{query}", self.path)).await
    }
}

/// A suffix that no other case of this or of another run has.
pub(crate) fn unique() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let started = std::time::SystemTime::UNIX_EPOCH
        .elapsed()
        .unwrap_or_default()
        .as_millis() as u64;
    format!(
        "{:x}-{:x}-{}",
        std::process::id(),
        started & 0xff_ffff,
        NEXT.fetch_add(1, Ordering::Relaxed)
    )
}

/// A new namespace.
pub(crate) async fn namespace(client: &Client) -> String {
    let name = format!("conformance-{}", unique());
    let object = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
    wire::post(client, "/api/v1/namespaces", &object)
        .await
        .is(201);
    delete_at_end(format!("/api/v1/namespaces/{name}"));
    name
}

/// A built-in resource in a new namespace; `prefix` is `/api/v1`, `/apis/apps/v1`, ….
pub(crate) async fn namespaced(
    client: &Client,
    prefix: &str,
    resource: &str,
    kind: &str,
) -> Collection {
    in_namespace(client, &namespace(client).await, prefix, resource, kind)
}

/// A built-in resource in a namespace that exists.
pub(crate) fn in_namespace(
    client: &Client,
    namespace: &str,
    prefix: &str,
    resource: &str,
    kind: &str,
) -> Collection {
    Collection {
        client: client.clone(),
        path: format!("{prefix}/namespaces/{namespace}/{resource}"),
        api_version: api_version(prefix),
        kind: kind.to_owned(),
        namespace: Some(namespace.to_owned()),
    }
}

/// A built-in resource without a namespace.
pub(crate) fn cluster_collection(
    client: &Client,
    prefix: &str,
    resource: &str,
    kind: &str,
) -> Collection {
    Collection {
        client: client.clone(),
        path: format!("{prefix}/{resource}"),
        api_version: api_version(prefix),
        kind: kind.to_owned(),
        namespace: None,
    }
}

fn api_version(prefix: &str) -> String {
    prefix
        .trim_start_matches("/apis/")
        .trim_start_matches("/api/")
        .to_owned()
}

/// Config maps in a new namespace: the plainest of resources.
pub(crate) async fn configmaps(client: &Client) -> Collection {
    namespaced(client, "/api/v1", "configmaps", "ConfigMap").await
}

/// Secrets in a new namespace: for lists and watches, since no controller puts any of its own there.
pub(crate) async fn secrets(client: &Client) -> Collection {
    namespaced(client, "/api/v1", "secrets", "Secret").await
}
