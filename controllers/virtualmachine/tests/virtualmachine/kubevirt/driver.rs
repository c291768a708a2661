//! The driver's actions, and the objects that it leaves alone.

use parking_lot::Mutex;
use std::sync::Arc;

use codegen_runtime::kube::api::{DeleteParams, Patch, PatchParams, PostParams, PropagationPolicy};
use codegen_runtime::kube::{Resource, ResourceExt};
use codegen_runtime::store::ObjectKey;
use embedded_apiserver::{Fault, FaultKind};
use serde_json::json;
use tokio_util::sync::CancellationToken;
use virtualmachine_controller::driver::kubevirt::KubeVirt;
use virtualmachine_controller::driver::kubevirt::api::apis::kubevirt::v1 as api;
use virtualmachine_controller::driver::{
    Changed, Driver, DriverError, Power, Resources, ServerRef, ServerState,
};

use crate::kubevirt::cluster::{Cluster, LARGE, SMALL, goes, reaches, spec, term, until};

#[tokio::test]
async fn a_server_is_created_stopped_resized_started_and_deleted() {
    let cluster = Cluster::start().await;
    let (driver, term) = (cluster.driver(), term(1));
    let server = cluster.machine("life").await;
    assert_eq!(driver.status(&server).await, Ok(None));

    driver
        .create(&term, &server, &spec(Power::On))
        .await
        .expect("created");
    let running = reaches(&driver, &server, ServerState::Running).await;
    assert_eq!((running.resources, running.usage), (SMALL, None));

    driver
        .set_power(&term, &server, Power::Off)
        .await
        .expect("stopping");
    reaches(&driver, &server, ServerState::Stopped).await;
    driver
        .resize(&term, &server, &LARGE)
        .await
        .expect("resized");
    let stopped = reaches(&driver, &server, ServerState::Stopped).await;
    assert_eq!(stopped.resources, LARGE);
    let claim = cluster.kubevirt.claim(&server.id()).await.expect("a claim");
    let requests = claim.spec.and_then(|spec| spec.resources?.requests);
    // 50 Gi, and a fifteenth for the file system.
    let storage = requests.and_then(|requests| requests.get("storage").cloned());
    assert_eq!(
        storage.map(|storage| storage.0),
        Some("57266230614".to_owned())
    );

    driver
        .set_power(&term, &server, Power::On)
        .await
        .expect("starting");
    let running = reaches(&driver, &server, ServerState::Running).await;
    assert_eq!(running.resources, LARGE);

    driver.delete(&term, &server).await.expect("deleting");
    goes(&driver, &server).await;
    assert_eq!(
        cluster.kubevirt.claim(&server.id()).await,
        None,
        "the disk goes too"
    );
    cluster.end().await;
}

#[tokio::test]
async fn kubevirt_gets_the_machine_that_its_users_would_write() {
    let cluster = Cluster::start().await;
    let server = cluster.machine("shape").await;
    let created = cluster
        .driver()
        .create(&term(7), &server, &spec(Power::Off))
        .await;
    created.expect("created");
    let vm = serde_json::to_value(cluster.vm(&server).await).expect("JSON");
    let at = |pointer: &str| vm.pointer(pointer).cloned().unwrap_or_default();
    let root = format!("{}-root", server.id());
    for (pointer, expected) in [
        (
            "/metadata/labels/app.kubernetes.io~1managed-by",
            json!("virtualmachine-controller"),
        ),
        (
            "/metadata/labels/cloudnative.czs~1virtualmachine-uid",
            json!(server.uid),
        ),
        (
            "/metadata/annotations/cloudnative.czs~1virtualmachine",
            json!("shape"),
        ),
        ("/metadata/annotations/cloudnative.czs~1epoch", json!("7")),
        ("/metadata/ownerReferences/0/kind", json!("VirtualMachine")),
        (
            "/metadata/ownerReferences/0/apiVersion",
            json!("cloudnative.czs/v1alpha1"),
        ),
        ("/metadata/ownerReferences/0/uid", json!(server.uid)),
        ("/metadata/ownerReferences/0/controller", json!(true)),
        ("/spec/runStrategy", json!("Halted")),
        (
            "/spec/template/metadata/labels/cloudnative.czs~1virtualmachine-uid",
            json!(server.uid),
        ),
        (
            "/spec/template/spec/domain/cpu",
            json!({"cores": 2, "sockets": 1, "threads": 1}),
        ),
        ("/spec/template/spec/domain/memory/guest", json!("4G")),
        ("/spec/template/spec/volumes/0/dataVolume/name", json!(root)),
        ("/spec/dataVolumeTemplates/0/metadata/name", json!(root)),
        (
            "/spec/dataVolumeTemplates/0/spec/source",
            json!({"blank": {}}),
        ),
        (
            "/spec/dataVolumeTemplates/0/spec/storage/resources/requests/storage",
            json!("40Gi"),
        ),
    ] {
        assert_eq!(at(pointer), expected, "{pointer}");
    }
    cluster.end().await;
}

