//! Jobs: what their completion mode and selector require, and what an update can change.

use crate::harness::cases;
use crate::support::*;

cases![
    deletion_of_a_job_orphans_by_default,
    completion_mode_is_known: create_invalid_with(
        JOBS, job(json!({"completionMode": "Some"})),
        "spec.completionMode: Unsupported value: \"Some\": supported values: \"NonIndexed\", \"Indexed\""),
    indexed_job_needs_completions: create_invalid_with(
        JOBS, job(json!({"completionMode": "Indexed", "parallelism": 2})),
        "spec.completions: Required value: when completion mode is Indexed"),
    limit_per_index_needs_indexes: create_invalid_with(
        JOBS, job(json!({"backoffLimitPerIndex": 1})),
        "spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode"),
    failed_indexes_are_at_most_the_completions: create_invalid_with(
        JOBS, job(json!({"completionMode": "Indexed", "completions": 2, "maxFailedIndexes": 3, "backoffLimitPerIndex": 1})),
        "spec.maxFailedIndexes: Invalid value: 3: must be less than or equal to completions"),
    replacement_policy_is_known: create_invalid_with(
        JOBS, job(json!({"podReplacementPolicy": "Never"})),
        "spec.podReplacementPolicy: Unsupported value: \"Never\": supported values: \"Failed\", \"TerminatingOrFailed\""),
    pods_that_always_restart_are_refused: create_invalid_with(
        JOBS, json!({"spec": {"template": {"spec": {"restartPolicy": "Always", "containers": containers("i")}}}}),
        "spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", \"Never\""),
    failure_policy_needs_pods_that_never_restart: create_invalid_with(
        JOBS,
        json!({"spec": {"podFailurePolicy": {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]},
            "template": {"spec": {"restartPolicy": "OnFailure", "containers": containers("i")}}}}),
        "spec.template.spec.restartPolicy: Invalid value: \"OnFailure\": only \"Never\" is supported when podFailurePolicy is specified"),
    manual_selector_is_required: create_invalid_with(
        JOBS, job(json!({"manualSelector": true})), "spec.selector: Required value"),
    manual_selector_matches_the_template: create_invalid_with(
        JOBS, job(json!({"manualSelector": true, "selector": {"matchLabels": {"a": "b"}}})),
        "`selector` does not match template `labels`"),
    selector_of_the_client_conflicts_with_the_generated_one: create_invalid_with(
        JOBS, job(json!({"selector": {"matchLabels": {"a": "b"}}})), "`selector` not auto-generated"),
    labels_of_the_template_conflict_with_the_generated_ones,
    cron_job_has_no_selector: create_invalid_with(
        CRON_JOBS,
        json!({"spec": {"schedule": "* * * * *", "jobTemplate": job(json!({"selector": {"matchLabels": {"a": "b"}}}))}}),
        "`selector` will be auto-generated"),
    completions_of_a_job_are_immutable: update_invalid_with(
        json!({"completions": 2}), json!({"completions": 3}),
        "spec.completions: Invalid value: 3: field is immutable"),
    completion_mode_is_immutable: update_invalid_with(
        json!({"completions": 2, "parallelism": 2}), json!({"completionMode": "Indexed"}),
        "spec.completionMode: Invalid value: \"Indexed\": field is immutable"),
    selector_is_immutable: update_invalid_with(
        json!({}), json!({"selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": null}}}),
        "spec.selector: Invalid value: {}: field is immutable"),
    manager_of_a_job_is_immutable: update_invalid_with(
        json!({}), json!({"managedBy": "example.test/me"}),
        "spec.managedBy: Invalid value: \"example.test/me\": field is immutable"),
    indexed_job_grows_with_its_parallelism,
    suspended_job_can_be_scheduled_elsewhere,
    suspended_job_keeps_its_image: update_invalid_with(
        json!({"suspend": true}), json!({"template": {"spec": {"containers": containers("other")}}}),
        "spec.template.spec: Invalid value: "),
    job_that_runs_keeps_its_node_selector: update_invalid_with(
        json!({"suspend": false}), json!({"template": {"spec": {"nodeSelector": {"a": "b"}}}}),
        "spec.template: Invalid value: "),
    suspended_job_with_active_pods_keeps_its_node_selector,
    deployment_selects_its_pods_by_expressions: create_invalid_with(
        DEPLOYMENTS,
        json!({"spec": {"selector": {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]},
            "template": {"metadata": {"labels": {"a": "c"}}, "spec": {"containers": containers("i")}}}}),
        "`selector` does not match template `labels`"),
];

