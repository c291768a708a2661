//! The roles in `deploy/role.yaml` grant exactly what the controller does.

use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::k8s_openapi::api::core::v1::Namespace;
use embedded_apiserver::{ApiServer, Fault as ApiFault, FaultKind, assert_rbac};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use virtualmachine_controller::app;
use virtualmachine_controller::cli::Flags;
use virtualmachine_controller::driver::DriverError;
use virtualmachine_controller::driver::simulated::{Fault, Latency, Operation, Simulated};
use virtualmachine_controller::generated::clientset::Clientset;

use crate::controller::support::{eventually, sample};

/// The controller's user, as in its role binding.
const USER: &str = "system:serviceaccount:virtualmachine-system:virtualmachine-controller";

/// The rules that only the driver `kubevirt` needs.
const OF_KUBEVIRT: [&str; 3] = [
    ".kubevirt.io",
    " persistentvolumeclaims",
    " virtualmachines/finalizers.cloudnative.czs",
];

#[tokio::test]
async fn the_roles_grant_each_verb_that_the_controller_uses_and_no_other() {
    let crd: Value = serde_saphyr::from_str(include_str!("../../../deploy/crd.yaml")).unwrap();
    let mut own = Namespace::default();
    own.metadata.name = Some("virtualmachine-system".to_owned());
    let server = ApiServer::builder()
        .crd_values([crd])
        .objects([own])
        .build()
        .unwrap();
    let clientset = Clientset::new(server.client());
    let driver = Simulated::new(Latency::NONE);
    // The first creation fails, so that the machine is read again before the second.
    let error = DriverError::Failed("no host has room".to_owned());
    driver.fault(Fault {
        times: Some(2),
        ..Fault::once(Operation::Create, error)
    });
    // Make the informer fall back to a plain list.
    let refused = FaultKind::InternalError;
    server
        .faults()
        .add(ApiFault::new(refused).on("watch", "virtualmachines").once());

    let stop = CancellationToken::new();
    let mut invocation = app::app()
        .try_parse_from::<Flags>(["virtualmachine-controller"])
        .unwrap();
    invocation.flags.election.lease_lock_namespace = "virtualmachine-system".to_owned();
    let (client, stopped, driven) = (server.client_as(USER), stop.clone(), driver.clone());
    let running = tokio::spawn(async move {
        app::run_with(client, Arc::new(driven), invocation, &stopped)
            .await
            .unwrap();
    });
    let machines = clientset
        .cloudnative_v1alpha1()
        .virtual_machines("default")
        .defaults();
    machines.create(&sample()).await.unwrap();
    let stored = || {
        server
            .objects()
            .get("cloudnative.czs", "virtualmachines", "default", "test-vm")
    };
    let is_active = || stored().is_some_and(|it| it["status"]["phase"] == "Active");
    assert!(eventually(is_active).await);
    machines.delete("test-vm").await.unwrap();
    assert!(eventually(|| stored().is_none()).await);
    tokio::time::sleep(Duration::from_millis(100)).await;
    stop.cancel();
    running.await.unwrap();

    let roles = include_str!("../../../deploy/role.yaml");
    let unused = assert_rbac(&server, USER, [roles]);
    let unused: Vec<String> = unused
        .iter()
        .map(ToString::to_string)
        // The KubeVirt driver has tests of its own.
        .filter(|grant| !OF_KUBEVIRT.iter().any(|of| grant.ends_with(of)))
        .collect();
    // A repeated event is patched into a series, which this test does not wait for.
    assert_eq!(unused, ["patch events.events.k8s.io"]);
}
