//! The collection of one resource, in one namespace or cluster-wide, that a case works with.

use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};

use kube::Client;
use serde_json::{Value, json};

use super::cleanup::delete_at_end;
use super::expect::resource_version;
use super::watching::Watch;
use super::wire::{self, Reply, patch_type};

/// The collection of a resource: its path, and the type of its objects.
#[derive(Clone)]
pub(crate) struct Collection {
    pub(crate) client: Client,
    pub(crate) path: String,
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) namespace: Option<String>,
}

impl Collection {
    /// Returns an object of this kind: `fields` with apiVersion, kind and name filled in.
    pub(crate) fn object(&self, name: &str, mut fields: Value) -> Value {
        fields["apiVersion"] = json!(self.api_version);
        fields["kind"] = json!(self.kind);
        fields["metadata"]["name"] = json!(name);
        fields
    }

    /// Returns the API group; empty for the core group.
    pub(crate) fn group(&self) -> &str {
        self.api_version
            .split_once('/')
            .map_or("", |(group, _)| group)
    }

    /// Returns the path of an object, with an optional subresource (`name/status`) and query
    /// (`name?dryRun=All`).
    pub(crate) fn at(&self, name: &str) -> String {
        format!("{}/{name}", self.path)
    }

    /// POSTs an object unchanged.
    pub(crate) async fn create(&self, object: &Value) -> Reply {
        wire::post(&self.client, &self.path, object).await
    }

    /// POSTs an object with a query, such as `dryRun=All`.
    pub(crate) async fn create_with(&self, query: &str, object: &Value) -> Reply {
        wire::post(&self.client, &format!("{}?{query}", self.path), object).await
    }

    /// Creates an object from `fields`; returns the response.
    pub(crate) async fn creation(&self, name: &str, fields: Value) -> Reply {
        self.create(&self.object(name, fields)).await
    }

    /// Creates an object from `fields` with a query, such as `fieldValidation=Strict`; returns the
    /// response.
    pub(crate) async fn creation_with(&self, query: &str, name: &str, fields: Value) -> Reply {
        self.create_with(query, &self.object(name, fields)).await
    }

    /// Creates an object as a precondition of the case.
    #[track_caller]
    pub(crate) fn given(&self, name: &str, fields: Value) -> impl Future<Output = Value> {
        answered(201, self.creation(name, fields))
    }

    /// Merges fields into an object; returns the result.
    #[track_caller]
    pub(crate) fn merged(&self, name: &str, body: Value) -> impl Future<Output = Value> {
        answered(200, self.merge(name, body))
    }

    /// Replaces an object; returns the result.
    #[track_caller]
    pub(crate) fn replaced(&self, name: &str, object: &Value) -> impl Future<Output = Value> {
        answered(200, self.put(name, object))
    }

    /// Applies `fields` to an existing object; returns the result.
    #[track_caller]
    pub(crate) fn applied(
        &self,
        name: &str,
        by: &str,
        fields: Value,
    ) -> impl Future<Output = Value> {
        answered(200, self.apply(name, by, fields))
    }

    /// Creates an object with an apply; returns it.
    #[track_caller]
    pub(crate) fn given_by(
        &self,
        name: &str,
        by: &str,
        fields: Value,
    ) -> impl Future<Output = Value> {
        answered(201, self.apply(name, by, fields))
    }

    /// Lists the collection with a query, which may be empty.
    #[track_caller]
    pub(crate) fn listed(&self, query: &str) -> impl Future<Output = Value> {
        answered(200, self.list(query))
    }

    /// Creates an object with a query, such as `dryRun=All`; returns it.
    #[track_caller]
    pub(crate) fn created_with(&self, query: &str, object: &Value) -> impl Future<Output = Value> {
        answered(201, self.create_with(query, object))
    }

    /// Applies `fields` to an existing object as a field manager, with force; returns the result.
    #[track_caller]
    pub(crate) fn forced(
        &self,
        name: &str,
        by: &str,
        fields: Value,
    ) -> impl Future<Output = Value> {
        answered(200, self.apply_forced(name, by, fields))
    }

    /// Deletes an object with options; returns the body of the response.
    #[track_caller]
    pub(crate) fn deleted_with(&self, name: &str, options: &Value) -> impl Future<Output = Value> {
        answered(200, self.delete_with(name, options))
    }

