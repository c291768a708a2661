//! Defaults of built-in kinds.

use crate::harness::cases;
use crate::support::expect::check_all;
use crate::support::*;

cases![
    deployment_defaults: creates(DEPLOYMENTS, workload(), json!({
        "/spec/replicas": 1,
        "/spec/strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"}},
        "/spec/revisionHistoryLimit": 10,
        "/spec/progressDeadlineSeconds": 600,
        "/status": {}})),
    stateful_set_defaults: creates(STATEFUL_SETS, workload(), json!({
        "/spec/replicas": 1,
        "/spec/podManagementPolicy": "OrderedReady",
        "/spec/updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}},
        "/spec/revisionHistoryLimit": 10})),
    daemon_set_defaults: creates(DAEMON_SETS, workload(), json!({
        "/spec/updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}},
        "/spec/revisionHistoryLimit": 10})),
    job_defaults,
    cron_job_defaults: creates(
        CRON_JOBS,
        json!({"spec": {"schedule": "* * * * *", "jobTemplate": {"spec": job()}}}),
        json!({"/spec/concurrencyPolicy": "Allow", "/spec/suspend": false,
            "/spec/successfulJobsHistoryLimit": 3, "/spec/failedJobsHistoryLimit": 1})),
    pod_defaults,
    container_defaults,
    pod_status_starts_pending,
    service_gets_an_address,
    headless_service_keeps_none: creates(
        SERVICES, json!({"spec": {"clusterIP": "None", "selector": {"app": "a"}}}),
        json!({"/spec/clusterIP": "None", "/spec/clusterIPs": ["None"]})),
    secret_type_defaults: creates(SECRETS, json!({}), json!({"/type": "Opaque"})),
    claim_defaults,
    role_ref_is_immutable,
    selector_of_a_deployment_is_immutable,
    pod_spec_is_immutable,
    generation_starts_at_one: creates(DEPLOYMENTS, workload(), json!({"/metadata/generation": 1})),
    lease_has_no_generation,
    namespace_has_its_name_as_a_label,
    binding_subjects_get_their_group: creates(
        ROLE_BINDINGS,
        json!({"roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"},
            "subjects": [{"kind": "User", "name": "ann"}]}),
        json!({"/subjects": [{"kind": "User", "name": "ann", "apiGroup": "rbac.authorization.k8s.io"}]})),
    replicas_of_zero_stay_zero: creates(
        DEPLOYMENTS, json!({"spec": {"replicas": 0, "selector": {"matchLabels": {"app": "a"}}, "template": template()}}),
        json!({"/spec/replicas": 0})),
    claims_are_protected,
    quantities_become_canonical: creates(
        PODS,
        json!({"spec": {"containers": [{"name": "c", "image": "i",
            "resources": {"requests": {"cpu": "1000m", "memory": "1024Mi"}}}]}}),
        json!({"/spec/containers/0/resources/requests": {"cpu": "1", "memory": "1Gi"}})),
];

