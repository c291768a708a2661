//! The tower service: handles one request.

pub(crate) mod authentication;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, USER_AGENT};
use http::request::Parts;
use http::{Method, Request, Response};
use serde_json::{Value, json};

use self::authentication::OwnUser;
use crate::BoxError;
use crate::authorization;
use crate::core::Core;
use crate::heavy;
use crate::http::body::{Body, read_body};
use crate::http::health;
use crate::http::negotiate::{self, Format, OpenApiFormat};
use crate::http::path::{self, ObjectPath, Route};
use crate::http::query::Query;
use crate::http::respond as responses;
use crate::http::respond::{Answer, Content, Layout, respond, respond_error};
use crate::http::websocket::{self, ListenerStop};
use crate::metrics;
use crate::openapi;
use crate::rbac::access::{Access, Target};
use crate::rbac::user::User;
use crate::registry::Served;
use crate::rest::{self, Call, Requester, Verb};
use crate::status::ApiError;
use crate::testing::faults::Struck;
use crate::testing::interception::Failed;
use crate::testing::recorder::Action;

/// The API server as a [`tower::Service`], for a `kube::Client` or an HTTP listener.
///
/// API failures are responses. The only error is a connection broken by an injected fault.
#[derive(Clone, Debug)]
pub struct ApiService {
    core: Arc<Core>,
    /// The user of requests without `Impersonate-User`.
    user: Arc<str>,
}

impl ApiService {
    pub(crate) fn new(core: Arc<Core>) -> Self {
        Self {
            core,
            user: Arc::from(""),
        }
    }

    /// Returns the same service with requests recorded under `user`. `Impersonate-User` takes
    /// precedence.
    #[must_use]
    pub fn of_user(mut self, user: &str) -> Self {
        self.user = Arc::from(user);
        self
    }
}

impl<B> tower::Service<Request<B>> for ApiService
where
    B: http_body::Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<BoxError>,
{
    type Response = Response<Body>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, BoxError>> + Send>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let core = self.core.clone();
        let user = self.user.clone();
        Box::pin(async move {
            let (mut parts, body) = request.into_parts();
            parts.extensions.insert(OwnUser(user));
            let body = match read_body(body).await {
                Ok(body) => body,
                Err(error) => return Ok(respond_error(&error, Format::Json)),
            };
            if heavy::is_heavy(&core, &parts, &body) {
                return heavy::run(async move { handle(&core, &parts, body).await }).await?;
            }
            handle(&core, &parts, body).await
        })
    }
}

fn header(parts: &Parts, name: http::HeaderName) -> Option<String> {
    parts.headers.get(name)?.to_str().ok().map(str::to_owned)
}

async fn handle(core: &Arc<Core>, parts: &Parts, body: Bytes) -> Result<Response<Body>, BoxError> {
    let parsed = path::parse(parts.uri.path()).and_then(|route| {
        let query = Query::parse(parts.uri.query().unwrap_or_default())?;
        Ok((route, query))
    });
    let (route, query) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return Ok(respond_error(&error, Format::Json)),
    };
    let layout = if query.flag("pretty") {
        Layout::Pretty
    } else {
        Layout::Compact
    };
    let user = match authentication::user(core, parts) {
        Ok(user) => user,
        Err(error) => return Ok(respond_error(&error, Format::Json)),
    };
    let result = match route {
        Route::Objects(path) => match objects(core, parts, user, path, query, body).await {
            Ok(answer) => Ok(answer),
            Err(Failed::Error(error)) => Err(error),
            Err(Failed::Broken(error)) => return Err(error),
        },
        other => authorize_path(core, parts, &user).map(|()| {
            documents(core, parts, &other).unwrap_or_else(|error| match error.code {
                404 => not_found_page(),
                _ => error_answer(&error),
            })
        }),
    };
    let response = match result {
        Ok(Answer {
            content: Content::Events(events),
            ..
        }) if websocket::is_requested(&parts.headers) => websocket::respond(parts, events),
        Ok(answer) => respond(end_with_listener(answer, parts), layout),
        Err(error) => {
            let accepted =
                negotiate::accept_objects(header(parts, ACCEPT).as_deref()).unwrap_or_default();
            respond_error(&error, accepted.format)
        }
    };
    Ok(if parts.method == Method::HEAD {
        response.map(|_| Body::full(Bytes::new()))
    } else {
        response
    })
}

/// Checks that the user may request a path that is not of objects.
fn authorize_path(core: &Core, parts: &Parts, user: &User) -> Result<(), ApiError> {
    let target = Target::Path {
        verb: &parts.method.as_str().to_ascii_lowercase(),
        path: parts.uri.path(),
    };
    authorization::require(core, user, target)
}