    /// Removes all finalizers of an object.
    pub(crate) async fn release(&self, name: &str) {
        let body = json!({"metadata": {"finalizers": null}});
        self.merged(name, body).await;
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

    /// Applies `fields` as a field manager, with force.
    pub(crate) async fn apply_forced(&self, name: &str, manager: &str, fields: Value) -> Reply {
        self.apply_with(name, &format!("fieldManager={manager}&force=true"), fields)
            .await
    }

    /// Applies `fields` with a query; `name` may end with `/status`.
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

    pub(crate) async fn list(&self, query: &str) -> Reply {
        wire::get(&self.client, &format!("{}?{query}", self.path)).await
    }

    pub(crate) async fn delete_all(&self, query: &str) -> Reply {
        wire::delete(&self.client, &format!("{}?{query}", self.path)).await
    }

    /// Watches the collection with a query such as `resourceVersion=12`, which may be empty.
    pub(crate) async fn watch(&self, query: &str) -> Watch {
        Watch::start(&self.client, &format!("{}?watch=true&{query}", self.path)).await
    }

    /// Returns the collection's current resource version.
    pub(crate) async fn version(&self) -> String {
        resource_version(&self.listed("").await)
    }

    /// Watches the collection from now on, with an additional query, which may be empty.
    pub(crate) async fn watch_from_now(&self, query: &str) -> Watch {
        let version = self.version().await;
        self.watch(&format!("resourceVersion={version}&{query}"))
            .await
    }
}

/// Asserts the status code and returns the body; a failure reports the line of the case.
#[track_caller]
fn answered(code: u16, reply: impl Future<Output = Reply>) -> impl Future<Output = Value> {
    let caller = Location::caller();
    async move { reply.await.is_for(code, caller) }
}

/// Returns a suffix that is unique among all cases and runs.
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

/// Creates a namespace.
pub(crate) async fn namespace(client: &Client) -> String {
    let name = format!("conformance-{}", unique());
    let object = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
    wire::post(client, "/api/v1/namespaces", &object)
        .await
        .is(201);
    delete_at_end(format!("/api/v1/namespaces/{name}"));
    name
}

/// A resource: the prefix of its path (`/api/v1`, `/apis/apps/v1`, …), its plural and its kind.
#[derive(Clone, Copy)]
pub(crate) struct Resource<'r>(pub(crate) &'r str, pub(crate) &'r str, pub(crate) &'r str);

impl Resource<'_> {
    /// Returns its objects in a new namespace.
    pub(crate) async fn fresh(self, client: &Client) -> Collection {
        self.within(client, &namespace(client).await)
    }

    /// Returns its objects in an existing namespace.
    pub(crate) fn within(self, client: &Client, namespace: &str) -> Collection {
        let Self(prefix, plural, _) = self;
        Collection {
            path: format!("{prefix}/namespaces/{namespace}/{plural}"),
            namespace: Some(namespace.to_owned()),
            ..self.everywhere(client)
        }
    }

    /// Returns its objects in all namespaces, or its cluster-scoped objects.
    pub(crate) fn everywhere(self, client: &Client) -> Collection {
        let Self(prefix, plural, kind) = self;
        let api_version = prefix
            .trim_start_matches("/apis/")
            .trim_start_matches("/api/");
        Collection {
            client: client.clone(),
            path: format!("{prefix}/{plural}"),
            api_version: api_version.to_owned(),
            kind: kind.to_owned(),
            namespace: None,
        }
    }

    /// Returns its kind as in error messages: `Deployment.apps`.
    pub(crate) fn qualified_kind(self) -> String {
        let Self(prefix, _, kind) = self;
        let group_version = prefix
            .strip_prefix("/apis/")
            .and_then(|rest| rest.split_once('/'));
        group_version.map_or(kind.to_owned(), |(group, _)| format!("{kind}.{group}"))
    }
}

/// Resources that several suites use.
pub(crate) mod resources {
    use super::Resource;

    const CORE: &str = "/api/v1";
    const APPS: &str = "/apis/apps/v1";
    const BATCH: &str = "/apis/batch/v1";
    const RBAC: &str = "/apis/rbac.authorization.k8s.io/v1";

