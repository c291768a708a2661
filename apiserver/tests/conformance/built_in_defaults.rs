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
    behavior_of_an_autoscaler_is_completed: creates(
        Resource("/apis/autoscaling/v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler"),
        json!({"spec": {"maxReplicas": 3, "behavior": {"scaleDown": {"stabilizationWindowSeconds": 60}},
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}}}),
        json!({
            "/spec/behavior/scaleDown": {"stabilizationWindowSeconds": 60, "selectPolicy": "Max",
                "policies": [{"type": "Percent", "value": 100, "periodSeconds": 15}]},
            "/spec/behavior/scaleUp": {"stabilizationWindowSeconds": 0, "selectPolicy": "Max", "policies": [
                {"type": "Pods", "value": 4, "periodSeconds": 15}, {"type": "Percent", "value": 100, "periodSeconds": 15}]}})),
    an_old_autoscaler_aims_at_the_cpu: creates(
        Resource("/apis/autoscaling/v1", "horizontalpodautoscalers", "HorizontalPodAutoscaler"),
        json!({"spec": {"maxReplicas": 3, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}}}),
        json!({"/spec/minReplicas": 1, "/spec/targetCPUUtilizationPercentage": 80})),
    volume_defaults: creates(
        PODS,
        json!({"spec": {"serviceAccountName": "default", "containers": [{"name": "c", "image": "i"}], "volumes": [
            {"name": "a", "iscsi": {"targetPortal": "10.0.0.1", "iqn": "iqn.2001-04.com.example:storage", "lun": 0}},
            {"name": "b", "ephemeral": {"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"],
                "resources": {"requests": {"storage": "1Gi"}}}}}},
            {"name": "c", "projected": {"sources": [{"serviceAccountToken": {"path": "token"}},
                {"downwardAPI": {"items": [{"path": "name", "fieldRef": {"fieldPath": "metadata.name"}}]}}]}},
            {"name": "d", "downwardAPI": {"items": [{"path": "name", "fieldRef": {"fieldPath": "metadata.name"}}]}},
            {"name": "e", "image": {"reference": "registry.example.com/a:1"}}]}}),
        json!({
            "/spec/volumes/0/iscsi/iscsiInterface": "default",
            "/spec/volumes/1/ephemeral/volumeClaimTemplate/spec/volumeMode": "Filesystem",
            "/spec/volumes/2/projected/sources/0/serviceAccountToken/expirationSeconds": 3600,
            "/spec/volumes/2/projected/sources/1/downwardAPI/items/0/fieldRef/apiVersion": "v1",
            "/spec/volumes/3/downwardAPI/items/0/fieldRef/apiVersion": "v1",
            "/spec/volumes/4/image/pullPolicy": "IfNotPresent"})),
    handlers_have_defaults: creates(
        PODS,
        json!({"spec": {"containers": [{"name": "c", "image": "i", "livenessProbe": {"grpc": {"port": 1}},
            "lifecycle": {"postStart": {"httpGet": {"port": 80}}}}]}}),
        json!({
            "/spec/containers/0/livenessProbe/grpc/service": "",
            "/spec/containers/0/lifecycle/postStart/httpGet": {"path": "/", "port": 80, "scheme": "HTTP"}})),
    ports_on_the_network_of_a_node_are_published: creates(
        PODS,
        json!({"spec": {"hostNetwork": true, "containers": [{"name": "c", "image": "i", "ports": [{"containerPort": 80}]}]}}),
        json!({"/spec/containers/0/ports": [{"containerPort": 80, "hostPort": 80, "protocol": "TCP"}]})),
    the_old_name_of_a_service_account_counts: creates(
        PODS, json!({"spec": {"serviceAccount": "default", "containers": [{"name": "c", "image": "i"}]}}),
        json!({"/spec/serviceAccountName": "default", "/spec/serviceAccount": "default"})),
    a_pod_that_tolerates_everything_needs_no_more: creates(
        PODS,
        json!({"spec": {"tolerations": [{"operator": "Exists"}], "containers": [{"name": "c", "image": "i"}]}}),
        json!({"/spec/tolerations": [{"operator": "Exists"}]})),
    affinity_to_clients_has_a_timeout,
    external_addresses_have_a_traffic_policy: creates(
        SERVICES, json!({"spec": {"externalIPs": ["192.0.2.1"], "ports": [{"port": 80}]}}),
        json!({"/spec/externalTrafficPolicy": "Cluster"})),
    a_limit_per_index_replaces_that_of_the_job: creates(
        JOBS,
        json!({"spec": {"backoffLimitPerIndex": 1, "completionMode": "Indexed", "completions": 2, "template": never()}}),
        json!({"/spec/backoffLimit": i32::MAX})),
    a_failure_policy_has_defaults: creates(
        JOBS,
        json!({"spec": {"template": never(), "podFailurePolicy": {"rules": [
            {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]}}}),
        json!({
            "/spec/podReplacementPolicy": "Failed",
            "/spec/podFailurePolicy/rules/0/onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]})),
    half_a_retention_policy_is_completed: creates(
        STATEFUL_SETS,
        json!({"spec": {"persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Delete"}, "serviceName": "s",
            "selector": {"matchLabels": {"app": "a"}}, "template": template()}}),
        json!({"/spec/persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Delete", "whenScaled": "Retain"}})),
    claims_are_protected,
    quantities_become_canonical: creates(
        PODS,
        json!({"spec": {"containers": [{"name": "c", "image": "i",
            "resources": {"requests": {"cpu": "1000m", "memory": "1024Mi"}}}]}}),
        json!({"/spec/containers/0/resources/requests": {"cpu": "1", "memory": "1Gi"}})),
];

async fn affinity_to_clients_has_a_timeout(client: Client) {
    let services = SERVICES.fresh(&client).await;
    let fields = json!({"spec": {"sessionAffinity": "ClientIP", "ports": [{"port": 80}]}});
    let created = services.given("a", fields).await;
    check!(created, "/spec/sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 10800}});
    let none = json!({"spec": {"sessionAffinity": "None"}});
    let changed = services.merged("a", none).await;
    check_absent(&changed, "/spec/sessionAffinityConfig");
}

/// The template of a job.
fn never() -> Value {
    json!({"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}})
}

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