fn template() -> Value {
    json!({"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}})
}

fn workload() -> Value {
    json!({"spec": {"selector": {"matchLabels": {"app": "a"}}, "template": template()}})
}

/// Expects a new object to have these values at JSON pointers.
async fn creates(client: Client, resource: Resource<'_>, fields: Value, expected: Value) {
    let created = resource.fresh(&client).await.given("a", fields).await;
    check_all(&created, expected);
}

fn job() -> Value {
    json!({"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}})
}

async fn job_defaults(client: Client) {
    let jobs = JOBS.fresh(&client).await;
    let created = jobs.given("a", json!({"spec": job()})).await;
    check!(created,
        "/spec/parallelism": 1,
        "/spec/completions": 1,
        "/spec/backoffLimit": 6,
        "/spec/completionMode": "NonIndexed",
        "/spec/suspend": false);
    // The selector and the pods' labels contain the job's uid.
    let uid = at(&created, "/metadata/uid").clone();
    check!(created,
        "/spec/selector/matchLabels": {"batch.kubernetes.io/controller-uid": uid},
        "/spec/template/metadata/labels/job-name": "a");
}

async fn pod(client: &Client) -> Value {
    let pods = PODS.fresh(client).await;
    let created = pods.given("a", json!({"spec": template()["spec"]})).await;
    pods.deleted_with("a", &json!({"gracePeriodSeconds": 0}))
        .await;
    created
}

async fn pod_defaults(client: Client) {
    let created = pod(&client).await;
    check!(created,
        "/spec/restartPolicy": "Always",
        "/spec/terminationGracePeriodSeconds": 30,
        "/spec/dnsPolicy": "ClusterFirst",
        "/spec/schedulerName": "default-scheduler",
        "/spec/securityContext": {},
        "/spec/enableServiceLinks": true);
}

async fn container_defaults(client: Client) {
    let created = pod(&client).await;
    let container = at(&created, "/spec/containers/0");
    check!(container,
        "/imagePullPolicy": "Always",
        "/terminationMessagePath": "/dev/termination-log",
        "/terminationMessagePolicy": "File",
        "/resources": {});
}

async fn pod_status_starts_pending(client: Client) {
    let created = pod(&client).await;
    check!(created, "/status/phase": "Pending", "/status/qosClass": "BestEffort");
}

async fn service_gets_an_address(client: Client) {
    let created = SERVICES
        .fresh(&client)
        .await
        .given("a", json!({"spec": {"ports": [{"port": 80}]}}))
        .await;
    let address = at(&created, "/spec/clusterIP").as_str().unwrap_or_default();
    assert!(address.parse::<std::net::IpAddr>().is_ok(), "{address:?}");
    check!(created,
        "/spec/clusterIPs": [address],
        "/spec/type": "ClusterIP",
        "/spec/sessionAffinity": "None",
        "/spec/internalTrafficPolicy": "Cluster",
        "/spec/ipFamilyPolicy": "SingleStack",
        "/spec/ports/0": {"port": 80, "protocol": "TCP", "targetPort": 80},
        "/status": {"loadBalancer": {}});
}

async fn claim_defaults(client: Client) {
    let claims = CLAIMS.fresh(&client).await;
    let spec =
        json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}});
    let created = claims.given("a", json!({"spec": spec})).await;
    check!(created, "/spec/volumeMode": "Filesystem", "/status/phase": "Pending");
    claims.release("a").await;
}

async fn role_ref_is_immutable(client: Client) {
    let bindings = ROLE_BINDINGS.fresh(&client).await;
    let role = |name: &str| json!({"roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name}});
    bindings.given("a", role("one")).await;
    bindings
        .merge("a", role("two"))
        .await
        .invalid_with("roleRef: Invalid value: ");
}

async fn selector_of_a_deployment_is_immutable(client: Client) {
    let deployments = DEPLOYMENTS.fresh(&client).await;
    deployments.given("a", workload()).await;
    let other = json!({"app": "a", "tier": "b"});
    let body = json!({"spec": {"selector": {"matchLabels": other}, "template": {"metadata": {"labels": other}}}});
    deployments
        .merge("a", body)
        .await
        .invalid_with("spec.selector: Invalid value: ");
}

async fn pod_spec_is_immutable(client: Client) {
    let pods = PODS.fresh(&client).await;
    pods.given("a", json!({"spec": template()["spec"]})).await;
    pods.merge("a", json!({"spec": {"nodeName": "elsewhere"}}))
        .await
        .invalid_with("spec: Forbidden: pod updates may not change fields other than");
    pods.deleted_with("a", &json!({"gracePeriodSeconds": 0}))
        .await;
}

async fn lease_has_no_generation(client: Client) {
    let leases = LEASES.fresh(&client).await;
    let created = leases
        .given("a", json!({"spec": {"holderIdentity": "me"}}))
        .await;
    check_absent(&created, "/metadata/generation");
    let updated = leases
        .merged("a", json!({"spec": {"holderIdentity": "you"}}))
        .await;
    check_absent(&updated, "/metadata/generation");
}

async fn namespace_has_its_name_as_a_label(client: Client) {
    let name = namespace(&client).await;
    let found = get(&client, &format!("/api/v1/namespaces/{name}"))
        .await
        .is(200);
    check!(found,
        "/metadata/labels": {"kubernetes.io/metadata.name": name},
        "/spec/finalizers": ["kubernetes"]);
}

async fn claims_are_protected(client: Client) {
    let claims = CLAIMS.fresh(&client).await;
    let spec =
        json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}});
    let created = claims.given("a", json!({"spec": spec})).await;
    claims.release("a").await;
    check!(created, "/metadata/finalizers": ["kubernetes.io/pvc-protection"]);
}
