//! Hash maps, written in the order of their keys.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned};

use super::Codec;

impl<T: Serialize + DeserializeOwned> Codec for HashMap<String, T> {
    fn decode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(deserializer)
    }

    fn encode<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let sorted: BTreeMap<&String, &T> = self.iter().collect();
        sorted.serialize(serializer)
    }
}
