//! Sharded controllers: several replicas in one process, each with its own caches.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use codegen_runtime::controller::{
    Action, BuildError, Builder, Controller, Reconciler, Trigger, reconcile_fn,
};
use codegen_runtime::informer::{SharedInformerFactory, handler};
use codegen_runtime::k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
use codegen_runtime::k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use codegen_runtime::manager::Manager;
use codegen_runtime::metrics::Metrics;
use codegen_runtime::shard::{Sharding, Shards, ShardsConfig};
use codegen_runtime::store::ObjectKey;
use http_body_util::BodyExt;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::control::server::{Server, query};
use crate::control::{ms, secs};

/// What was reconciled: the key, by whom, and in which epoch.
type Journal = Arc<Mutex<Vec<(String, String, u64)>>>;

struct Replica {
    name: String,
    shards: Shards,
    factory: SharedInformerFactory,
    journal: Journal,
    stop: CancellationToken,
    tasks: Vec<JoinHandle<()>>,
}

/// How a test divides config maps.
type Divide = fn(&Shards) -> Sharding;

impl Replica {
    fn new(server: &Server, name: &str, journal: &Journal) -> Self {
        let config = ShardsConfig::new("default", "group", name).hand_over_timeout(secs(2));
        Self {
            name: name.to_owned(),
            shards: Shards::new(server.client_of(name), config).unwrap(),
            factory: SharedInformerFactory::builder(server.client_of(name)).build(),
            journal: Arc::clone(journal),
            stop: CancellationToken::new(),
            tasks: Vec::new(),
        }
    }

    /// Starts a replica that reconciles config maps.
    fn start(server: &Server, name: &str, journal: &Journal, divide: Divide) -> Self {
        let mut replica = Self::new(server, name, journal);
        let sharding = divide(&replica.shards);
        let builder = Controller::builder("maps", &replica.factory).for_::<ConfigMap>();
        replica.run(builder.sharded(sharding));
        replica
    }

    fn run(&mut self, builder: Builder) {
        let (journal, name) = (Arc::clone(&self.journal), self.name.clone());
        let reconciler = reconcile_fn(move |request| {
            let (journal, name) = (Arc::clone(&journal), name.clone());
            async move {
                let epoch = request.leadership.as_ref().unwrap().epoch();
                let key = request.key.to_string();
                journal.lock().unwrap().push((key, name, epoch));
                Ok::<_, String>(Action::done())
            }
        });
        self.run_with(builder.workers(2), reconciler);
    }

    fn run_with(&mut self, builder: Builder, reconciler: impl Reconciler) {
        let controller = builder.build(reconciler).unwrap();
        assert!(!controller.needs_leader_election());
        self.factory.start(&self.stop);
        let (stop, shards) = (self.stop.clone(), self.shards.clone());
        self.tasks.push(tokio::spawn({
            let stop = stop.clone();
            async move { controller.run(&stop, None).await.unwrap() }
        }));
        self.tasks
            .push(tokio::spawn(async move { shards.run(&stop).await }));
    }

    fn maps(&self) -> BTreeSet<String> {
        let informer = self.factory.informer_for::<ConfigMap>();
        let keys = informer.store().list_keys().into_iter();
        keys.map(|key| key.to_string()).collect()
    }

    fn foreign(&self) -> u64 {
        self.factory
            .stats()
            .iter()
            .map(|stats| stats.reflector.foreign)
            .sum()
    }

    /// Ends without a word, like a killed process.
    fn kill(self) {
        self.tasks.iter().for_each(JoinHandle::abort);
        drop(self.factory);
        self.stop.cancel();
    }
}

const NAMESPACES: usize = 40;

/// Returns a name that FNV-1a places anywhere: what varies comes first.
fn namespace_of(number: usize) -> String {
    format!("n{number}-of-many-teams")
}

/// Changes an object.
fn touch(server: &Server, key: &str, value: &str) {
    let path = format!("configmaps/{key}");
    let mut object = server.get(&path).unwrap();
    object["data"] = json!({"x": value});
    server.put(&path, object);
}

