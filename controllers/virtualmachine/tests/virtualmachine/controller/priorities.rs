//! Changed machines come before periodic checks.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use virtualmachine_controller::apis::cloudnative::v1alpha1::VirtualMachinePhase as Phase;
use virtualmachine_controller::controller::Options;
use virtualmachine_controller::driver::simulated::Latency;
use virtualmachine_controller::driver::{
    Driver, DriverFuture, Power, Resources, Server, ServerRef, ServerSpec, Term,
};

use crate::controller::support::{Rig, fast, machine, run};

/// Records the order of status calls and of created servers.
struct Noting {
    driver: Arc<dyn Driver>,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Noting {
    fn note(&self, server: &ServerRef) {
        self.seen.lock().unwrap().push(server.name.clone());
    }
}

impl Driver for Noting {
    fn name(&self) -> &'static str {
        "noting"
    }

    fn list(&self) -> DriverFuture<'_, Vec<ServerRef>> {
        self.driver.list()
    }

    fn status<'a>(&'a self, server: &'a ServerRef) -> DriverFuture<'a, Option<Server>> {
        self.note(server);
        self.driver.status(server)
    }

    fn create<'a>(
        &'a self,
        term: &'a Term,
        server: &'a ServerRef,
        spec: &'a ServerSpec,
    ) -> DriverFuture<'a, ()> {
        self.driver.create(term, server, spec)
    }

    fn set_power<'a>(
        &'a self,
        term: &'a Term,
        server: &'a ServerRef,
        power: Power,
    ) -> DriverFuture<'a, ()> {
        self.driver.set_power(term, server, power)
    }

    fn resize<'a>(
        &'a self,
        term: &'a Term,
        server: &'a ServerRef,
        resources: &'a Resources,
    ) -> DriverFuture<'a, ()> {
        self.driver.resize(term, server, resources)
    }

    fn delete<'a>(&'a self, term: &'a Term, server: &'a ServerRef) -> DriverFuture<'a, ()> {
        self.driver.delete(term, server)
    }
}

#[tokio::test]
async fn a_new_machine_does_not_wait_behind_the_initial_list() {
    const OLD: usize = 300;
    let rig = Rig::with_latency(Latency {
        call: Duration::from_millis(5),
        ..Latency::NONE
    });
    let resource = json!({ "cpu": 1, "memory": "1G", "rootDisk": "1G" });
    for n in 0..OLD {
        rig.create(&machine(&format!("old-{n}"), resource.clone()))
            .await;
    }
    let seen = Arc::new(Mutex::new(Vec::new()));
    let driver = Noting {
        driver: Arc::new(rig.driver.clone()),
        seen: Arc::clone(&seen),
    };
    let options = Options {
        workers: 1,
        ..fast()
    };
    let running = run(rig.clientset.client().clone(), Arc::new(driver), options);
    rig.until_phase("old-0", Phase::Active).await;
    rig.create(&machine("new", resource)).await;
    rig.until_phase("new", Phase::Active).await;
    let seen: Vec<String> = seen.lock().unwrap().clone();
    let mut before: Vec<&String> = seen.iter().take_while(|name| *name != "new").collect();
    before.sort();
    before.dedup();
    assert!(
        before.len() < OLD / 2,
        "it waited for {} of {OLD} machines",
        before.len()
    );
    running.stop().await;
}
