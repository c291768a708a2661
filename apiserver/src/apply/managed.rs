//! Field managers: the decoded `metadata.managedFields`.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::set::Set;

/// The maximum number of entries of updating managers (operation `Update`) on an object; older
/// entries are merged.
const MAX_UPDATERS: usize = 10;
/// The manager of the merged entries.
const OLD_UPDATES: &str = "ancient-changes";

/// Identifies the entry of a manager.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Manager {
    pub(super) name: String,
    /// `Apply` or `Update`.
    pub(super) operation: &'static str,
    /// Empty for appliers, which have one entry for all versions.
    pub(super) api_version: String,
    pub(super) subresource: String,
}

/// The fields of one manager.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Owned {
    pub(super) set: Set,
    pub(super) api_version: String,
    pub(super) time: Option<String>,
}

/// The fields of all managers.
#[derive(Clone, Debug, Default)]
pub(super) struct Managed(pub(super) BTreeMap<Manager, Owned>);

impl Manager {
    pub(super) fn applier(name: &str, subresource: &str) -> Self {
        Self {
            name: or_unknown(name),
            operation: "Apply",
            api_version: String::new(),
            subresource: subresource.to_owned(),
        }
    }

    pub(super) fn updater(name: &str, subresource: &str, api_version: &str) -> Self {
        Self {
            name: or_unknown(name),
            operation: "Update",
            api_version: api_version.to_owned(),
            subresource: subresource.to_owned(),
        }
    }

    pub(super) fn applies(&self) -> bool {
        self.operation == "Apply"
    }
}

fn or_unknown(name: &str) -> String {
    if name.is_empty() { "unknown" } else { name }.to_owned()
}

impl Managed {
    /// Decodes `metadata.managedFields` of an object.
    pub(super) fn decode(object: &Value) -> Result<Self, String> {
        let mut managed = Self::default();
        let entries = object
            .pointer("/metadata/managedFields")
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default();
        for (i, entry) in entries.iter().enumerate() {
            let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
            let operation = match text("operation") {
                "Apply" => "Apply",
                "Update" => "Update",
                _ => return Err("operation must be `Apply` or `Update`".to_owned()),
            };
            let api_version = text("apiVersion").to_owned();
            if api_version.is_empty() {
                return Err("apiVersion must not be empty".to_owned());
            }
            match text("fieldsType") {
                "FieldsV1" => {}
                "" => return Err(format!("missing fieldsType in managed fields entry {i}")),
                other => {
                    return Err(format!(
                        "invalid fieldsType {other:?} in managed fields entry {i}"
                    ));
                }
            }
            let set = Set::decode(entry.get("fieldsV1").unwrap_or(&Value::Null))
                .map_err(|error| format!("error decoding set: {error}"))?;
            let manager = Manager {
                name: text("manager").to_owned(),
                operation,
                api_version: if operation == "Apply" {
                    String::new()
                } else {
                    api_version.clone()
                },
                subresource: text("subresource").to_owned(),
            };
            let time = entry.get("time").and_then(Value::as_str).map(str::to_owned);
            let owned = Owned {
                set,
                api_version,
                time,
            };
            managed.0.insert(manager, owned);
        }
        Ok(managed)
    }

    /// Encodes `metadata.managedFields`, or removes it if there are no managers.
    pub(super) fn encode(&self, object: &mut Value) {
        let mut entries: Vec<(&Manager, &Owned)> = self.0.iter().collect();
        entries.sort_by_key(|(manager, owned)| {
            let order = (manager.operation, seconds(owned.time.as_deref()));
            (
                order,
                &manager.name,
                &owned.api_version,
                &manager.subresource,
            )
        });
        let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else {
            return;
        };
        if entries.is_empty() {
            metadata.remove("managedFields");
            return;
        }
        let encoded = entries
            .into_iter()
            .map(|(manager, owned)| encode_entry(manager, owned))
            .collect();
        metadata.insert("managedFields".to_owned(), Value::Array(encoded));
    }

