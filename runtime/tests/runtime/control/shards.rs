//! Groups of replicas that share the hash space.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use codegen_runtime::shard::{Shards, ShardsConfig, ShardsConfigError};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::json;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::control::server::Server;
use crate::control::{ms, secs};

const RECORD: &str = "leases/default/web";
const SLOTS: usize = 256;

/// A process of the group.
#[derive(Debug)]
struct Replica {
    name: String,
    shards: Shards,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Replica {
    fn start(server: &Server, name: &str) -> Self {
        Self::start_with(server, name, |config| config)
    }

    fn start_with(
        server: &Server,
        name: &str,
        change: impl FnOnce(ShardsConfig) -> ShardsConfig,
    ) -> Self {
        let config = change(ShardsConfig::new("default", "web", name));
        let shards = Shards::new(server.client_of(name), config).unwrap();
        let stop = CancellationToken::new();
        let task = tokio::spawn({
            let (shards, stop) = (shards.clone(), stop.clone());
            async move { shards.run(&stop).await }
        });
        Self {
            name: name.to_owned(),
            shards,
            stop,
            task,
        }
    }

    /// Returns the slots in which this process may work.
    fn works_on(&self) -> Vec<usize> {
        let slots = 0..SLOTS;
        slots
            .filter(|slot| self.shards.enter(hash_in(*slot)).is_some())
            .collect()
    }

    async fn works_on_within(&self, slots: usize, limit: Duration) -> Duration {
        let start = Instant::now();
        while self.works_on().len() != slots {
            assert!(
                start.elapsed() < limit,
                "{}: {} slots after {limit:?}, not {slots}",
                self.name,
                self.works_on().len()
            );
            sleep(ms(10)).await;
        }
        start.elapsed()
    }
}

fn hash_in(slot: usize) -> u64 {
    u64::try_from(slot).unwrap() << 56 | 0x1234
}

async fn group(server: &Server, size: usize) -> Vec<Replica> {
    let replicas: Vec<_> = (0..size)
        .map(|n| Replica::start(server, &format!("r{n}")))
        .collect();
    let start = Instant::now();
    // A share is exact to a slot.
    while replicas
        .iter()
        .any(|it| !(SLOTS / size..=SLOTS / size + 1).contains(&it.works_on().len()))
    {
        assert!(start.elapsed() < secs(30), "{replicas:?}");
        sleep(ms(10)).await;
    }
    replicas
}

#[tokio::test(start_paused = true)]
async fn the_first_member_owns_everything_at_once() {
    let server = Server::new();
    let one = Replica::start(&server, "r0");
    let took = one.works_on_within(SLOTS, secs(1)).await;
    assert!(took < secs(1), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn four_members_have_a_quarter_each_and_a_fifth_takes_a_fifth() {
    let server = Server::new();
    let four = group(&server, 4).await;
    let before: Vec<_> = four.iter().map(Replica::works_on).collect();
    let mut all = before.concat();
    all.sort_unstable();
    assert_eq!(all, (0..SLOTS).collect::<Vec<_>>());
    let fifth = Replica::start(&server, "r4");
    fifth.works_on_within(51, secs(1)).await;
    for (replica, before) in four.iter().zip(before) {
        let after = replica.works_on();
        assert!(after.iter().all(|slot| before.contains(slot)));
    }
    assert_eq!(fifth.shards.status().members.len(), 5);
}

#[tokio::test(start_paused = true)]
async fn a_member_that_leaves_hands_over_without_waiting_for_its_lease() {
    let server = Server::new();
    let mut two = group(&server, 2).await;
    let leaver = two.pop().unwrap();
    leaver.stop.cancel();
    two[0].works_on_within(SLOTS, secs(1)).await;
    leaver.task.await.unwrap();
    assert_eq!(
        server.list("leases").len(),
        2,
        "the record and one member's"
    );
}

#[tokio::test(start_paused = true)]
async fn work_in_progress_delays_its_hand_over_until_the_timeout() {
    let server = Server::new();
    let one = Replica::start_with(&server, "r0", |config| config.hand_over_timeout(secs(5)));
    one.works_on_within(SLOTS, secs(1)).await;
    let permits: Vec<_> = (0..SLOTS)
        .filter_map(|slot| one.shards.enter(hash_in(slot)))
        .collect();
    let two = Replica::start(&server, "r1");
    sleep(secs(4)).await;
    assert_eq!(two.works_on().len(), 0);
    let asked = permits
        .iter()
        .filter(|permit| permit.term().token().is_cancelled());
    assert_eq!(asked.count(), SLOTS / 2);
    sleep(secs(2)).await;
    // The work was told that its term is over, but still holds its permits.
    let lost = permits.iter().filter(|permit| !permit.term().is_leading());
    assert_eq!(lost.count(), SLOTS / 2);
    assert_eq!(two.works_on().len(), 0);
    drop(permits);
    two.works_on_within(SLOTS / 2, secs(1)).await;
}

#[tokio::test(start_paused = true)]
async fn a_member_that_is_cut_off_stops_at_its_deadline_and_is_replaced_after_its_lease() {
    let server = Server::new();
    let three = group(&server, 3).await;
    let renewed = Instant::now();
    server.cut_off("r1");
    while !three[1].works_on().is_empty() {
        sleep(ms(10)).await;
    }
    let stopped = renewed.elapsed();
    assert!(stopped <= secs(10), "{stopped:?}");
    three[0].works_on_within(SLOTS / 2, secs(20)).await;
    let replaced = renewed.elapsed();
    assert!(replaced <= secs(15) + ms(500), "{replaced:?}");
    server.reconnect();
    sleep(secs(30)).await;
    assert!((85..=86).contains(&three[1].works_on().len()));
}

#[tokio::test(start_paused = true)]
async fn members_have_slots_by_their_weights() {
    let server = Server::new();
    let heavy = Replica::start_with(&server, "r0", |config| config.weight(3));
    let light = Replica::start(&server, "r1");
    heavy.works_on_within(192, secs(30)).await;
    light.works_on_within(64, secs(30)).await;
}

#[tokio::test(start_paused = true)]
async fn epochs_grow_with_each_owner_and_a_deleted_record_is_restored_without_a_pause() {
    let server = Server::new();
    let two = group(&server, 2).await;
    let epoch = |replica: &Replica| {
        let slot = replica.works_on()[0];
        replica.shards.enter(hash_in(slot)).unwrap().term().epoch()
    };
    let (first, owned) = (epoch(&two[0]), two[0].works_on());
    server.remove(RECORD);
    for _ in 0..200 {
        sleep(ms(100)).await;
        assert_eq!(two[0].works_on(), owned);
        assert_eq!(two[1].works_on().len(), SLOTS / 2);
    }
    assert_eq!(epoch(&two[0]), first);
    two[1].stop.cancel();
    two[0].works_on_within(SLOTS, secs(2)).await;
    let slot = (0..SLOTS).find(|slot| !owned.contains(slot)).unwrap();
    let later = two[0].shards.enter(hash_in(slot)).unwrap().term().epoch();
    assert!(later > first);
}

#[tokio::test(start_paused = true)]
async fn work_that_is_refused_for_its_epoch_gets_a_higher_one() {
    let server = Server::new();
    let one = Replica::start(&server, "r0");
    one.works_on_within(SLOTS, secs(1)).await;
    let permit = one.shards.enter(7).unwrap();
    assert_eq!(permit.term().outrank(1000).await, Ok(1001));
    assert_eq!(permit.term().epoch(), 1001);
}

#[tokio::test(start_paused = true)]
async fn a_name_that_no_label_can_have_is_refused() {
    let server = Server::new();
    let name = "x".repeat(64);
    let config = ShardsConfig::new("default", &name, "r0");
    let refused = Shards::new(server.client(), config).unwrap_err();
    assert_eq!(
        refused,
        ShardsConfigError::Name(name, "must be no more than 63 characters".to_owned())
    );
}

/// Who works on which slot now, and the epochs of the past.
#[derive(Default)]
struct Journal {
    working: BTreeMap<usize, (String, u64)>,
    epochs: BTreeMap<usize, u64>,
    entries: usize,
}

impl Journal {
    fn begin(&mut self, slot: usize, name: &str, epoch: u64) {
        let owner = (name.to_owned(), epoch);
        if let Some(other) = self.working.insert(slot, owner.clone()) {
            panic!("slot {slot} has two owners: {other:?} and {owner:?}");
        }
        let highest = self.epochs.entry(slot).or_default();
        assert!(
            epoch >= *highest,
            "slot {slot}: epoch {epoch} after {highest}"
        );
        *highest = epoch;
        self.entries += 1;
    }
}

/// Notes the end of work, also if that is dropped.
struct Working(Arc<Mutex<Journal>>, usize);

impl Drop for Working {
    fn drop(&mut self) {
        if let Ok(mut journal) = self.0.lock() {
            journal.working.remove(&self.1);
        }
    }
}

/// Works on random slots, as long as the process owns them.
async fn work(shards: Shards, name: String, journal: Arc<Mutex<Journal>>, seed: u64) {
    let mut random = StdRng::seed_from_u64(seed);
    loop {
        let slot = random.random_range(0..SLOTS);
        let pause = ms(random.random_range(1..400));
        if let Some(permit) = shards.enter(hash_in(slot)) {
            let (journal, name) = (Arc::clone(&journal), name.clone());
            let epoch = permit.term().epoch();
            let works = async {
                // Workers of one process do not work on a key at the same time, either.
                if journal
                    .lock()
                    .unwrap()
                    .working
                    .get(&slot)
                    .is_some_and(|(owner, _)| *owner == name)
                {
                    return;
                }
                journal.lock().unwrap().begin(slot, &name, epoch);
                let _working = Working(journal, slot);
                sleep(pause * 20).await;
            };
            let _ = permit.term().fence(works).await;
        }
        sleep(pause).await;
    }
}

/// Replicas come and go, are cut off and return, and Leases are deleted, edited and forged.
async fn chaos(seed: u64, changes: usize) -> usize {
    let (server, journal) = (Server::new(), Arc::new(Mutex::new(Journal::default())));
    let mut random = StdRng::seed_from_u64(seed);
    let mut replicas: Vec<(Replica, Vec<JoinHandle<()>>)> = Vec::new();
    let mut born = 0;
    for _ in 0..changes {
        match random.random_range(0..9) {
            0..3 if replicas.len() < 6 => {
                let replica = Replica::start_with(&server, &format!("r{born}"), |it| {
                    it.hand_over_timeout(secs(3))
                });
                born += 1;
                let worker = |n: u64| {
                    work(
                        replica.shards.clone(),
                        replica.name.clone(),
                        Arc::clone(&journal),
                        seed * 100 + n,
                    )
                };
                let workers = (0..2).map(|n| tokio::spawn(worker(n))).collect();
                replicas.push((replica, workers));
            }
            3 if !replicas.is_empty() => {
                let (replica, workers) =
                    replicas.swap_remove(random.random_range(0..replicas.len()));
                // A crash: nothing is released, and nothing more is done.
                replica.task.abort();
                workers.iter().for_each(JoinHandle::abort);
            }
            4 if !replicas.is_empty() => {
                let (replica, workers) =
                    replicas.swap_remove(random.random_range(0..replicas.len()));
                replica.stop.cancel();
                tokio::spawn(async move {
                    let _ = replica.task.await;
                    workers.iter().for_each(JoinHandle::abort);
                });
            }
            5 if !replicas.is_empty() => {
                let (replica, _) = &replicas[random.random_range(0..replicas.len())];
                server.cut_off(&replica.name);
            }
            6 => server.reconnect(),
            7 => {
                server.remove(RECORD);
                // Epochs go on from what the members saw, if any is left that did.
                journal.lock().unwrap().epochs.clear();
            }
            8 => {
                let leases = server.list("leases");
                if let Some(lease) = leases.get(random.random_range(0..leases.len().max(1))) {
                    let name = lease["metadata"]["name"].as_str().unwrap();
                    let path = format!("leases/default/{name}");
                    match random.random() {
                        true => {
                            server.remove(&path);
                            journal.lock().unwrap().epochs.clear();
                        }
                        false if path != RECORD => {
                            let mut forged = lease.clone();
                            forged["spec"]["holderIdentity"] = json!("somebody");
                            server.put(&path, forged);
                        }
                        false => {}
                    }
                }
            }
            _ => {}
        }
        sleep(ms(random.random_range(0..12_000))).await;
    }
    // In peace, all find an owner.
    server.reconnect();
    let last = Replica::start(&server, "last");
    sleep(secs(60)).await;
    let mut owned = last.works_on();
    owned.extend(replicas.iter().flat_map(|(replica, _)| replica.works_on()));
    owned.sort_unstable();
    assert_eq!(owned, (0..SLOTS).collect::<Vec<_>>(), "seed {seed}");
    journal.lock().unwrap().entries
}

#[tokio::test(start_paused = true)]
async fn no_slot_is_worked_on_twice_whatever_happens_to_replicas_and_leases() {
    let seeds = std::env::var("CHAOS_SEEDS")
        .ok()
        .and_then(|it| it.parse().ok())
        .unwrap_or(1);
    let mut entries = 0;
    for seed in 0..seeds {
        entries += chaos(seed, 40).await;
    }
    assert!(entries > 300, "{entries}");
}

#[tokio::test(start_paused = true)]
async fn a_process_that_was_paused_does_no_more_work_when_it_resumes() {
    let server = Server::new();
    let two = group(&server, 2).await;
    let slot = two[0].works_on()[0];
    let permit = two[0].shards.enter(hash_in(slot)).unwrap();
    let polls = Arc::new(Mutex::new(0));
    let work = {
        let polls = Arc::clone(&polls);
        async move {
            loop {
                *polls.lock().unwrap() += 1;
                tokio::task::yield_now().await;
            }
        }
    };
    let mut work = std::pin::pin!(permit.term().fence(work));
    assert!(futures::poll!(work.as_mut()).is_pending());
    // The clock goes on, and nothing is polled.
    tokio::time::advance(secs(11)).await;
    let before = *polls.lock().unwrap();
    assert!(matches!(futures::poll!(work.as_mut()), Poll::Ready(Err(_))));
    assert_eq!(*polls.lock().unwrap(), before);
    assert!(two[0].shards.enter(hash_in(slot)).is_none());
}

#[tokio::test(start_paused = true)]
async fn a_slot_that_is_asked_back_and_meant_for_its_owner_again_is_worked_on_again() {
    let server = Server::new();
    let one = Replica::start(&server, "r0");
    one.works_on_within(SLOTS, secs(1)).await;
    let permits: Vec<_> = (0..SLOTS)
        .filter_map(|slot| one.shards.enter(hash_in(slot)))
        .collect();
    let two = Replica::start(&server, "r1");
    sleep(secs(2)).await;
    assert_eq!(one.works_on().len(), SLOTS / 2);
    two.stop.cancel();
    two.task.await.unwrap();
    sleep(secs(5)).await;
    drop(permits);
    one.works_on_within(SLOTS, secs(5)).await;
}
