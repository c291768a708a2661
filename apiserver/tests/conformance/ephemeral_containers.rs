//! Ephemeral containers: added to an existing pod through `pods/ephemeralcontainers`, and never
//! changed or removed.

use crate::harness::cases;
use crate::support::expect::eventually;
use crate::support::wire::{Reply, patch_type};
use crate::support::*;

cases![
    a_patch_adds_one_with_defaults,
    an_update_takes_nothing_else_of_the_pod,
    the_subresource_answers_the_pod,
    the_subresource_is_in_discovery,
    creating_and_deleting_are_not_served,
    an_absent_pod_is_not_found,
    existing_ones_are_never_changed,
    existing_ones_are_never_removed,
    names_are_unique_among_all_containers,
    name_and_image_are_required,
    names_and_images_are_well_formed,
    targets_are_other_containers_of_the_pod,
    services_are_not_for_them,
    volumes_are_mounted_whole,
    policies_are_known,
    writing_the_pod_changes_none,
    a_new_pod_has_none: create_fails(
        PODS,
        json!({"spec": {"containers": [{"name": "main", "image": "busybox"}],
            "ephemeralContainers": [debugger("debug")]}}),
        422, "Invalid", "Pod \"a\" is invalid: spec.ephemeralContainers: Forbidden: cannot be set on create"),
    a_template_has_none: create_fails(
        DEPLOYMENTS,
        json!({"spec": {"selector": {"matchLabels": {"a": "b"}},
            "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "main",
            "image": "busybox"}], "ephemeralContainers": [debugger("debug")]}}}}),
        422, "Invalid",
        "Deployment.apps \"a\" is invalid: spec.template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template"),
    a_static_pod_takes_none,
    an_apply_adds_its_own_beside_those_of_others,
    an_apply_cannot_drop_its_own,
    a_dry_run_adds_none,
    an_old_version_conflicts,
    an_addition_counts_as_a_generation,
    an_addition_has_an_owner_with_the_subresource,
    the_status_of_one_is_written_with_the_pods,
];

const STRATEGIC: &str = "application/strategic-merge-patch+json";

/// Creates a pod `a` in a new namespace, with a container `main` and a volume `scratch`.
async fn pod(client: &Client) -> Collection {
    let pods = PODS.fresh(client).await;
    let spec = json!({
        "containers": [{"name": "main", "image": "busybox:1"}],
        "initContainers": [{"name": "first", "image": "busybox:1"}],
        "volumes": [{"name": "scratch", "emptyDir": {}}],
    });
    pods.given("a", json!({"spec": spec})).await;
    pods
}

/// Adds ephemeral containers with a strategic merge patch, as `kubectl debug` does.
async fn add(pods: &Collection, containers: Value) -> Reply {
    let body = json!({"spec": {"ephemeralContainers": containers}});
    let path = pods.at("a/ephemeralcontainers");
    patch(&pods.client, &path, STRATEGIC, &body).await
}

fn debugger(name: &str) -> Value {
    json!({"name": name, "image": "busybox:1"})
}

/// Returns the names of a pod's ephemeral containers, sorted, because patches do not keep their
/// order.
fn debuggers(pod: &Value) -> Vec<&str> {
    let list = at(pod, "/spec/ephemeralContainers").as_array();
    let mut names: Vec<&str> = list
        .into_iter()
        .flatten()
        .filter_map(|container| container["name"].as_str())
        .collect();
    names.sort_unstable();
    names
}

async fn a_patch_adds_one_with_defaults(client: Client) {
    let pods = pod(&client).await;
    let container = json!({"name": "debug", "image": "busybox", "targetContainerName": "main", "command": ["sh"]});
    let answer = add(&pods, json!([container])).await.is(200);
    let expected = json!([{
        "name": "debug",
        "image": "busybox",
        "targetContainerName": "main",
        "command": ["sh"],
        "imagePullPolicy": "Always",
        "resources": {},
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
    }]);
    check!(answer, "/spec/ephemeralContainers": expected);
    let stored = pods.get("a").await.is(200);
    check!(stored, "/spec/ephemeralContainers": expected);
}