/// Lets a watch end with its listener: without an error, as when a real server stops.
fn end_with_listener(answer: Answer, parts: &Parts) -> Answer {
    match (answer.content, parts.extensions.get::<ListenerStop>()) {
        (Content::Events(events), Some(stop)) => Answer {
            content: Content::Events(events.ended_by(stop.0.clone())),
            ..answer
        },
        (content, _) => Answer { content, ..answer },
    }
}

/// Answers requests for anything but objects: discovery, version, health, OpenAPI.
fn documents(core: &Core, parts: &Parts, route: &Route) -> Result<Answer, ApiError> {
    if parts.method != Method::GET && parts.method != Method::HEAD {
        return Err(ApiError::method_not_allowed());
    }
    let accept = header(parts, ACCEPT);
    let aggregated = negotiate::accept_aggregated(accept.as_deref());
    let registry = &core.registry;
    let found = |document: Option<Value>| {
        document
            .map(|d| plain(d, accept.as_deref()))
            .ok_or_else(ApiError::no_such_resource)
    };
    match route {
        Route::Root => Ok(plain(json!({"paths": root_paths(core)}), accept.as_deref())),
        Route::Version => Ok(plain(version(), accept.as_deref())),
        Route::Health(endpoint, check) => {
            let query = Query::parse(parts.uri.query().unwrap_or_default())?;
            let answer = health::answer(endpoint, check, &query);
            let text = answer.ok_or_else(ApiError::no_such_resource)?;
            Ok(Answer::new(200, Content::Text(text)))
        }
        Route::Metrics => Ok(Answer::new(200, Content::Text(metrics::text(core)))),
        Route::Core => Ok(match aggregated {
            Some(version) => responses::discovery(registry.aggregated_core(version), version),
            None => plain(registry.api_versions(), accept.as_deref()),
        }),
        Route::Groups => Ok(match aggregated {
            Some(version) => responses::discovery(registry.aggregated_groups(version), version),
            None => plain(registry.api_group_list(), accept.as_deref()),
        }),
        Route::Group(group) => found(registry.api_group(group)),
        Route::GroupVersion(group, version) => found(registry.api_resource_list(group, version)),
        Route::OpenApiV3(path) => {
            negotiate::accept_openapi(accept.as_deref(), false)?;
            let document = match path.as_str() {
                "" => Some(openapi::index(registry)),
                path => openapi::document(core, path),
            };
            let document = document.ok_or_else(ApiError::no_such_resource)?;
            Ok(plain(document, None))
        }
        Route::OpenApiV2 => Ok(match negotiate::accept_openapi(accept.as_deref(), true)? {
            OpenApiFormat::Json => plain(openapi::v2_document(), None),
            OpenApiFormat::Protobuf => Answer::new(200, Content::OpenApiV2(openapi::v2_protobuf())),
        }),
        Route::Objects(_) | Route::Unknown => Err(ApiError::no_such_resource()),
    }
}

/// The answer for unknown paths.
fn not_found_page() -> Answer {
    Answer::new(404, Content::Text("404 page not found\n".to_owned()))
}

fn error_answer(error: &ApiError) -> Answer {
    Answer::new(
        error.code,
        Content::Document(error.to_status(), Format::Json),
    )
}

fn plain(document: Value, accept: Option<&str>) -> Answer {
    let format = match negotiate::accept_objects(accept) {
        Ok(accepted) => accepted.format,
        Err(_) => Format::Json,
    };
    Answer::new(200, Content::Document(document, format))
}

fn root_paths(core: &Core) -> Vec<String> {
    let mut paths: Vec<String> = ["/api", "/api/v1", "/apis"].map(str::to_owned).into();
    for group in core.registry.groups().iter().filter(|g| !g.name.is_empty()) {
        paths.push(format!("/apis/{}", group.name));
        for (version, _) in &group.versions {
            paths.push(format!("/apis/{}/{version}", group.name));
        }
    }
    paths.extend(
        [
            "/healthz",
            "/livez",
            "/metrics",
            "/openapi/v2",
            "/openapi/v3",
            "/readyz",
            "/version",
        ]
        .map(str::to_owned),
    );
    paths
}

fn version() -> Value {
    let minor = crate::VERSION.split('.').nth(1).unwrap_or_default();
    json!({
        "major": "1",
        "minor": minor,
        "emulationMajor": "1",
        "emulationMinor": minor,
        "gitVersion": crate::VERSION,
        "gitCommit": "",
        "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "",
        "compiler": "",
        "platform": "linux/amd64",
    })
}

