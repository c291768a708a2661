//! The program: selection, skipped controllers, and several of the table at work on one factory.

use codegen_runtime::kube::CustomResourceExt as _;
use embedded_apiserver::ApiServer;
use network_controller::apis::samplecrd::v1::Network;
use podbuggertool_controller::apis::tools::v1alpha1::PodBuggerTool;
use podset_controller::apis::apps::v1alpha1::PodSet;
use serde_json::{Value, json};

use crate::support::{create, eventually, run_during};

/// Runs the program with `args` until `done` is true of the server's objects.
async fn run_until(server: &ApiServer, args: &[&str], done: impl Fn() -> bool) {
    let args = [&["--leader-elect=false"], args].concat();
    assert!(run_during(server.client(), &args, eventually(done)).await);
}

#[tokio::test]
async fn a_deployment_and_a_virtual_machine_share_the_process() {
    let crd: Value = serde_json::from_str(&definition()).expect("a definition");
    let server = ApiServer::builder()
        .crd_values([crd])
        .build()
        .expect("a server");
    let deployment = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "default"},
        "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "c", "image": "a"}]}}}});
    let machine = json!({"apiVersion": "cloudnative.czs/v1alpha1", "kind": "VirtualMachine", "metadata": {"name": "vm", "namespace": "default"},
        "spec": {"action": "active", "resource": {"cpu": 1, "memory": "1G", "rootDisk": "10G"}}});
    for object in [deployment, machine] {
        create(server.client(), object, "default").await;
    }
    let done = || {
        let web = server
            .objects()
            .get("apps", "deployments", "default", "web")
            .unwrap_or_default();
        let machine = server
            .objects()
            .get("cloudnative.czs", "virtualmachines", "default", "vm")
            .unwrap_or_default();
        web["status"]["availableReplicas"] == 2 && !machine["status"]["phase"].is_null()
    };
    run_until(
        &server,
        &["--simulate-pods", "--controllers=*,virtualmachine"],
        done,
    )
    .await;
}

#[tokio::test]
async fn a_controller_whose_api_is_not_served_is_skipped() {
    let server = ApiServer::builder().build().expect("a server");
    let watched = || {
        server
            .recorder()
            .actions()
            .iter()
            .any(|action| action.resource == "replicasets")
    };
    run_until(&server, &["--controllers=*,virtualmachine"], watched).await;
    let asked = server.recorder().actions();
    assert!(
        asked
            .iter()
            .all(|action| action.resource != "virtualmachines")
    );
}

/// The definition as JSON; the served schema does not matter here.
fn definition() -> String {
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "virtualmachines.cloudnative.czs"},
        "spec": {"group": "cloudnative.czs", "scope": "Namespaced",
            "names": {"plural": "virtualmachines", "singular": "virtualmachine", "kind": "VirtualMachine", "listKind": "VirtualMachineList"},
            "versions": [{"name": "v1alpha1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}]}})
    .to_string()
}

#[tokio::test]
async fn every_controller_of_the_repository_shares_the_process() {
    let server = ApiServer::builder()
        .crds([Network::crd(), PodSet::crd(), PodBuggerTool::crd()])
        .build()
        .expect("a server");
    let network = json!({"apiVersion": "samplecrd.k8s.io/v1", "kind": "Network", "metadata": {"name": "net", "namespace": "default"},
        "spec": {"cidr": "192.168.0.0/16", "gateway": "192.168.0.1"}});
    let set = json!({"apiVersion": "apps.jicki.cn/v1alpha1", "kind": "PodSet", "metadata": {"name": "set", "namespace": "default"},
        "spec": {"size": 2}});
    let tool = json!({"apiVersion": "tools.jicki.cn/v1alpha1", "kind": "PodBuggerTool", "metadata": {"name": "tool"},
        "spec": {"selector": {"matchLabels": {"app": "podSet"}}, "image": "busybox"}});
    for (object, namespace) in [(network, "default"), (set, "default"), (tool, "")] {
        create(server.client(), object, namespace).await;
    }
    let done = || {
        let get = |group, plural, namespace, name| {
            server
                .objects()
                .get(group, plural, namespace, name)
                .unwrap_or_default()
        };
        let network = get("samplecrd.k8s.io", "networks", "default", "net");
        let set = get("apps.jicki.cn", "podsets", "default", "set");
        let tool = get("tools.jicki.cn", "podbuggertools", "", "tool");
        network["status"]["phase"] == "Active"
            && set["status"]["readyReplicas"] == 2
            && tool["status"]["podsWithTool"] == 2
    };
    let all = "--controllers=*,network,podset,podbuggertool";
    run_until(&server, &["--simulate-pods", all], done).await;
}
