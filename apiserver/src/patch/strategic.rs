//! Strategic merge patch, as `k8s.io/apimachinery/pkg/util/strategicpatch` applies it.
//!
//! Directives: `$patch` (`replace`, `delete`) in maps and in the items of keyed lists,
//! `$retainKeys`, `$deleteFromPrimitiveList/<field>` and `$setElementOrder/<field>`.

mod order;

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use self::order::{KeyedList, arrange};
use crate::apply::{PatchMeta, PatchStrategy};
use crate::field::go_json;

const DIRECTIVE: &str = "$patch";
const RETAIN_KEYS: &str = "$retainKeys";
const DELETE_FROM_LIST: &str = "$deleteFromPrimitiveList/";
const ELEMENT_ORDER: &str = "$setElementOrder/";

/// Why a strategic merge patch was rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StrategicError {
    /// A directive is malformed (HTTP 400, reason `BadRequest`).
    #[error("{0}")]
    BadRequest(String),
    /// Lists contain lists (HTTP 422, reason `Invalid`; kube-apiserver hides this message).
    #[error("{0}")]
    Unprocessable(String),
    /// The patch does not match the object (HTTP 500 with this message and no reason).
    #[error("{0}")]
    Internal(String),
}

/// Applies a strategic merge patch to an object of a built-in kind, identified by its apiVersion
/// and kind.
///
/// # Errors
/// See [`StrategicError`].
pub fn strategic_merge_patch(object: &Value, patch: &Value) -> Result<Value, StrategicError> {
    let (Value::Object(original), Value::Object(changes)) = (object, patch) else {
        return Err(StrategicError::BadRequest(
            "invalid JSON document".to_owned(),
        ));
    };
    let meta = PatchMeta::of_object(object);
    merge_map(original.clone(), changes.clone(), meta).map(Value::Object)
}

type Fields = Map<String, Value>;

fn merge_map(
    mut original: Fields,
    mut patch: Fields,
    meta: PatchMeta,
) -> Result<Fields, StrategicError> {
    if let Some(directive) = patch.remove(DIRECTIVE) {
        return match directive.as_str() {
            Some("replace") => Ok(patch),
            Some("delete") => Ok(Fields::new()),
            _ => Err(unknown_directive(&directive)),
        };
    }
    retain_keys(&mut original, &mut patch)?;
    order_elements(&mut original, &mut patch, meta)?;
    for (key, change) in patch {
        let (key, deletes_items) = match key.strip_prefix(DELETE_FROM_LIST) {
            Some(field) => (field.to_owned(), true),
            None => (key, false),
        };
        if change.is_null() {
            original.remove(&key);
            continue;
        }
        let merged = match (original.remove(&key), change) {
            (Some(Value::Object(before)), Value::Object(change)) => {
                let (below, strategy) = meta.field(&key);
                Some(Value::Object(match strategy {
                    PatchStrategy::Replace => change,
                    PatchStrategy::Merge(_) => merge_map(before, change, below)?,
                }))
            }
            (Some(Value::Array(before)), Value::Array(change)) => {
                let (below, strategy) = meta.field(&key);
                Some(Value::Array(merge_field_list(
                    before,
                    change,
                    below,
                    strategy,
                    deletes_items,
                )?))
            }
            (before, _) if deletes_items => before,
            (_, change) => without_directives(without_nulls(change)),
        };
        if let Some(merged) = merged {
            original.insert(key, merged);
        }
    }
    Ok(original)
}

fn unknown_directive(directive: &Value) -> StrategicError {
    let shown = directive
        .as_str()
        .map_or_else(|| directive.to_string(), str::to_owned);
    StrategicError::Internal(format!("unknown patch type: {shown}"))
}

/// Removes the fields that `$retainKeys` does not list.
fn retain_keys(original: &mut Fields, patch: &mut Fields) -> Result<(), StrategicError> {
    let Some(retained) = patch.remove(RETAIN_KEYS) else {
        return Ok(());
    };
    let malformed = || StrategicError::BadRequest("invalid patch format of retainKeys".to_owned());
    let names = retained.as_array().ok_or_else(malformed)?;
    let retains = |key: &str| names.iter().any(|name| name == key);
    let is_directive =
        |key: &str| key.starts_with(DELETE_FROM_LIST) || key.starts_with(ELEMENT_ORDER);
    if patch
        .iter()
        .any(|(key, change)| !change.is_null() && !is_directive(key) && !retains(key))
    {
        return Err(malformed());
    }
    original.retain(|key, _| retains(key));
    Ok(())
}

