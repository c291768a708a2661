//! Relates the items of a list to those that it had before a handler changed it.

use std::collections::HashMap;

use serde_json::Value;

use super::key::Key;
use super::list_keys::ListKeys;

/// Where the items of a changed list come from.
#[derive(Debug, PartialEq)]
pub(super) struct Pairs {
    /// For each item of the changed list, the item that it was before; `None` for new ones.
    pub(super) origins: Vec<Option<usize>>,
    /// Earlier items that one of the new ones may continue, though nothing tells which.
    pub(super) doubtful: Vec<usize>,
}

/// Pairs items by their key, and those without one by equality. `sent` has the items of `before`
/// with all their fields; it decides whether equal items of `before` can stand for each other.
/// Takes time linear in the size of the lists.
pub(super) fn pair(sent: &[Value], before: &[Value], after: &[Value], keys: &ListKeys) -> Pairs {
    let mut pairing = Pairing::new(sent, before, after);
    match keys {
        ListKeys::Declared(key) => pairing.by_key(key),
        ListKeys::Likely(keys) => {
            if let Some(key) = keys.iter().find(|key| tells_apart(key, before)) {
                pairing.by_key(key);
            }
        }
        ListKeys::None => {}
    }
    pairing.by_equality();
    pairing.finish()
}

/// Whether all items have different keys.
fn tells_apart(key: &Key, items: &[Value]) -> bool {
    let mut seen = HashMap::with_capacity(items.len());
    let mut items = items.iter();
    items.all(|item| match value_of(key, item) {
        Some(value) => seen.insert(value, ()).is_none(),
        None => false,
    })
}

/// The values of an item's key, unless one is missing.
fn value_of<'v>(key: &'v Key, item: &'v Value) -> Option<Vec<&'v Value>> {
    key.iter().map(|field| field.of(item)).collect()
}

struct Pairing<'v> {
    sent: &'v [Value],
    before: &'v [Value],
    after: &'v [Value],
    origins: Vec<Option<usize>>,
    /// Whether it is certain where an item of `after` comes from.
    certain: Vec<bool>,
    /// Whether an item of `before` is the origin of one of `after`.
    taken: Vec<bool>,
}

/// The positions of equal items.
#[derive(Default)]
struct Equal {
    before: Vec<usize>,
    after: Vec<usize>,
}

impl<'v> Pairing<'v> {
    fn new(sent: &'v [Value], before: &'v [Value], after: &'v [Value]) -> Self {
        Self {
            sent,
            before,
            after,
            origins: vec![None; after.len()],
            certain: vec![false; after.len()],
            taken: vec![false; before.len()],
        }
    }

    fn relate(&mut self, after: usize, before: usize) {
        self.origins[after] = Some(before);
        self.certain[after] = true;
        self.taken[before] = true;
    }

    /// Pairs items whose key no other item of their list has. A key that did not occur before is
    /// that of a new item.
    fn by_key(&mut self, key: &'v Key) {
        let mut by_key = HashMap::<Vec<&Value>, Equal>::with_capacity(self.after.len());
        for (at, item) in self.before.iter().enumerate() {
            if let Some(value) = value_of(key, item) {
                by_key.entry(value).or_default().before.push(at);
            }
        }
        for (at, item) in self.after.iter().enumerate() {
            if let Some(value) = value_of(key, item) {
                by_key.entry(value).or_default().after.push(at);
            }
        }
        for (at, item) in self.after.iter().enumerate() {
            let same = value_of(key, item).and_then(|value| by_key.get(&value));
            match same.map(|same| (same.before.as_slice(), same.after.as_slice())) {
                Some(([origin], [_])) => self.relate(at, *origin),
                Some(([], [_])) => self.certain[at] = true,
                _ => {}
            }
        }
    }

    /// Pairs equal items in their order, unless some of them are gone or copied and their fields in
    /// `sent` differ.
    fn by_equality(&mut self) {
        let open = (0..self.after.len()).filter(|at| !self.certain[*at]);
        let open: Vec<usize> = open.collect();
        if open.is_empty() {
            return;
        }
        let mut equal = HashMap::<&Value, Equal>::new();
        for (at, item) in self.before.iter().enumerate() {
            if !self.taken[at] {
                equal.entry(item).or_default().before.push(at);
            }
        }
        for at in &open {
            if let Some(equal) = equal.get_mut(&self.after[*at]) {
                equal.after.push(*at);
            }
        }
        for at in open {
            let Some(Equal { before, after }) = equal.remove(&self.after[at]) else {
                continue;
            };
            if before.len() != after.len() && !self.are_sent_equal(&before) {
                continue;
            }
            for (place, after) in after.into_iter().enumerate() {
                match before.get(place) {
                    Some(before) => self.relate(after, *before),
                    None => self.certain[after] = true,
                }
            }
        }
    }

