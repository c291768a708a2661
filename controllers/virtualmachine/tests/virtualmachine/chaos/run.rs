//! One run: setup, chaos, and the conditions that must hold in the end.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tokio::time::sleep;
use virtualmachine_controller::driver::simulated::{Latency, Simulated};

use crate::chaos::figures::Figures;
use crate::chaos::machines::Machines;
use crate::chaos::processes::{self, Process};

/// The parameters of a run.
pub struct Plan {
    pub time: Duration,
    pub seed: u64,
    pub machines: usize,
}

/// The permitted growth of memory, since allocators keep some.
const MEMORY: (f64, u64) = (1.5, 32 << 20);

/// The events with their relative frequencies.
const EVENTS: [(Event, &str, u32); 9] = [
    (Event::KillLeader, "leader killed", 4),
    (Event::FreezeLeader, "leader frozen", 3),
    (Event::FreezeApiServer, "API server frozen", 2),
    (Event::EmptyApiServer, "API server emptied", 2),
    (Event::KillProxy, "proxy killed", 2),
    (Event::FreezeProxy, "proxy frozen", 2),
    (Event::DeleteLease, "Lease deleted", 3),
    (Event::ForgetEpochs, "all killed and Lease deleted", 1),
    (Event::StopLeader, "leader stopped", 1),
];

#[derive(Clone, Copy)]
enum Event {
    KillLeader,
    FreezeLeader,
    FreezeApiServer,
    EmptyApiServer,
    KillProxy,
    FreezeProxy,
    DeleteLease,
    ForgetEpochs,
    StopLeader,
}

struct Chaos {
    folder: tempfile::TempDir,
    random: StdRng,
    figures: Figures,
    machines: Machines,
    driver: Simulated,
    api_server: Process,
    api_address: std::net::SocketAddr,
    proxy: Process,
    controllers: Vec<Process>,
}

/// Runs the plan, and returns its figures.
///
/// # Panics
///
/// If a final condition does not hold.
pub async fn run(plan: &Plan) -> Figures {
    let started = Instant::now();
    let mut chaos = Chaos::new(plan).await;
    // An informer may take two minutes to notice that the API server's versions restarted.
    let settle = Duration::from_secs(240) + Duration::from_millis(60) * size(plan.machines);
    chaos.converge(settle).await;
    // By now everything that is only allocated once exists.
    sleep(Duration::from_secs(3)).await;
    chaos.figures.memory.0 = chaos.memory();
    let end = Instant::now() + plan.time;
    while Instant::now() < end {
        chaos.step().await;
    }
    let ended = Instant::now();
    chaos.converge(settle).await;
    chaos.figures.converged_in = ended.elapsed();
    // Leave time for unexpected work to show up.
    sleep(Duration::from_secs(3)).await;
    chaos.finish();
    let mut figures = std::mem::take(&mut chaos.figures);
    (figures.seed, figures.machines) = (plan.seed, plan.machines);
    figures.took = started.elapsed();
    figures
}

fn size(machines: usize) -> u32 {
    u32::try_from(machines).unwrap_or(u32::MAX)
}

