//! Watches: a stream of events, one JSON object per line.

use http::{Method, Request};
use http_body_util::BodyExt;
use kube::Client;
use kube::client::Body;
use serde_json::Value;

use super::expect::{PATIENCE, at, check};
use super::wire;

/// An accepted watch.
pub(crate) struct Watch {
    body: Body,
    buffer: Vec<u8>,
    path: String,
}

impl Watch {
    /// Starts a watch; panics unless the response is 200.
    pub(crate) async fn start(client: &Client, path: &str) -> Self {
        Self::start_accepting(client, path, "application/json").await
    }

    /// Starts a watch in another representation, such as tables.
    pub(crate) async fn start_accepting(client: &Client, path: &str, media_type: &str) -> Self {
        let request = Request::builder()
            .method(Method::GET)
            .uri(path)
            .header("accept", media_type)
            .body(Body::empty())
            .expect("a well-formed request");
        let response = client
            .send(request)
            .await
            .unwrap_or_else(|error| panic!("GET {path}: {error}"));
        if response.status() != 200 {
            panic!(
                "GET {path}: {}; {}",
                response.status(),
                wire::get(client, path).await.text
            );
        }
        Self {
            body: response.into_body(),
            buffer: Vec::new(),
            path: path.to_owned(),
        }
    }

    /// Returns the next event, or `None` after the end of the stream; panics after [`PATIENCE`],
    /// which only a broken server exceeds.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        let line = tokio::time::timeout(PATIENCE, self.next_line()).await;
        let line = line.unwrap_or_else(|_| panic!("{}: no event in {PATIENCE:?}", self.path))?;
        Some(
            serde_json::from_slice(&line)
                .unwrap_or_else(|error| panic!("{}: {error} in {line:?}", self.path)),
        )
    }

    async fn next_line(&mut self) -> Option<Vec<u8>> {
        loop {
            if let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
                let rest = self.buffer.split_off(end + 1);
                return Some(std::mem::replace(&mut self.buffer, rest));
            }
            match self.body.frame().await? {
                Ok(frame) => self
                    .buffer
                    .extend_from_slice(frame.data_ref().map(|data| &data[..]).unwrap_or_default()),
                Err(error) => panic!("{}: {error}", self.path),
            }
        }
    }

    /// Returns the object of the next event; asserts the event's type and the object's name. Skips
    /// bookmarks, which a server may send at any time.
    pub(crate) async fn expect(&mut self, event_type: &str, name: &str) -> Value {
        let event = loop {
            let event = self
                .next()
                .await
                .unwrap_or_else(|| panic!("{}: ended; expected {event_type} {name}", self.path));
            if event["type"] != "BOOKMARK" {
                break event;
            }
        };
        check(&event, "/type", event_type);
        check(&event, "/object/metadata/name", name);
        at(&event, "/object").clone()
    }

    /// Returns the `Status` of the next event; asserts that it is an ERROR with this code and
    /// reason.
    pub(crate) async fn expect_error(&mut self, code: u16, reason: &str) -> Value {
        let event = self
            .next()
            .await
            .unwrap_or_else(|| panic!("{}: ended; expected ERROR {code}", self.path));
        check(&event, "/type", "ERROR");
        check(&event, "/object/kind", "Status");
        check(&event, "/object/code", code);
        check(&event, "/object/reason", reason);
        at(&event, "/object").clone()
    }

    /// Returns the events before the next bookmark, and the bookmark's object.
    pub(crate) async fn until_bookmark(&mut self) -> (Vec<Value>, Value) {
        let mut events = Vec::new();
        loop {
            let event = self
                .next()
                .await
                .unwrap_or_else(|| panic!("{}: ended before a bookmark", self.path));
            if event["type"] == "BOOKMARK" {
                return (events, at(&event, "/object").clone());
            }
            events.push(event);
        }
    }
}