async fn an_update_takes_nothing_else_of_the_pod(client: Client) {
    let pods = pod(&client).await;
    let before = pods.get("a").await.is(200);
    let object = pods.object(
        "a",
        json!({
            "metadata": {"labels": {"a": "b"}, "annotations": {"a": "b"}, "finalizers": ["example.com/a"]},
            "spec": {"containers": [], "nodeName": "n", "ephemeralContainers": [debugger("debug")]},
            "status": {"phase": "Failed"},
        }),
    );
    let answer = pods.replaced("a/ephemeralcontainers", &object).await;
    assert_eq!(debuggers(&answer), ["debug"]);
    for field in ["/metadata/labels", "/metadata/finalizers", "/spec/nodeName"] {
        check_absent(&answer, field);
    }
    check_absent(&answer, "/metadata/annotations/a");
    for field in ["/spec/containers", "/spec/volumes", "/status"] {
        check(&answer, field, at(&before, field).clone());
    }
}

async fn the_subresource_answers_the_pod(client: Client) {
    let pods = pod(&client).await;
    let whole = pods.get("a").await.is(200);
    let answer = pods.get("a/ephemeralcontainers").await.is(200);
    assert_eq!(answer, whole);
}

async fn the_subresource_is_in_discovery(client: Client) {
    let list = get(&client, "/api/v1").await.is(200);
    let resources = at(&list, "/resources").as_array().expect("resources");
    let found = resources
        .iter()
        .find(|it| it["name"] == "pods/ephemeralcontainers");
    let expected = json!({
        "name": "pods/ephemeralcontainers",
        "singularName": "",
        "namespaced": true,
        "kind": "Pod",
        "verbs": ["get", "patch", "update"],
    });
    assert_eq!(found, Some(&expected));
}

async fn creating_and_deleting_are_not_served(client: Client) {
    let pods = pod(&client).await;
    let path = pods.at("a/ephemeralcontainers");
    let message = "the server does not allow this method on the requested resource";
    let created = post(&client, &path, &json!({})).await;
    created.fails(405, "MethodNotAllowed", message);
    let deleted = delete(&client, &path).await;
    deleted.fails(405, "MethodNotAllowed", message);
}

async fn an_absent_pod_is_not_found(client: Client) {
    let pods = PODS.fresh(&client).await;
    let message = "pods \"a\" not found";
    let patched = add(&pods, json!([debugger("debug")])).await;
    patched.not_found(message);
    let object = pods.object("a", json!({"spec": {"containers": []}}));
    let put = pods.put("a/ephemeralcontainers", &object).await;
    put.not_found(message);
}

async fn existing_ones_are_never_changed(client: Client) {
    let pods = pod(&client).await;
    add(&pods, json!([debugger("debug")])).await.is(200);
    for change in [
        json!({"name": "debug", "image": "busybox:2"}),
        json!({"name": "debug", "command": ["sh"]}),
        json!({"name": "debug", "targetContainerName": "main"}),
    ] {
        let refused = add(&pods, json!([change])).await;
        let part = "Pod \"a\" is invalid: spec.ephemeralContainers: Forbidden: existing ephemeral containers \"debug\" may not be changed\n";
        refused.invalid_with(part);
    }
    // Repeating the patch changes nothing.
    let version = resource_version(&pods.get("a").await.is(200));
    let same = add(&pods, json!([debugger("debug")])).await.is(200);
    assert_eq!(resource_version(&same), version);
}

async fn existing_ones_are_never_removed(client: Client) {
    let pods = pod(&client).await;
    add(&pods, json!([debugger("one")])).await.is(200);
    let message = "Pod \"a\" is invalid: spec.ephemeralContainers: Forbidden: existing ephemeral containers \"one\" may not be removed\n";
    let directive = json!([{"$patch": "delete", "name": "one"}]);
    let removed = add(&pods, directive).await;
    removed.invalid(message);
    let others = json!({"spec": {"ephemeralContainers": [debugger("two")]}});
    let replaced = pods.merge("a/ephemeralcontainers", others).await;
    replaced.invalid(message);
    let object = pods.object("a", json!({"spec": {"containers": []}}));
    let put = pods.put("a/ephemeralcontainers", &object).await;
    put.invalid(message);
}

