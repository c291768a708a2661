//! Spans of reconciliations and of their requests.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use codegen_runtime::connect::ClientOptions;
use codegen_runtime::controller::{Action, Request, reconcile_fn};
use codegen_runtime::event::{EventBroadcaster, Reporter};
use codegen_runtime::traces::{self, TARGET, TRACE_ID};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::Api;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;

use crate::control::rig::Rig;
use crate::transport::http_server::{HttpServer, cm, fail, ok};

/// A span, as an exporter would get it.
#[derive(Clone, Debug, Default)]
struct Span {
    name: &'static str,
    parent: Option<u64>,
    fields: BTreeMap<&'static str, String>,
    is_closed: bool,
}

impl Visit for Span {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.fields.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.fields.insert(field.name(), value.to_owned());
    }
}

/// Keeps the spans of this thread.
#[derive(Clone, Default)]
struct Exporter(Arc<Mutex<BTreeMap<u64, Span>>>);

impl<S: tracing::Subscriber + for<'s> LookupSpan<'s>> Layer<S> for Exporter {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        if attributes.metadata().target() != TARGET {
            return;
        }
        let parent = context.span(id).unwrap().parent();
        let mut span = Span {
            name: attributes.metadata().name(),
            parent: parent.map(|parent| parent.id().into_u64()),
            ..Span::default()
        };
        attributes.record(&mut span);
        self.0.lock().unwrap().insert(id.into_u64(), span);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, _: Context<'_, S>) {
        if let Some(span) = self.0.lock().unwrap().get_mut(&id.into_u64()) {
            values.record(span);
        }
    }

    fn on_close(&self, id: Id, _: Context<'_, S>) {
        if let Some(span) = self.0.lock().unwrap().get_mut(&id.into_u64()) {
            span.is_closed = true;
        }
    }
}

impl Exporter {
    fn spans(&self, name: &str) -> Vec<(u64, Span)> {
        let spans = self.0.lock().unwrap();
        let spans = spans.iter().filter(|(_, span)| span.name == name);
        spans.map(|(id, span)| (*id, span.clone())).collect()
    }
}

/// Runs a controller until it has reconciled `name`, with a request to the server; returns the span
/// of the reconciliation and that of the request.
async fn trace(server: &HttpServer, name: &'static str) -> (Span, Span) {
    let exporter = Exporter::default();
    let subscriber = tracing_subscriber::registry().with(exporter.clone());
    let _traced = tracing::subscriber::set_default(subscriber);
    let client = ClientOptions::new().connect(server.config()).unwrap();
    let maps: Api<ConfigMap> = Api::namespaced(client, "default");
    let rig = Rig::new();
    rig.put(name);
    let done = Arc::new(tokio::sync::Notify::new());
    let reconciled = done.clone();
    let reconciler = reconcile_fn(move |_: Request| {
        let (maps, reconciled) = (maps.clone(), reconciled.clone());
        async move {
            let got = maps.get(name).await;
            reconciled.notify_one();
            got.map(|_| Action::done())
        }
    });
    let controller = rig.builder().for_::<ConfigMap>().build(reconciler);
    let task = rig.run(controller.unwrap());
    done.notified().await;
    rig.stop.cancel();
    assert_eq!(task.await.unwrap(), Ok(()));
    let (reconciles, requests) = (exporter.spans("reconcile"), exporter.spans("request"));
    let [(id, reconcile)] = reconciles.as_slice() else {
        panic!("{reconciles:?}");
    };
    let [(_, request)] = requests.as_slice() else {
        panic!("{requests:?}");
    };
    assert_eq!(request.parent, Some(*id));
    assert!(reconcile.is_closed && request.is_closed);
    (reconcile.clone(), request.clone())
}

fn has(span: &Span, expected: &[(&str, &str)]) {
    for (field, value) in expected {
        let found = span.fields.get(field).map(String::as_str);
        assert_eq!(found, Some(*value), "{field} of {span:?}");
    }
}

#[tokio::test]
async fn a_reconciliation_is_a_trace_with_its_requests() {
    let server = HttpServer::start(|_| ok(&cm("a", 2))).await;
    let (reconcile, request) = trace(&server, "a").await;
    assert_eq!(reconcile.parent, None);
    has(
        &reconcile,
        &[
            ("controller", "test"),
            ("key", "default/a"),
            ("retries", "0"),
            ("result", "success"),
        ],
    );
    has(
        &request,
        &[
            ("otel.kind", "client"),
            ("http.request.method", "GET"),
            ("url.path", "/api/v1/namespaces/default/configmaps/a"),
            ("http.response.status_code", "200"),
        ],
    );
    for span in [reconcile, request] {
        assert!(!span.fields.contains_key("otel.status_code"), "{span:?}");
    }
}

#[tokio::test]
async fn spans_of_what_failed_say_so() {
    let server = HttpServer::start(|_| fail(403, "Forbidden", "not you")).await;
    let (reconcile, request) = trace(&server, "a").await;
    has(
        &reconcile,
        &[("result", "error"), ("otel.status_code", "ERROR")],
    );
    has(
        &request,
        &[
            ("http.response.status_code", "403"),
            ("otel.status_code", "ERROR"),
        ],
    );
}

#[tokio::test]
async fn events_of_a_reconciliation_have_the_id_of_its_trace() {
    traces::identify(|span| Some(format!("{:032x}", span.id()?.into_u64())));
    let exporter = Exporter::default();
    let subscriber = tracing_subscriber::registry().with(exporter.clone());
    let _traced = tracing::subscriber::set_default(subscriber);
    let rig = Rig::new();
    rig.put("a");
    let broadcaster = EventBroadcaster::new(rig.server.client());
    let recorder = broadcaster.recorder(Reporter::new("test", "test-0"));
    let stop = rig.stop.clone();
    let written = tokio::spawn(async move { broadcaster.run(&stop).await });
    let mut outside = ConfigMap::default();
    outside.metadata.name = Some("outside".to_owned());
    recorder.normal(&outside, "Seen", "See", "before");
    let reconciler = reconcile_fn(move |request: Request| {
        let recorder = recorder.clone();
        async move {
            let mut map = ConfigMap::default();
            map.metadata.name = Some(request.key.name().to_owned());
            recorder.normal(&map, "Seen", "See", "within");
            Ok::<_, kube::Error>(Action::done())
        }
    });
    let controller = rig.builder().for_::<ConfigMap>().build(reconciler);
    let task = rig.run(controller.unwrap());
    while rig.server.list("events").len() < 2 {
        tokio::task::yield_now().await;
    }
    rig.stop.cancel();
    assert_eq!(task.await.unwrap(), Ok(()));
    written.await.unwrap();
    let spans = exporter.spans("reconcile");
    let [(id, _)] = spans.as_slice() else {
        panic!("{spans:?}");
    };
    for event in rig.server.list("events") {
        let found = event["metadata"]["annotations"][TRACE_ID].as_str();
        let expected = (event["note"] == "within").then(|| format!("{id:032x}"));
        assert_eq!(found, expected.as_deref(), "{event}");
    }
}
