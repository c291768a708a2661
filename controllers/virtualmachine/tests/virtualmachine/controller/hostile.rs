//! Invalid specs.

use codegen_runtime::kube::ResourceExt;
use serde_json::{Value, json};
use virtualmachine_controller::apis::cloudnative::v1alpha1::VirtualMachinePhase as Phase;

use crate::controller::support::{Rig, condition, machine};

async fn is_refused(resource: Value, reason: &str) {
    let rig = Rig::new();
    let running = rig.start();
    rig.create(&machine("test-vm", resource.clone())).await;
    rig.until_phase("test-vm", Phase::Failed).await;
    let status = rig.status("test-vm");
    assert!(
        status.reason.contains(reason),
        "{resource}: {}",
        status.reason
    );
    assert_eq!(condition(&status, "Ready"), Some(("False", "InvalidSpec")));
    assert_eq!(rig.driver.journal().unwrap(), []);
    assert!(rig.get("test-vm").unwrap().finalizers().is_empty());

    // The spec can be corrected, and the machine can be deleted.
    let resource = json!({ "cpu": 1, "memory": "1Gi", "rootDisk": "1Gi" });
    rig.patch("test-vm", json!({ "spec": { "resource": resource } }))
        .await;
    rig.until_phase("test-vm", Phase::Active).await;
    rig.delete("test-vm").await;
    rig.until_gone("test-vm").await;
    assert_eq!(rig.servers(), 0);
    running.stop().await;
}

#[tokio::test]
async fn sizes_that_no_machine_can_have_are_refused_with_what_to_write() {
    for cpu in [
        json!(0),
        json!(-1),
        json!("1500m"),
        json!(1_000_000),
        json!("1e300"),
        json!(0.5),
        json!("two"),
        json!(""),
        json!("2 cores"),
    ] {
        let resource = json!({ "cpu": cpu, "memory": "4G", "rootDisk": "40G" });
        is_refused(resource, "spec.resource.cpu: ").await;
    }
    for memory in [
        json!(0),
        json!("-4G"),
        json!("4"),
        json!("9E"),
        json!("4GB"),
    ] {
        let resource = json!({ "cpu": 2, "memory": memory, "rootDisk": "40G" });
        is_refused(resource, "spec.resource.memory: ").await;
    }
    let resource = json!({ "cpu": 2, "memory": "4G", "rootDisk": "8E" });
    is_refused(resource, "spec.resource.rootDisk: ").await;
}

#[tokio::test]
async fn a_spec_that_turns_bad_leaves_the_server_as_it_is() {
    let rig = Rig::new();
    let running = rig.start();
    let resource = json!({ "cpu": 1, "memory": "1Gi", "rootDisk": "1Gi" });
    rig.create(&machine("test-vm", resource)).await;
    rig.until_phase("test-vm", Phase::Active).await;
    rig.patch(
        "test-vm",
        json!({ "spec": { "resource": { "cpu": "many" } } }),
    )
    .await;
    rig.until_phase("test-vm", Phase::Failed).await;
    assert_eq!(rig.status("test-vm").server.unwrap().state, "running");
    rig.delete("test-vm").await;
    rig.until_gone("test-vm").await;
    assert_eq!(rig.servers(), 0);
    running.stop().await;
}

#[tokio::test]
async fn an_object_that_does_not_decode_stops_nobody_else() {
    let rig = Rig::new();
    let running = rig.start();
    let nonsense = json!({
        "apiVersion": "cloudnative.czs/v1alpha1",
        "kind": "VirtualMachine",
        "metadata": { "name": "nonsense", "namespace": "default", "uid": "1" },
        "spec": { "resource": "large" },
    });
    let object = codegen_runtime::fake::Object::from_value(nonsense);
    rig.tracker.add(object).unwrap();
    let resource = json!({ "cpu": 1, "memory": "1Gi", "rootDisk": "1Gi" });
    rig.create(&machine("test-vm", resource)).await;
    rig.until_phase("test-vm", Phase::Active).await;
    running.stop().await;
}
