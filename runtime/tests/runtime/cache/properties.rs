//! Properties: after any sequence of server events and faults the cache equals the server's state,
//! and every handler saw each key's changes in order; a store with indexes behaves like a map.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::informer::{HandlerRegistration, SharedInformer};
use codegen_runtime::object::ResourceInfo;
use codegen_runtime::reflector::{ApiSource, ApiSourceOptions, ReflectorOptions};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use proptest::prelude::*;
use tokio_util::sync::CancellationToken;

use super::support::live::{Fault, Live};
use super::support::objects::{cm_with, typed};
use super::support::recorder::names;
use super::support::settle;
use super::support::stores;
use super::support::witness::Witness;

#[derive(Clone, Debug)]
enum Step {
    Write(u8),
    Delete(u8),
    Compact,
    CutAll,
    Bookmark,
    AddHandler,
    RemoveHandler(usize),
    /// Lets the informer run for some virtual milliseconds.
    Pause(u16),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (0_u8..6).prop_map(Step::Write),
        4 => (0_u8..6).prop_map(Step::Delete),
        1 => Just(Step::Compact),
        1 => Just(Step::CutAll),
        1 => Just(Step::Bookmark),
        1 => Just(Step::AddHandler),
        1 => (0_usize..4).prop_map(Step::RemoveHandler),
        4 => (0_u16..3_000).prop_map(Step::Pause),
    ]
}

fn fault() -> impl Strategy<Value = Fault> {
    prop_oneof![
        4 => Just(Fault::None),
        1 => Just(Fault::Refuse),
        2 => prop::sample::select(vec![410, 422, 429, 500]).prop_map(Fault::Status),
        2 => (0_u8..6).prop_map(Fault::CutAfter),
        2 => (0_u8..6, prop::sample::select(vec![410, 429, 500])).prop_map(|(after, code)| Fault::ErrorAfter(after, code)),
    ]
}

fn informer(live: &Live, watch_list: bool, page_size: Option<u32>) -> SharedInformer<ConfigMap> {
    let mut options = ReflectorOptions::default();
    options.watch_list = watch_list;
    options.page_size = page_size;
    let source = ApiSource::<ConfigMap>::new(live.client(), &(), None, ApiSourceOptions::default());
    stores::informer(SharedInformer::with_options(
        Arc::new(source),
        ResourceInfo::of::<ConfigMap>(&()),
        Duration::from_secs(7),
        options,
    ))
}

type Handlers = Vec<(Witness, HandlerRegistration)>;

fn add_handler(informer: &SharedInformer<ConfigMap>, handlers: &mut Handlers) {
    let witness = Witness::default();
    let registration = informer.add_event_handler(witness.clone()).unwrap();
    handlers.push((witness, registration));
}

fn take(
    step: &Step,
    live: &Live,
    informer: &SharedInformer<ConfigMap>,
    handlers: &mut Handlers,
) -> Duration {
    match *step {
        Step::Write(name) => live.write(&format!("o{name}"), &[]),
        Step::Delete(name) => live.delete(&format!("o{name}")),
        Step::Compact => live.compact(),
        Step::CutAll => live.cut_all(),
        Step::Bookmark => live.bookmark(),
        Step::AddHandler => add_handler(informer, handlers),
        Step::RemoveHandler(position) => {
            if position > 0 && position < handlers.len() {
                let (witness, registration) = handlers.remove(position);
                assert!(informer.remove_event_handler(&registration));
                assert_eq!(witness.complaints(), Vec::<String>::new());
            }
        }
        Step::Pause(milliseconds) => return Duration::from_millis(milliseconds.into()),
    }
    Duration::ZERO
}

