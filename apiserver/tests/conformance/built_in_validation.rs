//! Every kind of write refuses invalid objects of built-in kinds with the same message.

use crate::harness::cases;
use crate::support::wire::Reply;
use crate::support::*;

cases![
    deployment_without_containers_is_refused,
    deployment_with_a_bad_surge_is_refused,
    deployment_with_too_much_unavailable_is_refused,
    deployment_with_an_empty_selector_is_refused,
    deployment_with_an_unknown_strategy_is_refused,
    deployment_with_a_deadline_before_readiness_is_refused,
    deployment_of_pods_that_end_is_refused,
    container_without_an_image_is_refused,
    container_port_is_a_port,
    mounted_volume_must_exist,
    stateful_set_with_an_unknown_policy_is_refused,
    daemon_set_that_cannot_move_is_refused,
    budget_is_a_number_or_a_percentage,
    budget_says_one_thing,
    cron_job_without_an_image_is_refused,
    cron_job_with_an_unknown_policy_is_refused,
    autoscaler_without_a_target_name_is_refused,
    ingress_backend_needs_a_name,
    ingress_path_needs_a_type,
    network_policy_with_an_unknown_type_is_refused,
    secret_data_is_base64,
    config_map_binary_data_is_base64,
    config_map_of_more_than_a_mebibyte_is_refused,
    secret_of_more_than_a_mebibyte_is_refused,
    patched_base64_is_checked,
];

const PERCENT: &str = "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used \
for validation is '[0-9]+%')";

