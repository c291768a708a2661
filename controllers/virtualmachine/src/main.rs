//! `virtualmachine-controller`: see [`virtualmachine_controller`].

use std::process::ExitCode;

use clap::Parser;
use codegen_runtime::error::chain;
use codegen_runtime::manager::shutdown_signal;
use virtualmachine_controller::cli::Cli;
#[cfg(feature = "demo")]
use virtualmachine_controller::cli::Command;
use virtualmachine_controller::{app, logging};

fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("{error}\n"));
            return ExitCode::FAILURE;
        }
    };
    let result = runtime.block_on(run(cli));
    // A thread that blocks must not keep the process, which would work on without leading.
    runtime.shutdown_background();
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{}", chain(&*error));
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