fn populate(server: &Server) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    for namespace in 0..NAMESPACES {
        for name in ["a", "b"] {
            let key = format!("{}/{name}", namespace_of(namespace));
            server.put(&format!("configmaps/{key}"), json!({}));
            keys.insert(key);
        }
    }
    keys
}

fn by_namespace(shards: &Shards) -> Sharding {
    Sharding::by_namespace(shards)
}

fn evenly(shards: &Shards) -> Sharding {
    Sharding::by_namespace_evenly(shards)
}

fn by_uid(shards: &Shards) -> Sharding {
    Sharding::by_uid(shards)
}

fn by_name(shards: &Shards) -> Sharding {
    Sharding::by(shards, |map: &ConfigMap| ObjectKey::of(map).to_string())
}

/// Returns the last reconciler of each key since the last call.
fn reconciled(journal: &Journal) -> BTreeMap<String, BTreeSet<String>> {
    let mut by_key: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (key, name, _) in std::mem::take(&mut *journal.lock().unwrap()) {
        by_key.entry(key).or_default().insert(name);
    }
    by_key
}

async fn three(server: &Server, journal: &Journal, divide: Divide) -> Vec<Replica> {
    let mut replicas = Vec::new();
    for name in ["r0", "r1", "r2"] {
        replicas.push(Replica::start(server, name, journal, divide));
        sleep(secs(5)).await;
    }
    replicas
}

