//! Tests of the program: selection, skipped controllers, and several controllers sharing a factory.

use std::net::SocketAddr;
use std::time::Duration;

use codegen_runtime::app::AppError;
use codegen_runtime::kube::CustomResourceExt as _;
use codegen_runtime::kube::api::{Api, DynamicObject};
use codegen_runtime::kube::core::GroupVersionKind;
use controller_manager::{deployment, replicaset, simulator};
use controller_testing::cluster::eventually;
use controller_testing::deploy::Deploy;
use controller_testing::program::Program;
use embedded_apiserver::ApiServer;
use network_controller::apis::samplecrd::v1::Network;
use podbuggertool_controller::apis::tools::v1alpha1::PodBuggerTool;
use podset_controller::apis::apps::v1alpha1::PodSet;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::support::{create, objects, run_during, try_run_during};

/// Runs the program with `args` until `done` holds for the server's objects.
async fn run_until(server: &ApiServer, args: &[&str], done: impl Fn() -> bool) {
    let args = [&["--leader-elect=false"], args].concat();
    assert!(run_during(server.client(), &args, eventually(async || done())).await);
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

/// A CRD as JSON; its schema does not matter here.
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
    // The loops, the simulator and the PodSet controller share their watches; the PodBuggerTool
    // controller also watches the metadata of pods.
    let actions = server.recorder().actions();
    for (resource, expected) in [
        ("deployments", 1),
        ("replicasets", 1),
        ("pods", 2),
        ("podsets", 1),
    ] {
        let watches = actions.iter().filter(|it| it.matches("watch", resource));
        assert_eq!(watches.count(), expected, "{resource}");
    }
}

/// Returns two free addresses. Another process may take one in the meantime, or a program that
/// another test starts may briefly hold a copy of the listener.
async fn free_addresses() -> [SocketAddr; 2] {
    let bind = async || TcpListener::bind("127.0.0.1:0").await.expect("an address");
    let listeners = [bind().await, bind().await];
    listeners.map(|it| it.local_addr().expect("an address"))
}

/// Sends a GET; empty if no server listens.
async fn get(address: SocketAddr, path: &str) -> String {
    let mut answer = String::new();
    let Ok(mut stream) = TcpStream::connect(address).await else {
        return answer;
    };
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    let written = stream.write_all(request.as_bytes()).await;
    written.expect("it is asked");
    let read = stream.read_to_string(&mut answer).await;
    read.expect("it answers");
    answer
}

#[tokio::test]
async fn each_loop_has_a_health_check_and_metrics() {
    let server = ApiServer::builder().build().expect("a server");
    for _ in 0..100 {
        let [health, metrics] = free_addresses().await;
        let args = [
            "--leader-elect=false".to_owned(),
            "--simulate-pods".to_owned(),
            format!("--health-probe-bind-address={health}"),
            format!("--metrics-bind-address={metrics}"),
        ];
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        match try_run_during(server.client(), &args, look(health, metrics)).await {
            // The address was taken in the meantime.
            Err(AppError::Listen { .. }) => tokio::time::sleep(Duration::from_millis(20)).await,
            ended => return ended.expect("graceful shutdown"),
        }
    }
    panic!("no address stays free");
}

/// Checks the health and the metrics of each loop.
async fn look(health: SocketAddr, metrics: SocketAddr) {
    let is_ready = async || get(health, "/readyz").await.starts_with("HTTP/1.1 200");
    assert!(eventually(is_ready).await);
    for name in [deployment::NAME, replicaset::NAME, simulator::NAME] {
        for endpoint in ["healthz", "readyz"] {
            let answer = get(health, &format!("/{endpoint}/{name}")).await;
            assert!(answer.starts_with("HTTP/1.1 200"), "{name}: {answer}");
        }
        let series = format!("workqueue_depth{{controller=\"{name}\"");
        let is_there = async || get(metrics, "/metrics").await.contains(&series);
        assert!(eventually(is_there).await, "{series}");
    }
    let other = get(health, "/healthz/virtualmachine").await;
    assert!(other.starts_with("HTTP/1.1 404"), "it is off: {other}");
}

