//! JSON patch (RFC 6902).

use serde_json::{Map, Value};

use super::PatchError;
use super::list::Parts;
use crate::depth::{MOST_LEVELS, is_too_deep};

/// The maximum number of operations in a patch.
const MAX_OPERATIONS: usize = 10_000;
/// The maximum number of bytes that the `copy` operations of a patch may add in total.
const MAX_COPIED_BYTES: usize = 3 << 20;

/// The maximum depth of the document between two operations, to protect the stack.
const MOST_LEVELS_BETWEEN: usize = 512;

/// Applies a JSON patch document to an object.
///
/// # Errors
/// See [`PatchError`]. The messages are those of kube-apiserver's JSON patch library.
pub fn json_patch(object: &Value, patch: &[u8]) -> Result<Value, PatchError> {
    let operations = decode(patch)?;
    if operations.len() > MAX_OPERATIONS {
        return Err(PatchError::TooLarge(format!(
            "Request entity too large: The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {}",
            operations.len()
        )));
    }
    let mut target = Target {
        document: object.clone(),
        copied: 0,
    };
    // An operation deepens the document at most by the length of its path. The depth is only
    // measured when this bound is exceeded, and at the end.
    let mut levels = MOST_LEVELS;
    for run in operations.chunk_by(insert_side_by_side) {
        target.apply_all(run).map_err(PatchError::Unprocessable)?;
        // Items of one list do not deepen each other.
        let operation = run.first();
        let path = operation
            .and_then(|it| it.get("path"))
            .and_then(Value::as_str);
        levels += path.map_or(0, |path| path.split('/').count());
        if levels > MOST_LEVELS_BETWEEN {
            check_depth(&target.document)?;
            levels = MOST_LEVELS;
        }
    }
    check_depth(&target.document)?;
    Ok(target.document)
}

/// Returns the list and the index of an operation that inserts an item.
fn insertion(operation: &Map<String, Value>) -> Option<(&str, i64)> {
    let is_add = operation.get("op").is_some_and(|op| op == "add");
    let path = operation.get("path").filter(|_| is_add)?.as_str()?;
    let (list, index) = path.rsplit_once('/')?;
    Some((list, index.parse().ok()?))
}

/// Whether two operations insert items into one list.
fn insert_side_by_side(one: &Map<String, Value>, next: &Map<String, Value>) -> bool {
    match (insertion(one), insertion(next)) {
        (Some((list, _)), Some((other, _))) => list == other,
        _ => false,
    }
}

fn check_depth(document: &Value) -> Result<(), PatchError> {
    match is_too_deep(document) {
        true => Err(PatchError::BadRequest(format!(
            "the patched object nests deeper than {MOST_LEVELS} levels"
        ))),
        false => Ok(()),
    }
}

fn decode(patch: &[u8]) -> Result<Vec<Map<String, Value>>, PatchError> {
    let refuse = |why: String| PatchError::BadRequest(format!("error decoding patch: {why}"));
    let value: Value = serde_json::from_slice(patch).map_err(|error| refuse(error.to_string()))?;
    let unmarshal = |value: &Value, into: &str| {
        let kind = match value {
            Value::Object(_) => "object",
            Value::Array(_) => "array",
            Value::String(_) => "string",
            Value::Number(_) => "number",
            _ => "bool",
        };
        refuse(format!("json: cannot unmarshal {kind} into Go {into}"))
    };
    let items = match value {
        Value::Array(items) => items,
        Value::Null => Vec::new(),
        other => return Err(unmarshal(&other, "value of type []handlers.jsonPatchOp")),
    };
    let mut operations = Vec::with_capacity(items.len());
    for item in items {
        let Value::Object(operation) = item else {
            return Err(unmarshal(&item, "value of type handlers.jsonPatchOp"));
        };
        for key in ["op", "path", "from"] {
            if let Some(value) = operation
                .get(key)
                .filter(|value| !value.is_string() && !value.is_null())
            {
                return Err(unmarshal(
                    value,
                    &format!("struct field jsonPatchOp.{key} of type string"),
                ));
            }
        }
        operations.push(operation);
    }
    Ok(operations)
}

struct Target {
    document: Value,
    copied: usize,
}

