//! Requests that built-in kinds reject, and kinds that an update creates or overwrites.

use crate::harness::cases;
use crate::support::*;

cases![
    update_creates_a_lease,
    update_creates_a_role,
    update_of_a_lease_needs_a_resource_version,
    update_of_a_role_needs_none,
    lease_duration_must_be_positive: create_invalid_with(
        LEASES, json!({"spec": {"leaseDurationSeconds": 0}}),
        "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0"),
    rule_needs_verbs: create_invalid_with(
        ROLES, json!({"rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": []}]}),
        "rules[0].verbs: Required value: verbs must contain at least one value"),
    schedule_must_parse: create_invalid_with(
        CRON_JOBS,
        json!({"spec": {"schedule": "sometimes", "jobTemplate": {"spec": {"template": {"spec": {"restartPolicy": "Never", "containers": container()}}}}}}),
        "spec.schedule: Invalid value: \"sometimes\": "),
    service_needs_ports: create_invalid_with(
        SERVICES, json!({"spec": {"selector": {"app": "a"}}}), "spec.ports: Required value"),
    deployment_needs_a_selector: create_invalid_with(
        DEPLOYMENTS, json!({"spec": {"template": pod(container())}}), "spec.selector: Required value"),
    replicas_must_not_be_negative: create_invalid_with(
        DEPLOYMENTS,
        json!({"spec": {"replicas": -1, "selector": {"matchLabels": {"app": "a"}}, "template": pod(container())}}),
        "spec.replicas: Invalid value: -1: must be greater than or equal to 0"),
    ordinals_must_not_be_negative: create_invalid_with(
        STATEFUL_SETS,
        json!({"spec": {"ordinals": {"start": -1}, "selector": {"matchLabels": {"app": "a"}}, "template": pod(container())}}),
        "spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0"),
    container_needs_a_name: create_invalid_with(
        PODS, json!({"spec": {"containers": [{"image": "i"}]}}), "spec.containers[0].name: Required value"),
    container_names_are_unique: create_invalid_with(
        PODS,
        json!({"spec": {"containers": [{"name": "c", "image": "i"}, {"name": "c", "image": "j"}]}}),
        "spec.containers[1].name: Duplicate value: \"c\""),
    container_port_names_are_unique: create_invalid_with(
        PODS, with_container(json!({"ports": [{"containerPort": 1, "name": "a"}, {"containerPort": 2, "name": "a"}]})),
        "spec.containers[0].ports[1].name: Duplicate value: \"a\""),
    container_ports_are_named_and_numbered: create_invalid_with(
        PODS, with_container(json!({"ports": [{"containerPort": 1, "name": "80", "protocol": "X", "hostPort": 70000}]})),
        "[spec.containers[0].ports[0].name: Invalid value: \"80\": must contain at least one letter (a-z), \
spec.containers[0].ports[0].hostPort: Invalid value: 70000: must be between 1 and 65535, inclusive, \
spec.containers[0].ports[0].protocol: Unsupported value: \"X\": supported values: \"SCTP\", \"TCP\", \"UDP\"]"),
    probes_have_ports: create_invalid_with(
        PODS, with_container(json!({"readinessProbe": {"httpGet": {"port": 0}}, "livenessProbe": {"tcpSocket": {"port": "no_name"}, "periodSeconds": -1}})),
        "[spec.containers[0].livenessProbe.tcpSocket.port: Invalid value: \"no_name\": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-), \
spec.containers[0].livenessProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0, \
spec.containers[0].readinessProbe.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive]"),
    network_policy_ports_are_ranges: create_invalid_with(
        NETWORK_POLICIES, json!({"spec": {"podSelector": {}, "ingress": [{"ports": [{"port": 0}, {"port": 9, "endPort": 8}, {"endPort": 8}]}]}}),
        "[spec.ingress[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive, \
spec.ingress[0].ports[1].endPort: Invalid value: 9: must be greater than or equal to `port`, \
spec.ingress[0].ports[2].endPort: Invalid value: 8: may not be specified when `port` is not specified]"),
    network_policy_peers_are_given: create_invalid_with(
        NETWORK_POLICIES, json!({"spec": {"podSelector": {}, "egress": [{"to": [{}, {"ipBlock": {"cidr": "10.0.0.0/8"}, "podSelector": {}}]}]}}),
        "[spec.egress[0].to[0]: Required value: must specify a peer, \
spec.egress[0].to[1]: Forbidden: may not specify both ipBlock and another peer]"),
    network_policy_blocks_are_ranges: create_invalid_with(
        NETWORK_POLICIES,
        json!({"spec": {"podSelector": {}, "ingress": [{"from": [{"ipBlock": {"cidr": "text"}}, {"ipBlock": {"cidr": "10.0.0.0/8", "except": ["11.0.0.0/16"]}}]}]}}),
        "[spec.ingress[0].from[0].ipBlock.cidr: Invalid value: \"text\": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64), \
spec.ingress[0].from[1].ipBlock.except[0]: Invalid value: \"11.0.0.0/16\": must be a strict subset of `cidr`]"),
    metrics_have_a_known_type: create_invalid_with(
        AUTOSCALERS, with_metric(json!({"type": "X"})),
        "spec.metrics[0].type: Unsupported value: \"X\": supported values: \"ContainerResource\", \"External\", \"Object\", \"Pods\", \"Resource\""),
    metrics_have_the_source_of_their_type: create_invalid_with(
        AUTOSCALERS, with_metric(json!({"type": "Pods"})),
        "spec.metrics[0].pods: Required value: must populate information for the given metric source"),
    autoscalers_have_policies: create_invalid_with(
        AUTOSCALERS, with_behavior(json!({"scaleDown": {"stabilizationWindowSeconds": 3601, "selectPolicy": "X", "policies": [{"type": "X", "value": 0, "periodSeconds": 1801}]}})),
        "[spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600, \
spec.behavior.scaleDown.selectPolicy: Unsupported value: \"X\": supported values: \"Disabled\", \"Max\", \"Min\", \
spec.behavior.scaleDown.policies[0].type: Unsupported value: \"X\": supported values: \"Percent\", \"Pods\", \
spec.behavior.scaleDown.policies[0].value: Invalid value: 0: must be greater than zero, \
spec.behavior.scaleDown.policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800]"),
    time_zones_are_known: create_invalid_with(
        CRON_JOBS, with_time_zone("Nowhere"), "spec.timeZone: Invalid value: \"Nowhere\": unknown time zone Nowhere"),
    time_zones_are_not_local: create_invalid_with(
        CRON_JOBS, with_time_zone("Local"), "spec.timeZone: Invalid value: \"Local\": timeZone must be an explicit time zone"),
    pods_select_nodes_by_labels: create_invalid_with(
        PODS, json!({"spec": {"containers": container(), "nodeSelector": {"a b": "c"}}}),
        "spec.nodeSelector: Invalid value: \"a b\": name part must consist of alphanumeric characters"),
    tolerations_are_complete: create_invalid_with(
        PODS,
        json!({"spec": {"containers": container(), "tolerations": [{"operator": "X"}, {"key": "a b", "operator": "Exists", "value": "v"},
            {"key": "k", "effect": "Never", "tolerationSeconds": 1}]}}),
        "spec.tolerations[0].operator: Invalid value: \"X\": operator must be Exists when `key` is empty, which means \"match all values and all keys\", \
spec.tolerations[0].operator: Unsupported value: \"X\": supported values: \"Equal\", \"Exists\", \
spec.tolerations[1].key: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'), \
spec.tolerations[1].operator: Invalid value: \"v\": value must be empty when `operator` is 'Exists', \
spec.tolerations[2].effect: Invalid value: \"Never\": effect must be 'NoExecute' when `tolerationSeconds` is set, \
spec.tolerations[2].effect: Unsupported value: \"Never\": supported values: \"NoSchedule\", \"PreferNoSchedule\", \"NoExecute\""),
    event_must_be_in_its_objects_namespace: create_invalid_with(
        CORE_EVENTS, json!({"involvedObject": {"kind": "Pod", "name": "p", "namespace": "elsewhere"}}),
        "involvedObject.namespace: Invalid value: \"elsewhere\": does not match event.namespace"),
    event_names_its_reporter_and_action: create_invalid_with(
        CORE_EVENTS,
        json!({"eventTime": "2026-01-02T03:04:05.000006Z", "involvedObject": {"kind": "Pod", "name": "p", "namespace": "elsewhere"},
            "reportingComponent": "my controller", "reason": "r".repeat(129), "message": "m".repeat(1025)}),
        "[reportingComponent: Invalid value: \"my controller\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'), \
reportingInstance: Required value, action: Required value, reason: Invalid value: \"\": can have at most 128 characters, \
message: Invalid value: \"\": can have at most 1024 characters]"),
    event_of_the_events_group_is_complete: create_invalid_with(
        EVENTS,
        json!({"eventTime": null, "regarding": {"kind": "Node", "name": "n"}, "type": "Odd", "deprecatedCount": 1,
            "deprecatedSource": {"component": "c"}, "series": {"count": 1, "lastObservedTime": null}}),
        "[involvedObject.namespace: Invalid value: \"\": does not match event.namespace, series.count: Invalid value: \"\": should be at least 2, \
series.lastObservedTime: Required value, eventTime: Required value, type: Invalid value: \"\": has invalid value: Odd, \
count: Invalid value: \"\": needs to be unset, source: Invalid value: \"\": needs to be unset]"),
    owner_reference_needs_a_uid: create_invalid_with(
        CONFIG_MAPS, json!({"metadata": {"ownerReferences": [owner("o", "", false)]}}),
        "metadata.ownerReferences.uid: Invalid value: \"\": must not be empty"),
    owner_references_have_one_controller: create_invalid_with(
        CONFIG_MAPS,
        json!({"metadata": {"ownerReferences": [owner("o", "u1", true), owner("p", "u2", true)]}}),
        "Only one reference can have Controller set to true. Found \"true\" in references for ConfigMap/o and ConfigMap/p"),
    system_namespaces_cannot_be_deleted,
    unscheduled_pod_is_gone_at_once,
    grace_period_can_be_shortened,
    label_keys_are_validated: create_invalid_with(
        CONFIG_MAPS, json!({"metadata": {"labels": {"not valid": "v"}}}),
        "metadata.labels: Invalid value: \"not valid\": name part must consist of alphanumeric characters"),
    names_have_a_longest_length,
    service_names_are_dns_labels,
    job_template_is_immutable,
    stateful_set_changes_are_limited,
    update_without_managed_fields_keeps_them,
    status_update_has_its_own_entry,
];