/// Derives the verb of a request from its method and from whether it names an object.
fn verb(parts: &Parts, path: &ObjectPath, query: &Query) -> Result<Verb, ApiError> {
    let named = !path.name.is_empty();
    match parts.method {
        Method::GET | Method::HEAD if path.watch => Ok(Verb::Watch),
        Method::GET | Method::HEAD if named => Ok(Verb::Get),
        Method::GET | Method::HEAD if query.flag("watch") => Ok(Verb::Watch),
        Method::GET | Method::HEAD => Ok(Verb::List),
        Method::POST if !named || !path.subresource.is_empty() => Ok(Verb::Create),
        Method::PUT if named => Ok(Verb::Update),
        Method::PATCH if named => Ok(Verb::Patch),
        Method::DELETE if named => Ok(Verb::Delete),
        Method::DELETE => Ok(Verb::DeleteCollection),
        _ => Err(ApiError::method_not_allowed()),
    }
}

/// Answers a request for objects.
async fn objects(
    core: &Arc<Core>,
    parts: &Parts,
    user: User,
    path: ObjectPath,
    query: Query,
    body: Bytes,
) -> Result<Answer, Failed> {
    let verb = match verb(parts, &path, &query) {
        Ok(verb) => verb,
        Err(_) if !core.registry.serves(&path.group, &path.version) => {
            return Ok(not_found_page());
        }
        Err(error) => return Err(lookup(core, &path).err().unwrap_or(error).into()),
    };
    let content_type = header(parts, CONTENT_TYPE);
    let action = action(verb, &path, parts, &user, content_type.as_deref());
    let access = Access::of(&action);
    let intercepted = core.interceptor.intercept(action, &body).await?;
    let handled = async {
        authorization::require(core, &user, Target::Resource(&access))?;
        if let Some(answer) = intercepted.answer() {
            return answer;
        }
        if !core.registry.serves(&path.group, &path.version) {
            return Ok(not_found_page());
        }
        let call = Call {
            requester: Requester {
                user,
                request: Some(intercepted.recorded),
                ..Requester::default()
            },
            content_type,
            body,
            struck: intercepted.struck.clone(),
            ..resolve(core, parts, path, query, verb)?
        };
        rest::dispatch(core, &call).await
    };
    let answer = handled.await;
    if matches!(verb, Verb::Update | Verb::Patch) && answer.as_ref().is_ok_and(|it| it.code == 201)
    {
        core.interceptor.recorder.created(intercepted.recorded);
    }
    Ok(intercepted.send(answer).await?)
}

fn action(
    verb: Verb,
    path: &ObjectPath,
    parts: &Parts,
    user: &User,
    content_type: Option<&str>,
) -> Action {
    Action {
        user: user.name.clone(),
        verb: verb.name(),
        group: path.group.clone(),
        version: path.version.clone(),
        resource: path.plural.clone(),
        subresource: path.subresource.clone(),
        namespace: path.namespace.clone(),
        name: path.name.clone(),
        content_type: content_type.unwrap_or_default().to_owned(),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        body: Value::Null,
        created: false,
        implied: Vec::new(),
    }
}

/// Returns the served resource of a path.
fn lookup(core: &Core, path: &ObjectPath) -> Result<Served, ApiError> {
    core.registry
        .lookup(&path.group, &path.version, &path.plural)
        .ok_or_else(ApiError::no_such_resource)
}

/// Resolves a path to a request.
fn resolve(
    core: &Core,
    parts: &Parts,
    path: ObjectPath,
    query: Query,
    verb: Verb,
) -> Result<Call, ApiError> {
    let served = lookup(core, &path)?;
    // The router of built-in kinds has no routes for HEAD.
    if parts.method == Method::HEAD && !served.resource.is_custom() {
        return Err(ApiError::method_not_allowed());
    }
    let namespaced = served.resource.namespaced;
    // Namespaced objects are only reached through their namespace; lists and watches may span all
    // namespaces.
    let spans_all = matches!(verb, Verb::List | Verb::Watch);
    if namespaced != path.in_namespace && !(namespaced && spans_all && path.name.is_empty()) {
        let is_collection = path.name.is_empty() && path.subresource.is_empty();
        return Err(if namespaced && is_collection {
            ApiError::method_not_allowed()
        } else {
            ApiError::no_such_resource()
        });
    }
    if verb == Verb::DeleteCollection && !served.resource.rules.delete_collection {
        return Err(ApiError::method_not_allowed());
    }
    let custom = served.resource.is_custom();
    let accepted = negotiate::accept_objects(header(parts, ACCEPT).as_deref()).map_err(|error| match verb {
        // For built-in kinds, the router rejects an `Accept` header that no handler supports.
        _ if custom || verb == Verb::Watch => error,
        _ => ApiError::new(
            406,
            "NotAcceptable",
            "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf",
        )
        .with_causes(Vec::new()),
    })?;
    let subresource = rest::subresource(core, &served, &path)?;
    Ok(Call {
        verb,
        served,
        namespace: path.namespace,
        name: path.name,
        subresource,
        query,
        accepted,
        content_type: None,
        user_agent: header(parts, USER_AGENT).unwrap_or_default(),
        requester: Requester::default(),
        body: Bytes::new(),
        struck: Struck::default(),
    })
}
