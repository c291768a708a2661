//! Kinds that charts contain besides workloads; tokens and reviews.

use crate::harness::cases;
use crate::support::cleanup::delete_at_end;
use crate::support::collection::unique;
use crate::support::expect::eventually;
use crate::support::*;

cases![
    webhook_configurations_are_defaulted,
    mutating_webhooks_have_a_reinvocation_policy,
    admission_policies_are_stored,
    api_service_is_named_by_its_version,
    csi_driver_is_defaulted,
    csi_node_and_capacity_are_stored,
    volume_attachment_has_a_status,
    runtime_class_is_stored,
    certificate_request_must_be_one,
    autoscaler_is_served_in_both_versions,
    everything_is_allowed,
    access_review_is_about_something,
    unknown_token_is_not_authenticated,
    token_of_a_service_account_names_it,
    token_of_a_missing_service_account_is_not_found,
    token_must_live_ten_minutes,
    reviews_are_only_created,
    the_cluster_has_a_service_of_its_own,
    group_of_every_kind_is_discovered,
];

const ADMISSION: &str = "/apis/admissionregistration.k8s.io/v1";

fn webhook() -> Value {
    json!({
        "name": "a.example.com",
        "clientConfig": {"service": {"namespace": "default", "name": "x"}},
        "rules": [{"operations": ["CREATE"], "apiGroups": ["none.test"], "apiVersions": ["v1"], "resources": ["nothings"]}],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    })
}

/// Creates a cluster-scoped object with a unique name and reads it back.
async fn stored(client: &Client, api: &str, plural: &str, kind: &str, fields: Value) -> Value {
    let objects = Resource(api, plural, kind).everywhere(client);
    let name = format!("a{}", unique());
    let created = objects.given(&name, fields).await;
    delete_at_end(objects.at(&name));
    let read = objects.get(&name).await.is(200);
    assert_eq!(at(&read, "/metadata/uid"), at(&created, "/metadata/uid"));
    read
}

async fn webhook_configurations_are_defaulted(client: Client) {
    let fields = json!({"webhooks": [webhook()]});
    let (plural, kind) = (
        "validatingwebhookconfigurations",
        "ValidatingWebhookConfiguration",
    );
    let read = stored(&client, ADMISSION, plural, kind, fields).await;
    check!(read,
        "/webhooks/0/clientConfig/service/port": 443,
        "/webhooks/0/rules/0/scope": "*",
        "/webhooks/0/failurePolicy": "Fail",
        "/webhooks/0/matchPolicy": "Equivalent",
        "/webhooks/0/timeoutSeconds": 10,
        "/webhooks/0/namespaceSelector": {},
        "/metadata/generation": 1);
}

async fn mutating_webhooks_have_a_reinvocation_policy(client: Client) {
    let fields = json!({"webhooks": [webhook()]});
    let (plural, kind) = (
        "mutatingwebhookconfigurations",
        "MutatingWebhookConfiguration",
    );
    let read = stored(&client, ADMISSION, plural, kind, fields).await;
    check!(read, "/webhooks/0/reinvocationPolicy": "Never");
}

async fn admission_policies_are_stored(client: Client) {
    let rules = json!([{"operations": ["CREATE"], "apiGroups": ["none.test"], "apiVersions": ["v1"], "resources": ["nothings"]}]);
    let spec = json!({"matchConstraints": {"resourceRules": rules}, "validations": [{"expression": "true"}]});
    let (plural, kind) = ("validatingadmissionpolicies", "ValidatingAdmissionPolicy");
    let read = stored(&client, ADMISSION, plural, kind, json!({"spec": spec})).await;
    check!(read, "/spec/failurePolicy": "Fail", "/spec/matchConstraints/matchPolicy": "Equivalent");
    let spec = json!({"policyName": "none", "validationActions": ["Deny"]});
    let (plural, kind) = (
        "validatingadmissionpolicybindings",
        "ValidatingAdmissionPolicyBinding",
    );
    let read = stored(&client, ADMISSION, plural, kind, json!({"spec": spec})).await;
    check!(read, "/spec/policyName": "none");
}