#[tokio::test]
async fn doing_it_again_changes_nothing() {
    let cluster = Cluster::start().await;
    let (driver, term) = (cluster.driver(), term(1));
    let server = cluster.machine("again").await;
    driver
        .create(&term, &server, &spec(Power::On))
        .await
        .expect("created");
    reaches(&driver, &server, ServerState::Running).await;
    let before = settled(&cluster, &server).await;
    driver
        .create(&term, &server, &spec(Power::Off))
        .await
        .expect("it is there");
    driver
        .set_power(&term, &server, Power::On)
        .await
        .expect("it runs");
    driver
        .resize(&term, &server, &SMALL)
        .await
        .expect("it has these sizes");
    assert_eq!(cluster.vm(&server).await.resource_version(), before);

    driver.delete(&term, &server).await.expect("deleting");
    driver
        .delete(&term, &server)
        .await
        .expect("deleting already");
    goes(&driver, &server).await;
    driver.delete(&term, &server).await.expect("it is gone");
    let missing = driver.set_power(&term, &server, Power::On).await;
    assert!(
        matches!(missing, Err(DriverError::Failed(_))),
        "{missing:?}"
    );
    cluster.end().await;
}

/// The machine's resourceVersion, once the stand-in writes no more.
async fn settled(cluster: &Cluster, server: &ServerRef) -> Option<String> {
    until(|| async {
        let before = cluster.vm(server).await.resource_version();
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        (cluster.vm(server).await.resource_version() == before).then_some(before)
    })
    .await
}

#[tokio::test]
async fn a_process_that_starts_finds_what_another_one_made() {
    let cluster = Cluster::start().await;
    let server = cluster.machine("adopted").await;
    let created = cluster
        .driver()
        .create(&term(1), &server, &spec(Power::On))
        .await;
    created.expect("created");
    let next = cluster.driver();
    let found = reaches(&next, &server, ServerState::Running).await;
    assert_eq!(found.resources, SMALL);
    next.create(&term(2), &server, &spec(Power::On))
        .await
        .expect("adopted");
    assert_eq!(epoch(&cluster.vm(&server).await), Some("2"));
    next.delete(&term(2), &server).await.expect("deleting");
    goes(&next, &server).await;
    cluster.end().await;
}

fn epoch(vm: &api::VirtualMachine) -> Option<&str> {
    vm.annotations()
        .get("cloudnative.czs/epoch")
        .map(String::as_str)
}

#[tokio::test]
async fn what_somebody_else_made_is_never_touched() {
    let cluster = Cluster::start().await;
    let driver = cluster.driver();
    let server = cluster.machine("foreign").await;
    let vms = cluster
        .clientset()
        .kubevirt_v1()
        .virtual_machines(&cluster.namespace);
    let theirs = json!({
        "apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": server.id()},
        "spec": {"runStrategy": "Manual", "template": {"spec": {"domain": {"devices": {}}}}},
    });
    let theirs = serde_json::from_value(theirs).expect("a machine");
    let theirs = vms
        .create(&theirs, &PostParams::default())
        .await
        .expect("created");

    assert_eq!(driver.status(&server).await, Ok(None), "nothing of ours");
    let term = &term(1);
    for refused in [
        driver.create(term, &server, &spec(Power::On)).await,
        driver.set_power(term, &server, Power::On).await,
        driver.resize(term, &server, &LARGE).await,
        driver.delete(term, &server).await,
    ] {
        assert!(
            matches!(refused, Err(DriverError::Refused(_))),
            "{refused:?}"
        );
    }
    assert_eq!(cluster.vm(&server).await, theirs);
    cluster.end().await;
}

