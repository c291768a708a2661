//! The driver's actions.

use codegen_runtime::kube::ResourceExt;
use codegen_runtime::kube::api::{Patch, PatchParams};
use serde_json::json;
use virtualmachine_controller::driver::{Driver, DriverError, Power, Resources, ServerState};

use crate::kubevirt::cluster::{Cluster, LARGE, SMALL, epoch, goes, reaches, settled, spec, term};

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
    // 50 Gi plus a fifteenth for the file system overhead.
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
    #[rustfmt::skip]
    let cases = [
        ("/metadata/labels/app.kubernetes.io~1managed-by", json!("virtualmachine-controller")),
        ("/metadata/labels/cloudnative.czs~1virtualmachine-uid", json!(server.uid)),
        ("/metadata/annotations/cloudnative.czs~1virtualmachine", json!("shape")),
        ("/metadata/annotations/cloudnative.czs~1epoch", json!("7")),
        ("/metadata/ownerReferences/0/kind", json!("VirtualMachine")),
        ("/metadata/ownerReferences/0/apiVersion", json!("cloudnative.czs/v1alpha1")),
        ("/metadata/ownerReferences/0/uid", json!(server.uid)),
        ("/metadata/ownerReferences/0/controller", json!(true)),
        ("/spec/runStrategy", json!("Halted")),
        ("/spec/template/metadata/labels/cloudnative.czs~1virtualmachine-uid", json!(server.uid)),
        ("/spec/template/spec/domain/cpu", json!({"cores": 2, "sockets": 1, "threads": 1})),
        ("/spec/template/spec/domain/memory/guest", json!("4G")),
        ("/spec/template/spec/volumes/0/dataVolume/name", json!(root)),
        ("/spec/dataVolumeTemplates/0/metadata/name", json!(root)),
        ("/spec/dataVolumeTemplates/0/spec/source", json!({"blank": {}})),
        ("/spec/dataVolumeTemplates/0/spec/storage/resources/requests/storage", json!("40Gi")),
    ];
    for (pointer, expected) in cases {
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

    // What the finalizer does on deletion, for a machine that has even lost its labels.
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