    fn are_sent_equal(&self, places: &[usize]) -> bool {
        let mut pairs = places.windows(2);
        pairs.all(|pair| self.sent[pair[0]] == self.sent[pair[1]])
    }

    fn finish(self) -> Pairs {
        let is_in_doubt = self.certain.contains(&false);
        let open = (0..self.before.len()).filter(|at| is_in_doubt && !self.taken[*at]);
        Pairs {
            doubtful: open.collect(),
            origins: self.origins,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::declared::Schemas;
    use super::*;
    use crate::object::ResourceInfo;
    use crate::webhook::list_keys::Place;

    #[track_caller]
    fn check(
        keys: &ListKeys,
        before: Value,
        after: Value,
        origins: &[Option<usize>],
        doubtful: &[usize],
    ) {
        let (before, after) = (before.as_array().unwrap(), after.as_array().unwrap());
        let pairs = pair(before, before, after, keys);
        assert_eq!(
            (pairs.origins.as_slice(), pairs.doubtful.as_slice()),
            (origins, doubtful)
        );
    }

    /// The keys of a pod's containers, and of their ports.
    fn keys_of_pods() -> [ListKeys; 2] {
        let info = ResourceInfo::of::<k8s_openapi::api::core::v1::Pod>(&());
        let (containers, keys) = Place::of(&info, &Schemas::default())
            .field("spec")
            .0
            .field("containers");
        [keys, containers.item().field("ports").1]
    }

    #[test]
    fn items_are_paired_by_a_key_that_is_theirs_alone() {
        let [names, ports] = keys_of_pods();
        // Removed, changed, and one more.
        let before = json!([{"name": "a"}, {"name": "b", "v": 1}]);
        check(
            &names,
            before.clone(),
            json!([{"name": "b", "v": 2}, {"name": "c"}]),
            &[Some(1), None],
            &[],
        );
        // Another name is another item.
        check(
            &names,
            before,
            json!([{"name": "z"}, {"name": "b", "v": 1}]),
            &[None, Some(1)],
            &[],
        );
        // A field with a default counts if it is missing.
        let before =
            json!([{"containerPort": 1, "v": 1}, {"containerPort": 1, "protocol": "UDP", "v": 2}]);
        let after = json!([{"containerPort": 1, "protocol": "UDP"}, {"containerPort": 1, "protocol": "TCP"}]);
        check(&ports, before, after, &[Some(1), Some(0)], &[]);
        // Nothing tells the two apart, and one of them changed.
        let twice = json!([{"name": "a", "v": 1}, {"name": "a", "v": 2}]);
        check(
            &names,
            twice,
            json!([{"name": "a", "v": 2}, {"name": "a", "v": 3}]),
            &[Some(1), None],
            &[0],
        );
    }

    #[test]
    fn items_without_a_key_are_paired_if_they_are_equal() {
        let none = ListKeys::None;
        check(
            &none,
            json!([1, 2, 3]),
            json!([3, 1]),
            &[Some(2), Some(0)],
            &[],
        );
        check(
            &none,
            json!([1, 2]),
            json!([0, 1, 2]),
            &[None, Some(0), Some(1)],
            &[],
        );
        check(&none, json!([1, 2]), json!([1, 3]), &[Some(0), None], &[1]);
        check(
            &none,
            json!([1, 1]),
            json!([0, 1, 1]),
            &[None, Some(0), Some(1)],
            &[],
        );
        // Those that are equal in what was sent can stand for each other.
        check(
            &none,
            json!([1, 1, 2]),
            json!([1, 2]),
            &[Some(0), Some(2)],
            &[],
        );
        let (before, after) = ([json!(1), json!(1)], [json!(1)]);
        let pairs = pair(&[json!("x"), json!("y")], &before, &after, &none);
        assert_eq!(
            pairs,
            Pairs {
                origins: vec![None],
                doubtful: vec![0, 1]
            }
        );
    }

    #[test]
    fn a_likely_key_must_tell_all_items_apart() {
        let info = ResourceInfo {
            group: "example.com".into(),
            ..ResourceInfo::of::<k8s_openapi::api::core::v1::Pod>(&())
        };
        let (_, keys) = Place::of(&info, &Schemas::default())
            .field("spec")
            .0
            .field("disks");
        let before = json!([{"name": "a", "v": 1}, {"name": "b", "v": 1}]);
        check(
            &keys,
            before,
            json!([{"name": "b", "v": 2}]),
            &[Some(1)],
            &[],
        );
        let before = json!([{"name": "a", "v": 1}, {"v": 1}]);
        check(
            &keys,
            before,
            json!([{"name": "a", "v": 2}]),
            &[None],
            &[0, 1],
        );
    }
}
