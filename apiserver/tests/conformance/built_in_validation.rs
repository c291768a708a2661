//! Every kind of write rejects invalid built-in objects with the same message.

use crate::harness::cases;
use crate::support::wire::Reply;
use crate::support::*;

cases![
    deployment_without_containers_is_refused: refused_as_a_whole(
        DEPLOYMENTS, workload(), json!({"spec": {"template": {"spec": {"containers": []}}}}),
        "spec.template.spec.containers: Required value"),
    deployment_with_a_bad_surge_is_refused: refused_everywhere(
        DEPLOYMENTS, workload(), json!({"spec": {"strategy": {"rollingUpdate": {"maxSurge": "x"}}}}),
        &format!("spec.strategy.rollingUpdate.maxSurge: Invalid value: \"x\": {PERCENT}")),
    deployment_with_too_much_unavailable_is_refused: refused_everywhere(
        DEPLOYMENTS, workload(), json!({"spec": {"strategy": {"rollingUpdate": {"maxUnavailable": "101%"}}}}),
        "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: \"101%\": must not be greater than 100%"),
    deployment_with_an_empty_selector_is_refused: create_fails(
        DEPLOYMENTS, json!({"spec": {"selector": {}, "template": template()}}), 422, "Invalid",
        "Deployment.apps \"a\" is invalid: spec.selector: Invalid value: {}: empty selector is invalid for deployment"),
    deployment_with_an_unknown_strategy_is_refused,
    deployment_with_a_deadline_before_readiness_is_refused: refused_everywhere(
        DEPLOYMENTS, workload(), json!({"spec": {"minReadySeconds": 10, "progressDeadlineSeconds": 5}}),
        "spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds"),
    deployment_of_pods_that_end_is_refused: refused_everywhere(
        DEPLOYMENTS, workload(), json!({"spec": {"template": {"spec": {"restartPolicy": "Never"}}}}),
        "spec.template.spec.restartPolicy: Unsupported value: \"Never\": supported values: \"Always\""),
    container_without_an_image_is_refused: refused_as_a_whole(
        DEPLOYMENTS, workload(), json!({"spec": {"template": {"spec": {"containers": [{"name": "c"}]}}}}),
        "spec.template.spec.containers[0].image: Required value"),
    container_port_is_a_port: refused_everywhere(
        DEPLOYMENTS, workload(),
        json!({"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "i",
            "ports": [{"containerPort": 70000}]}]}}}}),
        "spec.template.spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive"),
    mounted_volume_must_exist: refused_everywhere(
        DEPLOYMENTS, workload(),
        json!({"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "i",
            "volumeMounts": [{"name": "v", "mountPath": "/v"}]}]}}}}),
        "spec.template.spec.containers[0].volumeMounts[0].name: Not found: \"v\""),
    stateful_set_with_an_unknown_policy_is_refused,
    daemon_set_that_cannot_move_is_refused: refused_everywhere(
        DAEMON_SETS, workload(),
        json!({"spec": {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 0}}}}),
        "spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0"),
    ingress_class_is_a_subdomain: refused_everywhere(
        INGRESSES, ingress(), json!({"spec": {"ingressClassName": "A_"}}),
        &format!("spec.ingressClassName: Invalid value: \"A_\": {SUBDOMAIN}")),
    tls_host_is_a_subdomain: refused_everywhere(
        INGRESSES, ingress(), json!({"spec": {"tls": [{"hosts": ["*.a.b", "a b"]}]}}),
        &format!("spec.tls[0].hosts[1]: Invalid value: \"a b\": {SUBDOMAIN}")),
    budget_is_a_number_or_a_percentage: refused_everywhere(
        BUDGETS, json!({"spec": {"minAvailable": 1}}), json!({"spec": {"minAvailable": "é☃"}}),
        &format!("spec.minAvailable: Invalid value: \"é☃\": {PERCENT}")),
    budget_says_one_thing,
    cron_job_without_an_image_is_refused: refused_as_a_whole(
        CRON_JOBS, cron_job(),
        json!({"spec": {"jobTemplate": {"spec": {"template": {"spec": {"containers": [{"name": "c"}]}}}}}}),
        "spec.jobTemplate.spec.template.spec.containers[0].image: Required value"),
    cron_job_with_an_unknown_policy_is_refused: refused_everywhere(
        CRON_JOBS, cron_job(), json!({"spec": {"concurrencyPolicy": "x"}}),
        "spec.concurrencyPolicy: Unsupported value: \"x\": supported values: \"Allow\", \"Forbid\", \"Replace\""),
    autoscaler_without_a_target_name_is_refused: refused_everywhere(
        Resource("/apis/autoscaling/v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler"),
        json!({"spec": {"maxReplicas": 3, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment",
            "name": "d"}}}),
        json!({"spec": {"scaleTargetRef": {"name": ""}}}), "spec.scaleTargetRef.name: Required value"),
    ingress_backend_needs_a_name: refused_everywhere(
        INGRESSES, ingress(), json!({"spec": {"defaultBackend": {"service": {"name": ""}}}}),
        "spec.defaultBackend.service.name: Required value"),
    ingress_path_needs_a_type: refused_everywhere(
        INGRESSES, ingress(),
        json!({"spec": {"rules": [{"http": {"paths": [{"path": "/", "pathType": "Foo",
            "backend": {"service": {"name": "s", "port": {"number": 80}}}}]}}]}}),
        "spec.rules[0].http.paths[0].pathType: Unsupported value: \"Foo\": supported values: \"Exact\", \
\"ImplementationSpecific\", \"Prefix\""),
    network_policy_with_an_unknown_type_is_refused: refused_everywhere(
        Resource("/apis/networking.k8s.io/v1", "networkpolicies", "NetworkPolicy"),
        json!({"spec": {"podSelector": {}}}), json!({"spec": {"policyTypes": ["Foo"]}}),
        "spec.policyTypes[0]: Unsupported value: \"Foo\": supported values: \"Ingress\", \"Egress\""),
    secret_data_is_base64,
    config_map_binary_data_is_base64: create_fails(
        CONFIG_MAPS, json!({"binaryData": {"c": "-_-_"}}), 400, "BadRequest",
        "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: illegal base64 data at input byte 0"),
    config_map_of_more_than_a_mebibyte_is_refused,
    secret_of_more_than_a_mebibyte_is_refused: create_fails(
        SECRETS, json!({"stringData": {"a": "x".repeat((1 << 20) + 1)}}), 422, "Invalid",
        "Secret \"a\" is invalid: data: Too long: may not be more than 1048576 bytes"),
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

