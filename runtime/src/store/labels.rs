//! Label fingerprints: 64 bits per object that exclude most objects of a selector without accessing
//! them.
//!
//! Each `key=value` pair sets two bits and each key one. A selector that requires a pair or a key
//! becomes a mask; an object whose fingerprint lacks a bit of it cannot match. The remaining
//! objects are checked against the labels themselves, so a fingerprint affects the speed of a scan
//! and never its result.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use kube::core::{Expression, Selector, SelectorExt};

/// Returns the fingerprint of `labels`.
pub(crate) fn fingerprint(hasher: &RandomState, labels: Option<&BTreeMap<String, String>>) -> u64 {
    let mut bits = 0;
    for (key, value) in labels.into_iter().flatten() {
        bits |= key_bit(hasher, key) | pair_bits(hasher, key, value);
    }
    bits
}

fn key_bit(hasher: &RandomState, key: &str) -> u64 {
    1 << (hasher.hash_one(key) & 63)
}

fn pair_bits(hasher: &RandomState, key: &str, value: &str) -> u64 {
    let hash = hasher.hash_one((key, value));
    1 << (hash & 63) | 1 << (hash >> 6 & 63)
}

/// A selector prepared for a scan.
pub(crate) struct Matcher<'a> {
    selector: &'a Selector,
    all: bool,
    /// For each expression that requires a key or pair: masks of which at least one must be
    /// covered.
    needs: Vec<Vec<u64>>,
}

impl<'a> Matcher<'a> {
    pub(crate) fn new(hasher: &RandomState, selector: &'a Selector) -> Self {
        let needs = selector
            .clone()
            .into_iter()
            .filter_map(|expression| match expression {
                Expression::Equal(key, value) => Some(vec![
                    key_bit(hasher, &key) | pair_bits(hasher, &key, &value),
                ]),
                Expression::Exists(key) => Some(vec![key_bit(hasher, &key)]),
                Expression::In(key, values) => Some(
                    values
                        .iter()
                        .map(|value| key_bit(hasher, &key) | pair_bits(hasher, &key, value))
                        .collect(),
                ),
                Expression::NotIn(..) | Expression::NotEqual(..) | Expression::DoesNotExist(_) => {
                    None
                }
            });
        Self {
            selector,
            all: selector.selects_all(),
            needs: needs.collect(),
        }
    }

    /// Whether the selector matches an object with this fingerprint and these labels.
    pub(crate) fn matches<'b>(
        &self,
        fingerprint: u64,
        labels: impl FnOnce() -> Option<Cow<'b, BTreeMap<String, String>>>,
    ) -> bool {
        if self.all {
            return true;
        }
        let possible = self
            .needs
            .iter()
            .all(|masks| masks.iter().any(|mask| fingerprint & mask == *mask));
        possible && {
            static NONE: BTreeMap<String, String> = BTreeMap::new();
            self.selector.matches(labels().as_deref().unwrap_or(&NONE))
        }
    }

    /// Whether no object can match (`key in ()`), so that a scan is unnecessary.
    pub(crate) fn is_impossible(&self) -> bool {
        self.needs.iter().any(Vec::is_empty)
    }
}