fn containers(image: &str) -> Value {
    json!([{"name": "c", "image": image}])
}

/// A job with these fields in its spec.
fn job(mut spec: Value) -> Value {
    spec["template"]["spec"] = json!({"restartPolicy": "Never", "containers": containers("i")});
    json!({"spec": spec})
}

/// Expects a merge into the spec of a job to fail as invalid, with this part of the message.
async fn update_invalid_with(client: Client, spec: Value, change: Value, part: &str) {
    let jobs = JOBS.fresh(&client).await;
    jobs.given("a", job(spec)).await;
    let reply = jobs.merge("a", json!({"spec": change})).await;
    reply.invalid_with(part);
}

async fn labels_of_the_template_conflict_with_the_generated_ones(client: Client) {
    let jobs = JOBS.fresh(&client).await;
    let mut fields = job(json!({}));
    fields["spec"]["template"]["metadata"]["labels"] = json!({"job-name": "b"});
    let reply = jobs.creation("a", fields).await;
    reply.invalid_with("spec.template.metadata.labels[job-name]: Invalid value: ");
    reply.invalid_with("must be 'a'");
}

async fn indexed_job_grows_with_its_parallelism(client: Client) {
    let jobs = JOBS.fresh(&client).await;
    let spec = json!({"completionMode": "Indexed", "completions": 2, "parallelism": 2});
    jobs.given("a", job(spec)).await;
    let reply = jobs.merge("a", json!({"spec": {"completions": 3}})).await;
    reply.invalid_with(
        "spec.completions: Invalid value: 3: can only be modified in tandem with spec.parallelism",
    );
    let change = json!({"spec": {"completions": 3, "parallelism": 3}});
    check!(jobs.merged("a", change).await, "/spec/completions": 3);
}

/// What a queue such as Kueue changes in the template of a job before it starts it.
fn placement() -> Value {
    json!({"metadata": {"labels": {"queue": "q"}, "annotations": {"flavor": "f"}}, "spec": {
        "nodeSelector": {"zone": "z"},
        "tolerations": [{"key": "k", "operator": "Exists"}],
        "affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": 1, "preference": {"matchExpressions": [{"key": "k", "operator": "Exists"}]}}]}},
        "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]}})
}

async fn suspended_job_can_be_scheduled_elsewhere(client: Client) {
    let jobs = JOBS.fresh(&client).await;
    jobs.given("a", job(json!({"suspend": true}))).await;
    let change = json!({"spec": {"suspend": false, "template": placement()}});
    let changed = jobs.merged("a", change).await;
    check!(changed,
        "/metadata/generation": 2,
        "/spec/template/metadata/labels/queue": "q",
        "/spec/template/spec/nodeSelector/zone": "z",
        "/spec/template/spec/tolerations/0/key": "k",
        "/spec/template/spec/containers/0/resources/requests/cpu": "1");
    let back = json!({"spec": {"template": {"spec": {"affinity": null}}}});
    let reply = jobs.merge("a", back.clone()).await;
    reply.invalid_with("spec.template: Invalid value: ");
    jobs.merged("a", json!({"spec": {"suspend": true}})).await;
    check_absent(
        &jobs.merged("a", back).await,
        "/spec/template/spec/affinity",
    );
}

async fn suspended_job_with_active_pods_keeps_its_node_selector(client: Client) {
    let jobs = JOBS.fresh(&client).await;
    jobs.given(
        "a",
        job(json!({"suspend": true, "managedBy": "example.test/me"})),
    )
    .await;
    let status = json!({"status": {"active": 1, "ready": 0, "terminating": 0}});
    jobs.merged("a/status", status).await;
    let change = json!({"spec": {"template": {"spec": {"nodeSelector": {"zone": "z"}}}}});
    let reply = jobs.merge("a", change).await;
    reply.invalid_with("spec.template");
}

async fn deletion_of_a_job_orphans_by_default(client: Client) {
    let jobs = JOBS.fresh(&client).await;
    jobs.given("a", job(json!({"suspend": true}))).await;
    let deleted = jobs.delete("a").await.is(200);
    check!(deleted, "/kind": "Job", "/metadata/finalizers": ["orphan"]);
}
