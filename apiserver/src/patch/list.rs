//! Many insertions into a long list.

use serde_json::Value;

/// The number of items in a part at first. A part is split when it has twice as many.
const PART: usize = 1024;

/// A list in parts, so that an insertion moves the items of one part only.
pub(super) struct Parts {
    parts: Vec<Vec<Value>>,
    len: usize,
}

impl Parts {
    /// Splits a list.
    pub(super) fn of(list: Vec<Value>) -> Self {
        let len = list.len();
        let mut parts = Vec::with_capacity(len / PART + 1);
        let mut items = list.into_iter();
        loop {
            let part: Vec<Value> = items.by_ref().take(PART).collect();
            if part.is_empty() && !parts.is_empty() {
                break;
            }
            parts.push(part);
        }
        Self { parts, len }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Inserts an item; an index beyond the end is the end.
    pub(super) fn insert(&mut self, index: usize, value: Value) {
        let mut at = index.min(self.len);
        let last = self.parts.len().saturating_sub(1);
        for (number, part) in self.parts.iter_mut().enumerate() {
            if at > part.len() && number < last {
                at -= part.len();
                continue;
            }
            part.insert(at.min(part.len()), value);
            self.len += 1;
            if part.len() >= 2 * PART {
                let rest = part.split_off(PART);
                self.parts.insert(number + 1, rest);
            }
            return;
        }
    }

    /// Joins the parts.
    pub(super) fn join(self) -> Vec<Value> {
        let mut list = Vec::with_capacity(self.len);
        for part in self.parts {
            list.extend(part);
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn insertions_are_those_into_a_plain_list() {
        for (length, step) in [(0, 0), (1, 1), (PART, 7), (5 * PART + 3, 1031)] {
            let mut plain: Vec<Value> = (0..length).map(|number| json!(number)).collect();
            let mut parts = Parts::of(plain.clone());
            for number in 0..3 * PART {
                let index = number * step % (plain.len() + 1);
                plain.insert(index, json!(format!("new {number}")));
                parts.insert(index, json!(format!("new {number}")));
                assert_eq!(parts.len(), plain.len());
            }
            assert_eq!(parts.join(), plain);
        }
    }
}
