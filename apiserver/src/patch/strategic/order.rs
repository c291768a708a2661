//! The order of merged lists: the patch's items in the patch's order, among them the others in the server's.

use std::collections::VecDeque;

use serde_json::Value;

use super::{DIRECTIVE, StrategicError};

/// A list whose items are told apart by a field, or by their values.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyedList(pub(super) Option<&'static str>);

impl KeyedList {
    /// What identifies an item.
    pub(super) fn key_of(self, item: &Value) -> Result<&Value, StrategicError> {
        let Some(key) = self.0 else {
            return Ok(item);
        };
        item.get(key).ok_or_else(|| {
            StrategicError::Internal(format!(
                "map: {} does not contain declared merge key: {key}",
                crate::schema::text::go_plain(item)
            ))
        })
    }

    fn position(self, list: &[Value], item: &Value) -> Option<usize> {
        let wanted = self.key_of(item).ok()?;
        list.iter()
            .position(|found| self.key_of(found).ok() == Some(wanted))
    }

    /// Checks that the items of a patch stand in the order that the patch sets.
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
            // Other directives are only passed over while there is order left to compare with.
            if rest.peek().is_some() && item.get(DIRECTIVE).is_some() {
                continue;
            }
            let wanted = match rest.peek() {
                Some(_) => Some(self.key_of(item)?),
                None => None,
            };
            if !rest.any(|found| self.key_of(found).ok() == wanted) {
                let shown = |items: &[Value]| crate::schema::text::go_plain(&Value::from(items));
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

/// Arranges merged items: those that `order` names in its order, the others in the server's.
pub(super) fn arrange(
    keyed: KeyedList,
    merged: Vec<Value>,
    order: &[Value],
    server: &[Value],
) -> Result<Vec<Value>, StrategicError> {
    for item in merged.iter().chain(order) {
        keyed.key_of(item)?;
    }
    let (mut patched, mut others): (Vec<Value>, Vec<Value>) = merged
        .into_iter()
        .partition(|item| keyed.position(order, item).is_some());
    patched.sort_by_key(|item| keyed.position(order, item));
    others.sort_by_key(|item| keyed.position(server, item));
    let (mut patched, mut others) = (VecDeque::from(patched), VecDeque::from(others));
    let mut out = Vec::with_capacity(patched.len() + others.len());
    while let (Some(other), Some(item)) = (others.front(), patched.front()) {
        let before = match (keyed.position(server, other), keyed.position(server, item)) {
            (Some(other), Some(item)) => other < item,
            _ => false,
        };
        let next = if before {
            others.pop_front()
        } else {
            patched.pop_front()
        };
        out.extend(next);
    }
    out.extend(patched);
    out.extend(others);
    Ok(out)
}