/// Expects a merge patch to make a valid object invalid, in a create, an update, a patch and an
/// apply.
async fn refused_everywhere(
    client: Client,
    resource: Resource<'_>,
    valid: Value,
    bad: Value,
    why: &str,
) {
    let (objects, invalid) = refused_as_a_whole(client, resource, valid, bad, why).await;
    let reply = objects.apply_forced("a", "m", invalid).await;
    reply.invalid(&message(resource, why));
}

fn message(resource: Resource<'_>, why: &str) -> String {
    format!("{} \"a\" is invalid: {why}", resource.qualified_kind())
}

/// Like [`refused_everywhere`], except for apply, which cannot remove fields that others own.
async fn refused_as_a_whole(
    client: Client,
    resource: Resource<'_>,
    valid: Value,
    bad: Value,
    why: &str,
) -> (Collection, Value) {
    let objects = resource.fresh(&client).await;
    let mut invalid = valid.clone();
    merge(&mut invalid, &bad);
    let message = message(resource, why);
    let refused = |reply: Reply| {
        reply.invalid(&message);
    };
    refused(objects.creation("a", invalid.clone()).await);
    refused(objects.apply("a", "m", invalid.clone()).await);
    let created = objects.given("a", valid).await;
    let mut update = objects.object("a", invalid.clone());
    update["metadata"]["resourceVersion"] = json!(resource_version(&created));
    refused(objects.put("a", &update).await);
    refused(objects.merge("a", bad).await);
    (objects, invalid)
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

async fn deployment_with_an_unknown_strategy_is_refused(client: Client) {
    let objects = DEPLOYMENTS.fresh(&client).await;
    let mut object = workload();
    object["spec"]["strategy"] = json!({"type": "Foo"});
    // The encoder chooses the order of the value's fields.
    let reply = objects.creation("a", object).await;
    reply.invalid_with("spec.strategy: Unsupported value");
    reply.invalid_with("supported values: \"Recreate\", \"RollingUpdate\"");
}

async fn stateful_set_with_an_unknown_policy_is_refused(client: Client) {
    let objects = STATEFUL_SETS.fresh(&client).await;
    let mut object = workload();
    object["spec"]["podManagementPolicy"] = json!("x");
    objects.creation("a", object).await.invalid("StatefulSet.apps \"a\" is invalid: spec.podManagementPolicy: Invalid value: \"x\": must be 'OrderedReady' or 'Parallel'");
}

const BUDGETS: Resource<'_> = Resource(
    "/apis/policy/v1",
    "poddisruptionbudgets",
    "PodDisruptionBudget",
);

