//! The files below `deploy/`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use codegen_runtime::kube::Api;
use codegen_runtime::kube::api::{DynamicObject, PostParams};
use codegen_runtime::kube::core::{GroupVersionKind, discovery::ApiResource};
use embedded_apiserver::{ApiServer, assert_rbac};
use podbuggertool_controller::app;
use serde_json::{Value, json};

use crate::support::{CRD, Running};

const ROLE: &str = include_str!("../../deploy/role.yaml");

fn documents(name: &str) -> Vec<Value> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/deploy"));
    serde_saphyr::from_multiple(&fs::read_to_string(folder.join(name)).unwrap()).unwrap()
}

#[test]
fn the_kustomization_lists_every_file() {
    let listed: BTreeSet<String> = documents("kustomization.yaml")[0]["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it.as_str().unwrap().to_owned())
        .collect();
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/deploy"));
    let there: BTreeSet<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".yaml") && name != "kustomization.yaml")
        .collect();
    assert_eq!(listed, there);
    for file in listed {
        for document in documents(&file) {
            assert!(document["kind"].is_string(), "{file}: {document}");
        }
    }
}

#[test]
fn the_deployment_passes_flags_that_exist() {
    let deployment = documents("deployment.yaml").remove(0);
    let container = &deployment["spec"]["template"]["spec"]["containers"][0];
    let args = container["args"].as_array().unwrap();
    let args = args.iter().map(|it| it.as_str().unwrap().to_owned());
    let all = std::iter::once("controller".to_owned()).chain(args);
    let flags = app::app().try_parse_from::<()>(all).unwrap().flags;
    assert!(flags.metrics_bind_address.0.is_some() && flags.health_probe_bind_address.0.is_some());
}

fn objects(server: &ApiServer) -> Api<DynamicObject> {
    let kind = GroupVersionKind::gvk("tools.jicki.cn", "v1alpha1", "PodBuggerTool");
    Api::all_with(server.client(), &ApiResource::from_gvk(&kind))
}

#[tokio::test]
async fn the_sample_is_valid_and_nonsense_is_not() {
    let crd: Value = serde_saphyr::from_str(CRD).unwrap();
    let server = ApiServer::builder().crd_values([crd]).build().unwrap();
    let objects = objects(&server);
    let sample = documents("samples/netshoot.yaml").remove(0);
    let object: DynamicObject = serde_json::from_value(sample.clone()).unwrap();
    let created = objects
        .create(&PostParams::default(), &object)
        .await
        .unwrap();
    assert_eq!(created.data["spec"], sample["spec"]);
    for (pointer, value) in [
        ("/spec", json!({})),
        ("/spec/image", json!("")),
        ("/spec/selector", json!("app=web")),
        ("/spec/selector/matchLabels", json!({ "a": 1 })),
        ("/spec/command", json!("sleep")),
        ("/spec/namespaces", json!(["a", "a"])),
    ] {
        let mut bad = sample.clone();
        bad["metadata"]["name"] = json!("bad");
        *bad.pointer_mut(pointer).unwrap() = value;
        let object: DynamicObject = serde_json::from_value(bad).unwrap();
        let refused = objects.create(&PostParams::default(), &object).await;
        let is_invalid =
            matches!(&refused, Err(codegen_runtime::kube::Error::Api(it)) if it.code == 422);
        assert!(is_invalid, "{pointer}: {refused:?}");
    }
}

#[tokio::test]
async fn the_roles_grant_what_the_controller_does_and_no_more() {
    let crd: Value = serde_saphyr::from_str(CRD).unwrap();
    let server = ApiServer::builder().crd_values([crd]).build().unwrap();
    let object = |value: Value| server.objects().put(&value).unwrap();
    drop(object(
        json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "podbuggertool-system" } }),
    ));
    drop(object(json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": { "name": "web", "namespace": "default", "uid": "1", "labels": { "debug": "true" } },
        "spec": { "containers": [{ "name": "main", "image": "busybox:1" }] },
        "status": { "phase": "Running" },
    })));
    let running = Running::start(
        server.client_as("podbuggertool-controller"),
        &[
            "--leader-elect=true",
            "--lease-lock-namespace=podbuggertool-system",
        ],
    );
    let sample = documents("samples/netshoot.yaml").remove(0);
    let sample: DynamicObject = serde_json::from_value(sample).unwrap();
    drop(
        objects(&server)
            .create(&PostParams::default(), &sample)
            .await
            .unwrap(),
    );
    let done = async || {
        let tools = server
            .objects()
            .list("tools.jicki.cn", "podbuggertools", "");
        tools[0]["status"]["podsWithTool"] == 1
            && !server
                .objects()
                .list("events.k8s.io", "events", "")
                .is_empty()
    };
    assert!(crate::cluster::eventually(done).await);
    running.stop().await;
    let unused = assert_rbac(&server, "podbuggertool-controller", [ROLE]);
    let unused: Vec<String> = unused.iter().map(ToString::to_string).collect();
    let elsewhere = [
        // Informers that can't stream.
        "list pods",
        // Events that come again.
        "patch events.events.k8s.io",
        "list podbuggertools.tools.jicki.cn",
    ];
    assert_eq!(unused, elsewhere);
}
