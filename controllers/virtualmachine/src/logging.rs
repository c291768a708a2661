//! Log lines: for people, or an object each.

use std::io::{self, IsTerminal};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};

use crate::cli::{LogFlags, LogFormat};

/// Starts logging to standard error, once a process. Without `-v` it logs what `quiet` says, such as `info`.
///
/// # Errors
///
/// If logging has been started before.
pub fn start(flags: &LogFlags, quiet: &str) -> Result<(), TryInitError> {
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter(flags.verbosity, quiet))
        .with_ansi(io::stderr().is_terminal())
        .with_writer(io::stderr)
        .with_target(flags.verbosity > 0);
    match flags.log_format {
        LogFormat::Text => subscriber.finish().try_init(),
        LogFormat::Json => subscriber
            .json()
            .flatten_event(true)
            .with_current_span(false)
            .with_span_list(false)
            .finish()
            .try_init(),
    }
}

/// `RUST_LOG` if it is set, else what `-v` says: of ourselves more than of the libraries below.
fn filter(verbosity: u8, quiet: &str) -> EnvFilter {
    let directives = match verbosity {
        0 => quiet,
        1 => "info,virtualmachine_controller=debug,codegen_runtime=debug",
        _ => "debug,virtualmachine_controller=trace,codegen_runtime=trace",
    };
    EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(directives))
}
