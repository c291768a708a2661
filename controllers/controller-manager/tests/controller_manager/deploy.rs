//! Checks the files in `deploy/`.

use codegen_runtime::kube::api::{Api, DynamicObject, Patch, PatchParams};
use codegen_runtime::kube::core::GroupVersionKind;
use controller_manager::app::{Flags, app};
use controller_manager::simulator;
use controller_manager::testing::ControlPlane;
use controller_testing::cluster::eventually;
use controller_testing::deploy::Deploy;
use embedded_apiserver::ApiServer;
use serde_json::{Value, json};

use crate::support::{create, objects, run_during};

fn deploy() -> Deploy {
    Deploy::of(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_kustomization_lists_every_file() {
    deploy().check_kustomization();
}

#[test]
fn the_deployment_passes_flags_that_exist() {
    deploy().check_flags::<Flags>(&app());
}

async fn merge(api: &Api<DynamicObject>, name: &str, patch: Value) {
    api.patch(name, &PatchParams::default(), &Patch::Merge(patch))
        .await
        .expect("it is patched");
}

#[tokio::test]
async fn the_roles_grant_what_the_loops_do_and_no_more() {
    let server = deploy().server();
    let selection = simulator::NAME.parse().unwrap_or_default();
    let kubelet = ControlPlane::start_with(server.client(), &selection, Default::default())
        .expect("a simulated kubelet");
    let args = ["--lease-lock-namespace=controller-manager-system"];
    run_during(server.client_as(&deploy().user()), &args, exercise(&server)).await;
    kubelet.stop().await.expect("no failure");

    let at_times = [
        // For informers on a server without streaming lists.
        "list pods",
        "list deployments.apps",
        "list replicasets.apps",
        // For repeated events.
        "patch events.events.k8s.io",
    ];
    for grant in deploy().check_roles(&server) {
        assert!(at_times.contains(&grant.as_str()), "{grant} is not used");
    }
}

/// Creates a Deployment, rolls it over and scales it down without a history; also has pods and
/// replica sets adopted and released.
async fn exercise(server: &ApiServer) {
    let labels = json!({"app": "web"});
    let template = json!({"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "a"}]}});
    create(
        server.client(),
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
            "spec": {"replicas": 2, "revisionHistoryLimit": 0, "selector": {"matchLabels": labels}, "template": template}}),
        "default",
    )
    .await;
    let status = |field: &str| {
        let web = server
            .objects()
            .get("apps", "deployments", "default", "web");
        web.unwrap_or_default()["status"][field].as_i64()
    };
    let sets = || server.objects().list("apps", "replicasets", "default");
    let pods = || server.objects().list("", "pods", "default");
    assert!(eventually(async || status("availableReplicas") == Some(2)).await);

    // A matching orphan is adopted, and a surplus pod deleted.
    let orphan = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "orphan", "labels": sets()[0]["spec"]["selector"]["matchLabels"]},
        "spec": {"containers": [{"name": "c", "image": "a"}]}});
    create(server.client(), orphan, "default").await;
    assert!(eventually(async || pods().iter().any(is_deleted) || pods().len() == 2).await);

    // A replica set that no longer matches is released, and adopted again when it matches.
    let api = |kind| {
        let kind = GroupVersionKind::gvk("apps", "v1", kind);
        objects(server.client(), &kind, "default")
    };
    let replica_sets = api("ReplicaSet");
    let name = sets()[0]["metadata"]["name"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    for (app, owned) in [("other", false), ("web", true)] {
        merge(
            &replica_sets,
            &name,
            json!({"metadata": {"labels": {"app": app}}}),
        )
        .await;
        let is_owned = async || {
            let set = server
                .objects()
                .get("apps", "replicasets", "default", &name);
            set.is_none_or(|set| set["metadata"]["ownerReferences"].is_array() == owned)
        };
        assert!(eventually(is_owned).await, "{app}");
    }

    let template = json!({"spec": {"containers": [{"name": "c", "image": "b"}]}});
    merge(
        &api("Deployment"),
        "web",
        json!({"spec": {"template": template, "replicas": 1}}),
    )
    .await;
    assert!(eventually(async || status("availableReplicas") == Some(1) && sets().len() == 1).await);
}

fn is_deleted(pod: &Value) -> bool {
    pod["metadata"]["deletionTimestamp"].is_string()
}
