//! The files below `deploy/`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use codegen_runtime::kube::api::{Api, DynamicObject, Patch, PatchParams};
use codegen_runtime::kube::core::GroupVersionKind;
use controller_manager::app::{Flags, app};
use controller_manager::simulator;
use controller_manager::testing::ControlPlane;
use embedded_apiserver::{ApiServer, assert_rbac};
use serde_json::{Value, json};

use crate::support::{create, eventually, objects, run_during};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/deploy");
const ROLE: &str = include_str!("../../deploy/role.yaml");
const USER: &str = "controller-manager";

fn documents(name: &str) -> Vec<Value> {
    let text = fs::read_to_string(Path::new(FOLDER).join(name)).expect("a file");
    serde_saphyr::from_multiple(&text).expect("YAML")
}

/// The arguments of the container.
fn arguments() -> Vec<String> {
    let deployment = documents("deployment.yaml").remove(0);
    let container = &deployment["spec"]["template"]["spec"]["containers"][0];
    let args = container["args"].as_array().expect("arguments");
    let args = args.iter().filter_map(Value::as_str);
    args.map(str::to_owned).collect()
}

#[test]
fn the_kustomization_lists_every_file() {
    let kustomization = documents("kustomization.yaml").remove(0);
    let resources = kustomization["resources"].as_array().expect("resources");
    let listed: BTreeSet<&str> = resources.iter().filter_map(Value::as_str).collect();
    let names = fs::read_dir(FOLDER).expect("a folder").map(|entry| {
        let name = entry.expect("an entry").file_name();
        name.into_string().expect("a name in UTF-8")
    });
    let there: BTreeSet<String> = names
        .filter(|name| name.ends_with(".yaml") && name != "kustomization.yaml")
        .collect();
    assert_eq!(listed, there.iter().map(String::as_str).collect());
}

#[test]
fn the_deployment_passes_flags_that_exist() {
    let command = [vec![USER.to_owned()], arguments()].concat();
    let invocation = app().try_parse_from::<Flags>(command).expect("known flags");
    let flags = invocation.flags;
    assert!(flags.metrics_bind_address.0.is_some() && flags.health_probe_bind_address.0.is_some());
}

async fn merge(api: &Api<DynamicObject>, name: &str, patch: Value) {
    api.patch(name, &PatchParams::default(), &Patch::Merge(patch))
        .await
        .expect("it is patched");
}

#[tokio::test]
async fn the_roles_grant_what_the_loops_do_and_no_more() {
    let server = ApiServer::builder().build().expect("a server");
    for document in documents("namespace.yaml") {
        server.objects().put(&document).expect("a namespace");
    }
    let selection = simulator::NAME.parse().unwrap_or_default();
    let kubelet = ControlPlane::start_with(server.client(), &selection, Default::default())
        .expect("a simulated kubelet");
    let args = ["--lease-lock-namespace=controller-manager-system"];
    run_during(server.client_as(USER), &args, exercise(&server)).await;
    kubelet.stop().await.expect("no failure");

    let unused = assert_rbac(&server, USER, [ROLE]);
    let unused: Vec<String> = unused.iter().map(ToString::to_string).collect();
    let at_times = [
        // Informers of a server that cannot stream lists.
        "list pods",
        "list deployments.apps",
        "list replicasets.apps",
        // Events that come again.
        "patch events.events.k8s.io",
    ];
    for grant in unused {
        assert!(at_times.contains(&grant.as_str()), "{grant} is not used");
    }
}

/// A Deployment that is created, rolled over and scaled down without a history, and pods and replica sets that are adopted and released.
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
    assert!(eventually(|| status("availableReplicas") == Some(2)).await);

    // An orphan that matches is adopted, and a surplus pod deleted.
    let orphan = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "orphan", "labels": sets()[0]["spec"]["selector"]["matchLabels"]},
        "spec": {"containers": [{"name": "c", "image": "a"}]}});
    create(server.client(), orphan, "default").await;
    assert!(eventually(|| pods().iter().any(is_deleted) || pods().len() == 2).await);

    // A replica set that no longer matches is released, and adopted again when it does.
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
        let is_owned = || {
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
    assert!(eventually(|| status("availableReplicas") == Some(1) && sets().len() == 1).await);
}

fn is_deleted(pod: &Value) -> bool {
    pod["metadata"]["deletionTimestamp"].is_string()
}
