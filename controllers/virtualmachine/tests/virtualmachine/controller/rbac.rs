//! The roles in `deploy/role.yaml` grant exactly what the controller does.

use std::sync::Arc;
use std::time::Duration;

use controller_testing::deploy::Deploy;
use embedded_apiserver::{Fault as ApiFault, FaultKind};
use tokio_util::sync::CancellationToken;
use virtualmachine_controller::app;
use virtualmachine_controller::cli::Flags;
use virtualmachine_controller::driver::DriverError;
use virtualmachine_controller::driver::simulated::{Fault, Latency, Operation, Simulated};
use virtualmachine_controller::generated::clientset::Clientset;

use crate::controller::support::{eventually, sample};

/// The rules that only the driver `kubevirt` needs.
const OF_KUBEVIRT: [&str; 3] = [
    ".kubevirt.io",
    " persistentvolumeclaims",
    " virtualmachines/finalizers.cloudnative.czs",
];

#[tokio::test]
async fn the_roles_grant_each_verb_that_the_controller_uses_and_no_other() {
    let deploy = Deploy::of(env!("CARGO_MANIFEST_DIR"));
    let server = deploy.server();
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

    let start = |more: &[&str]| {
        let stop = CancellationToken::new();
        let args = [&["virtualmachine-controller"], more].concat();
        let mut invocation = app::app().try_parse_from::<Flags>(args).unwrap();
        invocation.flags.election.lease_lock_namespace = "virtualmachine-system".to_owned();
        let (client, stopped, driven) = (
            server.client_as(&deploy.user()),
            stop.clone(),
            driver.clone(),
        );
        let running = tokio::spawn(async move {
            app::run_with(client, Arc::new(driven), invocation, &stopped)
                .await
                .unwrap();
        });
        (stop, running)
    };
    let (stop, running) = start(&[]);
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

    // A member of a group lists Leases, and deletes its own in the end.
    let (stop, running) = start(&["--shard-by=namespace"]);
    let (group, of) = ("coordination.k8s.io", "virtualmachine-controller-shards");
    let record = || {
        server
            .objects()
            .get(group, "leases", "virtualmachine-system", of)
    };
    assert!(eventually(|| record().is_some()).await);
    stop.cancel();
    running.await.unwrap();

    let unused: Vec<String> = deploy
        .check_roles(&server)
        .into_iter()
        // The KubeVirt driver has tests of its own.
        .filter(|grant| !OF_KUBEVIRT.iter().any(|of| grant.ends_with(of)))
        .collect();
    // A repeated event is patched into a series, which this test does not wait for.
    assert_eq!(unused, ["patch events.events.k8s.io"]);
}
