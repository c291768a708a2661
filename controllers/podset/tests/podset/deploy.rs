//! Checks the files in `deploy/`.

use codegen_runtime::kube::api::{DynamicObject, Patch, PatchParams, PostParams};
use controller_testing::cluster::eventually;
use controller_testing::deploy::Deploy;
use podset_controller::app;
use serde_json::{Value, json};

use crate::support::start;

fn deploy() -> Deploy {
    Deploy::of(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_kustomization_lists_every_file() {
    deploy().check_kustomization();
}

#[test]
fn the_deployment_passes_flags_that_exist() {
    deploy().check_flags::<()>(&app::app());
}

#[tokio::test]
async fn the_sample_is_valid_and_nonsense_is_not() {
    let wrong = [
        ("/spec", json!({})),
        ("/spec/size", json!(-1)),
        ("/spec/size", json!("3")),
        ("/spec/size", json!(1.5)),
        ("/spec/size", Value::Null),
    ];
    deploy().check_schema("samples/example.yaml", &wrong).await;
}

#[tokio::test]
async fn the_roles_grant_what_the_controller_does_and_no_more() {
    let server = deploy().server();
    let running = start(
        server.client_as(&deploy().user()),
        &[
            "--leader-elect=true",
            "--lease-lock-namespace=podset-system",
        ],
    );
    let objects = deploy().objects(server.client());
    let sample = deploy().documents("samples/example.yaml").remove(0);
    let sample: DynamicObject = serde_json::from_value(sample).unwrap();
    objects
        .create(&PostParams::default(), &sample)
        .await
        .unwrap();
    let has = |group: &str, plural: &str| !server.objects().list(group, plural, "").is_empty();
    let done = async || has("apps", "deployments") && has("events.k8s.io", "events");
    assert!(eventually(done).await);
    // Scale, so that an existing Deployment is applied as well.
    let patch = Patch::Merge(json!({ "spec": { "size": 1 } }));
    let params = PatchParams::default();
    objects.patch("example", &params, &patch).await.unwrap();
    let is_scaled =
        async || server.objects().list("apps", "deployments", "")[0]["spec"]["replicas"] == 1;
    assert!(eventually(is_scaled).await);
    // A Deployment without an owner is adopted.
    let labels = json!({ "app": "podSet", "podSet_cr": "orphan" });
    let mut orphan = server
        .objects()
        .get("apps", "deployments", "default", "example")
        .unwrap();
    orphan["metadata"] = json!({ "name": "orphan", "namespace": "default", "labels": labels });
    orphan["spec"]["selector"]["matchLabels"] = labels.clone();
    orphan["spec"]["template"]["metadata"]["labels"] = labels;
    let mut set = deploy().documents("samples/example.yaml").remove(0);
    orphan["spec"]["replicas"] = set["spec"]["size"].clone();
    server.objects().put(&orphan).unwrap();
    set["metadata"] = json!({ "name": "orphan" });
    let set: DynamicObject = serde_json::from_value(set).unwrap();
    objects.create(&PostParams::default(), &set).await.unwrap();
    let is_adopted = async || {
        let orphan = server
            .objects()
            .get("apps", "deployments", "default", "orphan");
        orphan.is_some_and(|it| it["metadata"]["ownerReferences"].is_array())
    };
    assert!(eventually(is_adopted).await);
    let shown = async || deploy().row(&server, "example").await;
    let expected = [
        ("Desired", json!(1)),
        ("Current", json!(0)),
        ("Ready", json!(0)),
        ("Reason", json!("Scaling")),
    ];
    let is_shown = async || {
        let row = shown().await;
        expected
            .iter()
            .all(|(column, value)| row.get(*column) == Some(value))
    };
    assert!(eventually(is_shown).await, "{:?}", shown().await);
    running.stop().await;
    let at_times = [
        // For informers without streaming lists.
        "list pods",
        "list deployments.apps",
        "list podsets.apps.jicki.cn",
        // For repeated events.
        "patch events.events.k8s.io",
    ];
    for grant in deploy().check_roles(&server) {
        assert!(at_times.contains(&grant.as_str()), "{grant} is not used");
    }
}