impl Chaos {
    async fn new(plan: &Plan) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_owned();
        let (api_address, proxy_address) = (processes::free(), processes::free());
        let mut machines = Machines::new(&format!("http://{api_address}"));
        let mut random = StdRng::seed_from_u64(plan.seed);
        for _ in 0..plan.machines {
            machines.want(&mut random);
        }
        let driver = Simulated::in_directory(Latency::NONE, path.join("servers")).unwrap();
        let api_server = processes::api_server(&path, api_address);
        processes::until_listening(api_address).await;
        machines.install().await;
        let proxy = processes::proxy(&path, proxy_address, api_address);
        processes::until_listening(proxy_address).await;
        let start = |name: &&str| processes::controller(&path, name, proxy_address);
        Self {
            controllers: ["a", "b", "c"].iter().map(start).collect(),
            folder,
            random,
            figures: Figures::default(),
            machines,
            driver,
            api_server,
            api_address,
            proxy,
        }
    }

    /// Changes machines, then triggers one event.
    async fn step(&mut self) {
        for _ in 0..self.random.random_range(1..=4) {
            let what = self.random.random_range(0..10);
            let (machines, random) = (&mut self.machines, &mut self.random);
            match what {
                0..=2 => machines.add(random).await,
                3 | 4 => machines.remove(random, false).await,
                5 => machines.remove(random, true).await,
                6 => machines.crash(random, &self.driver).await,
                _ => machines.change(random).await,
            }
        }
        let total = EVENTS.iter().map(|(.., weight)| weight).sum();
        let mut at = self.random.random_range(0..total);
        let chosen = EVENTS.iter().find(|(.., weight)| {
            let is_here = at < *weight;
            at = at.saturating_sub(*weight);
            is_here
        });
        let (event, name, _) = chosen.expect("the weights cover the range");
        self.figures.count(name);
        self.happen(*event).await;
        self.revive();
        sleep(Duration::from_millis(self.random.random_range(200..2500))).await;
        self.revive();
    }

    async fn happen(&mut self, event: Event) {
        let while_ = Duration::from_millis(self.random.random_range(500..6000));
        match event {
            Event::KillLeader | Event::FreezeLeader | Event::StopLeader => {
                let Some((leader, epoch)) = self.machines.leader().await else {
                    return;
                };
                self.overthrow(event, &leader, epoch).await;
            }
            Event::FreezeApiServer => {
                self.api_server.signal("STOP");
                sleep(while_).await;
                self.api_server.signal("CONT");
            }
            Event::EmptyApiServer => {
                self.api_server.kill();
                sleep(while_ / 4).await;
                self.api_server.revive();
                processes::until_listening(self.api_address).await;
                self.machines.install().await;
            }
            Event::KillProxy => {
                self.proxy.kill();
                sleep(while_ / 2).await;
                self.proxy.revive();
            }
            Event::FreezeProxy => {
                self.proxy.signal("STOP");
                sleep(while_).await;
                self.proxy.signal("CONT");
            }
            Event::DeleteLease => self.machines.delete_lease().await,
            Event::ForgetEpochs => {
                self.controllers.iter_mut().for_each(Process::kill);
                self.machines.delete_lease().await;
            }
        }
    }

    /// Removes the leader, and waits for the next one.
    async fn overthrow(&mut self, event: Event, leader: &str, epoch: u64) {
        let at = self.controllers.iter().position(|it| it.name == leader);
        let at = at.expect("a controller of ours leads");
        let since = Instant::now();
        let process = &mut self.controllers[at];
        match event {
            Event::KillLeader => process.kill(),
            Event::StopLeader => process.signal("TERM"),
            _ => {
                // Not in the middle of a call: the process would keep the driver's lock, which a
                // real provider does not have.
                let lock = fs::File::create(self.folder.path().join("servers/lock")).unwrap();
                lock.lock().unwrap();
                process.signal("STOP");
            }
        }
        while self
            .machines
            .leader()
            .await
            .is_none_or(|(_, now)| now <= epoch)
        {
            assert!(
                since.elapsed() < Duration::from_secs(60),
                "nobody leads: {}",
                self.logs()
            );
            sleep(Duration::from_millis(20)).await;
        }
        self.figures.fail_overs.push(since.elapsed());
        if matches!(event, Event::FreezeLeader) {
            // The next leader works before this one wakes up.
            sleep(Duration::from_millis(500)).await;
            self.controllers[at].signal("CONT");
        }
    }

    fn revive(&mut self) {
        self.controllers.iter_mut().for_each(Process::revive);
        self.proxy.revive();
        self.api_server.revive();
    }

    /// Waits until everything is in the desired state.
    async fn converge(&mut self, patience: Duration) {
        let started = Instant::now();
        loop {
            self.revive();
            let cloud = self.driver.cloud().unwrap();
            let differences = self.machines.differences(&cloud).await;
            if differences.is_empty() {
                return;
            }
            assert!(
                started.elapsed() < patience,
                "{} differences after {patience:?}: {:#?}\n{}",
                differences.len(),
                &differences[..differences.len().min(10)],
                self.logs()
            );
            // Real time, since the controllers are processes; infrequent, because each check lists
            // every machine.
            sleep(Duration::from_millis(250)).await;
        }
    }

    fn memory(&self) -> u64 {
        let memory = self.controllers.iter().map(Process::memory);
        memory.max().unwrap_or(0)
    }

    /// Checks the final conditions.
    fn finish(&mut self) {
        self.figures.read(&self.driver.journal().unwrap());
        self.figures.memory.1 = self.memory();
        let (before, after) = self.figures.memory;
        let (factor, more) = MEMORY;
        #[allow(clippy::cast_precision_loss, reason = "bytes of memory")]
        let is_back = after as f64 <= before as f64 * factor + more as f64;
        assert!(is_back, "memory grew from {before} to {after} bytes");
        for entry in fs::read_dir(self.folder.path()).unwrap() {
            let path = entry.unwrap().path();
            let text = fs::read_to_string(&path).unwrap_or_default();
            assert!(!text.contains("panicked"), "{}: {text}", path.display());
        }
    }

    /// Returns the end of each log.
    fn logs(&self) -> String {
        let mut logs = String::new();
        for name in ["a", "b", "c", "api_server", "proxy"] {
            let path: &Path = &self.folder.path().join(format!("{name}.log"));
            let text = fs::read_to_string(path).unwrap_or_default();
            let lines: Vec<&str> = text.lines().collect();
            let end = &lines[lines.len().saturating_sub(15)..];
            logs += &format!("== {name}\n{}\n", end.join("\n"));
        }
        logs
    }
}
