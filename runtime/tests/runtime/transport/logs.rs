//! Failures in logs.

use std::io;
use std::sync::{Arc, Mutex};

use codegen_runtime::client::TypedClient;
use codegen_runtime::connect::ClientOptions;
use codegen_runtime::controller::{Action, Controller, reconcile_fn};
use codegen_runtime::error::chain;
use codegen_runtime::informer::SharedInformerFactory;
use k8s_openapi::api::core::v1::ConfigMap;
use tokio_util::sync::CancellationToken;
use tracing::subscriber::DefaultGuard;

use crate::transport::http_server::{
    HttpServer, Seen, cm, config, fail, list, ok, refusing, stream, text,
};
use crate::transport::within;

/// The log output of this thread.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Log {
    pub(crate) fn capture() -> (Self, DefaultGuard) {
        let log = Self::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_ansi(false)
            .with_max_level(tracing::Level::DEBUG)
            .with_writer(move || writer.clone())
            .finish();
        (log, tracing::subscriber::set_default(subscriber))
    }

    /// Returns the lines that contain `text`.
    pub(crate) fn lines(&self, text: &str) -> Vec<String> {
        let log = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        let lines = log.lines().filter(|line| line.contains(text));
        lines.map(str::to_owned).collect()
    }

    /// Waits for a line that contains `text`.
    async fn line(&self, text: &str) -> String {
        let line = async {
            loop {
                if let Some(line) = self.lines(text).into_iter().next() {
                    return line;
                }
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            }
        };
        within(line).await
    }
}

#[tokio::test]
async fn a_refused_connection_is_logged_as_one() {
    let (log, _guard) = Log::capture();
    let (_socket, address) = refusing();
    for client in [
        ClientOptions::new().connect(config(address)).unwrap(),
        kube::Client::try_from(config(address)).unwrap(),
    ] {
        log.0.lock().unwrap().clear();
        let factory = SharedInformerFactory::builder(client).build();
        factory.informer_for::<ConfigMap>();
        factory.start(&CancellationToken::new());
        let line = log.line("failed to watch configmaps").await;
        assert!(line.contains("watch configmaps: "), "{line}");
        assert!(line.contains("onnection refused"), "{line}");
        factory.shutdown().await;
    }
}

#[tokio::test]
async fn every_error_names_verb_kind_object_server_and_cause() {
    let check = async |answer: Option<(u16, &'static str)>, expected: &str| {
        let (_socket, nobody) = refusing();
        let (address, _server) = match answer {
            None => (nobody, None),
            Some((code, reason)) => {
                let answer = move |_: Seen| match reason {
                    "" => text(code, "404 page not found\n"),
                    reason => fail(code, reason, "no such luck"),
                };
                let server = HttpServer::start(answer).await;
                (server.address(), Some(server))
            }
        };
        let client = ClientOptions::new().connect(config(address)).unwrap();
        let maps = TypedClient::<ConfigMap>::namespaced(client, "apps");
        let error = within(maps.get("a")).await.unwrap_err();
        let expected = expected.replace("SERVER", &format!("http://{address}"));
        let told = chain(&error).to_string();
        assert!(told.starts_with(&expected), "{told}");
        assert!(!told.contains('\n'), "{told}");
    };
    check(
        None,
        "get configmaps \"apps/a\": no answer from SERVER: client error (Connect): tcp connect error: ",
    )
    .await;
    check(
        Some((409, "Conflict")),
        "get configmaps \"apps/a\" at SERVER: no such luck (409 Conflict)",
    )
    .await;
    check(
        Some((404, "")),
        "get configmaps \"apps/a\" at SERVER: the server does not serve configmaps in v1: is its CRD installed? (404)",
    )
    .await;
}

#[tokio::test]
async fn what_the_server_refuses_is_logged_without_the_fields_of_its_answer() {
    let (log, _guard) = Log::capture();
    let server = HttpServer::start(|_| fail(403, "Forbidden", "maps are forbidden")).await;
    let factory = SharedInformerFactory::builder(server.kube_client()).build();
    factory.informer_for::<ConfigMap>();
    factory.start(&CancellationToken::new());
    let line = log.line("failed to list configmaps").await;
    assert!(
        line.contains("maps are forbidden (403 Forbidden)"),
        "{line}"
    );
    assert!(!line.contains('{'), "no debug form: {line}");
    factory.shutdown().await;
}

#[derive(Debug, thiserror::Error)]
#[error("cannot start the machine")]
struct Outer(#[source] io::Error);

#[tokio::test]
async fn the_causes_of_a_failed_reconciliation_are_logged() {
    let (log, _guard) = Log::capture();
    let server = HttpServer::start(|seen| match seen.is_watch() {
        true if seen.is_streamed_list() => fail(422, "Invalid", "no streams"),
        true => stream().0,
        false => ok(&list(10, &[cm("a", 1)])),
    })
    .await;
    let factory = SharedInformerFactory::builder(server.kube_client()).build();
    let controller = Controller::builder("machines", &factory)
        .for_::<ConfigMap>()
        .build(reconcile_fn(|_| {
            let cause = io::Error::other("no such image");
            std::future::ready(Err::<Action, _>(Outer(cause)))
        }))
        .unwrap();
    let stop = CancellationToken::new();
    factory.start(&stop);
    let run = controller.run(&stop, None);
    tokio::select! {
        _ = run => panic!("nothing stops it"),
        line = log.line("reconciler error") => {
            assert!(line.contains("cannot start the machine: no such image"), "{line}");
        }
    }
}
