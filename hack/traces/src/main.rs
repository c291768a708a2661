//! An operator whose spans go to a collector: the program of docs/deploying.md.

use std::process::ExitCode;

use opentelemetry::trace::{TraceContextExt, TracerProvider};
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing_opentelemetry::OpenTelemetrySpanExt;

fn main() -> ExitCode {
    // OTEL_EXPORTER_OTLP_ENDPOINT names the collector, OTEL_SERVICE_NAME the operator.
    let exporter = opentelemetry_otlp::SpanExporter::builder()
        .with_http()
        .build();
    let exporter = exporter.expect("OTEL_EXPORTER_OTLP_* are valid");
    let provider = SdkTracerProvider::builder()
        .with_batch_exporter(exporter)
        .build();
    let spans = tracing_opentelemetry::layer().with_tracer(provider.tracer(app::NAME));
    let app = app::app().spans(spans).trace_ids(|span| {
        let context = span.context();
        let id = context.span().span_context().trace_id();
        Some(id.to_string())
    });
    let code = app.main(app::setup);
    // Sends what is left.
    let _ = provider.shutdown();
    code
}

/// Records an event about each ConfigMap.
mod app {
    use codegen_runtime::app::{App, BoxError, Demo, Process};
    use codegen_runtime::controller::{Action, Context, Controller, reconcile_with};
    use codegen_runtime::k8s_openapi::api::core::v1::ConfigMap;
    use codegen_runtime::kube::{self, Api};
    use codegen_runtime::manager::ManagerBuilder;

    pub const NAME: &str = "traces";

    const OBJECT: &str =
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: traced, namespace: default}}";

    pub fn app() -> App {
        App::new(NAME, "0.0.0").demo(Demo::new().objects(OBJECT))
    }

    pub async fn setup(process: Process, _own: ()) -> Result<ManagerBuilder, BoxError> {
        let factory = process.factory();
        let context = Context::<ConfigMap>::new(&factory, process.recorder());
        let controller = Controller::builder("config_map", &factory)
            .for_::<ConfigMap>()
            .build(reconcile_with(context, |request, context| async move {
                let namespace = request.namespace().unwrap_or_default();
                let maps = Api::<ConfigMap>::namespaced(context.client().clone(), namespace);
                let map = maps.get(request.key.name()).await?;
                context.recorder().normal(&map, "Traced", "Trace", "seen");
                Ok::<_, kube::Error>(Action::done())
            }))?;
        Ok(process.manager(&factory)?.controller(controller))
    }
}
