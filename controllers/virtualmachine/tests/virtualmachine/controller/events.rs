//! Events: one for each transition.

use codegen_runtime::k8s_openapi::api::events::v1::Event;
use virtualmachine_controller::apis::cloudnative::v1alpha1::VirtualMachinePhase as Phase;
use virtualmachine_controller::driver::DriverError;
use virtualmachine_controller::driver::simulated::{Fault, Operation};

use crate::controller::support::{Rig, eventually, sample};

#[tokio::test]
async fn each_transition_has_its_event() {
    let rig = Rig::new();
    let error = DriverError::Failed("no host has room".to_owned());
    rig.driver.fault(Fault::once(Operation::Create, error));
    let running = rig.start();
    rig.create(&sample()).await;
    rig.until_phase("test-vm", Phase::Active).await;
    let id = rig.status("test-vm").server.unwrap().id;
    rig.delete("test-vm").await;
    rig.until_gone("test-vm").await;
    let wanted = [
        ("Normal", "Creating", format!("server {id}")),
        (
            "Warning",
            "FailedCreate",
            format!("server {id}: no host has room; retrying"),
        ),
        ("Normal", "Running", format!("server {id}")),
        ("Normal", "Deleting", format!("server {id}")),
        ("Normal", "Deleted", format!("server {id} is gone")),
    ];
    let events = || -> Vec<(String, String, String)> {
        let mut events: Vec<Event> = rig.tracker.list("default");
        events.sort_by_key(|event| event.event_time.clone().map(|it| it.0));
        let text = |text: Option<String>| text.unwrap_or_default();
        events
            .into_iter()
            .map(|it| (text(it.type_), text(it.reason), text(it.note)))
            .collect()
    };
    let seen = || {
        let events = events();
        wanted.iter().all(|(type_, reason, note)| {
            events.contains(&((*type_).to_owned(), (*reason).to_owned(), note.clone()))
        })
    };
    assert!(eventually(seen).await, "{:#?}", events());
    running.stop().await;
}
