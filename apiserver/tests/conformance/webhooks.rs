//! Admission webhooks: their requests and order, and the effects of their patches.

use crate::harness::cases;
use crate::support::*;
use crate::webhook_server::{Answer, Scene, Stage, allow, deny, patch, rule};

cases![
    a_review_says_what_is_asked_and_by_whom,
    a_patch_changes_the_object,
    a_patched_object_is_pruned_defaulted_and_validated,
    what_a_webhook_changes_has_no_manager,
    managed_fields_that_a_webhook_spoils_stay_as_they_were,
    managed_fields_may_be_changed_by_a_webhook,
    mutating_webhooks_are_called_in_order_and_see_each_others_changes,
    a_webhook_is_called_again_after_a_later_change,
    warnings_become_headers,
    webhooks_see_updates_patches_and_applies_with_the_old_object,
    webhooks_see_deletions_and_can_refuse_them,
    a_collection_is_refused_at_the_first_object,
    dry_runs_reach_webhooks_without_side_effects,
];

async fn a_review_says_what_is_asked_and_by_whom(client: Client) {
    let scene = Scene::start(&client, |_, _| allow()).await;
    scene.install_one(Stage::Validating).await;
    scene.maps.given("a", json!({"data": {"k": "v"}})).await;
    let calls = scene.server.calls("/a");
    assert_eq!(calls.len(), 1, "{calls:#?}");
    let request = &calls[0];
    check!(request,
        "/operation": "CREATE",
        "/kind": {"group": "", "version": "v1", "kind": "ConfigMap"},
        "/resource": {"group": "", "version": "v1", "resource": "configmaps"},
        "/requestKind": at(request, "/kind"),
        "/requestResource": at(request, "/resource"),
        "/name": "a",
        "/namespace": scene.maps.namespace.clone().unwrap_or_default().as_str(),
        "/dryRun": false,
        "/oldObject": Value::Null,
        "/options/kind": "CreateOptions",
        "/options/apiVersion": "meta.k8s.io/v1",
        "/object/kind": "ConfigMap",
        "/object/data/k": "v");
    check_absent(request, "/subResource");
    assert!(at(request, "/uid").is_string());
    assert!(at(request, "/userInfo/username").is_string());
    assert!(at(request, "/object/metadata/uid").is_string());
    assert!(at(request, "/object/metadata/managedFields").is_array());
}

async fn a_patch_changes_the_object(client: Client) {
    let add = json!([{"op": "add", "path": "/data/added", "value": "yes"}]);
    let scene = Scene::start(&client, move |_, _| patch(add.clone())).await;
    scene.install_one(Stage::Mutating).await;
    let created = scene.maps.given("a", json!({"data": {"k": "v"}})).await;
    check!(created, "/data": {"k": "v", "added": "yes"});
    check!(scene.maps.get("a").await.is(200), "/data/added": "yes");
    let updated = scene
        .maps
        .merged("a", json!({"data": {"added": null}}))
        .await;
    check!(updated, "/data/added": "yes");
}

async fn a_patched_object_is_pruned_defaulted_and_validated(client: Client) {
    let scene = Scene::start(&client, |_, request| match at(request, "/object/spec/mode").as_str() {
        Some("large") => patch(json!([{"op": "replace", "path": "/spec/mode", "value": "huge"}])),
        _ => patch(json!([{"op": "add", "path": "/spec/unknown", "value": 1}, {"op": "remove", "path": "/spec/size"}])),
    })
    .await;
    let things = things(
        &client,
        json!({
            "mode": {"type": "string", "enum": ["small", "large"]},
            "size": {"type": "integer", "default": 3},
        }),
    )
    .await;
    let group = things.group();
    let rules = json!({"rules": [rule(&["CREATE"], "", "v1", &["configmaps"]), rule(&["*"], group, "*", &["things"])]});
    let mut webhook = scene.server.webhook("a", rules);
    webhook["namespaceSelector"] = json!({});
    webhook["rules"] = json!([rule(&["*"], group, "*", &["things"])]);
    scene.install(Stage::Mutating, &[webhook]).await;
    let created = things
        .given("a", json!({"spec": {"mode": "small", "size": 5}}))
        .await;
    check!(created, "/spec": {"mode": "small", "size": 3});
    let object = things.object("b", json!({"spec": {"mode": "large"}}));
    let refused = things.create(&object).await;
    refused.invalid_with("spec.mode: Unsupported value: \"huge\"");
}