fn template() -> Value {
    json!({"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}})
}

fn workload() -> Value {
    json!({"spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template()}})
}

/// A valid object is made invalid by a merge patch: in a create, an update, a patch and an apply.
async fn refused_everywhere(
    objects: Collection,
    valid: Value,
    bad: Value,
    resource: &str,
    why: &str,
) {
    let mut invalid = valid.clone();
    merge(&mut invalid, &bad);
    refused_as_a_whole(objects.clone(), valid, bad, resource, why).await;
    let message = format!("{resource} \"a\" is invalid: {why}");
    let reply = objects.apply_forced("a", "m", invalid).await;
    reply.fails(422, "Invalid", &message);
}

/// As [`refused_everywhere`], but for what an apply cannot take away, since others own it.
async fn refused_as_a_whole(
    objects: Collection,
    valid: Value,
    bad: Value,
    resource: &str,
    why: &str,
) {
    let mut invalid = valid.clone();
    merge(&mut invalid, &bad);
    let message = format!("{resource} \"a\" is invalid: {why}");
    let refused = |reply: Reply| {
        reply.fails(422, "Invalid", &message);
    };
    refused(objects.create(&objects.object("a", invalid.clone())).await);
    refused(objects.apply("a", "m", invalid.clone()).await);
    let created = objects.given("a", valid).await;
    let mut update = objects.object("a", invalid.clone());
    update["metadata"]["resourceVersion"] = json!(resource_version(&created));
    refused(objects.put("a", &update).await);
    refused(objects.merge("a", bad).await);
}

fn merge(target: &mut Value, patch: &Value) {
    match (target, patch) {
        (Value::Object(target), Value::Object(patch)) => {
            for (key, value) in patch {
                merge(target.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (target, patch) => *target = patch.clone(),
    }
}

async fn deployments(client: &Client) -> Collection {
    namespaced(client, "/apis/apps/v1", "deployments", "Deployment").await
}

async fn deployment_refused(client: Client, bad: Value, why: &str) {
    let objects = deployments(&client).await;
    refused_everywhere(objects, workload(), bad, "Deployment.apps", why).await;
}

async fn deployment_without_containers_is_refused(client: Client) {
    let bad = json!({"spec": {"template": {"spec": {"containers": []}}}});
    let why = "spec.template.spec.containers: Required value";
    let objects = deployments(&client).await;
    refused_as_a_whole(objects, workload(), bad, "Deployment.apps", why).await;
}

async fn deployment_with_a_bad_surge_is_refused(client: Client) {
    let bad = json!({"spec": {"strategy": {"rollingUpdate": {"maxSurge": "x"}}}});
    let why = format!("spec.strategy.rollingUpdate.maxSurge: Invalid value: \"x\": {PERCENT}");
    deployment_refused(client, bad, &why).await;
}

async fn deployment_with_too_much_unavailable_is_refused(client: Client) {
    let bad = json!({"spec": {"strategy": {"rollingUpdate": {"maxUnavailable": "101%"}}}});
    let why = "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: \"101%\": must not be greater than 100%";
    deployment_refused(client, bad, why).await;
}

async fn deployment_with_an_empty_selector_is_refused(client: Client) {
    let objects = deployments(&client).await;
    let object = json!({"spec": {"selector": {}, "template": template()}});
    objects.create(&objects.object("a", object)).await.fails(
        422,
        "Invalid",
        "Deployment.apps \"a\" is invalid: spec.selector: Invalid value: {}: empty selector is invalid for deployment",
    );
}

async fn deployment_with_an_unknown_strategy_is_refused(client: Client) {
    let objects = deployments(&client).await;
    let mut object = workload();
    object["spec"]["strategy"] = json!({"type": "Foo"});
    // The order of the value's fields is the encoder's own.
    let reply = objects.create(&objects.object("a", object)).await;
    reply.fails_with(422, "Invalid", "spec.strategy: Unsupported value");
    reply.fails_with(
        422,
        "Invalid",
        "supported values: \"Recreate\", \"RollingUpdate\"",
    );
}

async fn deployment_with_a_deadline_before_readiness_is_refused(client: Client) {
    let bad = json!({"spec": {"minReadySeconds": 10, "progressDeadlineSeconds": 5}});
    let why =
        "spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds";
    deployment_refused(client, bad, why).await;
}

async fn deployment_of_pods_that_end_is_refused(client: Client) {
    let bad = json!({"spec": {"template": {"spec": {"restartPolicy": "Never"}}}});
    let why = "spec.template.spec.restartPolicy: Unsupported value: \"Never\": supported values: \"Always\"";
    deployment_refused(client, bad, why).await;
}

async fn container_without_an_image_is_refused(client: Client) {
    let bad = json!({"spec": {"template": {"spec": {"containers": [{"name": "c"}]}}}});
    let why = "spec.template.spec.containers[0].image: Required value";
    let objects = deployments(&client).await;
    refused_as_a_whole(objects, workload(), bad, "Deployment.apps", why).await;
}

async fn container_port_is_a_port(client: Client) {
    let container = json!({"name": "c", "image": "i", "ports": [{"containerPort": 70000}]});
    let bad = json!({"spec": {"template": {"spec": {"containers": [container]}}}});
    let why = "spec.template.spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive";
    deployment_refused(client, bad, why).await;
}

async fn mounted_volume_must_exist(client: Client) {
    let container =
        json!({"name": "c", "image": "i", "volumeMounts": [{"name": "v", "mountPath": "/v"}]});
    let bad = json!({"spec": {"template": {"spec": {"containers": [container]}}}});
    let why = "spec.template.spec.containers[0].volumeMounts[0].name: Not found: \"v\"";
    deployment_refused(client, bad, why).await;
}

async fn stateful_set_with_an_unknown_policy_is_refused(client: Client) {
    let objects = namespaced(&client, "/apis/apps/v1", "statefulsets", "StatefulSet").await;
    let mut object = workload();
    object["spec"]["podManagementPolicy"] = json!("x");
    objects.create(&objects.object("a", object)).await.fails(
        422,
        "Invalid",
        "StatefulSet.apps \"a\" is invalid: spec.podManagementPolicy: Invalid value: \"x\": must be 'OrderedReady' or 'Parallel'",
    );
}

async fn daemon_set_that_cannot_move_is_refused(client: Client) {
    let objects = namespaced(&client, "/apis/apps/v1", "daemonsets", "DaemonSet").await;
    let bad = json!({"spec": {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 0}}}});
    let why = "spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0";
    refused_everywhere(objects, workload(), bad, "DaemonSet.apps", why).await;
}

async fn budgets(client: &Client) -> Collection {
    namespaced(
        client,
        "/apis/policy/v1",
        "poddisruptionbudgets",
        "PodDisruptionBudget",
    )
    .await
}

async fn budget_is_a_number_or_a_percentage(client: Client) {
    let valid = json!({"spec": {"minAvailable": 1}});
    let bad = json!({"spec": {"minAvailable": "é☃"}});
    let why = format!("spec.minAvailable: Invalid value: \"é☃\": {PERCENT}");
    let resource = "PodDisruptionBudget.policy";
    refused_everywhere(budgets(&client).await, valid, bad, resource, &why).await;
}

async fn budget_says_one_thing(client: Client) {
    let valid = json!({"spec": {"minAvailable": 1}});
    let bad = json!({"spec": {"maxUnavailable": 1}});
    let why = "spec: Invalid value: {\"MinAvailable\":1,\"Selector\":null,\"MaxUnavailable\":1,\"UnhealthyPodEvictionPolicy\":null}: \
minAvailable and maxUnavailable cannot be both set";
    let objects = budgets(&client).await;
    let mut invalid = valid.clone();
    merge(&mut invalid, &bad);
    let reply = objects.create(&objects.object("a", invalid)).await;
    // The order of the value's fields is the encoder's own.
    reply.fails_with(
        422,
        "Invalid",
        "minAvailable and maxUnavailable cannot be both set",
    );
    objects.given("a", valid).await;
    let reply = objects.merge("a", bad).await;
    reply.fails_with(422, "Invalid", why.rsplit(": ").next().unwrap_or_default());
}

fn cron_job() -> Value {
    let pod = json!({"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]});
    json!({"spec": {"schedule": "* * * * *", "jobTemplate": {"spec": {"template": {"spec": pod}}}}})
}

async fn cron_jobs(client: &Client) -> Collection {
    namespaced(client, "/apis/batch/v1", "cronjobs", "CronJob").await
}

async fn cron_job_without_an_image_is_refused(client: Client) {
    let bad = json!({"spec": {"jobTemplate": {"spec": {"template": {"spec": {"containers": [{"name": "c"}]}}}}}});
    let why = "spec.jobTemplate.spec.template.spec.containers[0].image: Required value";
    refused_as_a_whole(
        cron_jobs(&client).await,
        cron_job(),
        bad,
        "CronJob.batch",
        why,
    )
    .await;
}

async fn cron_job_with_an_unknown_policy_is_refused(client: Client) {
    let bad = json!({"spec": {"concurrencyPolicy": "x"}});
    let why = "spec.concurrencyPolicy: Unsupported value: \"x\": supported values: \"Allow\", \"Forbid\", \"Replace\"";
    refused_everywhere(
        cron_jobs(&client).await,
        cron_job(),
        bad,
        "CronJob.batch",
        why,
    )
    .await;
}

async fn autoscaler_without_a_target_name_is_refused(client: Client) {
    let objects = namespaced(
        &client,
        "/apis/autoscaling/v2",
        "horizontalpodautoscalers",
        "HorizontalPodAutoscaler",
    )
    .await;
    let target = json!({"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"});
    let valid = json!({"spec": {"maxReplicas": 3, "scaleTargetRef": target}});
    let bad = json!({"spec": {"scaleTargetRef": {"name": ""}}});
    let why = "spec.scaleTargetRef.name: Required value";
    let resource = "HorizontalPodAutoscaler.autoscaling";
    refused_everywhere(objects, valid, bad, resource, why).await;
}

async fn ingresses(client: &Client) -> Collection {
    namespaced(client, "/apis/networking.k8s.io/v1", "ingresses", "Ingress").await
}

fn ingress() -> Value {
    json!({"spec": {"defaultBackend": {"service": {"name": "s", "port": {"number": 80}}}}})
}

async fn ingress_backend_needs_a_name(client: Client) {
    let bad = json!({"spec": {"defaultBackend": {"service": {"name": ""}}}});
    let why = "spec.defaultBackend.service.name: Required value";
    let resource = "Ingress.networking.k8s.io";
    refused_everywhere(ingresses(&client).await, ingress(), bad, resource, why).await;
}

async fn ingress_path_needs_a_type(client: Client) {
    let backend = json!({"service": {"name": "s", "port": {"number": 80}}});
    let paths = json!([{"path": "/", "pathType": "Foo", "backend": backend}]);
    let bad = json!({"spec": {"rules": [{"http": {"paths": paths}}]}});
    let why = "spec.rules[0].http.paths[0].pathType: Unsupported value: \"Foo\": supported values: \"Exact\", \
\"ImplementationSpecific\", \"Prefix\"";
    let resource = "Ingress.networking.k8s.io";
    refused_everywhere(ingresses(&client).await, ingress(), bad, resource, why).await;
}

async fn network_policy_with_an_unknown_type_is_refused(client: Client) {
    let objects = namespaced(
        &client,
        "/apis/networking.k8s.io/v1",
        "networkpolicies",
        "NetworkPolicy",
    )
    .await;
    let valid = json!({"spec": {"podSelector": {}}});
    let bad = json!({"spec": {"policyTypes": ["Foo"]}});
    let why = "spec.policyTypes[0]: Unsupported value: \"Foo\": supported values: \"Ingress\", \"Egress\"";
    let resource = "NetworkPolicy.networking.k8s.io";
    refused_everywhere(objects, valid, bad, resource, why).await;
}

async fn secret_data_is_base64(client: Client) {
    let secrets = secrets(&client).await;
    for (data, at) in [
        ("%%", 0),
        ("YQ=", 3),
        ("YQ", 0),
        ("YWJjZA", 4),
        ("YQ==x", 4),
    ] {
        let object = secrets.object("a", json!({"data": {"c": data}}));
        let message = format!(
            "Secret in version \"v1\" cannot be handled as a Secret: illegal base64 data at input byte {at}"
        );
        secrets
            .create(&object)
            .await
            .fails(400, "BadRequest", &message);
    }
    secrets.given("a", json!({"data": {"c": "YQ=="}})).await;
}

async fn config_map_binary_data_is_base64(client: Client) {
    let maps = configmaps(&client).await;
    let object = maps.object("a", json!({"binaryData": {"c": "-_-_"}}));
    maps.create(&object).await.fails(
        400,
        "BadRequest",
        "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: illegal base64 data at input byte 0",
    );
}

async fn config_map_of_more_than_a_mebibyte_is_refused(client: Client) {
    let maps = configmaps(&client).await;
    let fields = |size: usize| json!({"data": {"a": "x".repeat(size)}});
    maps.create(&maps.object("a", fields((1 << 20) + 1)))
        .await
        .fails(
            422,
            "Invalid",
            "ConfigMap \"a\" is invalid: []: Too long: may not be more than 1048576 bytes",
        );
    maps.given("a", fields(1 << 20)).await;
    let reply = maps.merge("a", json!({"data": {"b": "y"}})).await;
    reply.refused(422, "Invalid");
}

async fn secret_of_more_than_a_mebibyte_is_refused(client: Client) {
    let secrets = secrets(&client).await;
    let object = json!({"stringData": {"a": "x".repeat((1 << 20) + 1)}});
    secrets.create(&secrets.object("a", object)).await.fails(
        422,
        "Invalid",
        "Secret \"a\" is invalid: data: Too long: may not be more than 1048576 bytes",
    );
}

async fn patched_base64_is_checked(client: Client) {
    let secrets = secrets(&client).await;
    secrets.given("a", json!({"data": {"c": "YQ=="}})).await;
    let reply = secrets.merge("a", json!({"data": {"c": "%%"}})).await;
    assert!(reply.text.contains("illegal base64 data"), "{}", reply.text);
    assert!(reply.code >= 400, "{}", reply.text);
}