/// The location that an operation acts on.
enum Place<'a> {
    Field(&'a mut Map<String, Value>, String),
    Item(&'a mut Vec<Value>, String),
}

impl Target {
    /// Applies operations one after the other. More than one insert items into the same list.
    fn apply_all(&mut self, operations: &[Map<String, Value>]) -> Result<(), String> {
        let path = operations.first().and_then(|it| it.get("path"));
        let path = path.and_then(Value::as_str).unwrap_or_default();
        let place = match operations.len() {
            ..=1 => None,
            _ => self.find(path),
        };
        let Some(Place::Item(items, _)) = place else {
            return operations.iter().try_for_each(|it| self.apply(it));
        };
        let mut parts = Parts::of(std::mem::take(items));
        for operation in operations {
            let (_, index) = insertion(operation).unwrap_or_default();
            let path = operation.get("path").and_then(Value::as_str);
            let index = bound(index, parts.len() + 1).map_err(|why| {
                format!(
                    "error in add for path: '{}': {why}",
                    path.unwrap_or_default()
                )
            })?;
            let value = operation.get("value").cloned().unwrap_or_default();
            parts.insert(index, value);
        }
        *items = parts.join();
        Ok(())
    }

    fn apply(&mut self, operation: &Map<String, Value>) -> Result<(), String> {
        let text = |key: &str| operation.get(key).and_then(Value::as_str);
        let value = || operation.get("value").cloned().unwrap_or_default();
        let kind = text("op").unwrap_or("unknown");
        let path = || text("path").ok_or("operation missing path field: missing value");
        let from = || text("from").ok_or("operation, missing from field: missing value");
        let undecoded =
            |part: &str, why: &str| format!("{kind} operation failed to decode {part}: {why}");
        match kind {
            "add" => self.add(
                path().map_err(|_| undecoded("path", "missing value"))?,
                value(),
            ),
            "remove" => self.remove(path().map_err(|_| undecoded("path", "missing value"))?),
            "replace" => self.replace(path().map_err(|why| undecoded("path", why))?, value()),
            "test" => self.test(path().map_err(|why| undecoded("path", why))?, &value()),
            "move" => {
                let from = from().map_err(|why| undecoded("from", why))?;
                self.shift(from, path().map_err(|why| undecoded("path", why)))
            }
            "copy" => {
                let from = from().map_err(|why| undecoded("from", why))?;
                self.copy(from, path().map_err(|_| undecoded("path", "missing value")))
            }
            other => Err(format!("Unexpected kind: {other}")),
        }
    }

    /// Resolves a path, if all of its parents exist.
    fn find(&mut self, path: &str) -> Option<Place<'_>> {
        let mut steps: Vec<String> = path.split('/').skip(1).map(unescape).collect();
        let last = steps.pop()?;
        let mut current = &mut self.document;
        for step in steps {
            current = match current {
                Value::Object(map) => map.get_mut(&step)?,
                Value::Array(items) => {
                    let index = item_index(&step, items.len()).ok()?;
                    items.get_mut(index)?
                }
                _ => return None,
            };
        }
        match current {
            Value::Object(map) => Some(Place::Field(map, last)),
            Value::Array(items) => Some(Place::Item(items, last)),
            _ => None,
        }
    }

    fn add(&mut self, path: &str, value: Value) -> Result<(), String> {
        self.find(path)
            .ok_or_else(|| {
                format!(
                    "add operation does not apply: doc is missing path: \"{path}\": missing value"
                )
            })?
            .add(value)
            .map_err(|why| format!("error in add for path: '{path}': {why}"))
    }

    fn remove(&mut self, path: &str) -> Result<(), String> {
        self.find(path)
            .ok_or_else(|| format!("remove operation does not apply: doc is missing path: \"{path}\": missing value"))?
            .remove()
            .map(|_| ())
            .map_err(|why| format!("error in remove for path: '{path}': {why}"))
    }

    fn replace(&mut self, path: &str, value: Value) -> Result<(), String> {
        if path.is_empty() {
            if !value.is_object() && !value.is_array() {
                return Err(
                    "replace operation value must be object or array: %!w(<nil>)".to_owned(),
                );
            }
            self.document = value;
            return Ok(());
        }
        let missing = |what: &str| {
            format!(
                "replace operation does not apply: doc is missing {what}: {path}: missing value"
            )
        };
        let place = self.find(path).ok_or_else(|| missing("path"))?;
        match place {
            Place::Field(map, key) => {
                map.insert(key, value);
            }
            Place::Item(items, key) => {
                let index = item_index(&key, items.len()).map_err(|_| missing("key"))?;
                if let Some(item) = items.get_mut(index) {
                    *item = value;
                }
            }
        }
        Ok(())
    }

    fn test(&mut self, path: &str, value: &Value) -> Result<(), String> {
        let failed = || format!("testing value {path} failed: test failed");
        if path.is_empty() {
            return if same(&self.document, value) {
                Ok(())
            } else {
                Err(failed())
            };
        }
        let found = self
            .find(path)
            .ok_or_else(|| {
                format!("test operation does not apply: is missing path: {path}: missing value")
            })?
            .get()
            .map_err(|why| format!("error in test for path: '{path}': {why}"))?;
        if same(&found, value) {
            Ok(())
        } else {
            Err(failed())
        }
    }

    fn shift(&mut self, from: &str, path: Result<&str, String>) -> Result<(), String> {
        let missing = |what: &str, at: &str| {
            format!("move operation does not apply: doc is missing {what}: {at}: missing value")
        };
        let place = self.find(from).ok_or_else(|| missing("from path", from))?;
        let key = place.key().to_owned();
        let value = place
            .remove()
            .map_err(|why| format!("error in move for path: '{key}': {why}"))?;
        let path = path?;
        self.find(path)
            .ok_or_else(|| missing("destination path", path))?
            .add(value)
            .map_err(|why| format!("error in move for path: '{path}': {why}"))
    }

    fn copy(&mut self, from: &str, path: Result<&str, String>) -> Result<(), String> {
        let missing = |what: &str, at: &str| {
            format!("copy operation does not apply: doc is missing {what}: {at}: missing value")
        };
        let value = self
            .find(from)
            .ok_or_else(|| missing("from path", from))?
            .get()
            .map_err(|why| format!("error in copy for from: '{from}': {why}"))?;
        let path = path?;
        self.copied += value.to_string().len();
        let copied = self.copied;
        let place = self
            .find(path)
            .ok_or_else(|| missing("destination path", path))?;
        if copied > MAX_COPIED_BYTES {
            return Err(format!(
                "Unable to complete the copy, the accumulated size increase of copy is {copied}, exceeding the limit \
                 {MAX_COPIED_BYTES}"
            ));
        }
        place
            .add(value)
            .map_err(|why| format!("error while adding value during copy: {why}"))
    }
}

