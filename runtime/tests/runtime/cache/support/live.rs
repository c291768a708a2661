//! A small API server of ConfigMaps with state, a log of changes, and faults on demand.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

use bytes::Bytes;
use futures::StreamExt;
use http::{Request, Response, StatusCode};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::Frame;
use kube::client::Body;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tower::BoxError;

use super::objects::{cm_with, page};
use super::status;

type Answer = Result<Response<UnsyncBoxBody<Bytes, io::Error>>, BoxError>;

/// The fault of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    Refuse,
    Status(u16),
    /// The body of a watch breaks after this many events.
    CutAfter(u8),
    /// The watch sends this status as an event after this many events.
    ErrorAfter(u8, u16),
}

/// The server; clones are handles of the same one.
#[derive(Clone, Default)]
pub struct Live(Arc<Mutex<Model>>);

#[derive(Default)]
struct Model {
    version: u64,
    uids: u64,
    objects: BTreeMap<String, Value>,
    log: Vec<(u64, Value)>,
    /// Changes up to this version have been compacted.
    compacted: u64,
    watchers: Vec<Watcher>,
    faults: VecDeque<Fault>,
    pages: BTreeMap<String, Vec<Value>>,
}

struct Watcher {
    body: mpsc::UnboundedSender<io::Result<Bytes>>,
    fault: Fault,
}

impl Live {
    pub fn client(&self) -> kube::Client {
        let live = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let answer = live.lock().answer(request.uri());
            async move { answer }
        });
        kube::Client::new(service, "default")
    }

    fn lock(&self) -> MutexGuard<'_, Model> {
        self.0.lock().unwrap()
    }

    /// Sets the faults of the next requests.
    pub fn set_faults(&self, faults: impl IntoIterator<Item = Fault>) {
        self.lock().faults = faults.into_iter().collect();
    }

    /// Creates an object, or changes an existing one.
    pub fn write(&self, name: &str, labels: &[(&str, &str)]) {
        let mut model = self.lock();
        model.version += 1;
        let version = model.version;
        let (kind, uid) = match model.objects.get(name) {
            Some(held) => (
                "MODIFIED",
                held["metadata"]["uid"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned(),
            ),
            None => {
                model.uids += 1;
                ("ADDED", format!("uid-{}", model.uids))
            }
        };
        let object = cm_with(name, version, &uid, labels);
        model.objects.insert(name.to_owned(), object.clone());
        model.publish(kind, object);
    }

    pub fn delete(&self, name: &str) {
        let mut model = self.lock();
        let Some(mut object) = model.objects.remove(name) else {
            return;
        };
        model.version += 1;
        object["metadata"]["resourceVersion"] = json!(model.version.to_string());
        model.publish("DELETED", object);
    }

    /// Compacts all changes so far.
    pub fn compact(&self) {
        let mut model = self.lock();
        model.compacted = model.version;
        model.log.clear();
    }

    /// Breaks every connection.
    pub fn cut_all(&self) {
        for watcher in self.lock().watchers.drain(..) {
            let _ = watcher
                .body
                .send(Err(io::Error::from(io::ErrorKind::ConnectionReset)));
        }
    }

    /// Sends every watcher the current version.
    pub fn bookmark(&self) {
        let mut model = self.lock();
        let event = bookmark(model.version, false);
        model.send(&event);
    }

    /// Returns the version of the latest change.
    pub fn version(&self) -> String {
        self.lock().version.to_string()
    }

    /// Returns `name@version` of all objects, sorted.
    pub fn names(&self) -> Vec<String> {
        let model = self.lock();
        let version = |object: &Value| {
            let version = object["metadata"]["resourceVersion"].as_str();
            version.unwrap_or("?").to_owned()
        };
        let objects = model.objects.iter();
        let mut names: Vec<_> = objects
            .map(|(name, object)| format!("{name}@{}", version(object)))
            .collect();
        names.sort();
        names
    }
}

impl Model {
    fn publish(&mut self, kind: &str, object: Value) {
        let event = json!({"type": kind, "object": object});
        self.log.push((self.version, event.clone()));
        self.send(&event);
    }

    fn send(&mut self, event: &Value) {
        self.watchers.retain_mut(|watcher| watcher.send(event));
    }

