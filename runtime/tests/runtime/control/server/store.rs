//! Objects, versions and watches.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::Call;

type Refusal = (u16, &'static str);

/// Plural, namespace and name.
type Key = (String, String, String);

struct Watch {
    client: String,
    plural: String,
    namespace: String,
    name: Option<String>,
    events: mpsc::UnboundedSender<Value>,
}

#[derive(Default)]
pub struct Store {
    objects: BTreeMap<Key, Value>,
    version: u64,
    watches: Vec<Watch>,
}

/// `plural/namespace/name`, or `plural/name` at cluster scope.
fn key(path: &str) -> Key {
    match path.split('/').collect::<Vec<_>>().as_slice() {
        [plural, namespace, name] => ((*plural).into(), (*namespace).into(), (*name).into()),
        [plural, name] => ((*plural).into(), String::new(), (*name).into()),
        other => panic!("unexpected path {other:?}"),
    }
}

/// RFC 7396.
fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    for (name, value) in patch {
        if value.is_null() {
            target.as_object_mut().unwrap().remove(name);
        } else {
            merge(&mut target[name.as_str()], value);
        }
    }
}

impl Store {
    pub fn get(&self, path: &str) -> Option<Value> {
        self.objects.get(&key(path)).cloned()
    }

    pub fn list(&self, plural: &str, namespace: Option<&str>) -> Vec<Value> {
        let wanted =
            |(key, _): &(&Key, &Value)| key.0 == plural && namespace.is_none_or(|ns| ns == key.1);
        self.objects
            .iter()
            .filter(wanted)
            .map(|(_, object)| object.clone())
            .collect()
    }

    pub fn put(&mut self, path: &str, mut object: Value) {
        let key = key(path);
        object["metadata"]["name"] = json!(key.2);
        if !key.1.is_empty() {
            object["metadata"]["namespace"] = json!(key.1);
        }
        let kind = if self.objects.contains_key(&key) {
            "MODIFIED"
        } else {
            "ADDED"
        };
        self.write(key, object, kind);
    }

    pub fn remove(&mut self, path: &str) {
        self.delete(&key(path));
    }

    pub fn drop_watches(&mut self, client: &str) {
        // The connections stay open, and silent.
        self.watches
            .iter_mut()
            .filter(|watch| watch.client == client)
            .for_each(|watch| watch.plural.clear());
    }

    pub fn watch(&mut self, client: &str, call: &Call) -> mpsc::UnboundedReceiver<Value> {
        let (events, receiver) = mpsc::unbounded_channel();
        let version = call
            .query
            .get("resourceVersion")
            .map(String::as_str)
            .unwrap_or_default();
        let initial = call
            .query
            .get("sendInitialEvents")
            .is_some_and(|send| send == "true");
        let name = call.target().map(str::to_owned);
        let namespace = Some(call.namespace.as_str()).filter(|namespace| !namespace.is_empty());
        let objects = self.list(&call.plural, namespace);
        let since: u64 = version.parse().unwrap_or(0);
        for object in objects {
            let named = name
                .as_ref()
                .is_none_or(|name| object["metadata"]["name"] == json!(name));
            let changed = object["metadata"]["resourceVersion"]
                .as_str()
                .unwrap()
                .parse::<u64>()
                .unwrap()
                > since;
            if named && (initial || changed) {
                let _ = events.send(json!({"type": "ADDED", "object": object}));
            }
        }
        if initial {
            let annotations = json!({"k8s.io/initial-events-end": "true"});
            let metadata =
                json!({"resourceVersion": self.version.to_string(), "annotations": annotations});
            let bookmark =
                json!({"apiVersion": call.api_version, "kind": "Any", "metadata": metadata});
            let _ = events.send(json!({"type": "BOOKMARK", "object": bookmark}));
        }
        let (client, plural, namespace) = (
            client.to_owned(),
            call.plural.clone(),
            call.namespace.clone(),
        );
        self.watches.push(Watch {
            client,
            plural,
            namespace,
            name,
            events,
        });
        receiver
    }

