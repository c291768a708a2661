//! Whatever changes, fails, panics or takes long: eventually every object's current state is
//! reconciled.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use codegen_runtime::controller::{Action, Request, reconcile_fn};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use proptest::prelude::*;
use tokio::time::sleep;

use crate::control::rig::Rig;
use crate::control::{ms, secs};

#[derive(Debug, Clone)]
enum Change {
    Put(u8),
    Delete(u8),
    Wait(u64),
}

/// The course of one reconciliation.
#[derive(Debug, Clone, Copy)]
enum Course {
    Well,
    Slowly(u64),
    Fails,
    Panics,
    Hangs,
    Again,
    Later(u64),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        3 => (0_u8..4).prop_map(Change::Put),
        1 => (0_u8..4).prop_map(Change::Delete),
        3 => (0_u64..4_000).prop_map(Change::Wait),
    ]
}

fn course() -> impl Strategy<Value = Course> {
    prop_oneof![
        4 => Just(Course::Well),
        2 => (1_u64..3_000).prop_map(Course::Slowly),
        1 => Just(Course::Fails),
        1 => Just(Course::Panics),
        1 => Just(Course::Hangs),
        1 => Just(Course::Again),
        1 => (0_u64..10_000).prop_map(Course::Later),
    ]
}

/// The version of each object that its last successful reconciliation saw; `None` if it was gone.
type Seen = Arc<Mutex<BTreeMap<String, Option<String>>>>;

async fn run(changes: Vec<Change>, courses: Vec<Course>, workers: usize) {
    let (rig, seen, calls) = (Rig::new(), Seen::default(), AtomicUsize::new(0));
    let lister = rig.factory.informer_for::<ConfigMap>().lister();
    let reconciler = reconcile_fn({
        let seen = Arc::clone(&seen);
        move |request: Request| {
            let (seen, lister) = (Arc::clone(&seen), lister.clone());
            let course = courses
                .get(calls.fetch_add(1, Ordering::SeqCst))
                .copied()
                .unwrap_or(Course::Well);
            async move {
                let version = lister
                    .get(&request.key)
                    .ok()
                    .and_then(|map| map.resource_version());
                let action = match course {
                    Course::Well => Action::done(),
                    Course::Slowly(millis) => {
                        sleep(ms(millis)).await;
                        Action::done()
                    }
                    Course::Fails => return Err("on purpose"),
                    Course::Panics => panic!("on purpose"),
                    Course::Hangs => std::future::pending().await,
                    Course::Again => Action::requeue(),
                    Course::Later(millis) => Action::requeue_after(ms(millis)),
                };
                seen.lock()
                    .unwrap()
                    .insert(request.key.to_string(), version);
                Ok(action)
            }
        }
    });
    let builder = rig
        .builder()
        .for_::<ConfigMap>()
        .workers(workers)
        .reconcile_timeout(secs(5));
    let task = rig.run(builder.build(reconciler).unwrap());
    for change in changes {
        match change {
            Change::Put(n) => rig.put(&format!("{n}")),
            Change::Delete(n) => rig.server.remove(&format!("configmaps/default/{n}")),
            Change::Wait(millis) => sleep(ms(millis)).await,
        }
    }
    // The back-off may have grown to minutes.
    sleep(secs(4_000)).await;
    rig.stop.cancel();
    assert_eq!(task.await.unwrap(), Ok(()));
    let is: BTreeMap<_, _> = rig
        .server
        .list("configmaps")
        .iter()
        .map(|map| {
            let text = |field: &str| map["metadata"][field].as_str().unwrap().to_owned();
            (
                format!("default/{}", text("name")),
                Some(text("resourceVersion")),
            )
        })
        .collect();
    let mut seen = std::mem::take(&mut *seen.lock().unwrap());
    seen.retain(|_, version| version.is_some());
    assert_eq!(seen, is);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(48) })]

    #[test]
    fn every_object_is_reconciled_as_it_is_in_the_end(
        changes in prop::collection::vec(change(), 0..40),
        courses in prop::collection::vec(course(), 0..12),
        workers in 1_usize..4,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.unwrap().block_on(run(changes, courses, workers));
    }
}
