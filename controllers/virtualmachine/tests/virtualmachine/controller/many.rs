//! Many machines, with faults; `hack/many.sh` runs it with a thousand.

use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::fake::{Fault as ApiFault, FaultKind};
use codegen_runtime::kube::api::{DeleteParams, ListParams, Patch, PatchParams};
use embedded_apiserver::ApiServer;
use futures::StreamExt;
use serde_json::{Value, json};
use virtualmachine_controller::apis::cloudnative::v1alpha1::{
    VirtualMachine, VirtualMachinePhase as Phase,
};
use virtualmachine_controller::controller::Options;
use virtualmachine_controller::driver::DriverError;
use virtualmachine_controller::driver::simulated::{Fault, Latency, Lost, Simulated};
use virtualmachine_controller::generated::clientset::Clientset;

use crate::chaos::number;
use crate::controller::support::{fast, machine, run};

/// Enough for each fault to strike several times, in every phase.
const MACHINES: u64 = 100;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_machines_converge_with_faults_on() {
    let count = usize::try_from(number("MANY_MACHINES", MACHINES)).unwrap();
    let crd: Value = serde_saphyr::from_str(include_str!("../../../deploy/crd.yaml")).unwrap();
    let server = ApiServer::builder()
        .crd_values([crd])
        .history(100_000)
        .build()
        .unwrap();
    let driver = Simulated::new(Latency::NONE);
    let clientset = Clientset::new(server.client());
    let machines = clientset
        .cloudnative_v1alpha1()
        .virtual_machines("default")
        .defaults();

    let api_faults = || {
        for (kind, chance) in [
            (FaultKind::Conflict, 0.05),
            (FaultKind::InternalError, 0.05),
            (FaultKind::DropConnection, 0.02),
            (FaultKind::TooManyRequests { retry_after: 1 }, 0.01),
        ] {
            for verb in ["get", "update", "patch"] {
                let fault = ApiFault::new(kind.clone()).on(verb, "virtualmachines/*");
                server.faults().add(fault.with_chance(chance));
            }
        }
        let cut = ApiFault::new(FaultKind::CutWatch { after_events: 300 });
        // No more than that: the informer's back-off grows each time its watch is cut.
        server
            .faults()
            .add(cut.on("watch", "virtualmachines").times(3));
    };
    for lost in [Lost::Request, Lost::Answer] {
        driver.fault(Fault {
            operation: None,
            times: None,
            chance: 0.03,
            lost,
            error: Some(DriverError::Failed("an injected fault".to_owned())),
        });
    }

    let options = Options {
        workers: 16,
        ..fast()
    };
    let running = run(server.client(), Arc::new(driver.clone()), options);
    let names: Vec<String> = (0..count).map(|n| format!("vm-{n}")).collect();
    for name in &names {
        let resource = json!({ "cpu": 2, "memory": "4G", "rootDisk": "40G" });
        machines.create(&machine(name, resource)).await.unwrap();
    }
    api_faults();
    let get = |name: &String| -> Option<VirtualMachine> {
        let objects = server.objects();
        let object = objects.get("cloudnative.czs", "virtualmachines", "default", name)?;
        Some(serde_json::from_value(object).unwrap())
    };
    let is = |machine: VirtualMachine, phase: Phase| {
        let generation = machine.metadata.generation;
        let status = machine.status;
        status.is_some_and(|it| it.phase == phase && it.observed_generation == generation)
    };
    let are = |phase: Phase| {
        let mut machines = names.iter().map(get);
        machines.all(|machine| machine.is_some_and(|it| is(it, phase)))
    };
    assert!(slowly(|| are(Phase::Active)).await);
    assert_eq!(driver.cloud().unwrap().servers.len(), count);

    server.faults().clear();
    futures::stream::iter(names.iter().enumerate())
        .for_each_concurrent(16, async |(n, name)| {
            let patch = match n % 3 {
                0 => json!({ "spec": { "resource": { "cpu": 4 } } }),
                1 => json!({ "spec": { "resource": { "rootDisk": "50G" } } }),
                _ => json!({ "spec": { "resource": { "memory": "2G" } } }),
            };
            let params = PatchParams::default();
            let patched = machines.patch(name, &params, &Patch::Merge(patch)).await;
            patched.unwrap();
        })
        .await;
    api_faults();
    assert!(slowly(|| are(Phase::Active)).await);
    let cloud = driver.cloud().unwrap();
    assert_eq!(cloud.servers.len(), count);
    assert_eq!(cloud.created, count as u64);
    let sizes = |cpus, memory, disk| {
        let servers = cloud.servers.values();
        servers
            .filter(|it| (it.cpus, it.memory, it.disk) == (cpus, memory, disk))
            .count()
    };
    assert_eq!(sizes(4, 4_000_000_000, 40_000_000_000), count.div_ceil(3));
    assert_eq!(sizes(2, 4_000_000_000, 50_000_000_000), (count + 1) / 3);
    assert_eq!(sizes(2, 2_000_000_000, 40_000_000_000), count / 3);

    server.faults().clear();
    machines
        .delete_collection(&DeleteParams::default(), &ListParams::default())
        .await
        .unwrap();
    api_faults();
    assert!(slowly(|| names.iter().all(|name| get(name).is_none())).await);
    let objects = server.objects();
    let left = objects.list("cloudnative.czs", "virtualmachines", "default");
    assert!(left.is_empty());
    assert_eq!(driver.cloud().unwrap().servers.len(), 0);
    running.stop().await;
}

/// Whether `is` becomes true within minutes.
async fn slowly(is: impl Fn() -> bool) -> bool {
    for _ in 0..600 {
        if is() {
            return true;
        }
        // Real time, since the server runs on other threads; infrequent, because the final checks
        // read all machines.
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    false
}