    pub fn serve(&mut self, call: &Call) -> Result<Value, Refusal> {
        let name = call.target().unwrap_or_default().to_owned();
        let key = (call.plural.clone(), call.namespace.clone(), name);
        let old = self.objects.get(&key).cloned();
        match (call.verb, old) {
            ("list", _) => {
                let namespace =
                    Some(call.namespace.as_str()).filter(|namespace| !namespace.is_empty());
                let items = self.list(&call.plural, namespace);
                let metadata = json!({"resourceVersion": self.version.to_string()});
                Ok(
                    json!({"apiVersion": call.api_version, "kind": "List", "metadata": metadata, "items": items}),
                )
            }
            ("create", Some(_)) => Err((409, "AlreadyExists")),
            ("create", None) => {
                let mut object = call.body.clone();
                object["metadata"]["uid"] = json!(format!("uid-{}", self.version + 1));
                if !key.1.is_empty() {
                    object["metadata"]["namespace"] = json!(key.1);
                }
                Ok(self.write(key, object, "ADDED"))
            }
            ("patch", None) if call.query.contains_key("fieldManager") => {
                Ok(self.write(key, call.body.clone(), "ADDED"))
            }
            (_, None) => Err((404, "NotFound")),
            ("get", Some(object)) => Ok(object),
            ("update" | "patch", Some(old)) => self.change(call, key, old),
            ("delete", Some(mut object)) => {
                let held = object["metadata"]["finalizers"]
                    .as_array()
                    .is_some_and(|list| !list.is_empty());
                if !held {
                    return Ok(self.delete(&key).unwrap());
                }
                object["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
                Ok(self.write(key, object, "MODIFIED"))
            }
            (verb, _) => panic!("unexpected verb {verb}"),
        }
    }

    fn change(&mut self, call: &Call, key: Key, old: Value) -> Result<Value, Refusal> {
        for part in ["resourceVersion", "uid"] {
            let wanted = &call.body["metadata"][part];
            if wanted.as_str().is_some_and(|wanted| !wanted.is_empty())
                && *wanted != old["metadata"][part]
            {
                return Err((409, "Conflict"));
            }
        }
        let mut object = old.clone();
        match (call.verb, call.subresource.as_str()) {
            ("update", "status") => object["status"] = call.body["status"].clone(),
            ("update", _) => {
                object = call.body.clone();
                for part in ["uid", "deletionTimestamp"] {
                    if !old["metadata"][part].is_null() {
                        object["metadata"][part] = old["metadata"][part].clone();
                    }
                }
            }
            _ => merge(&mut object, &call.body),
        }
        let held = object["metadata"]["finalizers"]
            .as_array()
            .is_some_and(|list| !list.is_empty());
        if !object["metadata"]["deletionTimestamp"].is_null() && !held {
            return Ok(self.delete(&key).unwrap());
        }
        Ok(self.write(key, object, "MODIFIED"))
    }

    fn write(&mut self, key: Key, mut object: Value, kind: &str) -> Value {
        self.version += 1;
        object["metadata"]["resourceVersion"] = json!(self.version.to_string());
        if object["metadata"]["uid"].is_null() {
            object["metadata"]["uid"] = json!(format!("uid-{}", self.version));
        }
        self.objects.insert(key.clone(), object.clone());
        self.tell(&key, kind, &object);
        object
    }

    fn delete(&mut self, key: &Key) -> Option<Value> {
        let mut object = self.objects.remove(key)?;
        self.version += 1;
        object["metadata"]["resourceVersion"] = json!(self.version.to_string());
        self.tell(key, "DELETED", &object);
        Some(object)
    }

    fn tell(&mut self, key: &Key, kind: &str, object: &Value) {
        self.watches.retain(|watch| !watch.events.is_closed());
        for watch in &self.watches {
            let here =
                watch.plural == key.0 && (watch.namespace.is_empty() || watch.namespace == key.1);
            if here && watch.name.as_ref().is_none_or(|name| *name == key.2) {
                let _ = watch.events.send(json!({"type": kind, "object": object}));
            }
        }
    }
}
