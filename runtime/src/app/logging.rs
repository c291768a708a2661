//! Sets up logging, as plain lines or as JSON.

use std::fmt;
use std::io::{self, IsTerminal};

use tracing::{Event, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::{self, FormatEvent, FormatFields, JsonFields, Writer};
use tracing_subscriber::fmt::{FmtContext, layer};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry};

use super::{AppError, LogFlags, LogFormat};
use crate::traces::{self, TARGET};

/// What receives spans, beside the log.
pub(super) type Spans = Box<dyn Layer<Registry> + Send + Sync>;

/// Starts logging to standard error, once per process, and hands the runtime's spans to `spans`.
/// Without `-v` the filter of the log is `quiet`, such as `info`; `-v` raises `crates` above the
/// libraries that they use.
pub(super) fn start(
    flags: &LogFlags,
    quiet: &str,
    crates: &[String],
    spans: Option<Spans>,
) -> Result<(), AppError> {
    let wanted = Targets::new().with_target(TARGET, tracing::Level::DEBUG);
    let spans = spans.map(|spans| spans.with_filter(wanted));
    let is_terminal = io::stderr().is_terminal();
    let lines = layer().with_ansi(is_terminal).with_writer(io::stderr);
    let format = format::format()
        .with_ansi(is_terminal)
        .with_target(flags.verbosity > 0);
    let lines = match flags.log_format {
        LogFormat::Text => lines.event_format(Traced(format, with_field)).boxed(),
        LogFormat::Json => {
            let format = format.json().flatten_event(true);
            let format = format.with_current_span(false).with_span_list(false);
            lines
                .fmt_fields(JsonFields::new())
                .event_format(Traced(format, with_member))
                .boxed()
        }
    };
    let lines = lines.with_filter(filter(flags.verbosity, quiet, crates));
    let subscriber = tracing_subscriber::registry().with(spans).with(lines);
    subscriber.try_init().map_err(|_| AppError::Logging)
}

/// Formats lines with the id of the trace that they belong to, which the function adds.
struct Traced<F>(F, fn(&str, &str) -> String);

impl<S, N, F> FormatEvent<S, N> for Traced<F>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let Self(format, add) = self;
        let Some(id) = traces::current() else {
            return format.format_event(context, writer, event);
        };
        let mut line = String::new();
        format.format_event(context, Writer::new(&mut line), event)?;
        writer.write_str(&add(line.trim_end_matches('\n'), &id))
    }
}

/// A line of text with the id.
fn with_field(line: &str, id: &str) -> String {
    format!("{line} trace_id={id}\n")
}

/// A line of JSON with the id.
fn with_member(line: &str, id: &str) -> String {
    match line.strip_suffix('}') {
        Some(members) => format!("{members},\"trace_id\":{}}}\n", serde_json::json!(id)),
        None => format!("{line}\n"),
    }
}

/// Returns the filter of `RUST_LOG` if it is set, else that of `-v`.
fn filter(verbosity: u8, quiet: &str, crates: &[String]) -> EnvFilter {
    EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| EnvFilter::new(directives(verbosity, quiet, crates)))
}

fn directives(verbosity: u8, quiet: &str, crates: &[String]) -> String {
    let (others, ours) = match verbosity {
        0 => return quiet.to_owned(),
        1 => ("info", "debug"),
        _ => ("debug", "trace"),
    };
    let crates = crates.iter().map(String::as_str);
    crates
        .chain(["codegen_runtime"])
        .fold(others.to_owned(), |text, name| {
            format!("{text},{name}={ours}")
        })
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tracing_subscriber::fmt::MakeWriter;

    use super::*;
    use crate::traces::Trace;

    /// What was logged.
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Log {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl<'a> MakeWriter<'a> for Log {
        type Writer = Self;

        fn make_writer(&'a self) -> Self {
            self.clone()
        }
    }

    #[test]
    fn lines_of_a_trace_have_its_id() {
        traces::identify(|_| Some("4bf9".to_owned()));
        let log = Log::default();
        let format = format::format().json().flatten_event(true);
        let json = layer()
            .with_writer(log.clone())
            .fmt_fields(JsonFields::new())
            .event_format(Traced(format, with_member));
        let format = format::format().with_ansi(false);
        let text = layer()
            .with_writer(log.clone())
            .event_format(Traced(format, with_field));
        let subscriber = tracing_subscriber::registry().with(json).with(text);
        let _logging = tracing::subscriber::set_default(subscriber);
        let trace = Trace::new(tracing::info_span!("reconcile"));
        trace.after(|| tracing::info!(key = "a/b", "within"));
        tracing::info!("outside");
        let said = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
        let mut lines: Vec<&str> = said.lines().collect();
        lines.sort_unstable_by_key(|line| !line.starts_with('{'));
        let parsed: serde_json::Value = serde_json::from_str(lines[0]).unwrap();
        assert_eq!(parsed["trace_id"], "4bf9");
        assert_eq!(parsed["key"], "a/b");
        let parsed: serde_json::Value = serde_json::from_str(lines[1]).unwrap();
        assert!(parsed.get("trace_id").is_none(), "{said}");
        assert!(lines[2].ends_with("trace_id=4bf9"), "{said}");
        assert!(!lines[3].contains("trace_id"), "{said}");
    }

    #[test]
    fn verbosity_is_of_ourselves_more_than_of_libraries() {
        let check = |verbosity, expected: &str| {
            let crates = ["network_controller".to_owned()];
            assert_eq!(directives(verbosity, "warn", &crates), expected);
        };
        check(0, "warn");
        check(1, "info,network_controller=debug,codegen_runtime=debug");
        check(2, "debug,network_controller=trace,codegen_runtime=trace");
        check(9, "debug,network_controller=trace,codegen_runtime=trace");
    }
}
