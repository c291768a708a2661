//! `etcd`, as far as envtest needs it: the server stores its objects itself, so this one is only
//! healthy.

use std::convert::Infallible;

use anyhow::{Context, bail};
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::net::TcpListener;

use super::flags::{Effect, Flag, Given, flag, warn};
use super::stopped;

const CLIENT_URLS: &str = "listen-client-urls";

const FLAGS: &[Flag] = &[
    flag(
        CLIENT_URLS,
        Effect::Same,
        "the URLs to answer at, separated by commas",
    ),
    flag("listen-peer-urls", Effect::None, "there are no peers"),
    flag(
        "advertise-client-urls",
        Effect::None,
        "nobody asks for them",
    ),
    flag(
        "initial-advertise-peer-urls",
        Effect::None,
        "there are no peers",
    ),
    flag("initial-cluster", Effect::None, "there are no peers"),
    flag("name", Effect::None, "there are no peers"),
    flag("data-dir", Effect::None, "nothing is stored"),
    flag("unsafe-no-fsync", Effect::None, "nothing is stored"),
    flag("log-level", Effect::None, "little is logged"),
    flag("help", Effect::Same, "print this help"),
    flag("version", Effect::Same, "print the version"),
];

const ABOUT: &str =
    "An etcd for envtest with embedded-apiserver: it is healthy, and stores nothing.";
const VERSION: &str = concat!(
    "etcd Version: 3.6.0 (embedded-apiserver ",
    env!("CARGO_PKG_VERSION"),
    ")"
);

/// The answers, by path.
const ANSWERS: &[(&str, &str)] = &[
    ("/health", r#"{"health":"true","reason":""}"#),
    ("/livez", "ok"),
    ("/readyz", "ok"),
    (
        "/version",
        r#"{"etcdserver":"3.6.0","etcdcluster":"3.6.0"}"#,
    ),
];

pub(super) fn run(arguments: &[String]) -> anyhow::Result<()> {
    let given = Given::read(arguments, FLAGS);
    if given.answers(FLAGS, ABOUT, VERSION)? {
        return Ok(());
    }
    let urls = given.list(CLIENT_URLS);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        if urls.is_empty() {
            warn(&format!("without --{CLIENT_URLS} nobody is answered"));
        }
        for url in urls {
            let listener = listen(url).await?;
            tokio::spawn(serve(listener));
        }
        stopped().await
    })
}

async fn listen(url: &str) -> anyhow::Result<TcpListener> {
    let Some(address) = url.strip_prefix("http://") else {
        bail!("--{CLIENT_URLS}: expected http://HOST:PORT, not {url:?}");
    };
    let address = address.trim_end_matches('/');
    TcpListener::bind(address)
        .await
        .with_context(|| format!("cannot listen on {address}"))
}

async fn serve(listener: TcpListener) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // For example out of file descriptors: some may be freed soon.
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            continue;
        };
        tokio::spawn(async move {
            let service = service_fn(|request| std::future::ready(answer(&request)));
            let builder = auto::Builder::new(TokioExecutor::new());
            // A client that goes away is no fault.
            drop(
                builder
                    .serve_connection(TokioIo::new(stream), service)
                    .await,
            );
        });
    }
}

fn answer(request: &Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let path = request.uri().path();
    let found = ANSWERS.iter().find(|(own, _)| *own == path);
    let (status, kind, text) = match found {
        Some((_, text)) if text.starts_with('{') => (StatusCode::OK, "application/json", *text),
        Some((_, text)) => (StatusCode::OK, "text/plain", *text),
        None => (
            StatusCode::NOT_FOUND,
            "text/plain",
            "this etcd stores nothing: embedded-apiserver keeps the objects of its kube-apiserver\n",
        ),
    };
    let mut response = Response::new(Full::from(text));
    *response.status_mut() = status;
    let kind = http::HeaderValue::from_static(kind);
    response.headers_mut().insert(CONTENT_TYPE, kind);
    Ok(response)
}