impl Place<'_> {
    fn key(&self) -> &str {
        match self {
            Place::Field(_, key) | Place::Item(_, key) => key,
        }
    }

    fn add(self, value: Value) -> Result<(), String> {
        match self {
            Place::Field(map, key) => {
                map.insert(key, value);
            }
            Place::Item(items, key) if key == "-" => items.push(value),
            Place::Item(items, key) => {
                let length = items.len() + 1;
                let index = parse_index(&key)
                    .map_err(|why| format!("value was not a proper array index: '{key}': {why}"))
                    .and_then(|index| bound(index, length))?;
                items.insert(index.min(items.len()), value);
            }
        }
        Ok(())
    }

    fn remove(self) -> Result<Value, String> {
        match self {
            Place::Field(map, key) => map
                .remove(&key)
                .ok_or_else(|| format!("Unable to remove nonexistent key: {key}: missing value")),
            Place::Item(items, key) => {
                let index = item_index(&key, items.len())?;
                Ok(items.remove(index))
            }
        }
    }

    /// Returns the value at the location; an absent field is null.
    fn get(self) -> Result<Value, String> {
        match self {
            Place::Field(map, key) => Ok(map.get(&key).cloned().unwrap_or_default()),
            Place::Item(items, key) => {
                let index = item_index(&key, items.len())?;
                Ok(items.get(index).cloned().unwrap_or_default())
            }
        }
    }
}

fn unescape(step: &str) -> String {
    // `~01` decodes to `~1`: replacements do not overlap.
    let mut out = String::with_capacity(step.len());
    let mut rest = step;
    while let Some(at) = rest.find('~') {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        rest = match after.get(..2) {
            Some("~1") => {
                out.push('/');
                after.get(2..).unwrap_or_default()
            }
            Some("~0") => {
                out.push('~');
                after.get(2..).unwrap_or_default()
            }
            _ => {
                out.push('~');
                after.get(1..).unwrap_or_default()
            }
        };
    }
    out.push_str(rest);
    out
}

fn parse_index(key: &str) -> Result<i64, String> {
    key.parse().map_err(|_| {
        format!(
            "strconv.Atoi: parsing {}: invalid syntax",
            crate::field::go_quote(key)
        )
    })
}

/// Checks an index against a length; negative ones count from the end.
fn bound(index: i64, length: usize) -> Result<usize, String> {
    let signed = i64::try_from(length).unwrap_or(i64::MAX);
    let from_start = if index < 0 { index + signed } else { index };
    match usize::try_from(from_start) {
        Ok(found) if found < length => Ok(found),
        _ => Err(format!(
            "Unable to access invalid index: {index}: invalid index referenced"
        )),
    }
}

fn item_index(key: &str, length: usize) -> Result<usize, String> {
    bound(parse_index(key)?, length)
}

/// Whether two values are the same JSON; `1` and `1.0` differ.
fn same(a: &Value, b: &Value) -> bool {
    a == b
}