async fn names_are_unique_among_all_containers(client: Client) {
    let pods = pod(&client).await;
    for name in ["main", "first"] {
        let refused = add(&pods, json!([debugger(name)])).await;
        let message = format!(
            "Pod \"a\" is invalid: spec.ephemeralContainers[0].name: Duplicate value: \"{name}\""
        );
        refused.invalid(&message);
    }
    add(&pods, json!([debugger("debug")])).await.is(200);
    let twice =
        json!([{"op": "add", "path": "/spec/ephemeralContainers/-", "value": debugger("debug")}]);
    let refused = pods.json_patch("a/ephemeralcontainers", twice).await;
    let message =
        "Pod \"a\" is invalid: spec.ephemeralContainers[1].name: Duplicate value: \"debug\"";
    refused.invalid(message);
}

async fn name_and_image_are_required(client: Client) {
    let pods = pod(&client).await;
    let object = |container: Value| {
        let spec = json!({"containers": [], "ephemeralContainers": [container]});
        pods.object("a", json!({"spec": spec}))
    };
    for (container, field) in [
        (json!({"name": "debug"}), "image"),
        (json!({"image": "busybox"}), "name"),
    ] {
        let refused = pods.put("a/ephemeralcontainers", &object(container)).await;
        let message =
            format!("Pod \"a\" is invalid: spec.ephemeralContainers[0].{field}: Required value");
        refused.invalid(&message);
    }
}

async fn names_and_images_are_well_formed(client: Client) {
    let pods = pod(&client).await;
    let refused = add(&pods, json!([{"name": "X y", "image": " busybox "}])).await;
    let status = refused.refused(422, "Invalid");
    let causes = at(&status, "/details/causes").as_array().expect("causes");
    let fields: Vec<&Value> = causes.iter().map(|cause| &cause["field"]).collect();
    let expected = ["name", "image"].map(|field| format!("spec.ephemeralContainers[0].{field}"));
    assert_eq!(json!(fields), json!(expected));
    let why = "Invalid value: \" busybox \": must not have leading or trailing whitespace";
    check!(status, "/details/causes/1/message": why);
    // The same applies to the initial containers of a pod.
    let spec = json!({"containers": [{"name": "main", "image": " busybox "}]});
    let created = pods.creation("b", json!({"spec": spec})).await;
    let message = format!("Pod \"b\" is invalid: spec.containers[0].image: {why}");
    created.invalid(&message);
}

async fn targets_are_other_containers_of_the_pod(client: Client) {
    let pods = pod(&client).await;
    let aimed = |name: &str, target: &str| json!([{"name": name, "image": "busybox", "targetContainerName": target}]);
    add(&pods, aimed("debug", "main")).await.is(200);
    add(&pods, aimed("of-first", "first")).await.is(200);
    for target in ["nobody", "debug"] {
        let refused = add(&pods, aimed("other", target)).await;
        let part = format!(".targetContainerName: Not found: \"{target}\"");
        refused.invalid_with(&part);
    }
}

async fn services_are_not_for_them(client: Client) {
    let pods = pod(&client).await;
    let exec = json!({"exec": {"command": ["true"]}});
    let fields = [
        ("ports", json!([{"containerPort": 80}])),
        ("resources", json!({"limits": {"cpu": "1"}})),
        (
            "resizePolicy",
            json!([{"resourceName": "cpu", "restartPolicy": "NotRequired"}]),
        ),
        ("restartPolicy", json!("Always")),
        ("livenessProbe", exec.clone()),
        ("readinessProbe", exec.clone()),
        ("startupProbe", exec.clone()),
        ("lifecycle", json!({"preStop": exec})),
    ];
    let mut all = debugger("debug");
    for (field, value) in &fields {
        all[*field] = value.clone();
    }
    let status = add(&pods, json!([all])).await.refused(422, "Invalid");
    let causes = at(&status, "/details/causes").as_array().expect("causes");
    let found: Vec<(&Value, &Value)> = causes
        .iter()
        .map(|cause| (&cause["field"], &cause["message"]))
        .collect();
    let why = json!("Forbidden: cannot be set for an Ephemeral Container");
    let expected: Vec<(Value, &Value)> = fields
        .iter()
        .map(|(field, _)| (json!(format!("spec.ephemeralContainers[0].{field}")), &why))
        .collect();
    let expected: Vec<(&Value, &Value)> =
        expected.iter().map(|(field, why)| (field, *why)).collect();
    assert_eq!(found, expected);
}