async fn update_creates_a_lease(client: Client) {
    let leases = LEASES.fresh(&client).await;
    let object = leases.object("a", json!({"spec": {"holderIdentity": "me"}}));
    let created = leases.put("a", &object).await.is(201);
    check!(created, "/spec/holderIdentity": "me");
    leases.get("a").await.is(200);
}

async fn update_creates_a_role(client: Client) {
    let roles = ROLES.fresh(&client).await;
    roles
        .put("a", &roles.object("a", json!({"rules": []})))
        .await
        .is(201);
    roles.get("a").await.is(200);
}

async fn update_of_a_lease_needs_a_resource_version(client: Client) {
    let leases = LEASES.fresh(&client).await;
    leases
        .given("a", json!({"spec": {"holderIdentity": "me"}}))
        .await;
    let reply = leases
        .put(
            "a",
            &leases.object("a", json!({"spec": {"holderIdentity": "you"}})),
        )
        .await;
    reply.invalid("leases.coordination.k8s.io \"a\" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update");
}

async fn update_of_a_role_needs_none(client: Client) {
    let roles = ROLES.fresh(&client).await;
    let rules = json!([{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]);
    roles.given("a", json!({"rules": []})).await;
    check!(roles.replaced("a", &roles.object("a", json!({"rules": rules}))).await, "/rules": rules);
}

fn pod(containers: Value) -> Value {
    json!({"metadata": {"labels": {"app": "a"}}, "spec": {"restartPolicy": "Always", "containers": containers}})
}

fn container() -> Value {
    json!([{"name": "c", "image": "i"}])
}

/// A pod whose container has these fields.
fn with_container(mut fields: Value) -> Value {
    fields["name"] = json!("c");
    fields["image"] = json!("i");
    json!({"spec": {"containers": [fields]}})
}

/// An autoscaler with this metric.
fn with_metric(metric: Value) -> Value {
    let target = json!({"apiVersion": "apps/v1", "kind": "Deployment", "name": "a"});
    json!({"spec": {"maxReplicas": 3, "scaleTargetRef": target, "metrics": [metric]}})
}

fn with_behavior(behavior: Value) -> Value {
    let target = json!({"apiVersion": "apps/v1", "kind": "Deployment", "name": "a"});
    json!({"spec": {"maxReplicas": 3, "scaleTargetRef": target, "behavior": behavior}})
}

fn with_time_zone(name: &str) -> Value {
    let pod = json!({"restartPolicy": "Never", "containers": container()});
    json!({"spec": {"schedule": "@daily", "timeZone": name, "jobTemplate": {"spec": {"template": {"spec": pod}}}}})
}

fn owner(name: &str, uid: &str, controller: bool) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "name": name, "uid": uid, "controller": controller})
}

