//! The keywords of a schema.

use serde_json::Value;

/// A sorted list of keywords with values. Most schemas have two, and a CRD has thousands of schemas; a map takes ten times the
/// memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::emit::manifests) struct Words(Vec<(&'static str, Value)>);

impl Words {
    pub(in crate::emit::manifests) fn get(&self, word: &str) -> Option<&Value> {
        let index = self.find(word).ok()?;
        self.0.get(index).map(|(_, value)| value)
    }

    pub(super) fn get_mut(&mut self, word: &str) -> Option<&mut Value> {
        let index = self.find(word).ok()?;
        self.0.get_mut(index).map(|(_, value)| value)
    }

    pub(in crate::emit::manifests) fn has(&self, word: &str) -> bool {
        self.find(word).is_ok()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &(&'static str, Value)> {
        self.0.iter()
    }

    /// Sets a keyword, replacing any earlier value.
    pub(in crate::emit::manifests) fn set(&mut self, word: &'static str, value: impl Into<Value>) {
        let value = value.into();
        match self.find(word) {
            Ok(index) => self.0[index].1 = value,
            Err(index) => self.0.insert(index, (word, value)),
        }
    }

    /// Sets a keyword if there is a value.
    pub(super) fn put(&mut self, word: &'static str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.set(word, value);
        }
    }

    pub(in crate::emit::manifests) fn remove(&mut self, word: &str) -> Option<Value> {
        let index = self.find(word).ok()?;
        Some(self.0.remove(index).1)
    }

    fn find(&self, word: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(other, _)| (*other).cmp(word))
    }
}

impl Extend<(&'static str, Value)> for Words {
    fn extend<T: IntoIterator<Item = (&'static str, Value)>>(&mut self, words: T) {
        for (word, value) in words {
            self.set(word, value);
        }
    }
}

impl IntoIterator for Words {
    type Item = (&'static str, Value);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
