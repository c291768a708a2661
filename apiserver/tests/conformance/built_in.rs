//! The built-in kinds that controllers use, each with its real group, version and scope.

use crate::harness::cases;
use crate::support::*;

cases![
    pod_round_trip: round_trip(PODS, json!({"spec": pod_spec()})),
    service_round_trip: round_trip(
        SERVICES,
        json!({"spec": {"selector": {"app": "a"}, "ports": [{"port": 80, "targetPort": "http"}]}})),
    service_account_round_trip: round_trip(SERVICE_ACCOUNTS, json!({})),
    event_round_trip,
    events_group_event_round_trip,
    replica_set_round_trip: round_trip(
        REPLICA_SETS,
        json!({"spec": {"replicas": 0, "selector": selector(), "template": template()}})),
    stateful_set_round_trip: round_trip(
        STATEFUL_SETS,
        json!({"spec": {"replicas": 0, "serviceName": "s", "selector": selector(), "template": template()}})),
    daemon_set_round_trip: round_trip(
        DAEMON_SETS, json!({"spec": {"selector": selector(), "template": template()}})),
    job_round_trip: round_trip(JOBS, json!({"spec": job_spec()})),
    cron_job_round_trip: round_trip(
        CRON_JOBS,
        json!({"spec": {"schedule": "*/5 * * * *", "suspend": true, "jobTemplate": {"spec": job_spec()}}})),
    lease_round_trip: round_trip(
        LEASES,
        json!({"spec": {"holderIdentity": "me", "leaseDurationSeconds": 15,
            "acquireTime": "2026-01-02T03:04:05.000006Z", "renewTime": "2026-01-02T03:04:06.000000Z",
            "leaseTransitions": 3}})),
    persistent_volume_claim_round_trip: round_trip(
        CLAIMS,
        json!({"spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "",
            "resources": {"requests": {"storage": "1Gi"}}}})),
    role_round_trip: round_trip(ROLES, json!({"rules": rules()})),
    role_binding_round_trip: round_trip(ROLE_BINDINGS, binding("Role")),
    node_round_trip,
    persistent_volume_round_trip,
    cluster_role_round_trip,
    cluster_role_binding_round_trip,
    an_event_reads_in_both_groups,
    an_event_of_the_events_group_changes_its_series_alone,
    quantities_are_stored_in_canonical_form,
];

async fn round_trip(client: Client, resource: Resource<'_>, fields: Value) {
    round_trip_in(resource.fresh(&client).await, "a", fields).await;
}

/// Creates, reads, lists, labels and deletes one object.
async fn round_trip_in(objects: Collection, name: &str, fields: Value) {
    let created = objects.creation(name, fields.clone()).await.is(201);
    check!(created, "/kind": objects.kind, "/apiVersion": objects.api_version);
    for (field, value) in fields.as_object().into_iter().flatten() {
        contains(&created[field], value, field);
    }
    assert_eq!(objects.get(name).await.is(200), created);
    let list = objects
        .listed(&format!("fieldSelector=metadata.name%3D{name}"))
        .await;
    assert_eq!(names(&list), [name]);
    check!(list, "/kind": format!("{}List", objects.kind));
    let labelled = objects
        .merged(name, json!({"metadata": {"labels": {"l": "1"}}}))
        .await;
    check!(labelled, "/metadata/labels/l": "1");
    objects
        .deleted_with(
            name,
            &json!({"gracePeriodSeconds": 0, "propagationPolicy": "Background"}),
        )
        .await;
}

/// Asserts that every field of `part` is in `whole`, which may have more fields (defaults).
#[track_caller]
fn contains(whole: &Value, part: &Value, path: &str) {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            for (key, value) in part {
                contains(
                    whole.get(key).unwrap_or(&Value::Null),
                    value,
                    &format!("{path}.{key}"),
                );
            }
        }
        (Value::Array(whole), Value::Array(part)) if whole.len() == part.len() => {
            for (index, (whole, part)) in whole.iter().zip(part).enumerate() {
                contains(whole, part, &format!("{path}[{index}]"));
            }
        }
        _ => assert_eq!(whole, part, "{path}"),
    }
}

fn pod_spec() -> Value {
    json!({"containers": [{"name": "c", "image": "i:1"}]})
}

fn template() -> Value {
    json!({"metadata": {"labels": {"app": "a"}}, "spec": pod_spec()})
}

fn selector() -> Value {
    json!({"matchLabels": {"app": "a"}})
}

async fn event_round_trip(client: Client) {
    let events = CORE_EVENTS.fresh(&client).await;
    let involved = json!({"kind": "Pod", "name": "p", "namespace": events.namespace});
    let fields = json!({"involvedObject": involved, "reason": "Tested", "message": "m", "type": "Normal", "count": 2});
    round_trip_in(events, "a", fields).await;
}