async fn budget_says_one_thing(client: Client) {
    let valid = json!({"spec": {"minAvailable": 1}});
    let bad = json!({"spec": {"maxUnavailable": 1}});
    let why = "spec: Invalid value: {\"MinAvailable\":1,\"Selector\":null,\"MaxUnavailable\":1,\"UnhealthyPodEvictionPolicy\":null}: \
minAvailable and maxUnavailable cannot be both set";
    let objects = BUDGETS.fresh(&client).await;
    let mut invalid = valid.clone();
    merge(&mut invalid, &bad);
    let reply = objects.creation("a", invalid).await;
    // The encoder chooses the order of the value's fields.
    reply.invalid_with("minAvailable and maxUnavailable cannot be both set");
    objects.given("a", valid).await;
    let reply = objects.merge("a", bad).await;
    reply.invalid_with(why.rsplit(": ").next().unwrap_or_default());
}

fn cron_job() -> Value {
    let pod = json!({"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]});
    json!({"spec": {"schedule": "* * * * *", "jobTemplate": {"spec": {"template": {"spec": pod}}}}})
}

const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

const INGRESSES: Resource<'_> = Resource("/apis/networking.k8s.io/v1", "ingresses", "Ingress");

fn ingress() -> Value {
    json!({"spec": {"defaultBackend": {"service": {"name": "s", "port": {"number": 80}}}}})
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
        secrets.create(&object).await.bad_request(&message);
    }
    secrets.given("a", json!({"data": {"c": "YQ=="}})).await;
}

async fn config_map_of_more_than_a_mebibyte_is_refused(client: Client) {
    let maps = configmaps(&client).await;
    let fields = |size: usize| json!({"data": {"a": "x".repeat(size)}});
    maps.creation("a", fields((1 << 20) + 1))
        .await
        .invalid("ConfigMap \"a\" is invalid: []: Too long: may not be more than 1048576 bytes");
    maps.given("a", fields(1 << 20)).await;
    let reply = maps.merge("a", json!({"data": {"b": "y"}})).await;
    reply.refused(422, "Invalid");
}

async fn patched_base64_is_checked(client: Client) {
    let secrets = secrets(&client).await;
    secrets.given("a", json!({"data": {"c": "YQ=="}})).await;
    let reply = secrets.merge("a", json!({"data": {"c": "%%"}})).await;
    assert!(reply.text.contains("illegal base64 data"), "{}", reply.text);
    assert!(reply.code >= 400, "{}", reply.text);
}