async fn system_namespaces_cannot_be_deleted(client: Client) {
    for name in ["default", "kube-system", "kube-public"] {
        let reply = delete(&client, &format!("/api/v1/namespaces/{name}?dryRun=All")).await;
        reply.fails(
            403,
            "Forbidden",
            &format!("namespaces \"{name}\" is forbidden: this namespace may not be deleted"),
        );
    }
}

async fn unscheduled_pod_is_gone_at_once(client: Client) {
    let pods = PODS.fresh(&client).await;
    pods.given("a", json!({"spec": {"containers": container()}}))
        .await;
    pods.delete("a").await.is(200);
    pods.get("a").await.refused(404, "NotFound");
}

async fn grace_period_can_be_shortened(client: Client) {
    let pods = PODS.fresh(&client).await;
    pods.given(
        "a",
        json!({"spec": {"nodeName": "nowhere", "containers": container()}}),
    )
    .await;
    check!(pods.delete("a").await.is(200), "/metadata/deletionGracePeriodSeconds": 30);
    let shorter = pods
        .deleted_with("a", &json!({"gracePeriodSeconds": 5}))
        .await;
    check!(shorter, "/metadata/deletionGracePeriodSeconds": 5);
    pods.deleted_with("a", &json!({"gracePeriodSeconds": 0}))
        .await;
    pods.get("a").await.refused(404, "NotFound");
}