/// Waits, without further faults, until the cache has reached the server's version; then the cache
/// and every handler must hold the server's objects. Comparing only objects is not enough: before
/// it sees that an object came and went, a cache equals the server.
async fn check_agreement(live: &Live, informer: &SharedInformer<ConfigMap>, handlers: &Handlers) {
    live.set_faults([]);
    let (expected, version) = (live.names(), live.version());
    for _ in 0..600 {
        if informer.last_sync_resource_version() == version && informer.has_synced() {
            break;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    settle().await;
    assert_eq!(names(informer.store()), expected, "cache = server");
    for (witness, registration) in handlers {
        assert!(registration.wait_for_sync().await);
        settle().await;
        let complaints = witness.complaints();
        assert_eq!(
            complaints,
            Vec::<String>::new(),
            "each key's changes in order"
        );
        assert_eq!(
            witness.names(),
            expected,
            "handlers know what the cache holds"
        );
    }
}

async fn run(steps: Vec<Step>, faults: Vec<Fault>, watch_list: bool, page_size: Option<u32>) {
    let live = Live::default();
    for name in 0..3 {
        live.write(&format!("o{name}"), &[]);
    }
    live.set_faults(faults);
    let informer = informer(&live, watch_list, page_size);
    let stop = CancellationToken::new();
    let mut handlers = Handlers::new();
    add_handler(&informer, &mut handlers);
    let task = tokio::spawn({
        let (informer, stop) = (informer.clone(), stop.clone());
        async move { informer.run(&stop).await }
    });
    for step in steps {
        let pause = take(&step, &live, &informer, &mut handlers);
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
    }
    check_agreement(&live, &informer, &handlers).await;
    stop.cancel();
    task.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_cache_that_has_yet_to_see_an_object_come_and_go_is_waited_for() {
    let steps = vec![Step::Pause(2_000), Step::Write(5), Step::Delete(5)];
    run(
        steps,
        vec![Fault::None, Fault::ErrorAfter(1, 500)],
        false,
        None,
    )
    .await;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_server_events_and_faults_ends_with_cache_equal_to_server(
        steps in prop::collection::vec(step(), 0..80),
        faults in prop::collection::vec(fault(), 0..24),
        watch_list in any::<bool>(),
        page_size in prop::option::of(1_u32..4),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(run(steps, faults, watch_list, page_size));
    }
}

#[derive(Clone, Debug)]
enum Write {
    Insert(u8, u8),
    Remove(u8),
    Replace(Vec<(u8, u8)>),
    AddIndexer,
}

fn write() -> impl Strategy<Value = Write> {
    prop_oneof![
        6 => (0_u8..40, 0_u8..5).prop_map(|(name, team)| Write::Insert(name, team)),
        3 => (0_u8..40).prop_map(Write::Remove),
        1 => prop::collection::vec((0_u8..40, 0_u8..5), 0..40).prop_map(Write::Replace),
        1 => Just(Write::AddIndexer),
    ]
}

/// Creates an object whose label `team` names two teams.
fn member(name: u8, team: u8) -> ConfigMap {
    let namespace = format!("ns{}", name % 3);
    let mut object = typed(&cm_with(
        &format!("o{name}"),
        1,
        "u",
        &[("team", &format!("t{team}"))],
    ));
    object.metadata.namespace = Some(namespace);
    // Without a version no two states are considered equal.
    object.metadata.resource_version = None;
    object
}

fn teams(object: &ConfigMap) -> Vec<String> {
    let team = object.labels().get("team").cloned().unwrap_or_default();
    vec![team.clone(), format!("{team}-again"), team]
}

fn key(name: u8) -> String {
    format!("ns{}/o{name}", name % 3)
}

fn found(objects: &[Arc<ConfigMap>]) -> BTreeSet<String> {
    objects
        .iter()
        .map(|object| format!("{}/{}", object.namespace().unwrap(), object.name_any()))
        .collect()
}

proptest! {
    #[test]
    fn a_store_with_indexes_is_what_a_map_would_be(writes in prop::collection::vec(write(), 0..200)) {
        let store = stores::new();
        let mut model: BTreeMap<u8, u8> = BTreeMap::new();
        let mut indexed = false;
        for write in writes {
            match write {
                Write::Insert(name, team) => {
                    let old = store.insert(member(name, team));
                    prop_assert_eq!(old.is_some(), model.insert(name, team).is_some());
                }
                Write::Remove(name) => {
                    prop_assert_eq!(store.remove(&key(name)).is_some(), model.remove(&name).is_some());
                }
                Write::Replace(all) => {
                    store.replace(all.iter().map(|(name, team)| Arc::new(member(*name, *team))), "1");
                    model = all.into_iter().collect();
                }
                Write::AddIndexer => {
                    prop_assert_eq!(store.add_indexer("teams", teams).is_ok(), !indexed);
                    indexed = true;
                }
            }
            let with = |keep: &dyn Fn(u8, u8) -> bool| -> BTreeSet<String> {
                model.iter().filter(|(name, team)| keep(**name, **team)).map(|(name, _)| key(*name)).collect()
            };
            prop_assert_eq!(found(&store.list()), with(&|_, _| true));
            for namespace in 0..3 {
                let listed = store.by_index("namespace", &format!("ns{namespace}")).unwrap();
                prop_assert_eq!(found(&listed), with(&|name, _| name % 3 == namespace));
            }
            for team in 0..5 {
                let selector = kube::core::Selector::from_iter([("team".to_owned(), format!("t{team}"))]);
                let expected = with(&|_, of| of == team);
                prop_assert_eq!(found(&store.snapshot().select(&selector)), expected.clone());
                if indexed {
                    prop_assert_eq!(found(&store.by_index("teams", &format!("t{team}-again")).unwrap()), expected);
                }
            }
            if indexed {
                let values = store.snapshot().index_values("teams").unwrap().len();
                let used: BTreeSet<u8> = model.values().copied().collect();
                prop_assert_eq!(values, used.len() * 2, "no empty sets");
            }
        }
    }
}
