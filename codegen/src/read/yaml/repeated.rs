//! Keys that a map repeats. Go's tools take the last value; strict parsers, such as kustomize's,
//! refuse them.

use std::{collections::BTreeMap, ops::Range};

use super::{Entry, Node, Yaml, block::has_distinct_keys};

/// A key that its map already has.
#[derive(Debug, PartialEq)]
pub(crate) struct Repeated {
    /// The name of the key.
    pub(crate) key: String,
    /// The byte range of the later key.
    pub(crate) range: Range<usize>,
    /// Whether it is a key of a document itself, as if a line `---` were missing.
    pub(crate) of_document: bool,
}

/// Removes all values of repeated keys but the last. Returns the repeated keys, outer ones first.
pub(super) fn remove(documents: &mut [Node]) -> Vec<Repeated> {
    let mut found = Vec::new();
    for document in documents {
        remove_below(document, true, &mut found);
    }
    found
}

fn remove_below(node: &mut Node, of_document: bool, found: &mut Vec<Repeated>) {
    match &mut node.value {
        Yaml::List(items) => {
            for item in items {
                remove_below(item, false, found);
            }
        }
        Yaml::Map(entries) => {
            if !has_distinct_keys(entries) {
                keep_last(entries, of_document, found);
            }
            for entry in entries {
                remove_below(&mut entry.value, false, found);
            }
        }
        _ => {}
    }
}

fn keep_last(entries: &mut Vec<Entry>, of_document: bool, found: &mut Vec<Repeated>) {
    let mut last: BTreeMap<String, Entry> = BTreeMap::new();
    let mut order = Vec::new();
    for entry in entries.drain(..) {
        let (key, range) = (entry.key.clone(), entry.range.clone());
        if last.insert(key.clone(), entry).is_some() {
            found.push(Repeated {
                key,
                range,
                of_document,
            });
        } else {
            order.push(key);
        }
    }
    entries.extend(order.iter().filter_map(|key| last.remove(key)));
}