async fn volumes_are_mounted_whole(client: Client) {
    let pods = pod(&client).await;
    let mounting =
        |mount: Value| json!([{"name": "debug", "image": "busybox", "volumeMounts": [mount]}]);
    for (mount, part) in [
        (
            json!({"name": "scratch", "mountPath": "/x", "subPath": "s"}),
            "volumeMounts[0].subPath: Forbidden: cannot be set for an Ephemeral Container",
        ),
        (
            json!({"name": "scratch", "mountPath": "/x", "subPathExpr": "$(A)"}),
            "volumeMounts[0].subPathExpr: Forbidden: cannot be set for an Ephemeral Container",
        ),
        (
            json!({"name": "nothing", "mountPath": "/x"}),
            "volumeMounts[0].name: Not found: \"nothing\"",
        ),
    ] {
        let message = format!("Pod \"a\" is invalid: spec.ephemeralContainers[0].{part}");
        let refused = add(&pods, mounting(mount)).await;
        refused.invalid(&message);
    }
    let whole = json!({"name": "scratch", "mountPath": "/x"});
    add(&pods, mounting(whole)).await.is(200);
}

async fn policies_are_known(client: Client) {
    let pods = pod(&client).await;
    for (field, supported) in [
        (
            "terminationMessagePolicy",
            "\"File\", \"FallbackToLogsOnError\"",
        ),
        ("imagePullPolicy", "\"Always\", \"IfNotPresent\", \"Never\""),
    ] {
        let mut container = debugger("debug");
        container[field] = json!("Sometimes");
        let refused = add(&pods, json!([container])).await;
        let message = format!(
            "Pod \"a\" is invalid: spec.ephemeralContainers[0].{field}: Unsupported value: \"Sometimes\": supported values: {supported}"
        );
        refused.invalid(&message);
    }
}

async fn writing_the_pod_changes_none(client: Client) {
    let pods = pod(&client).await;
    let body = json!({"spec": {"ephemeralContainers": [debugger("debug")]}});
    let added = pods.merge("a", body).await;
    added.invalid_with(
        "Pod \"a\" is invalid: spec: Forbidden: pod updates may not change fields other than",
    );
    add(&pods, json!([debugger("debug")])).await.is(200);
    let labelled = pods
        .merged("a", json!({"metadata": {"labels": {"a": "b"}}}))
        .await;
    assert_eq!(debuggers(&labelled), ["debug"]);
    let dropped = pods
        .merge("a", json!({"spec": {"ephemeralContainers": null}}))
        .await;
    dropped.invalid_with("pod updates may not change fields other than");
}

async fn a_static_pod_takes_none(client: Client) {
    let pods = PODS.fresh(&client).await;
    let fields = json!({
        "metadata": {"annotations": {"kubernetes.io/config.mirror": "x"}},
        "spec": {"nodeName": "n", "containers": [{"name": "main", "image": "busybox"}]},
    });
    pods.given("a", fields).await;
    let refused = add(&pods, json!([debugger("debug")])).await;
    let message =
        "Pod \"a\" is invalid: []: Forbidden: static pods do not support ephemeral containers";
    refused.invalid(message);
}

async fn applied(pods: &Collection, manager: &str, name: &str) -> Reply {
    let fields = json!({"spec": {"ephemeralContainers": [debugger(name)]}});
    pods.apply("a/ephemeralcontainers", manager, fields).await
}

async fn an_apply_adds_its_own_beside_those_of_others(client: Client) {
    let pods = pod(&client).await;
    add(&pods, json!([debugger("patched")])).await.is(200);
    applied(&pods, "one", "of-one").await.is(200);
    let both = applied(&pods, "two", "of-two").await.is(200);
    assert_eq!(debuggers(&both), ["of-one", "of-two", "patched"]);
}

