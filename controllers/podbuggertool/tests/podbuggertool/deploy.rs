//! Checks the files in `deploy/`.

use codegen_runtime::kube::api::{DynamicObject, PostParams};
use controller_testing::cluster::eventually;
use controller_testing::deploy::Deploy;
use podbuggertool_controller::app;
use serde_json::json;

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
    deploy().check_flags::<podbuggertool_controller::controller::Reach>(&app::app());
}

#[tokio::test]
async fn the_sample_is_valid_and_nonsense_is_not() {
    let wrong = [
        ("/spec", json!({})),
        ("/spec/image", json!("")),
        ("/spec/selector", json!("app=web")),
        ("/spec/selector/matchLabels", json!({ "a": 1 })),
        ("/spec/command", json!("sleep")),
        ("/spec/namespaces", json!(["a", "a"])),
    ];
    deploy().check_schema("samples/netshoot.yaml", &wrong).await;
}

#[tokio::test]
async fn the_roles_grant_what_the_controller_does_and_no_more() {
    let server = deploy().server();
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": { "name": "web", "namespace": "default", "uid": "1", "labels": { "debug": "true" } },
        "spec": { "containers": [{ "name": "main", "image": "busybox:1" }] },
        "status": { "phase": "Running" },
    });
    server.objects().put(&pod).unwrap();
    let running = start(
        server.client_as(&deploy().user()),
        &[
            "--leader-elect=true",
            "--lease-lock-namespace=podbuggertool-system",
        ],
    );
    let objects = deploy().objects(server.client());
    let sample = deploy().documents("samples/netshoot.yaml").remove(0);
    let sample: DynamicObject = serde_json::from_value(sample).unwrap();
    objects
        .create(&PostParams::default(), &sample)
        .await
        .unwrap();
    let list = |group: &str, plural: &str| server.objects().list(group, plural, "");
    let done = async || {
        list("tools.jicki.cn", "podbuggertools")[0]["status"]["podsWithTool"] == 1
            && !list("events.k8s.io", "events").is_empty()
    };
    assert!(eventually(done).await);
    let shown = deploy().row(&server, "netshoot").await;
    let expected = [
        ("Image", sample.data["spec"]["image"].clone()),
        ("Matched", json!(1)),
        ("With", json!(1)),
        ("Reason", json!("AllPodsHaveTool")),
    ];
    for (column, value) in expected {
        assert_eq!(shown[column], value, "{column}");
    }
    running.stop().await;
    let at_times = [
        // For informers without streaming lists.
        "list pods",
        // For repeated events.
        "patch events.events.k8s.io",
        "list podbuggertools.tools.jicki.cn",
    ];
    for grant in deploy().check_roles(&server) {
        assert!(at_times.contains(&grant.as_str()), "{grant} is not used");
    }
}