#[tokio::test(start_paused = true)]
async fn each_object_is_in_one_cache_and_reconciled_there_whatever_the_server_knows() {
    // No server selects by a function, or a hash of our own.
    let ways: [(Divide, bool); 4] = [
        (by_namespace, true),
        (by_uid, true),
        (evenly, false),
        (by_name, false),
    ];
    for (divide, selects) in ways {
        for knows_shards in [true, false] {
            let (server, journal) = (Server::with_shards(knows_shards), Journal::default());
            let keys = populate(&server);
            let replicas = three(&server, &journal, divide).await;
            let caches: Vec<_> = replicas.iter().map(Replica::maps).collect();
            let total: usize = caches.iter().map(BTreeSet::len).sum();
            let all: BTreeSet<String> = caches.iter().flatten().cloned().collect();
            assert_eq!((total, &all), (keys.len(), &keys));
            assert!(caches.iter().all(|cache| cache.len() < keys.len() / 2 + 4));
            reconciled(&journal);
            for key in &keys {
                touch(&server, key, "1");
            }
            sleep(secs(1)).await;
            for (key, by) in reconciled(&journal) {
                let owner = replicas.iter().find(|it| it.maps().contains(&key)).unwrap();
                assert_eq!(by, BTreeSet::from([owner.name.clone()]), "{key}");
            }
            let foreign: u64 = replicas.iter().map(Replica::foreign).sum();
            assert_eq!(
                foreign == 0,
                selects && knows_shards,
                "{foreign} foreign objects"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn objects_that_leave_are_not_deletions_and_only_new_ranges_are_listed() {
    let (server, journal) = (Server::with_shards(true), Journal::default());
    let keys = populate(&server);
    let first = Replica::start(&server, "r0", &journal, by_namespace);
    let events: Arc<Mutex<BTreeMap<&str, usize>>> = Arc::default();
    let count = |what: &'static str| {
        let events = Arc::clone(&events);
        move || *events.lock().unwrap().entry(what).or_default() += 1
    };
    let (added, deleted, left) = (count("added"), count("deleted"), count("left"));
    let handler = handler::funcs::<ConfigMap>()
        .on_add(move |_, _| added())
        .on_delete(move |_| deleted())
        .on_leave(move |_| left());
    let informer = first.factory.informer_for::<ConfigMap>();
    informer.add_event_handler(handler).unwrap();
    sleep(secs(5)).await;
    assert_eq!(first.maps(), keys);
    let lists: Arc<Mutex<Vec<(String, String)>>> = Arc::default();
    server.on_call({
        let lists = Arc::clone(&lists);
        move |action| {
            let is_list = action.verb == "list" || query(action, "sendInitialEvents").is_some();
            if action.resource == "configmaps" && is_list {
                let selector = query(action, "shardSelector").unwrap_or_default();
                lists.lock().unwrap().push((action.user.clone(), selector));
            }
            None
        }
    });
    let second = Replica::start(&server, "r1", &journal, by_namespace);
    sleep(secs(5)).await;
    let events = events.lock().unwrap().clone();
    let moved = second.maps().len();
    assert!(moved > 0);
    assert_eq!(
        events,
        BTreeMap::from([("added", keys.len()), ("left", moved)])
    );
    let lists = lists.lock().unwrap().clone();
    assert_eq!(lists.len(), 1, "{lists:?}");
    assert_eq!(lists[0].0, "r1");
    assert!(
        lists[0]
            .1
            .starts_with("shardRange(object.metadata.namespace, '0x80"),
        "{lists:?}"
    );
    // The rest is watched with a narrower selector.
    let before = first.foreign();
    for key in &keys {
        touch(&server, key, "2");
    }
    sleep(secs(5)).await;
    assert_eq!(first.foreign(), before);
    assert_eq!(first.maps().len() + second.maps().len(), keys.len());
}

#[tokio::test(start_paused = true)]
async fn the_objects_of_a_killed_replica_are_reconciled_within_its_lease_and_half_a_second() {
    for divide in [by_namespace, by_uid] {
        let (server, journal) = (Server::with_shards(true), Journal::default());
        let keys = populate(&server);
        let mut replicas = three(&server, &journal, divide).await;
        let victim = replicas.pop().unwrap();
        let orphans = victim.maps();
        assert!(!orphans.is_empty());
        let highest = journal
            .lock()
            .unwrap()
            .iter()
            .map(|(_, _, epoch)| *epoch)
            .max()
            .unwrap();
        reconciled(&journal);
        victim.kill();
        let killed = Instant::now();
        let is_done = || {
            let journal = journal.lock().unwrap();
            orphans.iter().all(|key| {
                journal
                    .iter()
                    .any(|(other, by, epoch)| other == key && by != "r2" && *epoch > highest)
            })
        };
        while !is_done() {
            assert!(
                killed.elapsed() <= secs(15) + ms(500),
                "{:?}",
                killed.elapsed()
            );
            sleep(ms(20)).await;
        }
        let caches: BTreeSet<_> = replicas.iter().flat_map(Replica::maps).collect();
        assert_eq!(caches, keys);
    }
}

#[tokio::test(start_paused = true)]
async fn a_deleted_object_is_reconciled_once_more_by_its_owner() {
    for divide in [by_namespace, by_uid, by_name] {
        let (server, journal) = (Server::with_shards(true), Journal::default());
        let keys = populate(&server);
        let replicas = three(&server, &journal, divide).await;
        let owners: BTreeMap<String, String> = replicas
            .iter()
            .flat_map(|it| it.maps().into_iter().map(|key| (key, it.name.clone())))
            .collect();
        reconciled(&journal);
        for key in &keys {
            server.remove(&format!("configmaps/{key}"));
        }
        sleep(secs(1)).await;
        let found = reconciled(&journal);
        for (key, owner) in owners {
            assert_eq!(found.get(&key), Some(&BTreeSet::from([owner])), "{key}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn changes_of_owned_objects_reach_the_owner_of_their_owner() {
    for divide in [by_namespace, evenly, by_uid] {
        let (server, journal) = (Server::with_shards(true), Journal::default());
        let mut replicas = Vec::new();
        for name in ["r0", "r1"] {
            let mut replica = Replica::new(&server, name, &journal);
            let builder = Controller::builder("deployments", &replica.factory)
                .for_::<Deployment>()
                .owns::<ReplicaSet>();
            let sharding = divide(&replica.shards);
            replica.run(builder.sharded(sharding));
            replicas.push(replica);
        }
        sleep(secs(30)).await;
        let owner = |name: &str| json!([{"apiVersion": "apps/v1", "kind": "Deployment", "name": name, "uid": "u", "controller": true}]);
        for n in 0..20 {
            server.put(&format!("deployments/{}/web", namespace_of(n)), json!({}));
        }
        sleep(secs(1)).await;
        let before = reconciled(&journal);
        assert_eq!(before.len(), 20);
        for n in 0..20 {
            let references = json!({"metadata": {"ownerReferences": owner("web")}});
            server.put(
                &format!("replicasets/{}/web-1", namespace_of(n)),
                references,
            );
        }
        sleep(secs(1)).await;
        assert_eq!(reconciled(&journal), before);
        let names: BTreeSet<_> = before.values().flatten().collect();
        assert_eq!(names.len(), 2, "both have some");
    }
}

#[tokio::test(start_paused = true)]
async fn triggers_and_mappings_reach_the_owner_alone() {
    let (server, journal) = (Server::with_shards(true), Journal::default());
    let keys = populate(&server);
    let all: Vec<ObjectKey> = keys
        .iter()
        .map(|key| {
            let (namespace, name) = key.split_once('/').unwrap();
            ObjectKey::new(Some(namespace), name)
        })
        .collect();
    let mut replicas = Vec::new();
    let trigger = Trigger::new();
    for name in ["r0", "r1"] {
        let mut replica = Replica::new(&server, name, &journal);
        let mapped = all.clone();
        let builder = Controller::builder("maps", &replica.factory)
            .for_::<ConfigMap>()
            .watches::<Deployment>(move |_| mapped.clone())
            .triggered_by(&trigger);
        let sharding = Sharding::by_uid(&replica.shards);
        replica.run(builder.sharded(sharding));
        replicas.push(replica);
    }
    sleep(secs(30)).await;
    let owners: BTreeMap<String, BTreeSet<String>> = replicas
        .iter()
        .flat_map(|it| {
            it.maps()
                .into_iter()
                .map(|key| (key, BTreeSet::from([it.name.clone()])))
        })
        .collect();
    reconciled(&journal);
    all.iter().for_each(|key| trigger.add(key.clone()));
    sleep(secs(1)).await;
    assert_eq!(reconciled(&journal), owners);
    server.put("deployments/default/any", json!({}));
    sleep(secs(1)).await;
    assert_eq!(reconciled(&journal), owners);
}

#[tokio::test(start_paused = true)]
async fn combinations_that_would_lose_events_are_refused() {
    let server = Server::new();
    let journal = Journal::default();
    let build = |builder: Builder| {
        let built = builder.build(reconcile_fn(|_| async { Ok::<_, String>(Action::done()) }));
        built.map(|_| ()).unwrap_err()
    };
    let replica = Replica::new(&server, "r0", &journal);
    let (shards, factory) = (&replica.shards, &replica.factory);
    let named = || Controller::builder("c", factory);
    let error = build(
        named()
            .for_::<Namespace>()
            .sharded(Sharding::by_namespace(shards)),
    );
    assert_eq!(
        error.to_string(),
        "controller \"c\" is sharded by namespace, but namespaces are cluster-scoped, so that one member would have all: shard it by uid"
    );
    let error = build(
        named()
            .watches::<ConfigMap>(|_| Vec::new())
            .sharded(Sharding::by_uid(shards)),
    );
    assert_eq!(
        error.to_string(),
        "controller \"c\" is sharded by objects, but reconciles no kind: call for_, or shard it by namespace"
    );
    let error = build(named().for_::<Deployment>().sharded(by_name(shards)));
    assert!(matches!(error, BuildError::OtherType { .. }), "{error}");
    // One controller needs all config maps, the other its own.
    let whole = named().for_::<ConfigMap>();
    let whole = whole.build(reconcile_fn(|_| async { Ok::<_, String>(Action::done()) }));
    assert!(whole.is_ok());
    let error = build(
        named()
            .for_::<ConfigMap>()
            .sharded(Sharding::by_uid(shards)),
    );
    assert_eq!(
        error.to_string(),
        "controller \"c\": the cache of configmaps is shared with a controller that needs other objects of it, and would miss events: give one of them a factory of its own"
    );
    let several = SharedInformerFactory::builder(server.client())
        .namespaces(["a", "b"])
        .build();
    let error = build(
        Controller::builder("c", &several)
            .for_::<ConfigMap>()
            .sharded(Sharding::by_uid(shards)),
    );
    assert!(
        matches!(error, BuildError::SeveralNamespaces { .. }),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_kind_that_is_owned_and_watched_is_divided_if_mappings_stay_in_their_namespaces() {
    let server = Server::new();
    let replica = Replica::new(&server, "r0", &Journal::default());
    let builder = || {
        Controller::builder("c", &replica.factory)
            .for_::<Deployment>()
            .owns::<ReplicaSet>()
    };
    let sharding = || Sharding::by_namespace(&replica.shards);
    let reconciler = || reconcile_fn(|_| async { Ok::<_, String>(Action::done()) });
    let mixed = builder().watches::<ReplicaSet>(|_| Vec::new());
    let error = mixed.sharded(sharding()).build(reconciler()).unwrap_err();
    assert!(matches!(error, BuildError::OtherObjects { .. }), "{error}");
    let within = builder()
        .maps_within_namespaces()
        .watches::<ReplicaSet>(|_| Vec::new());
    assert!(within.sharded(sharding()).build(reconciler()).is_ok());
}

/// What a driver sees: who works on which key now, and the last value of each.
#[derive(Default)]
struct Driver {
    working: BTreeMap<String, (String, u64)>,
    seen: BTreeMap<String, String>,
}

/// A call of the driver, also one that is dropped.
struct Call(Arc<Mutex<Driver>>, String);

impl Call {
    fn begin(driver: &Arc<Mutex<Driver>>, key: &str, caller: (String, u64)) -> Self {
        let other = driver
            .lock()
            .unwrap()
            .working
            .insert(key.to_owned(), caller.clone());
        assert!(
            other.is_none(),
            "{key} has two owners: {other:?} and {caller:?}"
        );
        Self(Arc::clone(driver), key.to_owned())
    }

    fn end(self, value: Option<&String>) {
        let value = value.cloned().unwrap_or_default();
        self.0.lock().unwrap().seen.insert(self.1.clone(), value);
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if let Ok(mut driver) = self.0.lock() {
            driver.working.remove(&self.1);
        }
    }
}

/// Starts a replica whose reconciler calls the driver for a while.
fn start_with_driver(server: &Server, name: &str, driver: &Arc<Mutex<Driver>>) -> Replica {
    let mut replica = Replica::new(server, name, &Journal::default());
    let lister = replica.factory.informer_for::<ConfigMap>().lister();
    let (driver, own) = (Arc::clone(driver), name.to_owned());
    let reconciler = reconcile_fn(move |request| {
        let (driver, own, lister) = (Arc::clone(&driver), own.clone(), lister.clone());
        async move {
            let key = request.key.to_string();
            let epoch = request.leadership.as_ref().unwrap().epoch();
            let call = Call::begin(&driver, &key, (own, epoch));
            sleep(ms(20)).await;
            let map = lister.get(&key).ok();
            call.end(map.as_ref().and_then(|map| map.data.as_ref()?.get("x")));
            Ok::<_, String>(Action::done())
        }
    });
    let sharding = Sharding::by_uid(&replica.shards);
    let builder = Controller::builder("maps", &replica.factory).for_::<ConfigMap>();
    replica.run_with(builder.sharded(sharding).workers(8), reconciler);
    replica
}

/// Returns a number from the environment.
fn setting(name: &str, default: usize) -> usize {
    std::env::var(name)
        .ok()
        .and_then(|it| it.parse().ok())
        .unwrap_or(default)
}

/// `hack/shards.sh` runs it with more objects and more changes of members.
#[tokio::test(start_paused = true)]
async fn no_key_is_reconciled_twice_at_once_and_no_update_is_lost_while_members_change() {
    let (changes, objects) = (setting("SHARD_CHANGES", 15), setting("SHARD_OBJECTS", 200));
    let (server, driver) = (Server::with_shards(true), Arc::<Mutex<Driver>>::default());
    let keys: Vec<String> = (0..objects)
        .map(|n| format!("{}/map", namespace_of(n)))
        .collect();
    keys.iter()
        .for_each(|key| server.put(&format!("configmaps/{key}"), json!({})));
    let mut random = StdRng::seed_from_u64(7);
    let mut replicas = vec![start_with_driver(&server, "r0", &driver)];
    for change in 1..=changes {
        let any = random.random_range(0..replicas.len());
        match random.random_range(0..6) {
            0..=1 if replicas.len() < 6 => {
                replicas.push(start_with_driver(&server, &format!("r{change}"), &driver));
            }
            2 if replicas.len() > 1 => replicas.swap_remove(any).kill(),
            3 if replicas.len() > 1 => replicas.swap_remove(any).stop.cancel(),
            4 => server.cut_off(&replicas[any].name),
            _ => server.reconnect(),
        }
        for _ in 0..20 {
            touch(
                &server,
                &keys[random.random_range(0..objects)],
                &change.to_string(),
            );
            sleep(ms(random.random_range(0..1000))).await;
        }
    }
    server.reconnect();
    sleep(secs(60)).await;
    let seen = driver.lock().unwrap().seen.clone();
    for key in &keys {
        let map = server.get(&format!("configmaps/{key}")).unwrap();
        let value = map["data"]["x"].as_str().unwrap_or_default();
        assert_eq!(seen.get(key).map(String::as_str), Some(value), "{key}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_manager_takes_part_tells_who_owns_what_and_leaves() {
    let server = Server::with_shards(true);
    let replica = Replica::new(&server, "r0", &Journal::default());
    let metrics = Metrics::new();
    let controller = Controller::builder("maps", &replica.factory)
        .for_::<ConfigMap>()
        .sharded(Sharding::by_uid(&replica.shards))
        .build(reconcile_fn(|_| async { Ok::<_, String>(Action::done()) }))
        .unwrap();
    let manager = Manager::builder(&replica.factory)
        .metrics(&metrics)
        .controller(controller)
        .shards(&replica.shards)
        .build()
        .unwrap();
    let endpoints = manager.endpoints().clone();
    let get = async |path: &str| {
        let request = http::Request::get(path).body(()).unwrap();
        let body = endpoints.respond(&request).into_body().collect();
        String::from_utf8(body.await.unwrap().to_bytes().to_vec()).unwrap()
    };
    let stop = replica.stop.clone();
    let run = tokio::spawn(async move { manager.run(&stop).await });
    sleep(secs(5)).await;
    let groups: Value = serde_json::from_str(&get("/debug/shards").await).unwrap();
    let group = &groups["group"];
    let member = group["member"].as_str().unwrap();
    assert_eq!(
        group["members"][member],
        json!({"holds": 256, "target": 256})
    );
    assert_eq!(
        group["ranges"],
        json!(["'0x0000000000000000', '0x10000000000000000'"])
    );
    assert!(get("/readyz?verbose").await.contains("[+]shards ok"));
    let text = metrics.encode().unwrap();
    assert!(
        text.contains("shard_group_slots{name=\"group\"} 256"),
        "{text}"
    );
    assert!(text.contains("shard_group_members{name=\"group\"} 1"));
    replica.stop.cancel();
    run.await.unwrap().unwrap();
    assert_eq!(server.list("leases").len(), 1, "the record");
}