async fn api_service_is_named_by_its_version(client: Client) {
    let api = "/apis/apiregistration.k8s.io/v1";
    let objects = Resource(api, "apiservices", "APIService").everywhere(&client);
    let group = format!("g{}.test", unique());
    let spec = json!({"group": group, "version": "v1", "groupPriorityMinimum": 100, "versionPriority": 100,
        "service": {"name": "a", "namespace": "b"}, "insecureSkipTLSVerify": true});
    objects.creation("x", json!({"spec": spec}))
        .await
        .invalid(&format!(
                "APIService.apiregistration.k8s.io \"x\" is invalid: metadata.name: Invalid value: \"x\": must be \
`spec.version+\".\"+spec.group`: \"v1.{group}\""
            ),
        );
    let name = format!("v1.{group}");
    let created = objects.given(&name, json!({"spec": spec})).await;
    delete_at_end(objects.at(&name));
    check!(created, "/spec/service/port": 443);
}

async fn csi_driver_is_defaulted(client: Client) {
    let api = "/apis/storage.k8s.io/v1";
    let read = stored(&client, api, "csidrivers", "CSIDriver", json!({"spec": {}})).await;
    check!(read,
        "/spec/attachRequired": true,
        "/spec/fsGroupPolicy": "ReadWriteOnceWithFSType",
        "/spec/volumeLifecycleModes": ["Persistent"]);
}

async fn csi_node_and_capacity_are_stored(client: Client) {
    let api = "/apis/storage.k8s.io/v1";
    let drivers = json!([{"name": "d.test", "nodeID": "n"}]);
    let fields = json!({"spec": {"drivers": drivers}});
    let read = stored(&client, api, "csinodes", "CSINode", fields).await;
    check!(read, "/spec/drivers/0/nodeID": "n");
    let capacities = Resource(api, "csistoragecapacities", "CSIStorageCapacity")
        .fresh(&client)
        .await;
    let created = capacities
        .given("a", json!({"storageClassName": "c"}))
        .await;
    check!(created, "/storageClassName": "c");
}

async fn volume_attachment_has_a_status(client: Client) {
    let api = "/apis/storage.k8s.io/v1";
    let spec =
        json!({"attacher": "a.test", "nodeName": "n", "source": {"persistentVolumeName": "p"}});
    let (plural, kind) = ("volumeattachments", "VolumeAttachment");
    let read = stored(&client, api, plural, kind, json!({"spec": spec})).await;
    check!(read, "/status/attached": false);
}

async fn runtime_class_is_stored(client: Client) {
    let api = "/apis/node.k8s.io/v1";
    let fields = json!({"handler": "h"});
    let read = stored(&client, api, "runtimeclasses", "RuntimeClass", fields).await;
    check!(read, "/handler": "h");
}

async fn certificate_request_must_be_one(client: Client) {
    let api = "/apis/certificates.k8s.io/v1";
    let (plural, kind) = ("certificatesigningrequests", "CertificateSigningRequest");
    let objects = Resource(api, plural, kind).everywhere(&client);
    let spec = json!({"request": "YQ==", "signerName": "a.test/b", "usages": ["any"]});
    objects.creation("a", json!({"spec": spec}))
        .await
        .invalid("CertificateSigningRequest.certificates.k8s.io \"a\" is invalid: spec.request: Invalid value: \"YQ==\": PEM block \
type must be CERTIFICATE REQUEST",
        );
}

async fn autoscaler_is_served_in_both_versions(client: Client) {
    let (plural, kind) = ("horizontalpodautoscalers", "HorizontalPodAutoscaler");
    let old = Resource("/apis/autoscaling/v1", plural, kind)
        .fresh(&client)
        .await;
    let target = json!({"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"});
    let spec =
        json!({"maxReplicas": 3, "targetCPUUtilizationPercentage": 50, "scaleTargetRef": target});
    let created = old.given("a", json!({"spec": spec})).await;
    check!(created, "/spec/minReplicas": 1, "/spec/targetCPUUtilizationPercentage": 50);
    let path = old.at("a").replace("/v1/", "/v2/");
    let read = get(&client, &path).await.is(200);
    check!(read, "/apiVersion": "autoscaling/v2");
    let metric = json!({"type": "Resource", "resource": {"name": "cpu",
        "target": {"type": "Utilization", "averageUtilization": 50}}});
    check!(read, "/spec/metrics": [metric]);
    check_absent(&read, "/spec/targetCPUUtilizationPercentage");
    old.merged("a", json!({"spec": {"targetCPUUtilizationPercentage": 60}}))
        .await;
    let read = get(&client, &path).await.is(200);
    check!(read, "/spec/metrics/0/resource/target/averageUtilization": 60);
}

