//! Objects as compressed JSON: about a tenth of the memory, for the time of decoding an object when
//! it is read.
//!
//! A packed object has its uid, resourceVersion and labels beside the bytes, so that comparing
//! versions and selecting by labels decode nothing. The packer remembers weakly which objects are
//! in use: these are found without decoding, and every reader gets the same `Arc`.
//!
//! Start reading at [`Packer::pack`] and [`Packed::object`].

mod dictionary;
mod in_use;
mod summary;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kube::Resource;
use serde::Serialize;
use serde::de::DeserializeOwned;

use dictionary::{Dictionary, Learner};
use in_use::InUse;
use summary::Summary;

/// Packs the objects of one store.
pub(super) struct Packer<K> {
    codec: Codec<K>,
    learner: Learner,
    in_use: InUse<K>,
    next: AtomicU64,
}

/// The functions of a type that bounds of the store do not promise.
struct Codec<K> {
    encode: fn(&K) -> Result<Vec<u8>, serde_json::Error>,
    decode: fn(&[u8]) -> Result<K, serde_json::Error>,
    summary: fn(&K) -> Option<Summary>,
    is_faithful: fn(&K, &K) -> bool,
}

/// A packed object.
pub(super) struct Packed<K> {
    packer: Arc<Packer<K>>,
    dictionary: Arc<Dictionary>,
    /// The key of the object among those in use; never used again.
    id: u64,
    summary: Summary,
    bytes: Box<[u8]>,
}

impl<K> Packer<K>
where
    K: Resource + Debug + Serialize + DeserializeOwned,
{
    pub(super) fn new() -> Self {
        Self {
            codec: Codec {
                encode: |object| serde_json::to_vec(object),
                decode: |bytes| serde_json::from_slice(bytes),
                summary: |object| Summary::of(object.meta()),
                is_faithful,
            },
            learner: Learner::default(),
            in_use: InUse::default(),
            next: AtomicU64::new(0),
        }
    }
}

impl<K> Packer<K> {
    /// Packs an object, unless its type does not read what it writes.
    pub(super) fn pack(self: &Arc<Self>, object: &Arc<K>) -> Option<Arc<Packed<K>>> {
        let summary = (self.codec.summary)(object)?;
        let json = (self.codec.encode)(object).ok()?;
        let is_faithful =
            || (self.codec.decode)(&json).is_ok_and(|read| (self.codec.is_faithful)(object, &read));
        let dictionary = self.learner.learn(&json, is_faithful)?;
        let packed = Packed {
            bytes: dictionary.compress(&json),
            packer: self.clone(),
            dictionary,
            id: self.next.fetch_add(1, Ordering::Relaxed),
            summary,
        };
        self.in_use.remember(packed.id, object);
        Some(Arc::new(packed))
    }
}

impl<K> Packed<K> {
    pub(super) fn object(&self) -> Option<Arc<K>> {
        let in_use = &self.packer.in_use;
        if let Some(object) = in_use.find(self.id) {
            return Some(object);
        }
        let json = self.dictionary.decompress(&self.bytes);
        match json.and_then(|json| (self.packer.codec.decode)(&json).map_err(|e| e.to_string())) {
            Ok(object) => Some(in_use.remember(self.id, &Arc::new(object))),
            Err(error) => {
                tracing::error!(
                    kind = std::any::type_name::<K>(),
                    uid = self.uid(),
                    reason = error,
                    "a packed object cannot be decoded, and counts as absent: keep this kind in an ordinary store"
                );
                None
            }
        }
    }

    /// Returns the number of compressed bytes.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn uid(&self) -> Option<&str> {
        self.summary.uid()
    }

    pub(super) fn resource_version(&self) -> Option<&str> {
        self.summary.resource_version()
    }

    pub(super) fn labels(&self) -> BTreeMap<String, String> {
        self.summary.labels()
    }
}

/// Whether `read` is what was written, as far as JSON and `Debug` show. Hash maps may print their
/// entries in another order.
fn is_faithful<K: Debug + Serialize>(written: &K, read: &K) -> bool {
    let letters = |object: &K| {
        let mut bytes = format!("{object:?}").into_bytes();
        bytes.sort_unstable();
        bytes
    };
    let json = |object: &K| serde_json::to_value(object).ok();
    json(written) == json(read) && letters(written) == letters(read)
}