async fn an_apply_cannot_drop_its_own(client: Client) {
    let pods = pod(&client).await;
    applied(&pods, "one", "debug").await.is(200);
    let refused = applied(&pods, "one", "other").await;
    let message = "Pod \"a\" is invalid: spec.ephemeralContainers: Forbidden: existing ephemeral containers \"debug\" may not be removed\n";
    refused.invalid(message);
}

async fn a_dry_run_adds_none(client: Client) {
    let pods = pod(&client).await;
    let body = json!({"spec": {"ephemeralContainers": [debugger("debug")]}});
    let path = pods.at("a/ephemeralcontainers?dryRun=All");
    let answer = patch(&client, &path, STRATEGIC, &body).await.is(200);
    assert_eq!(debuggers(&answer), ["debug"]);
    check_absent(&pods.get("a").await.is(200), "/spec/ephemeralContainers");
}

async fn an_old_version_conflicts(client: Client) {
    let pods = pod(&client).await;
    let old = pods.get("a").await.is(200);
    add(&pods, json!([debugger("one")])).await.is(200);
    let message = "Operation cannot be fulfilled on pods \"a\": the object has been modified; please apply your changes to the latest version and try again";
    let body = json!({
        "metadata": {"resourceVersion": resource_version(&old)},
        "spec": {"ephemeralContainers": [debugger("two")]},
    });
    let path = pods.at("a/ephemeralcontainers");
    for patch_type in [STRATEGIC, patch_type::MERGE] {
        let refused = patch(&client, &path, patch_type, &body).await;
        refused.conflicts(message);
    }
    let mut object = old;
    object["spec"]["ephemeralContainers"] = json!([debugger("two")]);
    let put = pods.put("a/ephemeralcontainers", &object).await;
    put.conflicts(message);
}

async fn an_addition_counts_as_a_generation(client: Client) {
    let pods = pod(&client).await;
    check!(pods.get("a").await.is(200), "/metadata/generation": 1);
    let answer = add(&pods, json!([debugger("debug")])).await.is(200);
    check!(answer, "/metadata/generation": 2);
}

async fn an_addition_has_an_owner_with_the_subresource(client: Client) {
    let pods = pod(&client).await;
    let body = json!({"spec": {"ephemeralContainers": [debugger("debug")]}});
    let path = pods.at("a/ephemeralcontainers?fieldManager=me");
    let answer = patch(&client, &path, STRATEGIC, &body).await.is(200);
    let entries = at(&answer, "/metadata/managedFields")
        .as_array()
        .expect("entries");
    let mine = entries
        .iter()
        .find(|entry| entry["manager"] == "me")
        .expect("an entry of mine");
    check!(mine, "/operation": "Update", "/subresource": "ephemeralcontainers");
    let fields = json!({"f:spec": {"f:ephemeralContainers": {
        ".": {},
        "k:{\"name\":\"debug\"}": {
            ".": {},
            "f:image": {},
            "f:imagePullPolicy": {},
            "f:name": {},
            "f:resources": {},
            "f:terminationMessagePath": {},
            "f:terminationMessagePolicy": {},
        },
    }}});
    check!(mine, "/fieldsV1": fields);
}

async fn the_status_of_one_is_written_with_the_pods(client: Client) {
    let pods = pod(&client).await;
    add(&pods, json!([debugger("debug")])).await.is(200);
    let running = json!([{
        "name": "debug",
        "image": "busybox:1",
        "imageID": "",
        "ready": false,
        "restartCount": 0,
        "state": {"running": {"startedAt": "2024-01-01T00:00:00Z"}},
    }]);
    let status = json!({"status": {"ephemeralContainerStatuses": running}});
    pods.merged("a/status", status).await;
    eventually("the status of the container", || async {
        let pod = pods.get("a").await.is(200);
        let started = at(
            &pod,
            "/status/ephemeralContainerStatuses/0/state/running/startedAt",
        );
        (started == "2024-01-01T00:00:00Z").then_some(())
    })
    .await;
}
