//! What reflectors write to: the event queue, or a part of it for each of several namespaces.
//!
//! Of several namespaces each has its own reflector. The first list is whole only when all of them
//! have listed; until then their objects are kept here, so that the cache and the handlers get one
//! first list. Later lists replace the objects of their namespace.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kube::Resource;
use parking_lot::Mutex;

use super::queue::EventQueue;
use crate::reflector::{Change, Replace, Sink};
use crate::store::{Held, ObjectKey, compare_resource_versions};

/// The sink of one reflector.
pub(super) struct Inlet<K> {
    queue: Arc<EventQueue<K>>,
    part: Option<Part<K>>,
}

/// One of several namespaces.
struct Part<K> {
    namespace: String,
    gathered: Arc<Mutex<Gathered<K>>>,
}

/// The state shared by the namespaces of an informer. Its lock is held while the queue is filled,
/// so that versions keep their order.
struct Gathered<K> {
    reached: Reached,
    /// The first list, until it is whole.
    first: Option<First<K>>,
}

struct First<K> {
    /// The namespaces that have not listed yet.
    missing: BTreeSet<String>,
    objects: BTreeMap<ObjectKey, Held<K>>,
}

impl<K> Inlet<K> {
    /// Creates the sink of the only reflector of `queue`.
    pub(super) fn whole(queue: Arc<EventQueue<K>>) -> Self {
        Self { queue, part: None }
    }

    /// Creates a sink for each of `namespaces`.
    pub(super) fn parts(queue: &Arc<EventQueue<K>>, namespaces: &[String]) -> Vec<Self> {
        let first = First {
            missing: namespaces.iter().cloned().collect(),
            objects: BTreeMap::new(),
        };
        let gathered = Arc::new(Mutex::new(Gathered {
            reached: Reached::default(),
            first: Some(first),
        }));
        let part = |namespace: &String| Part {
            namespace: namespace.clone(),
            gathered: Arc::clone(&gathered),
        };
        let inlet = |namespace| Self {
            queue: Arc::clone(queue),
            part: Some(part(namespace)),
        };
        namespaces.iter().map(inlet).collect()
    }
}

/// The version that each part of an informer reached.
#[derive(Default)]
pub(super) struct Reached(BTreeMap<String, String>);

impl Reached {
    /// Notes that `part` reached `version`; returns the version that all parts reached, empty if it
    /// is unknown.
    pub(super) fn reach(&mut self, part: &str, version: &str) -> String {
        if version.is_empty() {
            return String::new();
        }
        self.0.insert(part.to_owned(), version.to_owned());
        let mut versions = self.0.values();
        let first = versions.next().cloned().unwrap_or_default();
        let lowest = versions.try_fold(first, |lowest, version| {
            Some(match compare_resource_versions(version, &lowest)? {
                Ordering::Less => version.clone(),
                _ => lowest,
            })
        });
        lowest.unwrap_or_default()
    }

    /// Does without a part.
    pub(super) fn forget(&mut self, part: &str) {
        self.0.remove(part);
    }
}

impl<K> First<K> {
    fn replace(&mut self, namespace: &str, objects: Vec<(ObjectKey, Held<K>)>) {
        self.objects
            .retain(|key, _| key.namespace() != Some(namespace));
        self.objects.extend(objects);
        self.missing.remove(namespace);
    }

    fn apply(&mut self, change: Change<K>) {
        match change {
            Change::Upsert { key, object } => self.objects.insert(key, object.into()),
            Change::Delete { key, .. } => self.objects.remove(&key),
        };
    }
}

impl<K: Resource + Clone + Send + Sync + 'static> Sink<K> for Inlet<K> {
    fn known(&self, key: &str) -> Option<Arc<K>> {
        self.queue.known(key)
    }

    fn recall(&self, object: &K) -> Option<(ObjectKey, Option<Held<K>>)> {
        self.queue.recall(object)
    }

    fn hold(&self, object: Arc<K>) -> Held<K> {
        self.queue.hold(object)
    }

    fn replace(&self, mut state: Replace<K>) {
        let Some(part) = &self.part else {
            return self.queue.replace(state);
        };
        let mut gathered = part.gathered.lock();
        state.resource_version = gathered
            .reached
            .reach(&part.namespace, &state.resource_version);
        let Some(first) = &mut gathered.first else {
            let namespace = part.namespace.clone();
            let is_in = move |key: &ObjectKey, _: &Held<K>| key.namespace() == Some(&namespace);
            return self.queue.replace_in(Arc::new(is_in), state);
        };
        // What could not be decoded needs no note, since nothing is known yet.
        first.replace(&part.namespace, std::mem::take(&mut state.objects));
        if first.missing.is_empty()
            && let Some(first) = gathered.first.take()
        {
            state.objects = first.objects.into_iter().collect();
            self.queue.replace(state);
        }
    }

    fn apply(&self, changes: Vec<Change<K>>, resource_version: &str) {
        let Some(part) = &self.part else {
            return self.queue.apply(changes, resource_version);
        };
        let mut gathered = part.gathered.lock();
        let reached = gathered.reached.reach(&part.namespace, resource_version);
        match &mut gathered.first {
            Some(first) => changes.into_iter().for_each(|change| first.apply(change)),
            None => self.queue.apply(changes, &reached),
        }
    }
}