async fn names_have_a_longest_length(client: Client) {
    let maps = configmaps(&client).await;
    maps.creation(&"x".repeat(253), json!({})).await.is(201);
    let reply = maps.creation(&"x".repeat(254), json!({})).await;
    reply.invalid_with("must be no more than 253 characters");
}

async fn service_names_are_dns_labels(client: Client) {
    let services = SERVICES.fresh(&client).await;
    let reply = services
        .creation("a.b", json!({"spec": {"ports": [{"port": 80}]}}))
        .await;
    reply.invalid_with("metadata.name: Invalid value: \"a.b\": must not contain dots");
}

async fn job_template_is_immutable(client: Client) {
    let jobs = JOBS.fresh(&client).await;
    let template = json!({"spec": {"restartPolicy": "Never", "containers": container()}});
    jobs.given("a", json!({"spec": {"template": template}}))
        .await;
    let body =
        json!({"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "other"}]}}}});
    jobs.merge("a", body)
        .await
        .invalid_with("spec.template: Invalid value: ");
}

async fn stateful_set_changes_are_limited(client: Client) {
    let sets = STATEFUL_SETS.fresh(&client).await;
    let spec = json!({"serviceName": "s", "replicas": 0, "selector": {"matchLabels": {"app": "a"}}, "template": pod(container())});
    sets.given("a", json!({"spec": spec})).await;
    sets.merged("a", json!({"spec": {"replicas": 1}})).await;
    sets.merge("a", json!({"spec": {"serviceName": "t"}}))
        .await
        .invalid_with(
            "spec: Forbidden: updates to statefulset spec for fields other than 'replicas'",
        );
}

async fn update_without_managed_fields_keeps_them(client: Client) {
    let maps = configmaps(&client).await;
    let mut object = maps.given_by("a", "me", json!({"data": {"k": "v"}})).await;
    let before = object["metadata"]["managedFields"].take();
    object["metadata"]
        .as_object_mut()
        .expect("metadata")
        .remove("managedFields");
    object["metadata"]["annotations"] = json!({"x": "1"});
    let updated = maps.replaced("a?fieldManager=you", &object).await;
    let entries = at(&updated, "/metadata/managedFields")
        .as_array()
        .cloned()
        .unwrap_or_default();
    assert_eq!(entries.len(), 2);
    assert!(entries.contains(&before[0]), "{entries:?}");
}

async fn status_update_has_its_own_entry(client: Client) {
    let things = things_with(
        &client,
        json!({"n": {"type": "integer"}}),
        json!({"status": {}}),
    )
    .await;
    things
        .created_with(
            "fieldManager=me",
            &things.object("a", json!({"spec": {"n": 1}})),
        )
        .await;
    let updated = things
        .merged(
            "a/status?fieldManager=me",
            json!({"status": {"ready": true}}),
        )
        .await;
    let entries = at(&updated, "/metadata/managedFields")
        .as_array()
        .cloned()
        .unwrap_or_default();
    let of = |subresource: Value| {
        entries
            .iter()
            .find(|entry| entry.get("subresource").cloned().unwrap_or_default() == subresource)
    };
    check!(of(Value::Null).expect("an entry of the object"),
        "/fieldsV1": {"f:spec": {".": {}, "f:n": {}}});
    check!(of(json!("status")).expect("an entry of the status"),
        "/fieldsV1": {"f:status": {".": {}, "f:ready": {}}});
}
