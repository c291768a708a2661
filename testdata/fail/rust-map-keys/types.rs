use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

/// A spec.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spec {
    pub a: BTreeMap<Vec<u8>, String>,
    pub b: HashMap<Key, String>,
    pub c: BTreeMap<Option<String>, String>,
    pub d: BTreeMap<Word, BTreeMap<i32, String>>,
}

/// A key.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Key {
    pub a: String,
}

/// A word.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Word {
    A,
}
