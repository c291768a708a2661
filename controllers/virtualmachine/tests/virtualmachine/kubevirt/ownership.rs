//! Objects that the driver leaves alone, and other writers: old leaders, conflicts, remaining
//! instances.

use codegen_runtime::kube::Resource;
use codegen_runtime::kube::api::{DeleteParams, PostParams, PropagationPolicy};
use embedded_apiserver::{Fault, FaultKind};
use serde_json::json;
use virtualmachine_controller::driver::{Driver, DriverError, Power, ServerState};

use crate::kubevirt::cluster::{Cluster, LARGE, epoch, goes, reaches, spec, term};

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
    // The new leader changes nothing, but still records its epoch.
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
    // The stand-in removes the instance of a deleted machine, so recreate it.
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
        .expect("objects remain");
    assert_eq!(left.state, ServerState::Failed);
    driver.delete(&term(1), &server).await.expect("deleted");
    goes(&driver, &server).await;
    cluster.end().await;
}