#[tokio::test]
async fn an_old_leader_is_refused() {
    let cluster = Cluster::start().await;
    let (old, new) = (cluster.driver(), cluster.driver());
    let server = cluster.machine("fenced").await;
    old.create(&term(4), &server, &spec(Power::On))
        .await
        .expect("created");
    // The new leader changes nothing, and leaves its epoch all the same.
    new.set_power(&term(5), &server, Power::On)
        .await
        .expect("it runs");
    let stale = Err(DriverError::Stale {
        epoch: 4,
        newest: 5,
    });
    assert_eq!(old.create(&term(4), &server, &spec(Power::On)).await, stale);
    assert_eq!(old.set_power(&term(4), &server, Power::Off).await, stale);
    assert_eq!(old.resize(&term(4), &server, &LARGE).await, stale);
    assert_eq!(old.delete(&term(4), &server).await, stale);
    let vm = cluster.vm(&server).await;
    assert_eq!(
        (epoch(&vm), vm.spec.run_strategy.as_deref()),
        (Some("5"), Some("Always"))
    );
    assert_eq!(vm.meta().deletion_timestamp, None);
    cluster.end().await;
}

#[tokio::test]
async fn a_disk_does_not_shrink() {
    let cluster = Cluster::start().await;
    let driver = cluster.driver();
    let server = cluster.machine("disk").await;
    driver
        .create(&term(1), &server, &spec(Power::Off))
        .await
        .expect("created");
    let smaller = Resources {
        disk: SMALL.disk - 1,
        ..SMALL
    };
    let refused = driver.resize(&term(1), &server, &smaller).await;
    assert_eq!(
        refused,
        Err(DriverError::Refused("a disk can only grow".to_owned()))
    );
    cluster.end().await;
}

#[tokio::test]
async fn lost_races_are_run_again() {
    let cluster = Cluster::start().await;
    let Some(api_server) = cluster.embedded.clone() else {
        println!("skipped: faults are the embedded server's");
        return cluster.end().await;
    };
    let driver = cluster.driver();
    let server = cluster.machine("races").await;
    driver
        .create(&term(1), &server, &spec(Power::On))
        .await
        .expect("created");
    for verb in ["patch", "delete"] {
        let fault = Fault::new(FaultKind::Conflict).on(verb, "virtualmachines");
        api_server.faults().add(fault.named(&server.id()).times(2));
    }
    driver
        .set_power(&term(1), &server, Power::Off)
        .await
        .expect("the third try");
    assert_eq!(
        cluster.vm(&server).await.spec.run_strategy.as_deref(),
        Some("Halted")
    );
    driver
        .delete(&term(1), &server)
        .await
        .expect("the third try");
    goes(&driver, &server).await;
    cluster.end().await;
}

#[tokio::test]
async fn an_instance_without_its_machine_is_removed() {
    let cluster = Cluster::start().await;
    let driver = cluster.driver();
    let server = cluster.machine("orphan").await;
    driver
        .create(&term(1), &server, &spec(Power::On))
        .await
        .expect("created");
    reaches(&driver, &server, ServerState::Running).await;
    // The stand-in removes the instance of a machine that goes, so it is put back.
    let clientset = cluster.clientset();
    let vmis = clientset
        .kubevirt_v1()
        .virtual_machine_instances(&cluster.namespace);
    let mut vmi = vmis.get(&server.id()).await.expect("an instance");
    let vms = clientset.kubevirt_v1().virtual_machines(&cluster.namespace);
    let params = DeleteParams {
        propagation_policy: Some(PropagationPolicy::Background),
        ..DeleteParams::default()
    };
    vms.delete(&server.id(), &params).await.expect("deleted");
    goes(&driver, &server).await;
    vmi.metadata.owner_references = None;
    vmi.metadata.resource_version = None;
    vmi.metadata.uid = None;
    vmis.create(&vmi, &PostParams::default())
        .await
        .expect("created");

    let left = driver
        .status(&server)
        .await
        .expect("a status")
        .expect("something is left");
    assert_eq!(left.state, ServerState::Failed);
    driver.delete(&term(1), &server).await.expect("deleted");
    goes(&driver, &server).await;
    cluster.end().await;
}

/// A driver that runs, and the keys that it told.
struct Running {
    driver: KubeVirt,
    told: Arc<Mutex<Vec<ObjectKey>>>,
    stop: CancellationToken,
    task: tokio::task::JoinHandle<Result<(), DriverError>>,
}

impl Running {
    fn start(driver: KubeVirt) -> Self {
        let told: Arc<Mutex<Vec<ObjectKey>>> = Arc::default();
        let keys = told.clone();
        let changed: Changed = Arc::new(move |key| {
            keys.lock().push(key);
        });
        let (stop, runner) = (CancellationToken::new(), driver.clone());
        let stopped = stop.clone();
        let task = tokio::spawn(async move { runner.run(changed, stopped).await });
        Self {
            driver,
            told,
            stop,
            task,
        }
    }

    fn take(&self) -> Vec<ObjectKey> {
        std::mem::take(&mut *self.told.lock())
    }

