//! An in-memory Neutron and Keystone.
//!
//! Neutron's status codes, error types and bodies are those of neutron-server 29.0.0 for the
//! requests of the tests of `neutron` that run on both (`hack/neutron.sh`); the rest is not
//! compared with a real server. Keystone's follow its API reference and are not tested against a
//! real Keystone.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{HeaderValue, RETRY_AFTER};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// The content, and the requests received.
#[derive(Default)]
pub struct State {
    pub networks: Vec<Value>,
    pub subnets: Vec<Value>,
    /// The requests in order, such as `POST /v2.0/networks`.
    pub requests: Vec<String>,
    /// Status codes with which the next requests to Neutron fail, without any effect.
    pub refuse: Vec<StatusCode>,
    /// The token that is accepted; `None` for no authentication.
    pub token: Option<String>,
    /// The ids of networks that ports are on.
    pub ports: Vec<String>,
    /// The bodies of successful logins.
    pub logins: Vec<Value>,
    /// When tokens expire.
    pub expires: String,
    /// The `Retry-After` header of failed requests.
    pub retry_after: Option<&'static str>,
    /// How many clients aborted the TLS handshake.
    pub refused_handshakes: u32,
    made: u32,
}

/// A server on loopback that runs until dropped.
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
        Self::serve(None).await
    }

    /// Starts a server with TLS.
    pub async fn start_tls(tls: TlsAcceptor) -> Self {
        Self::serve(Some(tls)).await
    }

    async fn serve(tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let scheme = if tls.is_some() { "https" } else { "http" };
        let url = format!("{scheme}://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(State {
            expires: "2099-01-01T00:00:00.000000Z".to_owned(),
            ..State::default()
        }));
        let (shared, base) = (Arc::clone(&state), url.clone());
        let task = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (state, base, tls) = (Arc::clone(&shared), base.clone(), tls.clone());
                tokio::spawn(async move {
                    match tls {
                        None => talk(stream, state, base).await,
                        Some(tls) => match tls.accept(stream).await {
                            Ok(stream) => talk(stream, state, base).await,
                            Err(_) => state.lock().refused_handshakes += 1,
                        },
                    }
                });
            }
        });
        Self { url, state, task }
    }
}

async fn talk<S>(stream: S, state: Arc<Mutex<State>>, base: String)
where
    S: AsyncRead + AsyncWrite + Unpin + 'static,
{
    let service = service_fn(move |request| answer(Arc::clone(&state), base.clone(), request));
    let served = hyper::server::conn::http1::Builder::new();
    let _ = served.serve_connection(TokioIo::new(stream), service).await;
}

async fn answer(
    state: Arc<Mutex<State>>,
    base: String,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let mut state = state.lock();
    let path = head.uri.path().to_owned();
    state.requests.push(format!("{} {path}", head.method));
    if path.ends_with("/auth/tokens") {
        return Ok(log_in(&mut state, &base, &body));
    }
    if !state.refuse.is_empty() {
        let status = state.refuse.remove(0);
        let mut answer = json_of(status, &error("Refused", "to order"));
        if let Some(seconds) = state.retry_after {
            let seconds = HeaderValue::from_static(seconds);
            answer.headers_mut().insert(RETRY_AFTER, seconds);
        }
        return Ok(answer);
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
    state.logins.push(body["auth"].clone());
    let token = format!("token-{}", state.logins.len());
    state.token = Some(token.clone());
    let endpoint = |interface: &str, region: &str, url: &str| json!({ "interface": interface, "region": region, "url": url });
    let body = json!({ "token": {
        "expires_at": state.expires,
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
            (&Method::POST, ["ports"]) => {
                let network = body["port"]["network_id"].as_str().unwrap().to_owned();
                self.ports.push(network);
                (StatusCode::CREATED, json!({ "port": { "id": "port" } }))
            }
            (&Method::DELETE, ["ports", _]) => {
                self.ports.clear();
                (StatusCode::NO_CONTENT, Value::Null)
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
                // As in the real server: a gateway must not lie in a pool, and the pools stay
                // unless specified.
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
                let Some(at) = self.list(kind).iter().position(|it| it["id"] == *id) else {
                    return missing(singular, id);
                };
                let network = match kind {
                    "networks" => (*id).to_owned(),
                    _ => self.list(kind)[at]["network_id"]
                        .as_str()
                        .unwrap()
                        .to_owned(),
                };
                if self.ports.contains(&network) {
                    return in_use(singular, id);
                }
                self.list(kind).remove(at);
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
        if let Some(gateway) = given["gateway_ip"].as_str() {
            let version = if gateway.contains(':') { 6 } else { 4 };
            if given["ip_version"] != version
                || gateway.contains(':') != given["cidr"].as_str().unwrap().contains(':')
            {
                let message = format!(
                    "Invalid input for operation: gateway_ip '{gateway}' does not match the ip_version '{}'.",
                    10 - version
                );
                return (StatusCode::BAD_REQUEST, error("InvalidInput", &message));
            }
        }
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
    let name = capitalized(singular);
    let message = format!("{name} {id} could not be found.");
    let error = error(&format!("{name}NotFound"), &message);
    (StatusCode::NOT_FOUND, error)
}

fn in_use(singular: &str, id: &str) -> (StatusCode, Value) {
    let message = match singular {
        "network" => format!(
            "Unable to complete operation on network {id}. There are one or more ports still in use on the network, id for these ports is: port."
        ),
        _ => format!(
            "Unable to complete operation on subnet {id}: One or more ports have an IP allocation from this subnet."
        ),
    };
    let error = error(&format!("{}InUse", capitalized(singular)), &message);
    (StatusCode::CONFLICT, error)
}

fn capitalized(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
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
