//! An API server in memory: objects with versions, optimistic concurrency, watches, and faults to order.
//!
//! [`Server::client`] gives a `kube::Client` without a socket. Time is tokio's, so that tests run on the paused clock.

mod request;
mod store;

use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::Frame;
use kube::client::Body;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tower::BoxError;

pub use request::Call;
use store::Store;

type Answer = Response<UnsyncBoxBody<Bytes, io::Error>>;

/// What happens to a call in place of its being served.
pub enum Fault {
    /// This status, with this reason.
    Status(u16, &'static str),
    /// No answer, ever. The call has no effect.
    Hang,
    /// The connection is refused.
    Refuse,
    /// It is served, and the answer is lost.
    LoseAnswer,
    /// It is served after this time.
    Delay(Duration),
}

type Hook = Box<dyn FnMut(&str, &Call) -> Option<Fault> + Send>;

#[derive(Default)]
struct State {
    store: Store,
    log: Vec<String>,
    hook: Option<Hook>,
    cut_off: BTreeSet<String>,
}

/// The server. Clones are handles on one server.
#[derive(Clone, Default)]
pub struct Server {
    state: Arc<Mutex<State>>,
}

impl Server {
    pub fn new() -> Self {
        Self::default()
    }

    /// A client that [`cut_off`](Self::cut_off) and the fault hook know by `name`.
    pub fn client_of(&self, name: &str) -> kube::Client {
        let (server, name) = (self.clone(), name.to_owned());
        let service = tower::service_fn(move |request: Request<Body>| {
            let (server, name) = (server.clone(), name.clone());
            async move { server.serve(&name, request).await }
        });
        kube::Client::new(service, "default")
    }

    pub fn client(&self) -> kube::Client {
        self.client_of("test")
    }

    /// Lets no call of the client `name` through any more, and no event of its watches.
    pub fn cut_off(&self, name: &str) {
        let mut state = self.state.lock().unwrap();
        state.cut_off.insert(name.to_owned());
        state.store.drop_watches(name);
    }

    /// Lets the calls of all clients through again.
    pub fn reconnect(&self) {
        self.state.lock().unwrap().cut_off.clear();
    }

    /// Calls `hook` with client and call before serving it.
    pub fn on_call(&self, hook: impl FnMut(&str, &Call) -> Option<Fault> + Send + 'static) {
        self.state.lock().unwrap().hook = Some(Box::new(hook));
    }

    /// The calls served so far but watches, as `client verb plural/name`, and forgets them.
    pub fn take_log(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().unwrap().log)
    }

    /// The object at `path`, such as `leases/default/name`.
    pub fn get(&self, path: &str) -> Option<Value> {
        self.state.lock().unwrap().store.get(path)
    }

    /// All objects of `plural`, in all namespaces.
    pub fn list(&self, plural: &str) -> Vec<Value> {
        self.state.lock().unwrap().store.list(plural, None)
    }

    /// Creates or replaces the object at `path`, as somebody else would.
    pub fn put(&self, path: &str, object: Value) {
        self.state.lock().unwrap().store.put(path, object);
    }

    /// Deletes the object at `path`, finalizers or not.
    pub fn remove(&self, path: &str) {
        self.state.lock().unwrap().store.remove(path);
    }

    async fn serve(&self, client: &str, request: Request<Body>) -> Result<Answer, BoxError> {
        let (parts, body) = request.into_parts();
        let body = body.collect().await?.to_bytes();
        let call = Call::parse(&parts, &body);
        let fault = {
            let mut state = self.state.lock().unwrap();
            let cut = state.cut_off.contains(client).then_some(Fault::Hang);
            cut.or_else(|| state.hook.as_mut().and_then(|hook| hook(client, &call)))
        };
        match fault {
            Some(Fault::Status(code, reason)) => return Ok(answer(code, &status(code, reason))),
            Some(Fault::Hang) => std::future::pending().await,
            Some(Fault::Refuse) => {
                return Err(io::Error::from(io::ErrorKind::ConnectionRefused).into());
            }
            Some(Fault::Delay(delay)) => tokio::time::sleep(delay).await,
            Some(Fault::LoseAnswer) => {
                let _ = self.answer(client, &call);
                std::future::pending().await
            }
            None => {}
        }
        Ok(self.answer(client, &call))
    }

    fn answer(&self, client: &str, call: &Call) -> Answer {
        let mut state = self.state.lock().unwrap();
        if call.verb == "watch" {
            return stream(state.store.watch(client, call));
        }
        state.log.push(format!("{client} {call}"));
        match state.store.serve(call) {
            Ok(object) => answer(200, &object),
            Err((code, reason)) => answer(code, &status(code, reason)),
        }
    }
}

fn answer(code: u16, body: &Value) -> Answer {
    let body = Full::new(Bytes::from(body.to_string()))
        .map_err(|never| match never {})
        .boxed_unsync();
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(code).unwrap();
    response
}

fn stream(events: mpsc::UnboundedReceiver<Value>) -> Answer {
    let events = futures::stream::unfold(events, |mut events| async move {
        let event = events.recv().await?;
        Some((Ok(Frame::data(Bytes::from(format!("{event}\n")))), events))
    });
    Response::new(BodyExt::boxed_unsync(StreamBody::new(events)))
}

fn status(code: u16, reason: &str) -> Value {
    let message = format!("scripted: {reason}");
    json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": message, "reason": reason, "code": code,
    })
}
