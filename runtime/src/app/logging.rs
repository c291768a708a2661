//! Sets up logging, as plain lines or as JSON.

use std::io::{self, IsTerminal};

use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry};

use super::{AppError, LogFlags, LogFormat};
use crate::traces::TARGET;

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
    let lines = tracing_subscriber::fmt::layer()
        .with_ansi(io::stderr().is_terminal())
        .with_writer(io::stderr)
        .with_target(flags.verbosity > 0);
    let lines = match flags.log_format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines
            .json()
            .flatten_event(true)
            .with_current_span(false)
            .with_span_list(false)
            .boxed(),
    };
    let lines = lines.with_filter(filter(flags.verbosity, quiet, crates));
    let subscriber = tracing_subscriber::registry().with(spans).with(lines);
    subscriber.try_init().map_err(|_| AppError::Logging)
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
    use super::*;

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