    /// Removes the entries without fields.
    pub(super) fn drop_empty(&mut self) {
        self.0.retain(|_, owned| !owned.set.is_empty());
    }

    /// Merges the oldest `Update` entries, into one per version, until the limit is met.
    pub(super) fn cap_updaters(&mut self) {
        let mut updaters: Vec<Manager> = self
            .0
            .keys()
            .filter(|manager| !manager.applies())
            .cloned()
            .collect();
        let mut count = updaters.len();
        updaters.sort_by_key(|manager| {
            seconds(self.0.get(manager).and_then(|owned| owned.time.as_deref()))
        });
        let mut first_of: BTreeMap<String, Manager> = BTreeMap::new();
        for manager in updaters {
            if count <= MAX_UPDATERS {
                break;
            }
            let Some(owned) = self.0.get(&manager).cloned() else {
                continue;
            };
            let version = owned.api_version.clone();
            let Some(first) = first_of.get(&version) else {
                first_of.insert(version, manager);
                continue;
            };
            let bucket = Manager::updater(OLD_UPDATES, "", &version);
            if !self.0.contains_key(&bucket)
                && let Some(oldest) = self.0.remove(first)
            {
                self.0.insert(bucket.clone(), oldest);
            }
            self.0.remove(&manager);
            if let Some(merged) = self.0.get_mut(&bucket) {
                merged.set = owned.set.union(&merged.set);
                merged.time = owned.time;
            }
            count -= 1;
        }
    }
}

fn encode_entry(manager: &Manager, owned: &Owned) -> Value {
    let mut entry = Map::new();
    entry.insert("manager".to_owned(), json!(manager.name));
    entry.insert("operation".to_owned(), json!(manager.operation));
    entry.insert("apiVersion".to_owned(), json!(owned.api_version));
    if let Some(time) = &owned.time {
        entry.insert("time".to_owned(), json!(time));
    }
    entry.insert("fieldsType".to_owned(), json!("FieldsV1"));
    entry.insert("fieldsV1".to_owned(), owned.set.encode());
    if !manager.subresource.is_empty() {
        entry.insert("subresource".to_owned(), json!(manager.subresource));
    }
    Value::Object(entry)
}

fn seconds(time: Option<&str>) -> i64 {
    time.and_then(|time| time.parse::<Timestamp>().ok())
        .map_or(0, Timestamp::as_second)
}

/// Formats the time of a managedFields entry: RFC 3339 in whole seconds.
pub(super) fn stamp(now: Timestamp) -> String {
    now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::{MAX_UPDATERS, Managed, Manager, OLD_UPDATES, Owned};
    use crate::apply::set::Set;

    #[test]
    fn the_oldest_updates_are_merged_when_there_are_too_many() {
        let mut managed = Managed::default();
        for i in 0..15 {
            let name = format!("m{i:02}");
            let owned = Owned {
                set: Set::of(&[&["spec", &name]]),
                api_version: "v1".to_owned(),
                time: Some(format!("2024-01-01T00:00:{i:02}Z")),
            };
            managed.0.insert(Manager::updater(&name, "", "v1"), owned);
        }
        managed.cap_updaters();
        assert_eq!(managed.0.len(), MAX_UPDATERS);
        let merged = managed
            .0
            .get(&Manager::updater(OLD_UPDATES, "", "v1"))
            .unwrap();
        let names = ["m00", "m01", "m02", "m03", "m04", "m05"];
        let paths: Vec<Vec<&str>> = names.iter().map(|name| vec!["spec", *name]).collect();
        let paths: Vec<&[&str]> = paths.iter().map(Vec::as_slice).collect();
        assert_eq!(merged.set, Set::of(&paths));
        assert_eq!(merged.time.as_deref(), Some("2024-01-01T00:00:05Z"));
    }
}