/// Merges the lists for which the patch specifies an order, and removes both from the patch.
fn order_elements(
    original: &mut Fields,
    patch: &mut Fields,
    meta: PatchMeta,
) -> Result<(), StrategicError> {
    let orders: Vec<String> = patch
        .keys()
        .filter(|key| key.starts_with(ELEMENT_ORDER))
        .cloned()
        .collect();
    for directive in orders {
        let malformed = || {
            StrategicError::BadRequest("invalid patch format of setElementOrder list".to_owned())
        };
        let Some(Value::Array(order)) = patch.remove(&directive) else {
            return Err(StrategicError::Internal(
                "expected a []interface {}".to_owned(),
            ));
        };
        let field = directive.trim_start_matches(ELEMENT_ORDER);
        let list = |value: Option<Value>| match value {
            None => Ok(None),
            Some(Value::Array(items)) => Ok(Some(items)),
            Some(_) => Err(malformed()),
        };
        let before = list(original.get(field).cloned())?;
        let change = list(patch.remove(field))?;
        let (below, strategy) = meta.field(field);
        let key = match strategy {
            PatchStrategy::Merge(key) => key,
            PatchStrategy::Replace => None,
        };
        let keyed = KeyedList(key);
        if let Some(change) = &change {
            keyed.check_order(change, &order)?;
        }
        let server_order = before.clone().unwrap_or_default();
        let merged = match (before, change) {
            (None, None) => continue,
            (Some(before), None) => before,
            (None, Some(change)) => match without_directives(Value::Array(change)) {
                Some(Value::Array(change)) => change,
                _ => continue,
            },
            (Some(before), Some(change)) => {
                merge_field_list(before, change, below, strategy, false)?
            }
        };
        original.insert(
            field.to_owned(),
            Value::Array(arrange(keyed, merged, &order, &server_order)?),
        );
    }
    Ok(())
}

fn merge_field_list(
    original: Vec<Value>,
    patch: Vec<Value>,
    meta: PatchMeta,
    strategy: PatchStrategy,
    deletes_items: bool,
) -> Result<Vec<Value>, StrategicError> {
    match strategy {
        _ if deletes_items => {
            let gone: BTreeSet<String> = patch.iter().map(go_json).collect();
            Ok(original
                .into_iter()
                .filter(|item| !gone.contains(&go_json(item)))
                .collect())
        }
        PatchStrategy::Replace => Ok(patch),
        PatchStrategy::Merge(key) => merge_list(original, patch, meta, key),
    }
}

fn merge_list(
    original: Vec<Value>,
    patch: Vec<Value>,
    meta: PatchMeta,
    key: Option<&'static str>,
) -> Result<Vec<Value>, StrategicError> {
    if original.iter().chain(&patch).any(Value::is_array) {
        return Err(StrategicError::Unprocessable(
            "lists of lists are not supported".to_owned(),
        ));
    }
    let keyed = KeyedList(key);
    if key.is_none() {
        let mut seen = BTreeSet::new();
        let items = original.iter().chain(&patch);
        let merged = items
            .filter(|item| seen.insert(go_json(item)))
            .cloned()
            .collect();
        return arrange(keyed, merged, &patch, &original);
    }
    let (original, patch) = special_items(original, patch, keyed)?;
    let mut merged = original.clone();
    let mut positions = keyed.positions(&merged);
    for item in &patch {
        let wanted = go_json(keyed.key_of(item)?);
        let Value::Object(change) = item.clone() else {
            continue;
        };
        match positions.get(&wanted).and_then(|at| merged.get_mut(*at)) {
            Some(Value::Object(found)) => *found = merge_map(std::mem::take(found), change, meta)?,
            _ => {
                positions.insert(wanted, merged.len());
                merged.push(without_nulls(Value::Object(change)));
            }
        }
    }
    arrange(keyed, merged, &patch, &original)
}

/// Processes the items that are directives; returns the list to merge into and the items to merge.
fn special_items(
    mut original: Vec<Value>,
    patch: Vec<Value>,
    keyed: KeyedList,
) -> Result<(Vec<Value>, Vec<Value>), StrategicError> {
    let mut plain = Vec::with_capacity(patch.len());
    let mut replaces = false;
    let mut deleted = BTreeSet::new();
    for item in patch {
        match item
            .get(DIRECTIVE)
            .map(|directive| (directive.as_str(), directive))
        {
            None => plain.push(item),
            Some((Some("delete"), _)) => {
                deleted.insert(go_json(keyed.key_of(&item)?));
            }
            Some((Some("replace"), _)) => replaces = true,
            Some((Some("merge"), _)) => {
                let message = "merging lists cannot yet be specified in the patch";
                return Err(StrategicError::Internal(message.to_owned()));
            }
            Some((_, directive)) => return Err(unknown_directive(directive)),
        }
    }
    original.retain(|found| {
        keyed
            .key_of(found)
            .map_or(true, |key| !deleted.contains(&go_json(key)))
    });
    Ok(if replaces {
        (plain, Vec::new())
    } else {
        (original, plain)
    })
}

fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(map) => map
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, value)| (key, without_nulls(value)))
            .collect(),
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}

/// Returns a value without the maps that are directives; `None` if it is a directive itself.
fn without_directives(value: Value) -> Option<Value> {
    Some(match value {
        Value::Object(map) if map.contains_key(DIRECTIVE) => return None,
        Value::Object(map) => {
            let kept = map
                .into_iter()
                .filter_map(|(key, value)| Some((key, without_directives(value)?)));
            Value::Object(kept.collect())
        }
        Value::Array(items) => items.into_iter().filter_map(without_directives).collect(),
        other => other,
    })
}