    async fn is_told(&self, key: &ObjectKey) {
        until(|| async { self.take().contains(key).then_some(()) }).await;
    }

    async fn end(self) {
        self.stop.cancel();
        self.task.await.expect("it ends").expect("without an error");
    }
}

#[tokio::test]
async fn changes_of_kubevirts_are_told_and_own_writes_are_read() {
    let cluster = Cluster::start().await;
    let running = Running::start(cluster.driver());
    let driver = &running.driver;
    let server = cluster.machine("told").await;
    driver
        .create(&term(1), &server, &spec(Power::On))
        .await
        .expect("created");
    reaches(driver, &server, ServerState::Running).await;
    running.is_told(&server.key()).await;

    for _ in 0..5 {
        driver
            .set_power(&term(1), &server, Power::Off)
            .await
            .expect("stopping");
        let state = driver
            .status(&server)
            .await
            .expect("a status")
            .map(|now| now.state);
        assert!(
            matches!(state, Some(ServerState::Stopping | ServerState::Stopped)),
            "{state:?}"
        );
        reaches(driver, &server, ServerState::Stopped).await;
        driver
            .set_power(&term(1), &server, Power::On)
            .await
            .expect("starting");
        let state = driver
            .status(&server)
            .await
            .expect("a status")
            .map(|now| now.state);
        assert!(
            matches!(state, Some(ServerState::Creating | ServerState::Running)),
            "{state:?}"
        );
        reaches(driver, &server, ServerState::Running).await;
    }

    settled(&cluster, &server).await;
    running.take();
    cluster.kubevirt.say(Some(json!({
        "printableStatus": "ErrorUnschedulable", "ready": false,
        "conditions": [{"type": "Ready", "status": "False", "message": "0/3 nodes are available"}],
    })));
    running.is_told(&server.key()).await;
    let failed = reaches(driver, &server, ServerState::Failed).await;
    assert_eq!(
        failed.message,
        "KubeVirt: ErrorUnschedulable: 0/3 nodes are available"
    );
    cluster.kubevirt.say(None);
    reaches(driver, &server, ServerState::Running).await;

    let vms = cluster
        .clientset()
        .kubevirt_v1()
        .virtual_machines(&cluster.namespace);
    settled(&cluster, &server).await;
    running.take();
    let deleted = vms.delete(&server.id(), &DeleteParams::background()).await;
    deleted.expect("deleted by somebody");
    running.is_told(&server.key()).await;
    goes(driver, &server).await;
    running.end().await;
    cluster.end().await;
}

#[tokio::test]
async fn a_deletion_is_read_at_once() {
    let cluster = Cluster::start().await;
    let running = Running::start(cluster.driver());
    let driver = &running.driver;
    for name in ["one", "two", "three"] {
        let server = cluster.machine(name).await;
        driver
            .create(&term(1), &server, &spec(Power::On))
            .await
            .expect("created");
        reaches(driver, &server, ServerState::Running).await;
        driver.delete(&term(1), &server).await.expect("deleting");
        let state = driver
            .status(&server)
            .await
            .expect("a status")
            .map(|now| now.state);
        assert!(
            matches!(state, None | Some(ServerState::Deleting)),
            "{state:?}"
        );
        goes(driver, &server).await;
    }
    running.end().await;
    cluster.end().await;
}

#[tokio::test]
async fn a_running_server_has_the_sizes_with_which_it_was_started() {
    let cluster = Cluster::start().await;
    let driver = cluster.driver();
    let server = cluster.machine("sizes").await;
    driver
        .create(&term(1), &server, &spec(Power::On))
        .await
        .expect("created");
    reaches(&driver, &server, ServerState::Running).await;
    driver
        .resize(&term(1), &server, &LARGE)
        .await
        .expect("resized");
    let running = driver
        .status(&server)
        .await
        .expect("a status")
        .expect("a server");
    let old = Resources {
        disk: LARGE.disk,
        ..SMALL
    };
    assert_eq!(
        running.resources, old,
        "processors and memory wait for the next start"
    );
    assert!(running.resources.needs_restart(&LARGE));

    // The finalizer's work, when the machine loses its labels too.
    let vms = cluster
        .clientset()
        .kubevirt_v1()
        .virtual_machines(&cluster.namespace);
    let patch =
        Patch::Merge(json!({"metadata": {"labels": {"cloudnative.czs/virtualmachine-uid": null}}}));
    vms.patch(&server.id(), &PatchParams::default(), &patch)
        .await
        .expect("patched");
    driver.delete(&term(1), &server).await.expect("still ours");
    goes(&driver, &server).await;
    cluster.end().await;
}
