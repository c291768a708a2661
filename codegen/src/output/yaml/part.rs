//! Input of the printer: JSON, or a tree with shared branches.

use std::collections::BTreeMap;

use serde_json::Value;

/// A value, or a part of one.
pub(crate) enum Part<'a> {
    /// JSON.
    Json(&'a Value),
    /// A string.
    Text(&'a str),
    /// A list.
    List(Vec<Part<'a>>),
    /// An object.
    Map(BTreeMap<&'a str, Part<'a>>),
    /// A branch.
    Branch(&'a dyn Branch),
}

/// A part with an address: if it is shared, it is printed once per indentation and measured once.
pub(crate) trait Branch: Sync {
    /// The contents of the branch.
    fn part(&self) -> Part<'_>;
}

/// The address of a branch, stable while its parts are borrowed.
pub(super) fn address(branch: &dyn Branch) -> usize {
    std::ptr::from_ref(branch).addr()
}

impl<'a> Part<'a> {
    /// The members of a JSON object as parts; empty for other values.
    pub(crate) fn members(value: &'a Value) -> BTreeMap<&'a str, Self> {
        let members = value.as_object().into_iter().flatten();
        members
            .map(|(name, value)| (name.as_str(), Self::Json(value)))
            .collect()
    }

    /// Converts the part to JSON.
    pub(crate) fn to_json(&self) -> Value {
        match self {
            Self::Json(value) => Value::clone(value),
            Self::Text(text) => Value::from(*text),
            Self::List(items) => items.iter().map(Self::to_json).collect(),
            Self::Map(members) => {
                let members = members.iter();
                members
                    .map(|(name, part)| ((*name).to_owned(), part.to_json()))
                    .collect()
            }
            Self::Branch(branch) => branch.part().to_json(),
        }
    }

    /// The size of the compact JSON, in bytes.
    pub(crate) fn json_bytes(&self) -> usize {
        self.count_bytes(&mut BTreeMap::new())
    }

    /// [`Self::json_bytes`], with sizes of branches cached by address.
    fn count_bytes(&self, branches: &mut BTreeMap<usize, usize>) -> usize {
        // Brackets, and commas between members.
        let around = |count: usize| 2 + count.saturating_sub(1);
        let text = |text: &str| Value::from(text).to_string().len();
        match self {
            Self::Json(value) => value.to_string().len(),
            Self::Text(it) => text(it),
            Self::List(items) => {
                let bytes = items.iter().map(|item| item.count_bytes(branches));
                around(items.len()) + bytes.sum::<usize>()
            }
            Self::Map(members) => {
                let mut bytes = around(members.len());
                for (name, part) in members {
                    bytes += text(name) + 1 + part.count_bytes(branches);
                }
                bytes
            }
            Self::Branch(branch) => {
                let address = address(*branch);
                if let Some(bytes) = branches.get(&address) {
                    return *bytes;
                }
                let bytes = branch.part().count_bytes(branches);
                branches.insert(address, bytes);
                bytes
            }
        }
    }
}