fn modern_event(namespace: &Option<String>) -> Value {
    json!({
        "eventTime": "2026-01-02T03:04:05.000006Z",
        "reportingController": "example.com/tester",
        "reportingInstance": "tester-1",
        "action": "Test",
        "reason": "Tested",
        "type": "Normal",
        "note": "a note",
        "regarding": {"kind": "Pod", "name": "p", "namespace": namespace},
    })
}

async fn events_group_event_round_trip(client: Client) {
    let events = EVENTS.fresh(&client).await;
    let fields = modern_event(&events.namespace);
    round_trip_in(events, "a", fields).await;
}

fn job_spec() -> Value {
    let mut pod = pod_spec();
    pod["restartPolicy"] = json!("Never");
    json!({"backoffLimit": 2, "suspend": true, "template": {"spec": pod}})
}

fn rules() -> Value {
    json!([{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}])
}

fn binding(kind: &str) -> Value {
    json!({
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": "reader"},
        "subjects": [{"kind": "ServiceAccount", "name": "robot", "namespace": "default"}],
    })
}

/// Returns a unique name for a cluster-scoped object.
fn own_name() -> String {
    format!("conformance-{}", collection::unique())
}

async fn node_round_trip(client: Client) {
    let nodes = Resource("/api/v1", "nodes", "Node").everywhere(&client);
    round_trip_in(nodes, &own_name(), json!({"spec": {"unschedulable": true}})).await;
}

async fn persistent_volume_round_trip(client: Client) {
    let spec = json!({"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/data"}});
    let volumes = Resource("/api/v1", "persistentvolumes", "PersistentVolume").everywhere(&client);
    let name = own_name();
    volumes.given(&name, json!({"spec": spec})).await;
    let found = volumes.get(&name).await.is(200);
    contains(&found["spec"], &spec, "spec");
    volumes.delete(&name).await.is(200);
    // A volume keeps its finalizer until a controller has handled it.
    volumes
        .merge(&name, json!({"metadata": {"finalizers": null}}))
        .await;
}

async fn cluster_role_round_trip(client: Client) {
    round_trip_in(
        CLUSTER_ROLES.everywhere(&client),
        &own_name(),
        json!({"rules": rules()}),
    )
    .await;
}

async fn cluster_role_binding_round_trip(client: Client) {
    let bindings = CLUSTER_ROLE_BINDINGS.everywhere(&client);
    round_trip_in(bindings, &own_name(), binding("ClusterRole")).await;
}

async fn an_event_of_the_events_group_changes_its_series_alone(client: Client) {
    let events = EVENTS.fresh(&client).await;
    events.given("a", modern_event(&events.namespace)).await;
    let series = json!({"count": 2, "lastObservedTime": "2026-01-02T03:05:05.000006Z"});
    let merged = events.merged("a", json!({ "series": series })).await;
    check!(merged, "/series/count": 2);
    let refused = events
        .merge("a", json!({"note": "another", "action": "Other"}))
        .await;
    refused.invalid_with(
        "[message: Invalid value: \"another\": field is immutable, action: Invalid value: \"Other\": field is immutable]",
    );
}

async fn quantities_are_stored_in_canonical_form(client: Client) {
    let quotas = Resource("/api/v1", "resourcequotas", "ResourceQuota");
    let quotas = quotas.fresh(&client).await;
    let hard = |cpu: Value, memory: &str| json!({"spec": {"hard": {"cpu": cpu, "memory": memory}}});
    let created = quotas.given("a", hard(json!("1000m"), "1024Mi")).await;
    check!(created, "/spec/hard/cpu": "1", "/spec/hard/memory": "1Gi");
    let merged = quotas.merged("a", hard(json!(0.5), "1.5Gi")).await;
    check!(merged, "/spec/hard/cpu": "500m", "/spec/hard/memory": "1536Mi");
    let fields = json!({"spec": {"hard": {"pods": "2000m"}}});
    let applied = quotas.apply("a", "m", fields).await.is(200);
    check!(applied, "/spec/hard/pods": "2");
}

async fn an_event_reads_in_both_groups(client: Client) {
    let modern = EVENTS.fresh(&client).await;
    let namespace = modern.namespace.clone().unwrap_or_default();
    modern.given("a", modern_event(&modern.namespace)).await;
    let core = CORE_EVENTS.within(&client, &namespace);
    let event = core.get("a").await.is(200);
    check!(event,
        "/apiVersion": "v1",
        "/message": "a note",
        "/involvedObject/name": "p",
        "/reportingComponent": "example.com/tester");
    check_absent(&event, "/note");
}
