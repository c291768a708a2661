//! The order of merged lists: the patch's items in the patch's order, interleaved with the others
//! in the server's order.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;

use super::{DIRECTIVE, StrategicError};
use crate::field::{go_json, go_plain};

/// A list whose items are identified by a key field, or by their values.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyedList(pub(super) Option<&'static str>);

impl KeyedList {
    /// Returns the key of an item.
    pub(super) fn key_of(self, item: &Value) -> Result<&Value, StrategicError> {
        let Some(key) = self.0 else {
            return Ok(item);
        };
        item.get(key).ok_or_else(|| {
            StrategicError::Internal(format!(
                "map: {} does not contain declared merge key: {key}",
                go_plain(item)
            ))
        })
    }

    /// Returns the positions of the identifiable items by their keys.
    pub(super) fn positions(self, list: &[Value]) -> BTreeMap<String, usize> {
        let mut positions = BTreeMap::new();
        for (i, item) in list.iter().enumerate() {
            if let Ok(key) = self.key_of(item) {
                positions.entry(go_json(key)).or_insert(i);
            }
        }
        positions
    }

    fn position(self, positions: &BTreeMap<String, usize>, item: &Value) -> Option<usize> {
        positions.get(&go_json(self.key_of(item).ok()?)).copied()
    }

    /// Checks that the items of a patch follow the order that the patch specifies.
    pub(super) fn check_order(
        self,
        patch: &[Value],
        order: &[Value],
    ) -> Result<(), StrategicError> {
        if patch.is_empty() || order.is_empty() {
            return Ok(());
        }
        let deletes = |item: &&Value| item.get(DIRECTIVE).and_then(Value::as_str) == Some("delete");
        let mut rest = order.iter().peekable();
        for item in patch.iter().filter(|item| !deletes(item)) {
            // Other directives are only skipped while there is order left to compare.
            if rest.peek().is_some() && item.get(DIRECTIVE).is_some() {
                continue;
            }
            let wanted = match rest.peek() {
                Some(_) => Some(self.key_of(item)?),
                None => None,
            };
            if !rest.any(|found| self.key_of(found).ok() == wanted) {
                let shown = |items: &[Value]| go_plain(&Value::from(items));
                return Err(StrategicError::Internal(format!(
                    "The order in patch list:\n{}\n doesn't match $setElementOrder list:\n{}\n",
                    shown(patch),
                    shown(order)
                )));
            }
        }
        Ok(())
    }
}

/// Sorts merged items: those in `order` by that order, the others by the server's.
pub(super) fn arrange(
    keyed: KeyedList,
    merged: Vec<Value>,
    order: &[Value],
    server: &[Value],
) -> Result<Vec<Value>, StrategicError> {
    for item in merged.iter().chain(order) {
        keyed.key_of(item)?;
    }
    let (order, server) = (keyed.positions(order), keyed.positions(server));
    let mut patched = Vec::new();
    let mut others = Vec::new();
    for item in merged {
        let place = keyed.position(&server, &item);
        match keyed.position(&order, &item) {
            Some(wanted) => patched.push((wanted, place, item)),
            None => others.push((place, item)),
        }
    }
    patched.sort_by_key(|(wanted, ..)| *wanted);
    others.sort_by_key(|(place, _)| *place);
    let (mut patched, mut others) = (VecDeque::from(patched), VecDeque::from(others));
    let mut out = Vec::with_capacity(patched.len() + others.len());
    while let (Some((other, _)), Some((_, item, _))) = (others.front(), patched.front()) {
        let before = matches!((other, item), (Some(other), Some(item)) if other < item);
        out.extend(if before {
            others.pop_front().map(|(_, item)| item)
        } else {
            patched.pop_front().map(|(.., item)| item)
        });
    }
    out.extend(patched.into_iter().map(|(.., item)| item));
    out.extend(others.into_iter().map(|(_, item)| item));
    Ok(out)
}