    fn answer(&mut self, uri: &http::Uri) -> Answer {
        let query = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
        let query: BTreeMap<String, String> = query.into_owned().collect();
        let fault = self.faults.pop_front().unwrap_or(Fault::None);
        match fault {
            Fault::Refuse => return Err(io::Error::from(io::ErrorKind::ConnectionRefused).into()),
            Fault::Status(code) => return Ok(failure(code)),
            _ => {}
        }
        if query.contains_key("watch") {
            self.watch(&query, fault)
        } else {
            Ok(self.list(&query))
        }
    }

    fn list(
        &mut self,
        query: &BTreeMap<String, String>,
    ) -> Response<UnsyncBoxBody<Bytes, io::Error>> {
        let mut items = match query.get("continue") {
            Some(token) => match self.pages.remove(token) {
                Some(items) => items,
                None => return failure(410),
            },
            None => self.objects.values().cloned().collect(),
        };
        let limit = query
            .get("limit")
            .and_then(|limit| limit.parse().ok())
            .unwrap_or(usize::MAX);
        let rest = items.split_off(items.len().min(limit));
        // Later pages have the version of the first.
        let version = query.get("continue").map_or(self.version, |token| {
            token.split('-').next().unwrap().parse().unwrap()
        });
        let next = (!rest.is_empty()).then(|| format!("{version}-{}", self.pages.len()));
        if let Some(next) = &next {
            self.pages.insert(next.clone(), rest);
        }
        json_response(200, &page(version, &items, next.as_deref()))
    }

    fn watch(&mut self, query: &BTreeMap<String, String>, fault: Fault) -> Answer {
        let from = query
            .get("resourceVersion")
            .map(String::as_str)
            .unwrap_or_default();
        let streamed = query.contains_key("sendInitialEvents");
        let mut events = Vec::new();
        if streamed || matches!(from, "" | "0") {
            events.extend(
                self.objects
                    .values()
                    .map(|object| json!({"type": "ADDED", "object": object})),
            );
            if streamed {
                events.push(bookmark(self.version, true));
            }
        } else {
            let from: u64 = from.parse().unwrap();
            if from < self.compacted {
                return Ok(failure(410));
            }
            events.extend(
                self.log
                    .iter()
                    .filter(|(version, _)| *version > from)
                    .map(|(_, event)| event.clone()),
            );
        }
        let (body, chunks) = mpsc::unbounded_channel::<io::Result<Bytes>>();
        let mut watcher = Watcher { body, fault };
        if events.iter().all(|event| watcher.send(event)) {
            self.watchers.push(watcher);
        }
        let chunks = futures::stream::unfold(chunks, |mut chunks| async move {
            let chunk = chunks.recv().await?;
            Some((chunk.map(Frame::data), chunks))
        });
        Ok(Response::new(
            StreamBody::new(chunks.boxed()).boxed_unsync(),
        ))
    }
}

impl Watcher {
    /// Sends an event, or causes the fault that is due; returns false when the watch is over.
    fn send(&mut self, event: &Value) -> bool {
        match &mut self.fault {
            Fault::CutAfter(0) => {
                let _ = self
                    .body
                    .send(Err(io::Error::from(io::ErrorKind::ConnectionReset)));
                return false;
            }
            Fault::ErrorAfter(0, code) => {
                let event =
                    json!({"type": "ERROR", "object": status(*code, reason(*code), "to order")});
                let _ = self.body.send(Ok(Bytes::from(format!("{event}\n"))));
                return false;
            }
            Fault::CutAfter(left) | Fault::ErrorAfter(left, _) => *left -= 1,
            _ => {}
        }
        self.body
            .send(Ok(Bytes::from(format!("{event}\n"))))
            .is_ok()
    }
}

fn bookmark(version: u64, initial_end: bool) -> Value {
    let mut metadata = json!({"resourceVersion": version.to_string()});
    if initial_end {
        metadata["annotations"] = json!({"k8s.io/initial-events-end": "true"});
    }
    json!({"type": "BOOKMARK", "object": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}})
}

fn failure(code: u16) -> Response<UnsyncBoxBody<Bytes, io::Error>> {
    json_response(code, &status(code, reason(code), "to order"))
}

fn reason(code: u16) -> &'static str {
    match code {
        410 => "Expired",
        422 => "Invalid",
        429 => "TooManyRequests",
        _ => "InternalError",
    }
}

fn json_response(code: u16, body: &Value) -> Response<UnsyncBoxBody<Bytes, io::Error>> {
    let body = Full::new(Bytes::from(body.to_string())).map_err(|never| match never {});
    let mut response = Response::new(body.boxed_unsync());
    *response.status_mut() = StatusCode::from_u16(code).unwrap();
    response
}