#[tokio::test]
async fn of_two_processes_one_works_and_the_other_takes_over() {
    let server = ApiServer::builder().build().expect("a server");
    let namespace =
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "system"}});
    server.objects().put(&namespace).expect("a namespace");
    let set = |name: &str| {
        json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": name},
        "spec": {"replicas": 1, "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "c", "image": "a"}]}}}})
    };
    let has_pod = |name: &str| {
        let set = server.objects().get("apps", "replicasets", "default", name);
        set.is_some_and(|it| it["status"]["replicas"] == 1)
    };
    let holder = || {
        let lease = server
            .objects()
            .list("coordination.k8s.io", "leases", "system");
        let lease = lease.into_iter().next().unwrap_or_default();
        lease["spec"]["holderIdentity"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let args = |identity| {
        [
            "--lease-lock-namespace=system",
            "--retry-period=100ms",
            identity,
        ]
    };
    let (first, second) = (
        args("--holder-identity=first"),
        args("--holder-identity=second"),
    );
    let works = async {
        create(server.client(), set("a"), "default").await;
        assert!(eventually(async || has_pod("a")).await);
        assert_eq!(holder(), "first");
    };
    let (tell, first_has_ended) = tokio::sync::oneshot::channel::<()>();
    let one = async {
        run_during(server.client(), &first, works).await;
        drop(tell);
    };
    let takes_over = async {
        let _ = first_has_ended.await;
        create(server.client(), set("b"), "default").await;
        assert!(eventually(async || has_pod("b")).await);
        assert_eq!(holder(), "second");
    };
    let other = async {
        assert!(eventually(async || holder() == "first").await);
        run_during(server.client(), &second, takes_over).await;
    };
    tokio::join!(one, other);
}

#[tokio::test]
async fn the_demo_makes_a_deployment_available_and_ends_with_one_signal() {
    let program = Program::demo(env!("CARGO_BIN_EXE_controller-manager")).await;
    program
        .until_line("kubectl rollout status deployment/web")
        .await;
    let client = program.client().await;
    let deploy = Deploy::of(env!("CARGO_MANIFEST_DIR"));
    let sample = deploy.documents("samples/web.yaml").remove(0);
    create(client.clone(), sample, "default").await;
    let kind = GroupVersionKind::gvk("apps", "v1", "Deployment");
    let deployments: Api<DynamicObject> = objects(client, &kind, "default");
    let is_available = async || {
        let web = deployments.get("web").await.expect("a deployment").data;
        web["status"]["availableReplicas"] == web["spec"]["replicas"]
    };
    assert!(eventually(is_available).await, "{program:?}");
    program.signal("TERM");
    let (status, lines) = program.end().await;
    assert!(status.success(), "{status}: {lines:#?}");
}

#[tokio::test]
async fn an_api_server_that_is_down_is_waited_for() {
    let server = ApiServer::builder().build().expect("a server");
    create(
        server.client(),
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
            "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "c", "image": "a"}]}}}}),
        "default",
    )
    .await;
    let serving = server.serve("127.0.0.1:0").await.expect("a free port");
    let (address, kubeconfig) = (serving.local_addr(), serving.kubeconfig("down"));
    serving.shutdown().await;
    let binary = env!("CARGO_BIN_EXE_controller-manager");
    let program = Program::start(binary, Some(kubeconfig), &["--leader-elect=false"]);
    program
        .until_line("cannot ask the API server what it serves")
        .await;
    let serving = server.serve(address).await.expect("the same port");
    let has_set = async || {
        !server
            .objects()
            .list("apps", "replicasets", "default")
            .is_empty()
    };
    assert!(eventually(has_set).await, "{program:?}");
    program.signal("TERM");
    let (status, lines) = program.end().await;
    assert!(status.success(), "{status}: {lines:#?}");
    serving.shutdown().await;
}