async fn what_a_webhook_changes_has_no_manager(client: Client) {
    let add = json!([{"op": "add", "path": "/data/added", "value": "yes"}]);
    let scene = Scene::start(&client, move |_, _| patch(add.clone())).await;
    scene.install_one(Stage::Mutating).await;
    let owned = |object: &Value| {
        let entries = at(object, "/metadata/managedFields").to_string();
        (entries.contains("f:k"), entries.contains("f:added"))
    };
    let created = scene.maps.given("a", json!({"data": {"k": "v"}})).await;
    assert_eq!(owned(&created), (true, false), "{created:#}");
    let updated = scene.maps.merged("a", json!({"data": {"k2": "v"}})).await;
    assert_eq!(owned(&updated), (true, false), "{updated:#}");
    let applied = scene
        .maps
        .given_by("b", "me", json!({"data": {"k": "v"}}))
        .await;
    assert_eq!(owned(&applied), (true, false), "{applied:#}");
}

async fn managed_fields_that_a_webhook_spoils_stay_as_they_were(client: Client) {
    #[rustfmt::skip]
    let cases = [
        (json!({"op": "add", "path": "/metadata/managedFields/0/operation", "value": "Guess"}),
            "operation must be `Apply` or `Update`"),
        (json!({"op": "remove", "path": "/metadata/managedFields/0/apiVersion"}), "apiVersion must not be empty"),
        (json!({"op": "remove", "path": "/metadata/managedFields/0/fieldsType"}),
            "missing fieldsType in managed fields entry 0"),
        (json!({"op": "add", "path": "/metadata/managedFields/0/fieldsType", "value": "FieldsV2"}),
            "invalid fieldsType \"FieldsV2\" in managed fields entry 0"),
        (json!({"op": "add", "path": "/metadata/managedFields", "value": [{}]}),
            "operation must be `Apply` or `Update`"),
    ];
    let spoil = cases.clone().map(|(spoil, _)| spoil);
    let scene = Scene::start(&client, move |_, request| {
        let case = at(request, "/object/data/case")
            .as_str()
            .unwrap_or_default();
        let number: usize = case.parse().unwrap_or_default();
        patch(json!([spoil[number], {"op": "add", "path": "/data/added", "value": "yes"}]))
    })
    .await;
    scene.install_one(Stage::Mutating).await;
    for (number, (_, why)) in cases.iter().enumerate() {
        let name = format!("case-{number}");
        let data = json!({"data": {"case": number.to_string()}});
        let object = scene.maps.object(&name, data.clone());
        let warning = format!(
            ".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating \
admission controller; please fix your requests: {why}"
        );
        let replies = [
            (
                201,
                scene.maps.create_with("fieldManager=me", &object).await,
            ),
            (
                200,
                scene
                    .maps
                    .merge(&name, json!({"metadata": {"labels": {"a": "b"}}}))
                    .await,
            ),
            (200, scene.maps.apply(&name, "applier", data).await),
        ];
        for (code, reply) in replies {
            let stored = reply.is(code);
            assert_eq!(reply.warnings(), [warning.as_str()]);
            check!(stored, "/data/added": "yes");
            let entries = at(&stored, "/metadata/managedFields");
            assert!(entries.to_string().contains("f:case"), "{stored:#}");
            check!(entries, "/0/fieldsType": "FieldsV1");
        }
    }
}

