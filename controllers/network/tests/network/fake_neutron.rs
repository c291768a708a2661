//! A Neutron and a Keystone in memory, with the answers that neutron-server 29 gives to the same requests.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// What it holds, and what it was asked.
#[derive(Default)]
pub struct State {
    pub networks: Vec<Value>,
    pub subnets: Vec<Value>,
    /// `POST /v2.0/networks`, in order.
    pub requests: Vec<String>,
    /// Statuses for the next requests to Neutron, before anything is done.
    pub refuse: Vec<StatusCode>,
    /// The token that is accepted; `None` for no authentication.
    pub token: Option<String>,
    /// How often somebody logged in.
    pub logins: u32,
    made: u32,
}

/// A server on loopback, until it is dropped.
pub struct FakeNeutron {
    pub url: String,
    pub state: Arc<Mutex<State>>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for FakeNeutron {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl FakeNeutron {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(State::default()));
        let (shared, base) = (Arc::clone(&state), url.clone());
        let task = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (state, base) = (Arc::clone(&shared), base.clone());
                let service =
                    service_fn(move |request| answer(Arc::clone(&state), base.clone(), request));
                tokio::spawn(async move {
                    let served = hyper::server::conn::http1::Builder::new();
                    let _ = served.serve_connection(TokioIo::new(stream), service).await;
                });
            }
        });
        Self { url, state, task }
    }
}

async fn answer(
    state: Arc<Mutex<State>>,
    base: String,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let mut state = state.lock().unwrap();
    let path = head.uri.path().to_owned();
    state.requests.push(format!("{} {path}", head.method));
    if path.ends_with("/auth/tokens") {
        return Ok(log_in(&mut state, &base, &body));
    }
    if !state.refuse.is_empty() {
        let status = state.refuse.remove(0);
        return Ok(json_of(status, &error("Refused", "to order")));
    }
    let token = head
        .headers
        .get("x-auth-token")
        .map(|it| it.to_str().unwrap().to_owned());
    if state.token.is_some() && token != state.token {
        return Ok(json_of(
            StatusCode::UNAUTHORIZED,
            &json!({ "error": { "message": "The request you have made requires authentication." } }),
        ));
    }
    let query = head.uri.query().unwrap_or_default().to_owned();
    let (status, value) = state.neutron(&head.method, &path, &query, &body);
    Ok(json_of(status, &value))
}

fn log_in(state: &mut State, base: &str, body: &Value) -> Response<Full<Bytes>> {
    let auth = &body["auth"]["identity"];
    let is_known = auth["password"]["user"]["password"] == "secret"
        || auth["application_credential"]["secret"] == "secret";
    if !is_known {
        let wrong =
            json!({ "error": { "message": "The request you have made requires authentication." } });
        return json_of(StatusCode::UNAUTHORIZED, &wrong);
    }
    state.logins += 1;
    let token = format!("token-{}", state.logins);
    state.token = Some(token.clone());
    let endpoint = |interface: &str, region: &str, url: &str| json!({ "interface": interface, "region": region, "url": url });
    let body = json!({ "token": {
        "expires_at": "2099-01-01T00:00:00.000000Z",
        "catalog": [
            { "type": "compute", "endpoints": [endpoint("public", "one", "http://127.0.0.1:1")] },
            { "type": "network", "endpoints": [
                endpoint("admin", "one", "http://127.0.0.1:1"),
                endpoint("public", "two", "http://127.0.0.1:1"),
                endpoint("public", "one", base),
            ] },
        ],
    } });
    let mut answer = json_of(StatusCode::CREATED, &body);
    answer
        .headers_mut()
        .insert("x-subject-token", token.parse().unwrap());
    answer
}

impl State {
    fn neutron(
        &mut self,
        method: &Method,
        path: &str,
        query: &str,
        body: &Value,
    ) -> (StatusCode, Value) {
        let parts: Vec<&str> = path.trim_start_matches("/v2.0/").split('/').collect();
        let kind = parts[0];
        let singular = kind.trim_end_matches('s');
        match (method, parts.as_slice()) {
            (&Method::GET, [_]) => {
                let pairs: Vec<_> = form_urlencoded::parse(query.as_bytes())
                    .into_owned()
                    .collect();
                let fits = |it: &&Value| {
                    pairs.iter().all(|(field, value)| match field.as_str() {
                        "tags" => it["tags"].as_array().unwrap().contains(&json!(value)),
                        field => it[field] == **value,
                    })
                };
                let found: Vec<&Value> = self.list(kind).iter().filter(fits).collect();
                (StatusCode::OK, json!({ kind: found }))
            }
            (&Method::POST, [_]) => self.create(kind, singular, &body[singular]),
            (&Method::PUT, [_, id]) => {
                let Some(at) = self.list(kind).iter().position(|it| it["id"] == *id) else {
                    return missing(singular, id);
                };
                let (found, changes) = (
                    &mut self.list(kind)[at],
                    body[singular].as_object().unwrap(),
                );
                // As the real one: a gateway must not lie in a pool, and the pools stay unless they are given.
                if changes.contains_key("gateway_ip") && !changes.contains_key("allocation_pools") {
                    let message = "Gateway ip conflicts with allocation pool.";
                    let conflict = error("GatewayConflictWithAllocationPools", message);
                    return (StatusCode::CONFLICT, conflict);
                }
                for (field, value) in changes {
                    found[field] = value.clone();
                }
                (StatusCode::OK, json!({ singular: found }))
            }
            (&Method::PUT, [_, id, "tags", tag]) => {
                let Some(at) = self.list(kind).iter().position(|it| it["id"] == *id) else {
                    return missing(singular, id);
                };
                let tags = self.list(kind)[at]["tags"].as_array_mut().unwrap();
                if !tags.contains(&json!(tag)) {
                    tags.push(json!(tag));
                }
                (StatusCode::CREATED, Value::Null)
            }
            (&Method::DELETE, [_, id]) => {
                let before = self.list(kind).len();
                self.list(kind).retain(|it| it["id"] != *id);
                if self.list(kind).len() == before {
                    return missing(singular, id);
                }
                (StatusCode::NO_CONTENT, Value::Null)
            }
            _ => (
                StatusCode::NOT_FOUND,
                error("NotFound", "The resource could not be found."),
            ),
        }
    }

    fn list(&mut self, kind: &str) -> &mut Vec<Value> {
        match kind {
            "networks" => &mut self.networks,
            _ => &mut self.subnets,
        }
    }

    fn create(&mut self, kind: &str, singular: &str, given: &Value) -> (StatusCode, Value) {
        self.made += 1;
        let mut made = given.clone();
        made["id"] = json!(format!("{singular}-{}", self.made));
        made["tags"] = json!([]);
        made["created_at"] = json!(format!("2026-01-01T00:00:{:02}Z", self.made));
        self.list(kind).push(made.clone());
        (StatusCode::CREATED, json!({ singular: made }))
    }
}

fn missing(singular: &str, id: &str) -> (StatusCode, Value) {
    let message = format!("{singular} {id} could not be found.");
    (StatusCode::NOT_FOUND, error("NotFound", &message))
}

fn error(type_: &str, message: &str) -> Value {
    json!({ "NeutronError": { "type": type_, "message": message, "detail": "" } })
}

fn json_of(status: StatusCode, value: &Value) -> Response<Full<Bytes>> {
    let body = if value.is_null() {
        String::new()
    } else {
        value.to_string()
    };
    let mut answer = Response::new(Full::new(Bytes::from(body)));
    *answer.status_mut() = status;
    answer
}