    pub(crate) const CONFIG_MAPS: Resource<'_> = Resource(CORE, "configmaps", "ConfigMap");
    pub(crate) const CORE_EVENTS: Resource<'_> = Resource(CORE, "events", "Event");
    pub(crate) const CLAIMS: Resource<'_> =
        Resource(CORE, "persistentvolumeclaims", "PersistentVolumeClaim");
    pub(crate) const PODS: Resource<'_> = Resource(CORE, "pods", "Pod");
    pub(crate) const SECRETS: Resource<'_> = Resource(CORE, "secrets", "Secret");
    pub(crate) const SERVICES: Resource<'_> = Resource(CORE, "services", "Service");
    pub(crate) const SERVICE_ACCOUNTS: Resource<'_> =
        Resource(CORE, "serviceaccounts", "ServiceAccount");
    pub(crate) const DAEMON_SETS: Resource<'_> = Resource(APPS, "daemonsets", "DaemonSet");
    pub(crate) const DEPLOYMENTS: Resource<'_> = Resource(APPS, "deployments", "Deployment");
    pub(crate) const REPLICA_SETS: Resource<'_> = Resource(APPS, "replicasets", "ReplicaSet");
    pub(crate) const STATEFUL_SETS: Resource<'_> = Resource(APPS, "statefulsets", "StatefulSet");
    pub(crate) const CRON_JOBS: Resource<'_> = Resource(BATCH, "cronjobs", "CronJob");
    pub(crate) const JOBS: Resource<'_> = Resource(BATCH, "jobs", "Job");
    pub(crate) const EVENTS: Resource<'_> = Resource("/apis/events.k8s.io/v1", "events", "Event");
    pub(crate) const LEASES: Resource<'_> =
        Resource("/apis/coordination.k8s.io/v1", "leases", "Lease");
    pub(crate) const ROLES: Resource<'_> = Resource(RBAC, "roles", "Role");
    pub(crate) const ROLE_BINDINGS: Resource<'_> = Resource(RBAC, "rolebindings", "RoleBinding");
    pub(crate) const AUTOSCALERS: Resource<'_> = Resource(
        "/apis/autoscaling/v2",
        "horizontalpodautoscalers",
        "HorizontalPodAutoscaler",
    );
    pub(crate) const NETWORK_POLICIES: Resource<'_> = Resource(
        "/apis/networking.k8s.io/v1",
        "networkpolicies",
        "NetworkPolicy",
    );
    pub(crate) const CLUSTER_ROLES: Resource<'_> = Resource(RBAC, "clusterroles", "ClusterRole");
    pub(crate) const CLUSTER_ROLE_BINDINGS: Resource<'_> =
        Resource(RBAC, "clusterrolebindings", "ClusterRoleBinding");
}

/// Returns config maps in a new namespace: the simplest resource.
pub(crate) async fn configmaps(client: &Client) -> Collection {
    resources::CONFIG_MAPS.fresh(client).await
}

/// Returns secrets in a new namespace: for lists and watches, since no controller creates any
/// there.
pub(crate) async fn secrets(client: &Client) -> Collection {
    resources::SECRETS.fresh(client).await
}

/// Expects a list of secrets in a new namespace to be rejected because of its query.
pub(crate) async fn list_refused(client: Client, query: &str, code: u16, reason: &str, part: &str) {
    let reply = secrets(&client).await.list(query).await;
    reply.fails_with(code, reason, part);
}

/// Expects the creation of an object `a` to fail with this message.
pub(crate) async fn create_fails(
    client: Client,
    resource: Resource<'_>,
    fields: Value,
    code: u16,
    reason: &str,
    message: &str,
) {
    let objects = resource.fresh(&client).await;
    let reply = objects.creation("a", fields).await;
    reply.fails(code, reason, message);
}

/// Expects the creation of an object `a` to fail as invalid, with this part of the message.
pub(crate) async fn create_invalid_with(
    client: Client,
    resource: Resource<'_>,
    fields: Value,
    part: &str,
) {
    let objects = resource.fresh(&client).await;
    let reply = objects.creation("a", fields).await;
    reply.invalid_with(part);
}