async fn managed_fields_may_be_changed_by_a_webhook(client: Client) {
    let scene = Scene::start(&client, |_, request| {
        let path = match at(request, "/object/data/k") == "v" {
            true => json!([{"op": "replace", "path": "/metadata/managedFields/0/manager", "value": "somebody"}]),
            false => json!([{"op": "remove", "path": "/metadata/managedFields"}]),
        };
        patch(path)
    })
    .await;
    scene.install_one(Stage::Mutating).await;
    let created = scene.maps.given("a", json!({"data": {"k": "v"}})).await;
    check!(created, "/metadata/managedFields/0/manager": "somebody");
    let created = scene.maps.given("b", json!({"data": {"k": "w"}})).await;
    check_absent(&created, "/metadata/managedFields");
}

/// A webhook that appends its path to `data.trace`.
fn traced(path: &str, request: &Value) -> Answer {
    let before = at(request, "/object/data/trace")
        .as_str()
        .unwrap_or_default();
    let value = format!("{before}{path}");
    patch(json!([{"op": "add", "path": "/data/trace", "value": value}]))
}

async fn mutating_webhooks_are_called_in_order_and_see_each_others_changes(client: Client) {
    let scene = Scene::start(&client, |path, request| match path {
        "/v" => deny(json!({"message": at(request, "/object/data/trace")})),
        path if path.starts_with("/ready") => allow(),
        path => traced(path, request),
    })
    .await;
    let webhook = |name: &str| scene.server.webhook(name, json!({}));
    // Ordered by the name of the configuration, then by position.
    scene
        .install_as(Stage::Mutating, "z", &[webhook("d")])
        .await;
    scene
        .install_as(Stage::Mutating, "a", &[webhook("c"), webhook("b")])
        .await;
    let created = scene.maps.given("a", json!({"data": {"k": "v"}})).await;
    check!(created, "/data/trace": "/c/b/d");
    scene.install(Stage::Validating, &[webhook("v")]).await;
    let object = scene.maps.object("b", json!({"data": {"k": "v"}}));
    scene
        .maps
        .create(&object)
        .await
        .fails_with(400, "", "denied the request: /c/b/d");
}

async fn a_webhook_is_called_again_after_a_later_change(client: Client) {
    let scene = Scene::start(&client, |path, request| match path {
        path if path.starts_with("/ready") => allow(),
        path => traced(path, request),
    })
    .await;
    let again = json!({"reinvocationPolicy": "IfNeeded"});
    let webhook = |name: &str, fields: &Value| scene.server.webhook(name, fields.clone());
    let webhooks = [
        webhook("a", &again),
        webhook("b", &json!({})),
        webhook("c", &again),
    ];
    scene.install(Stage::Mutating, &webhooks).await;
    let created = scene.maps.given("a", json!({"data": {"k": "v"}})).await;
    // The second call of /a changes the object, so /c, which was called before, is called again.
    check!(created, "/data/trace": "/a/b/c/a/c");
}

async fn warnings_become_headers(client: Client) {
    let scene = Scene::start(&client, |path, _| {
        Answer::Response(
            json!({"allowed": path != "/c", "warnings": [format!("from {path}"), "the same"]}),
        )
    })
    .await;
    let webhook = |name: &str| scene.server.webhook(name, json!({}));
    scene.install(Stage::Mutating, &[webhook("a")]).await;
    scene.install(Stage::Validating, &[webhook("b")]).await;
    let object = scene.maps.object("a", json!({}));
    let created = scene.maps.create(&object).await;
    created.is(201);
    // The probes' webhooks do not match this config map.
    assert_eq!(created.warnings(), ["from /a", "the same", "from /b"]);
    scene.install(Stage::Validating, &[webhook("c")]).await;
    let refused = scene.maps.creation("b", json!({})).await;
    refused.is(400);
    assert!(
        refused.warnings().contains(&"from /c".to_owned()),
        "{refused:?}"
    );
}

