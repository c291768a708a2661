//! The store: writes, with and without concurrent readers of all objects, look-ups, selectors.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use codegen_runtime::kube::core::Selector;
use codegen_runtime::store::{ObjectKey, Store};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};

use super::objects::{Widget, typed};

const OBJECTS: usize = 100_000;
const WRITES: usize = 100_000;

/// Returns a shared store of 100,000 objects with an index by the label `app`.
fn full() -> &'static Store<Widget> {
    static STORE: OnceLock<Store<Widget>> = OnceLock::new();
    STORE.get_or_init(|| {
        let store = Store::new();
        store
            .add_indexer("app", |widget: &Widget| {
                widget
                    .meta_labels()
                    .and_then(|labels| labels.get("app"))
                    .cloned()
                    .into_iter()
                    .collect()
            })
            .unwrap();
        store.replace((0..OBJECTS).map(|n| Arc::new(typed(n, 1))), "1");
        store
    })
}

impl Widget {
    fn meta_labels(&self) -> Option<&std::collections::BTreeMap<String, String>> {
        codegen_runtime::kube::Resource::meta(self).labels.as_ref()
    }
}

/// Returns objects that replace those of the store, in a scattered order.
fn updates() -> &'static [Arc<Widget>] {
    static UPDATES: OnceLock<Vec<Arc<Widget>>> = OnceLock::new();
    UPDATES.get_or_init(|| {
        (0..WRITES)
            .map(|n| Arc::new(typed(n * 7_919 % OBJECTS, 2)))
            .collect()
    })
}

fn write_all(store: &Store<Widget>) {
    for update in updates() {
        black_box(store.insert(update.clone()));
    }
}

#[divan::bench(sample_count = 10)]
fn writes(bencher: Bencher<'_, '_>) {
    let store = full();
    updates();
    bencher
        .counter(ItemsCount::new(WRITES))
        .bench(|| write_all(store));
}

/// Like `writes`, while other threads list all objects repeatedly. The writer's own time is
/// measured: on two cores, readers that never pause also take processor time from it.
#[divan::bench(sample_count = 10, args = [1, 10])]
fn writes_beside_full_list_readers(bencher: Bencher<'_, '_>, readers: usize) {
    let store = full();
    updates();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..readers {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    black_box(store.list());
                    std::thread::sleep(std::time::Duration::from_millis(50));
                }
            });
        }
        bencher
            .counter(ItemsCount::new(WRITES))
            .bench(|| write_all(store));
        stop.store(true, Ordering::Relaxed);
    });
}

#[divan::bench(sample_count = 20)]
fn list_all(bencher: Bencher<'_, '_>) {
    let store = full();
    bencher
        .counter(ItemsCount::new(OBJECTS))
        .bench(|| store.list());
}

#[divan::bench]
fn get(bencher: Bencher<'_, '_>) {
    let store = full();
    let key = ObjectKey::of(&*updates()[17]);
    bencher.bench(|| store.get(black_box(&key)));
}

#[divan::bench]
fn label_scan_with_100_hits(bencher: Bencher<'_, '_>) {
    let store = full();
    let selector = Selector::from_iter([("app", "app-7")]);
    assert_eq!(store.snapshot().select(&selector).len(), 100);
    bencher.bench(|| store.snapshot().select(black_box(&selector)));
}

#[divan::bench]
fn index_look_up_with_100_hits(bencher: Bencher<'_, '_>) {
    let store = full();
    assert_eq!(store.by_index("app", "app-7").unwrap().len(), 100);
    bencher.bench(|| store.by_index("app", black_box("app-7")));
}

#[divan::bench(sample_count = 10)]
fn replace_everything(bencher: Bencher<'_, '_>) {
    let objects: Vec<_> = (0..OBJECTS).map(|n| Arc::new(typed(n, 3))).collect();
    bencher
        .counter(ItemsCount::new(OBJECTS))
        .with_inputs(Store::<Widget>::new)
        .bench_values(|store| store.replace(objects.iter().cloned(), "3"));
}
