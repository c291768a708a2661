//! Ten thousand simulated machines on an embedded API server: the time until all are active, and
//! until each is.
//!
//!     cargo bench -p virtualmachine-controller --bench machines [-- MACHINES]
//!
//! Everything runs in one process: the API server, the controller with 8 workers, the driver
//! without latency, and a client that creates the machines with 16 concurrent requests. The second
//! part creates machines one at a time, 20 a second, while all the others exist.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    missing_docs,
    reason = "benchmarks print results and panic on failure"
)]

use std::collections::HashMap;
use std::fs;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use codegen_runtime::event::{EventBroadcaster, Reporter};
use codegen_runtime::informer::handler;
use codegen_runtime::kube::ResourceExt;
use codegen_runtime::kube::api::PostParams;
use codegen_runtime::metrics::Metrics;
use embedded_apiserver::ApiServer;
use futures::StreamExt;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use virtualmachine_controller::apis::cloudnative::v1alpha1::{
    VirtualMachine, VirtualMachinePhase as Phase,
};
use virtualmachine_controller::controller::{Options, VirtualMachineController};
use virtualmachine_controller::driver::simulated::{Latency, Simulated};
use virtualmachine_controller::generated::clientset::Clientset;
use virtualmachine_controller::generated::informers::SharedInformerFactory;

/// The times at which machines were created and became active.
#[derive(Default)]
struct Times {
    created: HashMap<String, Instant>,
    active: HashMap<String, Instant>,
}

impl Times {
    /// Returns the times from creation to Active, shortest first, of the machines whose names start
    /// with `prefix`.
    fn waits(&self, prefix: &str) -> Vec<Duration> {
        let ours = self
            .active
            .iter()
            .filter(|(name, _)| name.starts_with(prefix));
        let mut waits: Vec<Duration> = ours.map(|(name, at)| *at - self.created[name]).collect();
        waits.sort();
        waits
    }
}

#[tokio::main]
async fn main() {
    let number = std::env::args().find_map(|argument| argument.parse().ok());
    let number: usize = number.unwrap_or(10_000);
    let before = resident();
    let crd: Value = serde_saphyr::from_str(include_str!("../deploy/crd.yaml")).unwrap();
    let server = ApiServer::builder()
        .crd_values([crd])
        .history(1_000_000)
        .build()
        .unwrap();
    let driver = Simulated::new(Latency::NONE);
    let clientset = Clientset::new(server.client());
    let factory: SharedInformerFactory = SharedInformerFactory::builder(clientset.clone()).build();
    let metrics = Metrics::new();
    let events = EventBroadcaster::new(server.client());
    let controller = VirtualMachineController::new(
        clientset.clone(),
        &factory,
        Arc::new(driver.clone()),
        "bench",
        events.recorder(Reporter::new("bench", "bench")),
        &metrics,
        Options {
            workers: 8,
            ..Options::default()
        },
    );
    let times = Arc::new(Mutex::new(Times::default()));
    let (seen, mut active) = watch::channel(0);
    let noted = Arc::clone(&times);
    let informer = factory
        .cloudnative()
        .v1alpha1()
        .virtual_machines()
        .informer();
    informer
        .add_event_handler(handler::funcs().on_update(
            move |old: &Arc<VirtualMachine>, new: &Arc<VirtualMachine>| {
                let is_active = |machine: &VirtualMachine| {
                    machine
                        .status
                        .as_ref()
                        .is_some_and(|it| it.phase == Phase::Active)
                };
                if is_active(new) && !is_active(old) {
                    noted
                        .lock()
                        .unwrap()
                        .active
                        .insert(new.name_any(), Instant::now());
                    seen.send_modify(|count| *count += 1);
                }
            },
        ))
        .unwrap();
    let stop = CancellationToken::new();
    factory.start(&stop);
    factory.wait_for_cache_sync().await.unwrap();
    let stopped = stop.clone();
    let running = tokio::spawn(async move {
        tokio::join!(controller.run(&stopped, None), events.run(&stopped))
            .0
            .unwrap();
    });

    let create = async |name: String| {
        times
            .lock()
            .unwrap()
            .created
            .insert(name.clone(), Instant::now());
        let machines = clientset.cloudnative_v1alpha1().virtual_machines("default");
        machines
            .create(&machine(&name), &PostParams::default())
            .await
            .unwrap();
    };
    let started = Instant::now();
    futures::stream::iter(0..number)
        .for_each_concurrent(16, |n| create(format!("batch-{n}")))
        .await;
    let created = started.elapsed();
    active.wait_for(|count| *count == number).await.unwrap();
    let all = started.elapsed();
    let reconciles = figure(&metrics, "workqueue_work_duration_seconds_count");
    println!(
        "{number} machines, {} cores",
        std::thread::available_parallelism().unwrap()
    );
    println!("all created after       {:.2} s", created.as_secs_f64());
    println!("all active after        {:.2} s", all.as_secs_f64());
    println!(
        "machines a second       {:.0}",
        number as f64 / all.as_secs_f64()
    );
    println!(
        "reconciles a second     {:.0}",
        reconciles / all.as_secs_f64()
    );
    println!(
        "resident memory         {} MiB, {} MiB of it before",
        resident(),
        before
    );
    let waits = times.lock().unwrap().waits("batch-");
    println!(
        "apply to active, batch  p50 {:?}, p99 {:?}",
        percentile(&waits, 50),
        percentile(&waits, 99)
    );

    // Items still in the queue must not delay the following ones.
    while figure(&metrics, "workqueue_depth") > 0.0 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let single = 200;
    for n in 0..single {
        create(format!("single-{n}")).await;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    active
        .wait_for(|count| *count == number + single)
        .await
        .unwrap();
    let waits = times.lock().unwrap().waits("single-");
    println!(
        "apply to active, single p50 {:?}, p99 {:?}",
        percentile(&waits, 50),
        percentile(&waits, 99)
    );
    assert_eq!(driver.cloud().unwrap().servers.len(), number + single);
    stop.cancel();
    running.await.unwrap();
}

fn machine(name: &str) -> VirtualMachine {
    serde_json::from_value(json!({
        "apiVersion": "cloudnative.czs/v1alpha1",
        "kind": "VirtualMachine",
        "metadata": { "name": name, "namespace": "default" },
        "spec": { "resource": { "cpu": 2, "memory": "4G", "rootDisk": "40G" } },
    }))
    .unwrap()
}

fn percentile(sorted: &[Duration], percent: usize) -> Duration {
    sorted[(sorted.len() - 1) * percent / 100]
}

/// Returns the value of a metric: the first series of that name.
fn figure(metrics: &Metrics, name: &str) -> f64 {
    let text = metrics.encode().unwrap();
    let line = text.lines().find(|line| line.starts_with(name));
    line.and_then(|line| line.rsplit(' ').next()?.parse().ok())
        .unwrap_or(0.0)
}

/// Returns the resident memory of this process, in MiB.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kib.unwrap_or(0) / 1024
}
