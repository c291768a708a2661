//! `virtualmachine-controller`: see [`virtualmachine_controller`].

use std::process::ExitCode;

use clap::Parser;
use codegen_runtime::manager::shutdown_signal;
use virtualmachine_controller::cli::{Cli, Command};
use virtualmachine_controller::{app, logging};

#[tokio::main]
async fn main() -> ExitCode {
    match run(Cli::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(cli: Cli) -> anyhow::Result<()> {
    match cli.command {
        None => {
            logging::start(&cli.flags.log, "info")?;
            app::run(cli.flags, &shutdown_signal()?).await
        }
        #[cfg(feature = "demo")]
        Some(Command::Demo(flags)) => {
            logging::start(&flags.log, if flags.once { "warn" } else { "info" })?;
            virtualmachine_controller::demo::run(&flags, &shutdown_signal()?).await
        }
    }
}
