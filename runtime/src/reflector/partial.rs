//! The objects of a streamed list before its closing bookmark, not yet passed to the sink.
//!
//! Only the last state of each object is held: on a server that never sends the bookmark, a busy
//! object may change thousands of times before a plain list is used instead.

use std::collections::HashMap;
use std::time::Duration;

use foldhash::fast::RandomState;
use tokio::time::Instant;

use crate::clock::FOREVER;
use crate::store::{Held, ObjectKey};

/// The objects with their keys, and the keys of existing objects that could not be decoded.
type Gathered<K> = (Vec<(ObjectKey, Held<K>)>, Vec<ObjectKey>);

/// A list in progress.
pub(super) struct Partial<K> {
    /// In the server's order.
    entries: Vec<(ObjectKey, State<K>)>,
    /// The position of each key in `entries`.
    places: HashMap<ObjectKey, usize, RandomState>,
    pub(super) version: String,
    has_known: bool,
    /// The time of the request, or of the last new key.
    progress: Instant,
    /// Whether an event came that is not about an existing object.
    in_changes: bool,
}

/// The last known state of one key.
enum State<K> {
    Object(Held<K>),
    /// It exists, and could not be decoded.
    Undecodable,
    Gone,
}

impl<K> Partial<K> {
    pub(super) fn new() -> Self {
        Self {
            entries: Vec::new(),
            places: HashMap::default(),
            version: String::new(),
            has_known: false,
            progress: Instant::now(),
            in_changes: false,
        }
    }

    /// Returns the time by which the closing bookmark, or an object with a new key, must arrive.
    pub(super) fn deadline(&self, limit: Duration) -> Instant {
        self.progress + limit.min(FOREVER)
    }

    /// Records an event that a server sends only after all existing objects.
    pub(super) fn changes_began(&mut self) {
        if !self.in_changes {
            self.in_changes = true;
            self.progress = Instant::now();
        }
    }

    /// Whether any object was taken for the known one because of its version.
    pub(super) fn has_known(&self) -> bool {
        self.has_known
    }

    pub(super) fn put(&mut self, key: &ObjectKey, held: Held<K>, is_known: bool) {
        self.has_known |= is_known;
        *self.state(key) = State::Object(held);
    }

    /// Records an object that could not be decoded. A state that was decoded before stays.
    pub(super) fn keep(&mut self, key: ObjectKey) {
        let state = self.state(&key);
        if matches!(state, State::Gone) {
            *state = State::Undecodable;
        }
    }

    /// Handles a deletion. What could not be decoded before it does not exist any more either.
    pub(super) fn forget(&mut self, gone: &ObjectKey) {
        *self.state(gone) = State::Gone;
    }

    fn state(&mut self, key: &ObjectKey) -> &mut State<K> {
        let next = self.entries.len();
        let place = match self.places.get(key) {
            Some(place) => *place,
            None => {
                self.places.insert(key.clone(), next);
                self.entries.push((key.clone(), State::Gone));
                if !self.in_changes {
                    self.progress = Instant::now();
                }
                next
            }
        };
        &mut self.entries[place].1
    }

    pub(super) fn finish(self) -> Gathered<K> {
        let mut objects = Vec::with_capacity(self.entries.len());
        let mut keep = Vec::new();
        for (key, state) in self.entries {
            match state {
                State::Object(object) => objects.push((key, object)),
                State::Undecodable => keep.push(key),
                State::Gone => {}
            }
        }
        (objects, keep)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn put(partial: &mut Partial<u64>, name: &str, object: u64) -> std::sync::Weak<u64> {
        let object = Arc::new(object);
        let weak = Arc::downgrade(&object);
        let key = ObjectKey::new(None, name);
        partial.put(&key, object.into(), false);
        weak
    }

    #[test]
    fn one_copy_of_each_object_is_held_however_often_it_changes() {
        let mut partial = Partial::new();
        let mut copies = Vec::new();
        for change in 0..20_000 {
            copies.push(put(
                &mut partial,
                ["a", "b", "c"][change % 3],
                change as u64,
            ));
        }
        let held = copies.iter().filter(|copy| copy.strong_count() > 0);
        assert_eq!(held.count(), 3);
        let (objects, _) = partial.finish();
        let objects = objects
            .iter()
            .map(|(key, held)| (key.as_str(), **held.whole().unwrap()));
        let expected = [("a", 19_998), ("b", 19_999), ("c", 19_997)];
        assert_eq!(objects.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn the_last_readable_state_of_an_object_counts_until_it_is_gone() {
        let mut partial = Partial::new();
        let key = |name: &str| ObjectKey::new(None, name);
        put(&mut partial, "a", 1);
        partial.keep(key("a"));
        partial.keep(key("b"));
        partial.keep(key("c"));
        partial.forget(&key("c"));
        put(&mut partial, "d", 4);
        partial.forget(&key("d"));
        put(&mut partial, "d", 5);
        let (objects, keep) = partial.finish();
        let objects = objects.iter().map(|(_, held)| **held.whole().unwrap());
        assert_eq!(objects.collect::<Vec<_>>(), [1, 5]);
        assert_eq!(keep, [key("b")]);
    }
}
