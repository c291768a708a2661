//! The program around controllers: flags, logging, client, manager, signals, and a demo on an
//! embedded API server.
//!
//! Contains the parts that every controller's `main` would repeat. [`App`] describes the program
//! and runs it; [`Flags`] are the common flags; [`Process`] is passed to the program's own code to
//! build its controllers with; `Demo` (feature `demo`) is the subcommand that starts an API server
//! and the controllers in one process.
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! use codegen_runtime::app::{App, Process};
//! use codegen_runtime::controller::{Action, Context, Controller, reconcile_with};
//! use codegen_runtime::manager::ManagerBuilder;
//! use k8s_openapi::api::core::v1::ConfigMap;
//!
//! /// The flags of this program beside those that every controller has.
//! #[derive(Clone, Debug, clap::Args)]
//! struct OwnFlags {
//!     /// The name to greet.
//!     #[arg(long, default_value = "world")]
//!     greet: String,
//! }
//!
//! async fn setup(
//!     process: Process,
//!     own: OwnFlags,
//! ) -> Result<ManagerBuilder, Box<dyn std::error::Error + Send + Sync>> {
//!     let factory = process.factory();
//!     let context = Context::<ConfigMap>::new(&factory, process.recorder());
//!     let controller = Controller::builder("greeter", &factory)
//!         .for_::<ConfigMap>()
//!         .workers(process.threads())
//!         .build(reconcile_with(context, move |request, _| {
//!             tracing::info!(map = %request.key, "hello, {}", own.greet);
//!             async { Ok::<_, kube::Error>(Action::done()) }
//!         }))?;
//!     Ok(process.manager(&factory)?.controller(controller))
//! }
//!
//! fn main() -> ExitCode {
//!     App::new("greeter", env!("CARGO_PKG_VERSION")).about("Greets").main(setup)
//! }
//! ```

mod builder;
mod cluster;
#[cfg(feature = "demo")]
mod demo;
#[cfg(feature = "demo")]
mod dev;
#[cfg(feature = "demo")]
mod end_to_end;
mod error;
mod flags;
mod logging;
mod process;

pub use self::builder::{App, Invocation};
#[cfg(feature = "demo")]
pub use self::demo::{Demo, DemoFlags};
#[cfg(feature = "demo")]
pub use self::end_to_end::Trial;
pub use self::error::AppError;
#[cfg(feature = "self-signed")]
pub use self::flags::ServiceName;
#[cfg(feature = "webhooks")]
pub use self::flags::WebhookFlags;
pub use self::flags::{
    Bind, ElectionFlags, Flags, LogFlags, LogFormat, ShardBy, ShardFlags, parse_duration,
};
#[cfg(feature = "demo")]
pub use self::flags::{DevFlags, Reach};
pub use self::process::Process;

/// The error type of a program's own code: any error, including `anyhow::Error`.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;