async fn webhooks_see_updates_patches_and_applies_with_the_old_object(client: Client) {
    let scene = Scene::start(&client, |_, _| allow()).await;
    let mut created = scene.maps.given("a", json!({"data": {"k": "0"}})).await;
    scene.install_one(Stage::Validating).await;
    created["data"]["k"] = json!("1");
    scene.maps.replaced("a", &created).await;
    scene.maps.merged("a", json!({"data": {"k": "2"}})).await;
    scene
        .maps
        .forced("a", "me", json!({"data": {"k": "3"}}))
        .await;
    scene
        .maps
        .given_by("b", "me", json!({"data": {"k": "3"}}))
        .await;
    let seen: Vec<Value> = scene
        .server
        .calls("/a")
        .iter()
        .map(|request| {
            json!([
                request["operation"],
                request["options"]["kind"],
                request["oldObject"]["data"]["k"],
                request["object"]["data"]["k"]
            ])
        })
        .collect();
    let expected = json!([
        ["UPDATE", "UpdateOptions", "0", "1"],
        ["UPDATE", "UpdateOptions", "1", "2"],
        ["UPDATE", "UpdateOptions", "2", "3"],
        ["CREATE", "CreateOptions", null, "3"],
    ]);
    assert_eq!(json!(seen), expected);
}

async fn webhooks_see_deletions_and_can_refuse_them(client: Client) {
    let scene = Scene::start(&client, |path, request| {
        let keep =
            at(request, "/oldObject/data/keep") == "yes" && at(request, "/operation") == "DELETE";
        if keep && path == "/a" {
            deny(json!({"message": "kept"}))
        } else {
            allow()
        }
    })
    .await;
    scene
        .maps
        .given("kept", json!({"data": {"keep": "yes"}}))
        .await;
    scene.maps.given("loose", json!({})).await;
    let rules = json!([rule(&["DELETE"], "", "v1", &["configmaps"])]);
    let mut webhook = scene.server.webhook("a", json!({}));
    webhook["rules"] = rules;
    scene.install(Stage::Validating, &[webhook]).await;
    scene.maps.delete("loose").await.is(200);
    let request = scene.server.calls("/a").remove(0);
    check!(request,
        "/operation": "DELETE",
        "/object": Value::Null,
        "/oldObject/metadata/name": "loose",
        "/options/kind": "DeleteOptions");
    scene
        .maps
        .delete("kept")
        .await
        .fails_with(400, "", "denied the request: kept");
    scene.maps.get("kept").await.is(200);
}

async fn a_collection_is_refused_at_the_first_object(client: Client) {
    let scene = Scene::start(&client, |path, _| {
        if path == "/a" {
            deny(json!({"message": "kept"}))
        } else {
            allow()
        }
    })
    .await;
    for name in ["a", "b"] {
        scene.maps.given(name, json!({})).await;
    }
    let mut webhook = scene.server.webhook("a", json!({}));
    webhook["rules"] = json!([rule(&["DELETE"], "", "v1", &["configmaps"])]);
    webhook["objectSelector"] =
        json!({"matchExpressions": [{"key": "free", "operator": "DoesNotExist"}]});
    scene.install(Stage::Validating, &[webhook]).await;
    scene
        .maps
        .delete_all("")
        .await
        .fails_with(400, "", "denied the request: kept");
    assert_eq!(
        names(&scene.maps.listed("").await)
            .iter()
            .filter(|n| n.len() == 1)
            .count(),
        2
    );
}

async fn dry_runs_reach_webhooks_without_side_effects(client: Client) {
    let scene = Scene::start(&client, |_, _| {
        patch(json!([{"op": "add", "path": "/data/k", "value": "w"}]))
    })
    .await;
    let webhook = scene
        .server
        .webhook("a", json!({"sideEffects": "NoneOnDryRun"}));
    scene.install(Stage::Mutating, &[webhook]).await;
    let object = scene.maps.object("a", json!({"data": {"k": "v"}}));
    let answer = scene.maps.created_with("dryRun=All", &object).await;
    check!(answer, "/data/k": "w");
    let request = scene.server.calls("/a").remove(0);
    check!(request, "/dryRun": true, "/options/dryRun": ["All"]);
    scene.maps.get("a").await.refused(404, "NotFound");
}
