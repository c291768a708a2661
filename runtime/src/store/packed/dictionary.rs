//! The dictionary that objects are compressed against: the parts that objects of one kind share.

use std::sync::Arc;

use parking_lot::Mutex;

/// The number of objects from which the dictionary is learned, and on which the type is tried.
const LESSONS: usize = 1000;
/// The maximum size in bytes. Compressing costs time for every byte of the dictionary.
const LARGEST: usize = 8 * 1024;

/// A dictionary. Objects keep the one that they were compressed with.
pub(super) struct Dictionary(Vec<u8>);

impl Dictionary {
    /// Compresses `json`, with its length in front.
    pub(super) fn compress(&self, json: &[u8]) -> Box<[u8]> {
        let mut bytes = lz4_flex::block::compress_prepend_size_with_dict(json, &self.0);
        bytes.shrink_to_fit();
        bytes.into()
    }

    pub(super) fn decompress(&self, bytes: &[u8]) -> Result<Vec<u8>, String> {
        lz4_flex::block::decompress_size_prepended_with_dict(bytes, &self.0)
            .map_err(|error| error.to_string())
    }
}

/// Learns a dictionary from the first objects.
pub(super) struct Learner(Mutex<State>);

struct State {
    dictionary: Arc<Dictionary>,
    seen: usize,
    /// Whether an object of the type was not read as it was written.
    is_refused: bool,
}

impl Default for Learner {
    fn default() -> Self {
        Self(Mutex::new(State {
            dictionary: Arc::new(Dictionary(Vec::new())),
            seen: 0,
            is_refused: false,
        }))
    }
}

impl Learner {
    /// Returns the dictionary for `json`, extended by it if it is like nothing seen before. Returns
    /// `None` if an object so far was not read as it was written.
    pub(super) fn learn(
        &self,
        json: &[u8],
        is_faithful: impl FnOnce() -> bool,
    ) -> Option<Arc<Dictionary>> {
        let mut state = self.0.lock();
        if state.is_refused {
            return None;
        }
        if state.seen < LESSONS {
            state.seen += 1;
            if !is_faithful() {
                state.is_refused = true;
                tracing::warn!(
                    "a packed store keeps its objects whole: the type does not read all of what it writes (look for `serde(skip)`)"
                );
                return None;
            }
            let room = LARGEST - state.dictionary.0.len();
            if room > 0 && state.dictionary.compress(json).len() * 2 > json.len() {
                let mut learned = state.dictionary.0.clone();
                learned.extend(json.iter().take(room));
                state.dictionary = Arc::new(Dictionary(learned));
            }
        }
        Some(state.dictionary.clone())
    }
}