async fn everything_is_allowed(client: Client) {
    let path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    let attributes = json!({"verb": "delete", "resource": "nodes"});
    let review = json!({"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": attributes}});
    let answer = post(&client, path, &review).await.is(201);
    check!(answer,
        "/kind": "SelfSubjectAccessReview",
        "/status/allowed": true,
        "/spec/resourceAttributes/verb": "delete");
}

async fn access_review_is_about_something(client: Client) {
    let path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    let review = json!({"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", "spec": {}});
    post(&client, path, &review).await.invalid_with(
        "exactly one of nonResourceAttributes or resourceAttributes must be specified",
    );
}

async fn review_token(client: &Client, token: &str) -> Value {
    let path = "/apis/authentication.k8s.io/v1/tokenreviews";
    let review = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": token}});
    post(client, path, &review).await.is(201)
}

async fn unknown_token_is_not_authenticated(client: Client) {
    let answer = review_token(&client, "abc").await;
    check_absent(&answer, "/status/authenticated");
    check!(answer, "/status/error": "invalid bearer token");
}

async fn token_of_a_service_account_names_it(client: Client) {
    let accounts = SERVICE_ACCOUNTS.fresh(&client).await;
    let created = accounts.given("a", json!({})).await;
    let request = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 600}});
    let answer = post(&client, &accounts.at("a/token"), &request)
        .await
        .is(201);
    check!(answer, "/kind": "TokenRequest", "/metadata/name": "a", "/spec/expirationSeconds": 600);
    assert_eq!(at(&answer, "/metadata/uid"), at(&created, "/metadata/uid"));
    let token = at(&answer, "/status/token").as_str().unwrap_or_default();
    assert_eq!(token.split('.').count(), 3, "{token}");
    let namespace = accounts.namespace.clone().unwrap_or_default();
    let reviewed = eventually("the token is taken", || async {
        let review = review_token(&client, token).await;
        (at(&review, "/status/authenticated") == true).then_some(review)
    })
    .await;
    let user = format!("system:serviceaccount:{namespace}:a");
    check!(reviewed,
        "/status/user/username": user,
        "/status/user/groups/0": "system:serviceaccounts");
}

async fn token_of_a_missing_service_account_is_not_found(client: Client) {
    let accounts = SERVICE_ACCOUNTS.fresh(&client).await;
    let request = json!({"spec": {}});
    post(&client, &accounts.at("a/token"), &request)
        .await
        .not_found("serviceaccounts \"a\" not found");
}

async fn token_must_live_ten_minutes(client: Client) {
    let accounts = SERVICE_ACCOUNTS.fresh(&client).await;
    accounts.given("a", json!({})).await;
    let request = json!({"spec": {"expirationSeconds": 10}});
    post(&client, &accounts.at("a/token"), &request)
        .await
        .invalid_with("spec.expirationSeconds: Invalid value: 10: may not specify a duration less than 10 minutes");
}

async fn reviews_are_only_created(client: Client) {
    let reply = get(&client, "/apis/authentication.k8s.io/v1/tokenreviews").await;
    reply.refused(405, "MethodNotAllowed");
}

async fn the_cluster_has_a_service_of_its_own(client: Client) {
    let path = "/api/v1/namespaces/default/services/kubernetes";
    let service = get(&client, path).await.is(200);
    check!(service, "/metadata/labels/provider": "kubernetes", "/spec/ports/0/port": 443);
}

async fn group_of_every_kind_is_discovered(client: Client) {
    let groups = get(&client, "/apis").await.is(200);
    let groups = at(&groups, "/groups")
        .as_array()
        .cloned()
        .unwrap_or_default();
    for name in [
        "admissionregistration.k8s.io",
        "apiregistration.k8s.io",
        "authentication.k8s.io",
        "authorization.k8s.io",
        "certificates.k8s.io",
        "node.k8s.io",
    ] {
        assert!(groups.iter().any(|g| g["name"] == name), "{name}");
    }
    let autoscaling = groups.iter().find(|g| g["name"] == "autoscaling");
    let versions = autoscaling.map(|g| g["versions"].clone());
    let versions = versions.unwrap_or_default();
    check!(versions, "/0/version": "v2", "/1/version": "v1");
}
