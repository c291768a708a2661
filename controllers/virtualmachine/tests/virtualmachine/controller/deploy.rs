//! Checks the files in `deploy/`.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use codegen_runtime::k8s_openapi::api::apps::v1::Deployment;
use codegen_runtime::k8s_openapi::api::core::v1::{Namespace, Service, ServiceAccount};
use codegen_runtime::k8s_openapi::api::policy::v1::PodDisruptionBudget;
use codegen_runtime::k8s_openapi::api::rbac::v1::{
    ClusterRole, ClusterRoleBinding, Role, RoleBinding,
};
use codegen_runtime::k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use codegen_runtime::kube::api::{DynamicObject, Patch, PatchParams, PostParams};
use codegen_runtime::kube::core::{GroupVersionKind, discovery::ApiResource};
use codegen_runtime::kube::{self, Api};
use codegen_runtime::scheme::Scheme;
use embedded_apiserver::ApiServer;
use serde_json::{Value, json};
use virtualmachine_controller::app::app;
use virtualmachine_controller::cli::Flags;

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/deploy"))
}

fn read(name: &str) -> String {
    fs::read_to_string(folder().join(name)).unwrap()
}

fn documents(name: &str) -> Vec<Value> {
    serde_saphyr::from_multiple(&read(name)).unwrap()
}

/// Whether two values are equal, where `0` equals `0.0`.
fn is_same(one: &Value, two: &Value) -> bool {
    match (one, two) {
        (Value::Number(one), Value::Number(two)) => one.as_f64() == two.as_f64(),
        (Value::Array(one), Value::Array(two)) => {
            one.len() == two.len() && one.iter().zip(two).all(|(one, two)| is_same(one, two))
        }
        (Value::Object(one), Value::Object(two)) => {
            let has =
                |(key, value): (&String, &Value)| two.get(key).is_some_and(|it| is_same(value, it));
            one.len() == two.len() && one.iter().all(has)
        }
        _ => one == two,
    }
}

#[test]
fn every_file_is_what_it_says_and_has_no_unknown_field() {
    let mut scheme = Scheme::new();
    scheme.register::<Namespace>().unwrap();
    scheme.register::<ServiceAccount>().unwrap();
    scheme.register::<ClusterRole>().unwrap();
    scheme.register::<ClusterRoleBinding>().unwrap();
    scheme.register::<Role>().unwrap();
    scheme.register::<RoleBinding>().unwrap();
    scheme.register::<Deployment>().unwrap();
    scheme.register::<PodDisruptionBudget>().unwrap();
    scheme.register::<Service>().unwrap();
    scheme.register::<CustomResourceDefinition>().unwrap();
    let kustomization: Value = serde_saphyr::from_str(&read("kustomization.yaml")).unwrap();
    let mut listed: Vec<&str> = kustomization["resources"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let names = |folder: PathBuf, prefix: &str| -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.map(|name| format!("{prefix}{name}")).collect()
    };
    let mut there: Vec<String> = names(folder().to_owned(), "")
        .into_iter()
        .chain(names(folder().join("user-roles"), "user-roles/"))
        .filter(|name| name.ends_with(".yaml") && name != "kustomization.yaml")
        .collect();
    there.sort();
    let files = listed.clone();
    listed.sort_unstable();
    assert_eq!(listed, there);
    for file in files
        .into_iter()
        .chain(["../deploy-kubevirt/role-binding.yaml"])
    {
        for document in documents(file) {
            let object = scheme.decode_value(document.clone()).unwrap();
            assert!(
                is_same(&object.to_json().unwrap(), &document),
                "{file}: {document:#}"
            );
        }
    }
}

#[test]
fn the_image_has_a_small_context() {
    let ignored = fs::read_to_string(folder().join("../../../.dockerignore")).unwrap();
    for path in [".git", "**/target"] {
        assert!(ignored.lines().any(|line| line == path), "{path}");
    }
}

#[test]
fn the_deployment_passes_flags_that_exist() {
    let deployment = documents("deployment.yaml").remove(0);
    let container = &deployment["spec"]["template"]["spec"]["containers"][0];
    let args: Vec<&str> = container["args"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert_eq!(
        args[1], "--vm-driver=simulated",
        "deploy-kubevirt/ replaces it by its place"
    );
    let flags = app()
        .try_parse_from::<Flags>([&["virtualmachine-controller"], &args[..]].concat())
        .unwrap()
        .flags;
    assert!(flags.election.lease_duration <= Duration::from_secs(15));
    flags.election.config("pod").unwrap();
    let ports: Vec<u64> = container["ports"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|it| it["containerPort"].as_u64())
        .collect();
    let binds = [flags.metrics_bind_address, flags.health_probe_bind_address];
    assert_eq!(
        binds.map(|it| it.0.map(|at| u64::from(at.port()))),
        [ports.first().copied(), ports.get(1).copied()]
    );
}

fn machines(server: &ApiServer) -> Api<DynamicObject> {
    let kind = GroupVersionKind::gvk("cloudnative.czs", "v1alpha1", "VirtualMachine");
    Api::namespaced_with(server.client(), "default", &ApiResource::from_gvk(&kind))
}

fn server() -> ApiServer {
    ApiServer::builder()
        .crd_values(documents("crd.yaml"))
        .build()
        .unwrap()
}

#[tokio::test]
async fn the_sample_applies_unchanged() {
    let machines = machines(&server());
    let sample = documents("samples/test-vm.yaml").remove(0);
    let apply = PatchParams::apply("test");
    let applied = machines
        .patch("test-vm", &apply, &Patch::Apply(&sample))
        .await
        .unwrap();
    assert_eq!(applied.data["spec"], sample["spec"]);
}

#[tokio::test]
async fn the_schema_defaults_the_action_and_refuses_what_makes_no_sense() {
    let machines = machines(&server());
    let object = |name: &str, spec: Value| -> DynamicObject {
        serde_json::from_value(json!({
            "apiVersion": "cloudnative.czs/v1alpha1",
            "kind": "VirtualMachine",
            "metadata": { "name": name },
            "spec": spec,
        }))
        .unwrap()
    };
    let sizes = json!({ "cpu": 2, "memory": "4G", "rootDisk": "40G" });
    let created = machines
        .create(
            &PostParams::default(),
            &object("good", json!({ "resource": sizes })),
        )
        .await
        .unwrap();
    assert_eq!(created.data["spec"]["action"], "active");
    for (n, (pointer, value)) in [
        ("/action", json!("paused")),
        ("/action", json!(1)),
        ("/resource", json!({})),
        ("/resource", json!("large")),
        ("/resource/cpu", json!("two")),
        ("/resource/cpu", json!("-2")),
        ("/resource/cpu", json!(1.5)),
        ("/resource/cpu", Value::Null),
        ("/resource/memory", json!("4GB")),
        ("/resource/memory", json!("4 G")),
        ("/resource/rootDisk", json!("9".repeat(33))),
        ("/resource/rootDisk", json!([])),
    ]
    .into_iter()
    .enumerate()
    {
        let mut spec = json!({ "action": "active", "resource": sizes });
        *spec.pointer_mut(pointer).unwrap() = value.clone();
        let refused = machines
            .create(&PostParams::default(), &object(&format!("bad-{n}"), spec))
            .await;
        let is_invalid = matches!(&refused, Err(kube::Error::Api(status)) if status.code == 422);
        assert!(is_invalid, "{pointer}: {value}: {refused:?}");
    }
}
